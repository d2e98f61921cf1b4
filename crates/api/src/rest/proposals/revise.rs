//! `POST /v1/runs/{id}/revisions`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};
use quire_application::App;
use quire_application::proposal::{self, MAX_TEMPERATURE, Revision};
use quire_domain::RunId;
use quire_domain::proposal::{ExtraContext, Idea, InvalidMember, ModelParameters, ProposalEdit, check_note};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::bodies::JobEnqueuedResponse;
use crate::ApiError;
use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::{Id, JsonBody};
use crate::rest::openapi::errors;

/// Characters of the longest notes.
const MAX_NOTES: usize = 10_000;
/// Characters of the longest name of a model.
const MAX_MODEL: usize = 200;

/// What to change. What is missing stays as it is in the revised run.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
#[schema(as = Revision)]
pub(crate) struct RevisionRequest {
    /// The edited proposal: a text, or an object with the sections that changed. At most 100,000 characters.
    edited_proposal: Option<Value>,
    #[schema(max_length = 10_000)]
    edit_notes: Option<String>,
    #[schema(max_length = 10_000)]
    input_idea: Option<String>,
    /// A text or an object, of at most 50,000 characters.
    extra_context: Option<Value>,
    #[schema(max_length = 200)]
    model: Option<String>,
    #[schema(minimum = 0, maximum = 2)]
    temperature: Option<f64>,
    /// How the model is asked, for all calls of the run: `top_p`, `frequency_penalty`, `presence_penalty`, `seed`,
    /// `max_tokens`. Other members are refused.
    #[schema(value_type = Option<Object>)]
    parameters_json: Option<Map<String, Value>>,
}

impl RevisionRequest {
    fn checked(self, actor: String, correlation_id: String) -> Result<Revision, ApiError> {
        if self.temperature.is_some_and(|number| !(0.0..=MAX_TEMPERATURE).contains(&number)) {
            return Err(InvalidMember::at("temperature", "must be from 0 to 2").into());
        }
        if let Some(parameters) = &self.parameters_json {
            ModelParameters::read(parameters)?;
        }
        Ok(Revision {
            edited_proposal: ProposalEdit::parse(self.edited_proposal)?,
            edit_notes: check_note("edit_notes", self.edit_notes, MAX_NOTES)?,
            idea: self.input_idea.map(|idea| Idea::parse("input_idea", Some(idea))).transpose()?,
            extra_context: ExtraContext::parse(self.extra_context)?,
            model: check_note("model", self.model, MAX_MODEL)?,
            temperature: self.temperature,
            parameters: self.parameters_json,
            actor,
            correlation_id,
        })
    }
}

/// Revises a completed proposal run.
///
/// The new run expands the edited proposal and repeats the reviews that had reasons for it; the others are reused.
#[utoipa::path(
    post,
    path = "/v1/runs/{id}/revisions",
    tag = "proposals",
    operation_id = "revise_proposal",
    params(("id" = Uuid, Path, description = "The run to revise.")),
    request_body = RevisionRequest,
    responses(
        (status = 202, description = "The new run, which is queued.", body = JobEnqueuedResponse),
        errors::NotFound,
        errors::NotRevisable,
        errors::NotValid,
        errors::NotConfigured,
    ),
)]
pub(crate) async fn revise(
    State(app): State<Arc<App>>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    Id(id): Id,
    JsonBody(body): JsonBody<RevisionRequest>,
) -> Result<(StatusCode, Json<JobEnqueuedResponse>), ApiError> {
    let revision = body.checked(actor, correlation_id)?;
    let run = proposal::revise(&app, RunId(id), revision).await?;
    Ok((StatusCode::ACCEPTED, Json(JobEnqueuedResponse::of(&run, true, Vec::new()))))
}
