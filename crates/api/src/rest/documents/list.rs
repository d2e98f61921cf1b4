//! `GET /documents`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use quire_application::App;
use quire_application::document::{self, DocumentCursor, DocumentList, DocumentView, ListRequest};
use quire_domain::{DocumentId, DocumentStatus, ReviewStatus, RunId};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::hide::HiddenResponse;
use super::least_confident;
use crate::ApiError;
use crate::request::Parameters;
use crate::rest::openapi::names;

/// The default and the largest number of items.
const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 200;
/// The largest offset. A cursor costs the same at any depth.
const MAX_OFFSET: u32 = 100_000;
/// Characters of the longest search text.
const MAX_SEARCH: usize = 200;

/// A page of documents.
#[derive(Serialize, ToSchema)]
#[schema(as = DocumentList)]
pub(crate) struct DocumentListResponse {
    pub(super) items: Vec<ListedDocumentResponse>,
    pub(super) limit: u32,
    pub(super) offset: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// The number of documents; absent with a cursor.
    pub(super) total: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    /// Whether there are more documents than `total`.
    pub(super) total_is_lower_bound: Option<bool>,
    /// The `cursor` of the next page, if there may be one.
    pub(super) next_cursor: Option<String>,
    /// Whether the search stopped at its limit. Then the list continues at `next_cursor`, even if this page is empty.
    pub(super) search_was_cut_short: bool,
}

/// A document in a list.
#[derive(Serialize, ToSchema)]
#[schema(as = ListedDocument)]
pub(crate) struct ListedDocumentResponse {
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    original_filename: String,
    created_at: Timestamp,
    #[schema(value_type = names::DocumentStatus)]
    status: &'static str,
    status_label: &'static str,
    #[schema(value_type = Option<names::FailureType>)]
    failure_type: Option<&'static str>,
    #[schema(value_type = names::ReviewStatus)]
    review_status: &'static str,
    reviewed_at: Option<Timestamp>,
    reviewed_by: Option<String>,
    /// The schema that interprets it.
    schema_name: String,
    #[schema(value_type = Option<Uuid>)]
    latest_run_id: Option<RunId>,
    #[schema(value_type = Option<names::RunState>)]
    latest_run_state: Option<&'static str>,
    #[schema(value_type = Option<names::FailureType>)]
    latest_run_failure_type: Option<&'static str>,
    latest_run_language_used: Option<String>,
    latest_run_schema_version_used: Option<u32>,
    /// The confidence in the document, from 0 to 1: the least confidence among its critical fields. Values that people entered
    /// count as certain. Null without an interpretation.
    confidence: Option<f64>,
    /// Who has hidden it, and when. Null unless hidden documents are listed.
    hidden: Option<HiddenResponse>,
}

/// The order of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocumentSort {
    Newest,
    LeastConfident,
}

impl DocumentSort {
    pub(crate) const ALL: [Self; 2] = [Self::Newest, Self::LeastConfident];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::LeastConfident => "least_certain",
        }
    }
}

/// Lists documents, newest first, or those that wait for a review, least confident first.
///
/// `sort=least_certain` lists only documents that have an interpretation and wait for a review. Filters cannot be combined with
/// it. Hidden documents are in no list but that of `hidden=only`.
///
/// To read all documents, follow `next_cursor`: a cursor costs the same at any depth. An `offset` cannot be combined with a
/// cursor.
#[utoipa::path(
    get,
    path = "/documents",
    tag = "documents",
    operation_id = "list_documents",
    params(
        ("limit" = Option<u32>, Query, description = "The number of items (default: 50).", minimum = 1, maximum = 200),
        ("offset" = Option<u32>, Query, description = "The number of items to skip.", minimum = 0, maximum = 100_000),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the previous page.",
            pattern = "^[A-Za-z0-9_-]{32}$"),
        ("status" = Option<names::DocumentStatus>, Query, description = "Filter: the status of the document."),
        ("review_status" = Option<names::ReviewStatus>, Query, description = "Filter: whether a person has reviewed the document."),
        ("q" = Option<String>, Query, description = "Filter: words in the file name, in a value or in the text, or their beginnings; \"phrases\" and -words. Case and accents are ignored.", max_length = 200),
        ("hidden" = Option<names::HiddenFilter>, Query, description = "`only` lists the hidden documents, and no others."),
        ("sort" = Option<names::Sort>, Query, description = "The order (default: newest)."),
    ),
    responses((status = 200, description = "A page of documents.", body = DocumentListResponse)),
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    parameters: Parameters,
) -> Result<Json<DocumentListResponse>, ApiError> {
    let sort = parameters.one_of("sort", &DocumentSort::ALL, DocumentSort::as_str)?;
    if sort == Some(DocumentSort::LeastConfident) {
        return least_confident::list(&app, &parameters).await;
    }
    let request = request(&parameters)?;
    let found = document::list(&app, &request).await?;
    Ok(Json(response(&request, found)))
}

/// The filters of a request, without its page.
pub(crate) fn filters(parameters: &Parameters) -> Result<ListRequest, ApiError> {
    Ok(ListRequest {
        status: parameters.one_of("status", &DocumentStatus::ALL, DocumentStatus::as_str)?,
        review: parameters.one_of("review_status", &ReviewStatus::ALL, ReviewStatus::as_str)?,
        words: parameters.non_empty("q").map(checked_query_text).transpose()?,
        ..ListRequest::default()
    })
}

fn request(parameters: &Parameters) -> Result<ListRequest, ApiError> {
    let after = parameters.raw("cursor").map(parse_cursor).transpose()?;
    let (limit, offset) = bounds(parameters)?;
    Ok(ListRequest { limit, offset, after, hidden: hidden(parameters)?, ..filters(parameters)? })
}

