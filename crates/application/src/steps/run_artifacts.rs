//! Artifacts that a step stores while it works, before its success: what must not be lost, because it was paid for.

use jiff::Timestamp;
use quire_domain::{ArtifactId, Failure};
use quire_ports::{Artifact, RunQueue, RunWrite, StepContext};
use tokio::sync::watch;

use super::error_code::{StepErrorCode, database_failure};
use crate::run_write::{RunWriteAnswer, write_until_stored};

/// Stores an artifact of a run, if this worker still owns the run. While the store is not available it tries again until the
/// run is stopped.
pub(super) async fn store_artifact(
    queue: &dyn RunQueue,
    context: &StepContext,
    artifact_type: &str,
    payload: String,
    at: Timestamp,
) -> Result<ArtifactId, Failure> {
    let id = ArtifactId::new();
    let artifact = Artifact { id, artifact_type: artifact_type.to_owned(), payload, created_at: at };
    let write = RunWrite {
        run: context.run.clone(),
        at,
        events: Vec::new(),
        artifacts: vec![artifact],
        interpretation: None,
        proposal: Vec::new(),
        summary: None,
        text: None,
        transition: None,
        repeated: false,
    };
    match write_until_stored(queue, write, is_stopped(context.cancelled.clone())).await {
        Ok(RunWriteAnswer::Stored(_)) => Ok(id),
        Ok(RunWriteAnswer::Refused | RunWriteAnswer::GivenUp) => {
            Err(Failure::transient(StepErrorCode::StoreUnavailable.as_str(), "the run was stopped"))
        }
        Err(error) => Err(database_failure(&error)),
    }
}

/// Ready when the run is stopped.
async fn is_stopped(mut cancelled: watch::Receiver<bool>) {
    if cancelled.wait_for(|is_cancelled| *is_cancelled).await.is_err() {
        // Nobody can stop it any more.
        std::future::pending::<()>().await;
    }
}
