//! The members that every view of a run has.

use jiff::Timestamp;
use quire_domain::{Run, RunId};
use quire_understanding::Schema;
use serde::Serialize;
use utoipa::ToSchema;

use crate::rest::openapi::names;

/// A run, its state, and the version of the schema that it uses.
#[derive(Serialize, ToSchema)]
#[schema(as = RunHead)]
pub(crate) struct RunSummary {
    #[schema(value_type = Uuid)]
    run_id: RunId,
    #[schema(value_type = names::RunState)]
    state: &'static str,
    #[schema(value_type = Option<names::FailureType>)]
    failure_type: Option<&'static str>,
    #[schema(value_type = names::Priority)]
    priority: &'static str,
    created_at: Timestamp,
    started_at: Option<Timestamp>,
    completed_at: Option<Timestamp>,
    /// The name of the schema. `auto` while it is to be chosen, and still after the run if none fits.
    schema_used: Option<String>,
    schema_version_used: Option<u32>,
    /// What people should know about its result: `NO_SCHEMA_FITS` if the schema was to be chosen and none fits the document,
    /// so that no values were looked for.
    warnings: Vec<&'static str>,
    /// The run that timed out and whose work this run continues.
    #[schema(value_type = Option<Uuid>)]
    continues_run_id: Option<RunId>,
}

impl RunSummary {
    /// The summary of that run.
    pub(crate) fn of(run: &Run) -> Self {
        Self {
            run_id: run.id,
            state: run.state.as_str(),
            failure_type: run.state.reason().map(|reason| reason.failure_type.as_str()),
            priority: run.priority.as_str(),
            created_at: run.created_at,
            started_at: run.state.started_at(),
            completed_at: run.state.completed_at(),
            schema_used: run.schema.as_ref().map(|schema| schema.name.clone()),
            schema_version_used: run.schema.as_ref().map(|schema| schema.version),
            warnings: Schema::warnings(run),
            continues_run_id: run.continues.map(|continuation| continuation.run),
        }
    }
}