/// Whether the hidden documents are listed. An export has none of them, so that this is none of its filters.
pub(crate) fn hidden(parameters: &Parameters) -> Result<bool, ApiError> {
    Ok(parameters.one_of("hidden", &["only"], |only| only)?.is_some())
}

/// The limit and the offset of a request.
pub(super) fn bounds(parameters: &Parameters) -> Result<(u32, u32), ApiError> {
    let offset = parameters.within("offset", 0..=MAX_OFFSET)?.unwrap_or(0);
    if parameters.raw("cursor").is_some() && offset > 0 {
        return Err(ApiError::invalid("offset", "cannot be combined with a cursor; remove one"));
    }
    Ok((parameters.within("limit", 1..=MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT), offset))
}

pub(super) fn no_cursor() -> ApiError {
    ApiError::invalid("cursor", "must be the next_cursor of an earlier page in the same order")
}

/// The text of the parameter `q`, unless it is too long.
fn checked_query_text(text: &str) -> Result<String, ApiError> {
    if text.chars().count() > MAX_SEARCH {
        return Err(ApiError::invalid("q", &format!("must have at most {MAX_SEARCH} characters")));
    }
    Ok(text.to_owned())
}

/// The creation time in microseconds and the id, encoded so that clients do not build cursors themselves.
pub(crate) fn cursor(place: DocumentCursor) -> String {
    let mut bytes = place.created_at.as_microsecond().to_be_bytes().to_vec();
    bytes.extend(place.id.0.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

pub(crate) fn parse_cursor(cursor: &str) -> Result<DocumentCursor, ApiError> {
    let parse = || {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (time, id) = bytes.split_at_checked(8)?;
        let created_at = Timestamp::from_microsecond(i64::from_be_bytes(time.try_into().ok()?)).ok()?;
        Some(DocumentCursor { created_at, id: DocumentId(Uuid::from_slice(id).ok()?) })
    };
    parse().ok_or_else(no_cursor)
}

fn response(request: &ListRequest, found: DocumentList) -> DocumentListResponse {
    DocumentListResponse {
        items: found.items.into_iter().map(listed_document).collect(),
        limit: request.limit,
        offset: request.offset,
        total: found.total.map(|total| total.count),
        total_is_lower_bound: found.total.map(|total| total.is_lower_bound),
        next_cursor: found.next.map(cursor),
        search_was_cut_short: found.is_cut_short,
    }
}

pub(crate) fn listed_document(view: DocumentView) -> ListedDocumentResponse {
    let DocumentView { overview, processing, language_used } = view;
    let document = overview.document;
    let run = overview.latest_run.as_ref();
    let failure_type = processing.failure_type.map(quire_domain::FailureType::as_str);
    ListedDocumentResponse {
        document_id: document.id,
        original_filename: document.original_filename,
        created_at: document.created_at,
        status: processing.status.as_str(),
        status_label: processing.status.label(),
        failure_type,
        review_status: document.review_status.as_str(),
        reviewed_at: overview.reviewed_at,
        reviewed_by: overview.reviewed_by,
        schema_name: document.schema,
        latest_run_id: run.map(|run| run.id),
        latest_run_state: run.map(|run| run.state.as_str()),
        latest_run_failure_type: run.and_then(|run| run.state.reason()).map(|why| why.failure_type.as_str()),
        latest_run_language_used: language_used,
        latest_run_schema_version_used: run.and_then(|run| run.schema.as_ref()).map(|schema| schema.version),
        confidence: overview.confidence,
        hidden: overview.hidden.map(HiddenResponse::from),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Proves R063 for the limits of a list.
    #[test]
    fn a_parameter_out_of_range_is_refused_by_name() {
        for (query, parameter) in [
            ("limit=0", "limit"),
            ("limit=201", "limit"),
            ("limit=-1", "limit"),
            ("limit=", "limit"),
            ("offset=x", "offset"),
            ("offset=100001", "offset"),
            ("status=DONE", "status"),
            ("review_status=reviewed", "review_status"),
            ("hidden=true", "hidden"),
            ("cursor=abc", "cursor"),
            ("cursor=%20", "cursor"),
            (&format!("q={}", "x".repeat(201)), "q"),
        ] {
            let refused = request(&Parameters::parse(query)).unwrap_err();
            assert!(refused.message.starts_with(&format!("{parameter}: ")), "{query}: {}", refused.message);
        }
        let usual = request(&Parameters::parse("colour=red")).unwrap();
        assert_eq!((usual.limit, usual.offset, usual.after), (DEFAULT_LIMIT, 0, None));
        assert!(!usual.hidden && request(&Parameters::parse("hidden=only")).unwrap().hidden);
    }

    #[test]
    fn a_cursor_round_trips_and_excludes_an_offset() {
        for created_at in [Timestamp::UNIX_EPOCH, "2024-02-29T12:00:00.000001Z".parse().unwrap()] {
            let here = DocumentCursor { created_at, id: DocumentId::new() };
            assert_eq!(parse_cursor(&cursor(here)).unwrap(), here);
            let both = format!("cursor={}&offset=1", cursor(here));
            assert!(request(&Parameters::parse(&both)).is_err());
        }
    }

    proptest! {
        #[test]
        fn an_invented_cursor_is_valid_or_refused(text in any::<String>(), bytes in any::<[u8; 24]>()) {
            for invented in [text, URL_SAFE_NO_PAD.encode(bytes)] {
                match parse_cursor(&invented) {
                    Ok(here) => prop_assert_eq!(cursor(here), invented),
                    Err(refused) => prop_assert_eq!(refused.code, crate::Code::InvalidRequest),
                }
            }
        }
    }
}
