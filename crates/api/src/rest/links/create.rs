//! `POST /v1/requests`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use jiff::Timestamp;
use quire_application::App;
use quire_application::link::{self, LinkCreation, LinkInput, LinkRun, NewLink};
use quire_domain::link::{ForwardMetadata, ForwardedText, InvalidForward, RequestKind, SummaryLanguage};
use quire_domain::{Run, link::request_status};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::ApiError;
use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::JsonBody;
use crate::rest::openapi::{errors, names};

/// About how long a page and a forwarded text take, in seconds.
const URL_SECONDS: u32 = 15;
const FORWARD_SECONDS: u32 = 10;

/// A page or a forwarded text to summarise.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewLinkRequest)]
pub(crate) struct NewLinkRequest {
    #[schema(value_type = names::LinkRequestType)]
    r#type: String,
    /// The address of a page; for the type `url`.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 2048)]
    input_url: Option<String>,
    /// A text of 10 to 100,000 characters; for the type `forward`.
    #[serde(default)]
    #[schema(min_length = 10, max_length = 100_000)]
    content_text: Option<String>,
    /// Where the text comes from: `from_chat_id`, `from_message_id` and anything else.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    forward_metadata: Option<ForwardMetadata>,
    /// The language of the summary; `auto` is that of the text.
    #[serde(default)]
    #[schema(value_type = Option<names::SummaryLanguage>)]
    lang_preference: Option<String>,
}

/// A request that was accepted.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkRequestAccepted)]
pub(crate) struct LinkRequestAccepted {
    request_id: Uuid,
    correlation_id: Option<String>,
    #[schema(value_type = names::LinkRequestType)]
    r#type: &'static str,
    #[schema(value_type = names::LinkRequestStatus)]
    status: &'static str,
    estimated_wait_seconds: u32,
    created_at: Timestamp,
    is_duplicate: bool,
}

/// An earlier request for the same.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkRequestDuplicate)]
pub(crate) struct LinkRequestDuplicate {
    is_duplicate: bool,
    existing_request_id: Uuid,
    #[schema(value_type = names::LinkRequestStatus)]
    status: &'static str,
    /// Its summary, if it is made.
    existing_summary_id: Option<Uuid>,
    summarized_at: Option<Timestamp>,
}

/// Summarises a page or a forwarded text.
///
/// The response comes at once; the summary follows in the background. If this client has an unfinished or summarised request
/// for the same page, that one is returned and nothing is done.
#[utoipa::path(
    post,
    path = "/v1/requests",
    tag = "links",
    operation_id = "create_link_request",
    request_body = NewLinkRequest,
    responses(
        (status = 202, description = "The request, which is queued.", body = LinkRequestAccepted),
        (status = 200, description = "An earlier request for the same.", body = LinkRequestDuplicate),
        errors::Invalid,
        errors::NotConfigured,
    ),
)]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    JsonBody(body): JsonBody<NewLinkRequest>,
) -> Result<Response, ApiError> {
    let kind = RequestKind::ALL.into_iter().find(|kind| kind.as_str() == body.r#type);
    let kind = kind.ok_or_else(|| ApiError::invalid("type", "must be url or forward"))?;
    let language = body.lang_preference.as_deref().map(SummaryLanguage::parse).transpose();
    let language =
        language.map_err(|_| ApiError::invalid("lang_preference", "must be auto, en, es or ru"))?;
    let new =
        NewLink { language: language.unwrap_or_default(), input: input(kind, body)?, actor, correlation_id };
    Ok(match link::create(&app, new).await? {
        LinkCreation::Created(run) => {
            (StatusCode::ACCEPTED, Json(LinkRequestAccepted::of(&run, kind))).into_response()
        }
        LinkCreation::Duplicate(earlier) => Json(LinkRequestDuplicate::of(&earlier)).into_response(),
    })
}

fn input(kind: RequestKind, body: NewLinkRequest) -> Result<LinkInput, ApiError> {
    match (kind, body.input_url, body.content_text, body.forward_metadata) {
        (RequestKind::Url, Some(url), None, None) => Ok(LinkInput::Url(url)),
        (RequestKind::Url, None, ..) => Err(ApiError::invalid("input_url", "is missing")),
        (RequestKind::Url, _, Some(_), _) => {
            Err(ApiError::invalid("content_text", "belongs to the type forward"))
        }
        (RequestKind::Url, ..) => Err(ApiError::invalid("forward_metadata", "belongs to the type forward")),
        (RequestKind::Forward, None, Some(text), metadata) => {
            Ok(LinkInput::Forward(ForwardedText::parse(&text, metadata.unwrap_or_default())?))
        }
        (RequestKind::Forward, Some(_), ..) => Err(ApiError::invalid("input_url", "belongs to the type url")),
        (RequestKind::Forward, None, None, _) => Err(ApiError::invalid("content_text", "is missing")),
    }
}

impl From<InvalidForward> for ApiError {
    fn from(error: InvalidForward) -> Self {
        Self::invalid(error.member, &error.rule)
    }
}

impl LinkRequestAccepted {
    pub(super) fn of(run: &Run, kind: RequestKind) -> Self {
        Self {
            request_id: run.id.0,
            correlation_id: run.correlation_id.clone(),
            r#type: kind.as_str(),
            status: request_status(&run.state),
            estimated_wait_seconds: match kind {
                RequestKind::Url => URL_SECONDS,
                RequestKind::Forward => FORWARD_SECONDS,
            },
            created_at: run.created_at,
            is_duplicate: false,
        }
    }
}

impl LinkRequestDuplicate {
    fn of(earlier: &LinkRun) -> Self {
        Self {
            is_duplicate: true,
            existing_request_id: earlier.run.id.0,
            status: request_status(&earlier.run.state),
            existing_summary_id: earlier.summary.as_ref().map(|summary| summary.content.id.0),
            summarized_at: earlier.summary.as_ref().map(|summary| summary.created_at),
        }
    }
}
