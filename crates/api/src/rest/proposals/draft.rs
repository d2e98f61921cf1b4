//! `POST /v1/expand-idea` and `POST /v1/review-idea`: a quick look at an idea. The client waits for the result, but not
//! for longer than `server.draft_wait`.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use quire_application::App;
use quire_application::proposal::{self, ProposalRun, ProposalScope};
use quire_domain::proposal::{ExpandedProposal, PersonaReview, ProposalDecision};
use quire_domain::{RunState, StepName};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Response as ResponseDescription};
use utoipa::{IntoResponses, ToSchema};
use uuid::Uuid;

use super::bodies::{IdeaRequest, JobEnqueuedResponse, VersionHeaders};
use super::sent_idea::SentIdea;
use crate::rest::openapi::errors;
use crate::{ApiError, Code};

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

/// The errors of both operations.
#[allow(dead_code)] // Only the description reads it.
enum DraftErrors {}

impl IntoResponses for DraftErrors {
    fn responses() -> BTreeMap<String, RefOr<ResponseDescription>> {
        let all = [
            errors::UnsupportedVersion::responses(),
            errors::NotValid::responses(),
            errors::ModelFailed::responses(),
            errors::NotConfigured::responses(),
        ];
        all.into_iter().flatten().collect()
    }
}

/// Expands an idea into a proposal.
///
/// The response has the proposal if it is made in time; otherwise it has the run, which goes on.
#[utoipa::path(
    post,
    path = "/v1/expand-idea",
    tag = "proposals",
    operation_id = "expand_idea",
    params(VersionHeaders),
    request_body = IdeaRequest,
    responses(
        (status = 200, description = "The proposal.", body = ExpandedIdeaResponse),
        (status = 202, description = "The run, which has not ended yet.", body = JobEnqueuedResponse),
        DraftErrors,
    ),
)]
pub(crate) async fn expand_idea(State(app): State<Arc<App>>, sent: SentIdea) -> Result<Response, ApiError> {
    draft(&app, sent, ProposalScope::Expand, |run| {
        Some(ExpandedIdeaResponse {
            proposal: run.version?.proposal,
            schema_version: run.request.schema_version,
            prompt_set_version: run.request.prompt_set_version,
        })
    })
    .await
}

/// Expands an idea and lets one reviewer look at it.
///
/// The response has the review if it is made in time; otherwise it has the run, which goes on.
#[utoipa::path(
    post,
    path = "/v1/review-idea",
    tag = "proposals",
    operation_id = "review_idea",
    params(VersionHeaders),
    request_body = IdeaRequest,
    responses(
        (status = 200, description = "The proposal, its review and a draft of a decision.", body = ReviewedIdeaResponse),
        (status = 202, description = "The run, which has not ended yet.", body = JobEnqueuedResponse),
        DraftErrors,
    ),
)]
pub(crate) async fn review_idea(State(app): State<Arc<App>>, sent: SentIdea) -> Result<Response, ApiError> {
    draft(&app, sent, ProposalScope::SingleReview, |run| {
        let elapsed = run.run.state.completed_at().map(|end| end.duration_since(run.run.created_at));
        Some(ReviewedIdeaResponse {
            expanded_proposal: run.version?.proposal,
            reviews: run.reviews.into_iter().map(|stored| stored.review).collect(),
            draft_decision: run.decision?,
            run_id: run.run.id.0,
            elapsed_time: elapsed.unwrap_or_default().as_secs_f64(),
        })
    })
    .await
}

/// Creates a run and waits for its end. `result` makes the response of a completed one.
async fn draft<T: Serialize>(
    app: &App,
    sent: SentIdea,
    scope: ProposalScope,
    result: impl FnOnce(ProposalRun) -> Option<T>,
) -> Result<Response, ApiError> {
    let (new, warnings) = sent.checked(scope)?;
    let created = proposal::create(app, new).await?;
    let run = proposal::wait_for_draft(app, created.id).await?;
    match run.run.state {
        RunState::Completed { .. } => {
            let body = result(run).ok_or_else(|| ApiError::internal("a completed draft lacks a part"))?;
            Ok(Json(body).into_response())
        }
        RunState::Queued { .. } | RunState::Running { .. } => {
            let body = Json(JobEnqueuedResponse::of(&run.run, false, warnings));
            Ok((StatusCode::ACCEPTED, body).into_response())
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
