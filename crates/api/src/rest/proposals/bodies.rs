//! What the operations of `/v1` share: the idea in a request, and a run in a response.

use jiff::Timestamp;
use quire_domain::Run;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::names::{run_status, run_type};
use crate::rest::openapi::names;

/// An idea.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Idea)]
pub(crate) struct IdeaRequest {
    /// 1 to 10 sentences.
    #[schema(value_type = String, min_length = 1, max_length = 10_000)]
    pub(super) idea: Option<String>,
    /// More about it: a text or an object, of at most 50,000 characters.
    #[serde(default)]
    pub(super) extra_context: Option<Value>,
    /// `high` runs start before `normal` ones.
    #[serde(default)]
    #[schema(value_type = Option<names::Priority>)]
    pub(super) priority: Option<String>,
}

/// The versions that a client asks for. Without a header it gets the current version, and a warning.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[allow(dead_code)] // Only the description reads it.
pub(crate) struct VersionHeaders {
    /// The version of the schemas; 1.0.0 is supported.
    #[param(rename = "X-Schema-Version", value_type = String, required = false)]
    schema: Option<String>,
    /// The version of the prompts; 1.0.0 is supported.
    #[param(rename = "X-Prompt-Set-Version", value_type = String, required = false)]
    prompt_set: Option<String>,
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
    /// What the client should know, such as the versions that it gets because it named none.
    warnings: Vec<String>,
}

impl JobEnqueuedResponse {
    pub(crate) fn of(run: &Run, is_revision: bool, warnings: Vec<String>) -> Self {
        Self {
            run_id: run.id.0,
            status: run_status(&run.state),
            run_type: run_type(is_revision),
            priority: run.priority.as_str(),
            created_at: run.created_at,
            queued_at: run.queued_at,
            message: format!("Follow the run with GET /v1/runs/{}.", run.id),
            warnings,
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
