//! `GET /v1/requests/{id}`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::link::{self, ModelCall, WebPageArtifact};
use quire_domain::{RunId, StepName};
use serde::Serialize;
use utoipa::ToSchema;

use super::bodies::{LinkRequestBody, SummaryBody};
use crate::ApiError;
use crate::caller::Caller;
use crate::request::Id;
use crate::rest::openapi::errors;

/// A request with everything that is known about it.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkRequestDetail)]
pub(crate) struct LinkRequestDetail {
    request: LinkRequestBody,
    crawl_result: Option<PageBody>,
    llm_calls: Vec<ModelCallBody>,
    summary: Option<SummaryBody>,
}

/// What was read from a page.
#[derive(Serialize, ToSchema)]
#[schema(as = CrawlResult)]
pub(crate) struct PageBody {
    /// The address after all redirects.
    final_url: String,
    canonical_url: Option<String>,
    title: Option<String>,
    author: Option<String>,
    site_name: Option<String>,
    published_at: Option<String>,
    lang_detected: Option<String>,
    media_type: String,
    /// The SHA-256 of the fetched bytes.
    content_sha256: String,
    content_bytes: u64,
    /// `direct` or `firecrawl`.
    read_by: String,
    /// The main text.
    content_markdown: String,
}

/// A call to a language model.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkModelCall)]
pub(crate) struct ModelCallBody {
    stage: Option<&'static str>,
    attempt: u32,
    model: String,
    tokens_prompt: u64,
    tokens_completion: u64,
    cost: Option<f64>,
    latency_ms: u64,
    /// OK or an error code.
    status: String,
    created_at: Timestamp,
}

/// Shows a request.
#[utoipa::path(
    get,
    path = "/v1/requests/{id}",
    tag = "links",
    operation_id = "show_link_request",
    params(("id" = Uuid, Path, description = "The request.")),
    responses((status = 200, description = "The request.", body = LinkRequestDetail), errors::NotFound),
)]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    Id(id): Id,
) -> Result<Json<LinkRequestDetail>, ApiError> {
    let view = link::show(&app, RunId(id), &actor).await?;
    Ok(Json(LinkRequestDetail {
        request: LinkRequestBody::of(&view.link),
        crawl_result: view.page.map(PageBody::of),
        llm_calls: view.model_calls.into_iter().map(ModelCallBody::of).collect(),
        summary: view.link.summary.map(|summary| SummaryBody::of(id, summary)),
    }))
}

impl PageBody {
    pub(super) fn of(page: WebPageArtifact) -> Self {
        Self {
            final_url: page.final_url,
            canonical_url: page.canonical_url,
            title: page.title,
            author: page.byline,
            site_name: page.site_name,
            published_at: page.published,
            lang_detected: page.language,
            media_type: page.media_type,
            content_sha256: page.content_sha256,
            content_bytes: page.content_bytes,
            read_by: page.read_by,
            content_markdown: page.text,
        }
    }
}

impl ModelCallBody {
    fn of(call: ModelCall) -> Self {
        Self {
            stage: call.step.map(StepName::as_str),
            attempt: call.step_attempt,
            model: call.model,
            tokens_prompt: call.tokens_in,
            tokens_completion: call.tokens_out,
            cost: call.cost,
            latency_ms: u64::try_from(call.latency.as_millis()).unwrap_or(u64::MAX),
            status: call.outcome,
            created_at: call.created_at,
        }
    }
}
