//! `GET`, `PATCH` and `DELETE /v1/summaries/{id}`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use quire_application::App;
use quire_application::link::{self, LinkRun, ModelCall};
use quire_domain::SummaryId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::bodies::{LinkRequestBody, SummaryBody};
use super::show::PageBody;
use crate::ApiError;
use crate::caller::Caller;
use crate::request::{Id, JsonBody};
use crate::rest::openapi::errors;

/// A summary with its request, its source and how it was made.
#[derive(Serialize, ToSchema)]
#[schema(as = SummaryDetail)]
pub(crate) struct SummaryDetail {
    summary: SummaryBody,
    request: LinkRequestBody,
    source: Option<PageBody>,
    processing: ProcessingBody,
}

/// How a summary was made.
#[derive(Serialize, ToSchema)]
#[schema(as = SummaryProcessing)]
pub(crate) struct ProcessingBody {
    /// The model that made it, or the name of the built-in method.
    model_used: String,
    /// The calls to language models, with those that failed.
    llm_calls: usize,
    /// Tokens of all requests and responses together.
    tokens_used: u64,
    /// What the calls cost, as far as it is known. Null if no call has a known cost.
    cost: Option<f64>,
    /// Milliseconds from the start of the last attempt to its end.
    processing_time_ms: Option<i64>,
    confidence: Option<f64>,
    /// `low`, `med` or `high`.
    hallucination_risk: Option<String>,
}

impl ProcessingBody {
    fn of(request: &LinkRequestBody, summary: &SummaryBody, calls: &[ModelCall]) -> Self {
        let costs: Vec<f64> = calls.iter().filter_map(|call| call.cost).collect();
        let payload = &summary.json_payload;
        let text = |name: &str| payload.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            model_used: summary.made_by.clone(),
            llm_calls: calls.len(),
            tokens_used: calls.iter().map(|call| call.tokens_in + call.tokens_out).sum(),
            cost: (!costs.is_empty()).then(|| costs.iter().sum()),
            processing_time_ms: request.processing_time_ms,
            confidence: payload.get("confidence").and_then(Value::as_f64),
            hallucination_risk: text("hallucination_risk"),
        }
    }
}

/// A change of a summary.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SummaryChange)]
pub(crate) struct SummaryChange {
    is_read: bool,
}

/// Shows a summary.
#[utoipa::path(
    get,
    path = "/v1/summaries/{id}",
    tag = "links",
    operation_id = "show_summary",
    params(("id" = Uuid, Path, description = "The summary.")),
    responses((status = 200, description = "The summary.", body = SummaryDetail), errors::NotFound),
)]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    Id(id): Id,
) -> Result<Json<SummaryDetail>, ApiError> {
    let link = link::show_summary(&app, SummaryId(id), &actor).await?;
    detail(&app, link, &actor).await
}

/// Marks a summary as read or unread.
#[utoipa::path(
    patch,
    path = "/v1/summaries/{id}",
    tag = "links",
    operation_id = "mark_summary",
    params(("id" = Uuid, Path, description = "The summary.")),
    request_body = SummaryChange,
    responses(
        (status = 200, description = "The summary.", body = SummaryDetail),
        errors::NotFound,
    ),
)]
pub(crate) async fn mark(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    Id(id): Id,
    JsonBody(body): JsonBody<SummaryChange>,
) -> Result<Json<SummaryDetail>, ApiError> {
    let link = link::mark_summary(&app, SummaryId(id), body.is_read, &actor).await?;
    detail(&app, link, &actor).await
}

/// Deletes a summary.
///
/// It is not shown any more, and its page can be requested again.
#[utoipa::path(
    delete,
    path = "/v1/summaries/{id}",
    tag = "links",
    operation_id = "delete_summary",
    params(("id" = Uuid, Path, description = "The summary.")),
    responses((status = 204, description = "The summary is deleted."), errors::NotFound),
)]
pub(crate) async fn delete(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    Id(id): Id,
) -> Result<StatusCode, ApiError> {
    link::delete_summary(&app, SummaryId(id), &actor).await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn detail(app: &App, link: LinkRun, actor: &str) -> Result<Json<SummaryDetail>, ApiError> {
    let request = LinkRequestBody::of(&link);
    let view = link::show(app, link.run.id, actor).await?;
    let summary = link.summary.ok_or_else(|| ApiError::internal("a summary has no content"))?;
    let summary = SummaryBody::of(link.run.id.0, summary);
    let processing = ProcessingBody::of(&request, &summary, &view.model_calls);
    Ok(Json(SummaryDetail { summary, request, source: view.page.map(PageBody::of), processing }))
}
