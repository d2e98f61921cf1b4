//! What the operations of `/v1` share: the idea in a request, and a run in a response.

use axum::http::HeaderMap;
use jiff::Timestamp;
use quire_application::proposal::{NewProposal, ProposalScope};
use quire_domain::Run;
use quire_domain::proposal::{ExtraContext, Idea, PromptVersions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::names::{run_status, run_type};
use crate::ApiError;
use crate::rest::openapi::names;

const SCHEMA_VERSION: &str = "x-schema-version";
const PROMPT_SET_VERSION: &str = "x-prompt-set-version";

/// An idea.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Idea)]
pub(crate) struct IdeaRequest {
    /// 1 to 10 sentences.
    #[schema(value_type = String, min_length = 1, max_length = 10_000)]
    idea: Option<String>,
    /// More about it: a text or an object, of at most 50,000 characters.
    #[serde(default)]
    extra_context: Option<Value>,
    /// `high` runs start before `normal` ones.
    #[serde(default)]
    #[schema(value_type = Option<names::Priority>)]
    priority: Option<String>,
}

impl IdeaRequest {
    /// The checked idea, with the versions that the headers ask for.
    pub(crate) fn checked(
        self,
        scope: ProposalScope,
        headers: &HeaderMap,
        actor: String,
        correlation_id: String,
    ) -> Result<NewProposal, ApiError> {
        let header = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let versions = PromptVersions::requested(header(SCHEMA_VERSION), header(PROMPT_SET_VERSION))?;
        let priority = self.priority.as_deref().map(quire_domain::Priority::parse).transpose();
        let priority = priority.map_err(|_| ApiError::invalid("priority", "must be high or normal"))?;
        Ok(NewProposal {
            scope,
            idea: Idea::parse("idea", self.idea)?,
            extra_context: ExtraContext::parse(self.extra_context)?,
            versions,
            priority: priority.unwrap_or_default(),
            actor,
            correlation_id,
        })
    }
}

/// A run that waits in the queue.
#[derive(Serialize, ToSchema)]
#[schema(as = JobEnqueued)]
pub(crate) struct JobEnqueuedResponse {
    run_id: Uuid,
    #[schema(value_type = names::ProposalRunStatus)]
    status: &'static str,
    #[schema(value_type = names::ProposalRunType)]
    run_type: &'static str,
    #[schema(value_type = names::Priority)]
    priority: &'static str,
    created_at: Timestamp,
    queued_at: Timestamp,
    /// What to do next, for people.
    message: String,
}

impl JobEnqueuedResponse {
    pub(crate) fn of(run: &Run, is_revision: bool) -> Self {
        Self {
            run_id: run.id.0,
            status: run_status(&run.state),
            run_type: run_type(is_revision),
            priority: run.priority.as_str(),
            created_at: run.created_at,
            queued_at: run.queued_at,
            message: format!("Follow the run with GET /v1/runs/{}.", run.id),
        }
    }
}

/// The members that lists and details of runs share.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProposalRunHead {
    run_id: Uuid,
    created_at: Timestamp,
    #[schema(value_type = names::ProposalRunStatus)]
    status: &'static str,
    queued_at: Timestamp,
    started_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
    /// How often the run was sent back to the queue.
    retry_count: u32,
    #[schema(value_type = names::ProposalRunType)]
    run_type: &'static str,
    #[schema(value_type = names::Priority)]
    priority: &'static str,
    /// The run that this one revises.
    parent_run_id: Option<Uuid>,
    /// From 0 to 1, once there is a decision.
    overall_weighted_confidence: Option<f64>,
    #[schema(value_type = Option<names::Verdict>)]
    decision_label: Option<&'static str>,
}

impl ProposalRunHead {
    pub(crate) fn of(
        run: &Run,
        parent: Option<Uuid>,
        confidence: Option<f64>,
        decision_label: Option<&'static str>,
    ) -> Self {
        Self {
            run_id: run.id.0,
            created_at: run.created_at,
            status: run_status(&run.state),
            queued_at: run.queued_at,
            started_at: run.state.started_at(),
            completed_at: run.state.completed_at(),
            retry_count: run.retry_count,
            run_type: run_type(parent.is_some()),
            priority: run.priority.as_str(),
            parent_run_id: parent,
            overall_weighted_confidence: confidence,
            decision_label,
        }
    }
}
