//! `POST /v1/expand-idea` and `POST /v1/review-idea`: a quick look at an idea. The client waits for the result, but not
//! for longer than a minute.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use quire_application::App;
use quire_application::proposal::{self, NewProposal, ProposalRun, ProposalScope};
use quire_domain::proposal::{ExpandedProposal, PersonaReview, ProposalDecision};
use quire_domain::{RunState, StepName};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::bodies::{IdeaRequest, JobEnqueuedResponse};
use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::JsonBody;
use crate::rest::openapi::errors;
use crate::{ApiError, Code};

/// How long a client waits for the result before it gets the id of the run.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// An expanded idea.
#[derive(Serialize, ToSchema)]
#[schema(as = ExpandedIdea)]
pub(crate) struct ExpandedIdeaResponse {
    #[serde(flatten)]
    #[schema(value_type = Object)]
    proposal: ExpandedProposal,
    schema_version: Option<String>,
    prompt_set_version: Option<String>,
}

/// A reviewed idea.
#[derive(Serialize, ToSchema)]
#[schema(as = ReviewedIdea)]
pub(crate) struct ReviewedIdeaResponse {
    #[schema(value_type = Object)]
    expanded_proposal: ExpandedProposal,
    #[schema(value_type = Vec<Object>)]
    reviews: Vec<PersonaReview>,
    #[schema(value_type = Object)]
    draft_decision: ProposalDecision,
    run_id: Uuid,
    /// Seconds from the request to the result.
    elapsed_time: f64,
}

/// Expands an idea into a proposal.
///
/// The response has the proposal if it is made within a minute; otherwise it has the run, which goes on.
#[utoipa::path(
    post,
    path = "/v1/expand-idea",
    tag = "proposals",
    operation_id = "expand_idea",
    request_body = IdeaRequest,
    responses(
        (status = 200, description = "The proposal.", body = ExpandedIdeaResponse),
        (status = 202, description = "The run, which has not ended yet.", body = JobEnqueuedResponse),
        errors::UnsupportedVersion,
        errors::NotValid,
        errors::ModelFailed,
        errors::NotConfigured,
    ),
)]
pub(crate) async fn expand_idea(
    State(app): State<Arc<App>>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    headers: HeaderMap,
    JsonBody(body): JsonBody<IdeaRequest>,
) -> Result<Response, ApiError> {
    let new = body.checked(ProposalScope::Expand, &headers, actor, correlation_id)?;
    let run = match ended(&app, new).await? {
        Ended::Completed(run) => run,
        Ended::NotYet(response) => return Ok(response),
    };
    let version = run.version.ok_or_else(|| ApiError::internal("a completed run has no proposal"))?;
    let body = ExpandedIdeaResponse {
        proposal: version.proposal,
        schema_version: run.request.schema_version,
        prompt_set_version: run.request.prompt_set_version,
    };
    Ok(Json(body).into_response())
}

/// Expands an idea and lets one reviewer look at it.
///
/// The response has the review if it is made within a minute; otherwise it has the run, which goes on.
#[utoipa::path(
    post,
    path = "/v1/review-idea",
    tag = "proposals",
    operation_id = "review_idea",
    request_body = IdeaRequest,
    responses(
        (status = 200, description = "The proposal, its review and a draft of a decision.", body = ReviewedIdeaResponse),
        (status = 202, description = "The run, which has not ended yet.", body = JobEnqueuedResponse),
        errors::UnsupportedVersion,
        errors::NotValid,
        errors::ModelFailed,
        errors::NotConfigured,
    ),
)]
pub(crate) async fn review_idea(
    State(app): State<Arc<App>>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    headers: HeaderMap,
    JsonBody(body): JsonBody<IdeaRequest>,
) -> Result<Response, ApiError> {
    let new = body.checked(ProposalScope::SingleReview, &headers, actor, correlation_id)?;
    let run = match ended(&app, new).await? {
        Ended::Completed(run) => run,
        Ended::NotYet(response) => return Ok(response),
    };
    let elapsed = run.run.state.completed_at().map(|end| end.duration_since(run.run.created_at));
    let (Some(version), Some(draft_decision)) = (run.version, run.decision) else {
        return Err(ApiError::internal("a completed run has no proposal or no decision"));
    };
    let body = ReviewedIdeaResponse {
        expanded_proposal: version.proposal,
        reviews: run.reviews.into_iter().map(|stored| stored.review).collect(),
        draft_decision,
        run_id: run.run.id.0,
        elapsed_time: elapsed.unwrap_or_default().as_secs_f64(),
    };
    Ok(Json(body).into_response())
}

/// How a run ended.
enum Ended {
    Completed(Box<ProposalRun>),
    /// The response for a client that has waited long enough.
    NotYet(Response),
}

async fn ended(app: &App, new: NewProposal) -> Result<Ended, ApiError> {
    let created = proposal::create(app, new).await?;
    let run = proposal::wait_for_end(app, created.id, LONGEST_WAIT).await?;
    match run.run.state {
        RunState::Completed { .. } => Ok(Ended::Completed(Box::new(run))),
        RunState::Queued { .. } | RunState::Running { .. } => {
            let body = Json(JobEnqueuedResponse::of(&run.run, false));
            Ok(Ended::NotYet((StatusCode::ACCEPTED, body).into_response()))
        }
        RunState::Failed { .. } | RunState::TimedOut { .. } => Err(failed(&run)),
    }
}

/// The error of a run that failed, with what there is of its result.
fn failed(run: &ProposalRun) -> ApiError {
    let reason = run.run.state.reason();
    let failed_step = match reason.and_then(|reason| reason.record.stage) {
        None | Some(StepName::Expand) => "expand",
        Some(StepName::AggregateDecision) => "validation",
        Some(_) => "review",
    };
    let partial: Option<Map<String, Value>> = run
        .version
        .as_ref()
        .map(|version| Map::from_iter([("expanded_proposal".to_owned(), json!(version.proposal))]));
    let message = reason.map_or("the run failed", |reason| reason.record.message.as_str());
    ApiError::new(Code::LlmFailed, message).with(json!({
        "run_id": run.run.id,
        "failed_step": failed_step,
        "cause": reason.map(|reason| reason.record.error_code.as_str()),
        "partial_results": partial,
    }))
}
