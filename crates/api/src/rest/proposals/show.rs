//! `GET /v1/runs/{id}`

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use jiff::Timestamp;
use quire_application::App;
use quire_application::proposal::{self, ProposalView, StepView};
use quire_domain::RunId;
use quire_domain::proposal::{ExpandedProposal, ExtraContext, PersonaReview, ProposalDecision, ProposalDiff};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::bodies::ProposalRunHead;
use super::names::step_status;
use crate::ApiError;
use crate::request::Id;
use crate::rest::model_usage::ModelUsageResponse;
use crate::rest::openapi::{errors, names};

/// What an old run shows as its version.
const UNKNOWN: &str = "unknown";

/// A proposal run with everything that is known about it.
#[derive(Serialize, ToSchema)]
#[schema(as = ProposalRun)]
pub struct ProposalRunResponse {
    #[serde(flatten)]
    head: ProposalRunHead,
    updated_at: Timestamp,
    input_idea: String,
    #[schema(value_type = Option<Object>)]
    extra_context: Option<ExtraContext>,
    model: String,
    temperature: f64,
    #[schema(value_type = Object)]
    parameters_json: Map<String, Value>,
    /// The API key of the client, if it had one.
    user_id: Option<uuid::Uuid>,
    schema_version: String,
    prompt_set_version: String,
    error_code: Option<String>,
    error_message: Option<String>,
    #[schema(value_type = Option<Object>)]
    proposal: Option<ExpandedProposal>,
    /// What a revision changed in the proposal of its parent.
    #[schema(value_type = Option<Object>)]
    proposal_diff: Option<ProposalDiff>,
    edit_notes: Option<String>,
    persona_reviews: Vec<PersonaReviewResponse>,
    #[schema(value_type = Option<Object>)]
    decision: Option<ProposalDecision>,
    /// Always the seven steps, in order.
    step_progress: Vec<StepProgressResponse>,
    /// What the run's requests to language models cost. None without a request.
    model_usage: Option<ModelUsageResponse>,
}

/// The review of one persona.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonaReviewSummary)]
struct PersonaReviewResponse {
    persona_id: String,
    persona_name: String,
    confidence_score: f64,
    blocking_issues_present: bool,
    security_concerns_present: bool,
    #[schema(value_type = Object)]
    prompt_parameters_json: Map<String, Value>,
    /// The whole review.
    #[schema(value_type = Object)]
    review: PersonaReview,
}

/// The progress of a step.
#[derive(Serialize, ToSchema)]
#[schema(as = StepProgressSummary)]
struct StepProgressResponse {
    #[schema(value_type = names::StepName)]
    step_name: &'static str,
    step_order: u8,
    #[schema(value_type = names::ProposalStepStatus)]
    status: &'static str,
    started_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
    error_message: Option<String>,
}

/// Shows a proposal run.
#[utoipa::path(
    get,
    path = "/v1/runs/{id}",
    tag = "proposals",
    operation_id = "show_proposal_run",
    params(("id" = Uuid, Path, description = "The run.")),
    responses((status = 200, description = "The run.", body = ProposalRunResponse), errors::NotFound),
)]
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Id(id): Id,
) -> Result<Json<ProposalRunResponse>, ApiError> {
    Ok(Json(ProposalRunResponse::of(proposal::show(&app, RunId(id)).await?)))
}

impl ProposalRunResponse {
    /// The response for that run.
    pub fn of(view: ProposalView) -> Self {
        let ProposalView { proposal, steps, updated_at, usage } = view;
        let decision = proposal.decision.as_ref();
        let head = ProposalRunHead::of(
            &proposal.run,
            proposal.request.parent.map(|id| id.0),
            decision.map(|decision| decision.overall_weighted_confidence),
            decision.map(|decision| decision.decision.as_str()),
        );
        let reason = proposal.run.state.reason();
        let request = proposal.request;
        let (expanded, diff) = proposal.version.map(|version| (version.proposal, version.diff)).unzip();
        Self {
            head,
            updated_at,
            input_idea: request.input_idea,
            extra_context: request.extra_context,
            model: request.model,
            temperature: request.temperature,
            parameters_json: request.parameters,
            user_id: request.key_id,
            schema_version: request.schema_version.unwrap_or_else(|| UNKNOWN.to_owned()),
            prompt_set_version: request.prompt_set_version.unwrap_or_else(|| UNKNOWN.to_owned()),
            error_code: reason.map(|reason| reason.record.error_code.clone()),
            error_message: reason.map(|reason| reason.record.message.clone()),
            proposal: expanded,
            proposal_diff: diff.flatten(),
            edit_notes: request.edit_notes,
            persona_reviews: proposal
                .reviews
                .into_iter()
                .map(|stored| review(stored.review, stored.prompt_parameters))
                .collect(),
            decision: proposal.decision,
            step_progress: steps.into_iter().map(step).collect(),
            model_usage: ModelUsageResponse::of_any(&usage),
        }
    }
}

fn review(review: PersonaReview, prompt_parameters_json: Map<String, Value>) -> PersonaReviewResponse {
    PersonaReviewResponse {
        persona_id: review.persona_id.clone(),
        persona_name: review.persona_name.clone(),
        confidence_score: review.confidence_score,
        blocking_issues_present: review.has_blocking_issues(),
        security_concerns_present: review.has_security_critical_issue(),
        prompt_parameters_json,
        review,
    }
}

fn step(view: StepView) -> StepProgressResponse {
    StepProgressResponse {
        step_name: view.step.as_str(),
        step_order: view.step.order(),
        status: step_status(view.status),
        started_at: view.started_at,
        completed_at: view.completed_at,
        error_message: view.error_message,
    }
}
