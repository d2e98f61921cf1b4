//! `GET /v1/summaries`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::link::{self, LinkRun, SummaryFilter};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::ApiError;
use crate::caller::Caller;
use crate::request::Parameters;
use crate::rest::openapi::names;

const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 100;
const MAX_OFFSET: u32 = 100_000;
const MAX_TEXT_CHARS: usize = 200;
const DATE_RULE: &str = "must be a date and time with a time zone, such as 2026-01-08T10:00:00Z";
const TRUE_OR_FALSE: [(&str, bool); 2] = [("true", true), ("false", false)];

/// The orders of a list.
pub(crate) const ORDERS: [(&str, bool); 2] = [("created_at_desc", false), ("created_at_asc", true)];

/// A page of summaries.
#[derive(Serialize, ToSchema)]
#[schema(as = SummaryList)]
pub(crate) struct SummaryListResponse {
    summaries: Vec<SummaryItemBody>,
    /// All summaries that match.
    total: u64,
    limit: u32,
    offset: u32,
    stats: SummaryStatsBody,
}

/// Numbers about all summaries of the client.
#[derive(Serialize, ToSchema)]
#[schema(as = SummaryStats)]
struct SummaryStatsBody {
    unread_count: u64,
}

/// A summary in a list.
#[derive(Serialize, ToSchema)]
#[schema(as = SummaryItem)]
struct SummaryItemBody {
    summary_id: Uuid,
    request_id: Uuid,
    title: Option<String>,
    domain: Option<String>,
    url: Option<String>,
    tldr: String,
    summary_250: String,
    reading_time_min: u64,
    topic_tags: Vec<String>,
    is_read: bool,
    /// The language, as ISO 639-1.
    lang: String,
    /// From 0 to 1.
    confidence: f64,
    /// `low`, `med` or `high`.
    hallucination_risk: String,
    /// The model that made it, or the name of the built-in method.
    made_by: String,
    created_at: Timestamp,
}

/// Lists summaries, the newest first.
#[utoipa::path(
    get,
    path = "/v1/summaries",
    tag = "links",
    operation_id = "list_summaries",
    params(
        ("limit" = Option<u32>, Query, description = "The number of items (default: 20).", minimum = 1, maximum = 100),
        ("offset" = Option<u32>, Query, description = "The number of items to skip.", minimum = 0, maximum = 100_000),
        ("is_read" = Option<bool>, Query, description = "Summaries that are marked as read, or not."),
        ("lang" = Option<String>, Query, description = "Summaries in this language, as ISO 639-1."),
        ("q" = Option<String>, Query, description = "Summaries with this text in title, summary, tags or address."),
        ("start_date" = Option<String>, Query, description = "Summaries made at this time or later, with a time zone.", format = DateTime),
        ("end_date" = Option<String>, Query, description = "Summaries made at this time or earlier, with a time zone.", format = DateTime),
        ("sort" = Option<names::SummaryOrder>, Query, description = "The order (default: created_at_desc)."),
    ),
    responses((status = 200, description = "The summaries.", body = SummaryListResponse)),
)]
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    parameters: Parameters,
) -> Result<Json<SummaryListResponse>, ApiError> {
    let filter = filter(&parameters)?;
    let (limit, offset) = (filter.limit, filter.offset);
    let page = link::summaries(&app, filter, &actor).await?;
    Ok(Json(SummaryListResponse {
        summaries: page.items.into_iter().filter_map(item).collect(),
        total: page.total,
        limit,
        offset,
        stats: SummaryStatsBody { unread_count: page.unread },
    }))
}

fn filter(parameters: &Parameters) -> Result<SummaryFilter, ApiError> {
    let text = parameters.non_empty("q");
    if text.is_some_and(|text| text.chars().count() > MAX_TEXT_CHARS) {
        return Err(ApiError::invalid("q", &format!("must have at most {MAX_TEXT_CHARS} characters")));
    }
    Ok(SummaryFilter {
        is_read: parameters.one_of("is_read", &TRUE_OR_FALSE, |(name, _)| name)?.map(|(_, is_read)| is_read),
        language: parameters.non_empty("lang").map(str::to_owned),
        text: text.map(str::to_owned),
        created_from: parameters.value("start_date", DATE_RULE)?,
        created_until: parameters.value("end_date", DATE_RULE)?,
        oldest_first: parameters.one_of("sort", &ORDERS, |(name, _)| name)?.is_some_and(|(_, oldest)| oldest),
        limit: parameters.within("limit", 1..=MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT),
        offset: parameters.within("offset", 0..=MAX_OFFSET)?.unwrap_or_default(),
        ..SummaryFilter::default()
    })
}

fn item(link: LinkRun) -> Option<SummaryItemBody> {
    let summary = link.summary?;
    let payload = &summary.content.payload;
    let metadata = payload.get("metadata").and_then(Value::as_object);
    let of_metadata = |name: &str| metadata.and_then(|all| text(all, name));
    let tags = payload.get("topic_tags").and_then(Value::as_array).into_iter().flatten();
    Some(SummaryItemBody {
        summary_id: summary.content.id.0,
        request_id: link.run.id.0,
        title: of_metadata("title"),
        domain: of_metadata("domain"),
        url: link.request.source.url().map(str::to_owned),
        tldr: text(payload, "tldr").unwrap_or_default(),
        summary_250: text(payload, "summary_250").unwrap_or_default(),
        reading_time_min: payload
            .get("estimated_reading_time_min")
            .and_then(Value::as_u64)
            .unwrap_or_default(),
        topic_tags: tags.filter_map(Value::as_str).map(str::to_owned).collect(),
        is_read: summary.is_read,
        confidence: payload.get("confidence").and_then(Value::as_f64).unwrap_or(1.0),
        hallucination_risk: text(payload, "hallucination_risk").unwrap_or_default(),
        created_at: summary.created_at,
        lang: summary.content.language,
        made_by: summary.content.made_by,
    })
}

fn text(members: &Map<String, Value>, name: &str) -> Option<String> {
    members.get(name).and_then(Value::as_str).map(str::to_owned)
}
