//! Artifacts that a step stores while it works, before its success: what must not be lost, because it was paid for.

use std::time::Duration;

use jiff::Timestamp;
use quire_domain::{ArtifactId, Failure};
use quire_ports::{Artifact, RunQueue, RunWrite, RunWriteOutcome, StepContext};

use super::error_code::{StepErrorCode, database_failure};

/// Pauses between two tries while the store is not available.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

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
        end: None,
        repeated: false,
    };
    let mut pause = FIRST_PAUSE;
    loop {
        match queue.write(write.clone()).await {
            Ok(RunWriteOutcome::Accepted(_)) => return Ok(id),
            Ok(RunWriteOutcome::Refused) => return Err(stopped()),
            Err(error) if error.is_retryable() && !*context.cancelled.borrow() => {
                tracing::warn!(run_id = %context.run.id, artifact_type, %error, "storing an artifact failed, will retry");
            }
            Err(error) => return Err(database_failure(&error)),
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

fn stopped() -> Failure {
    Failure::transient(StepErrorCode::StoreUnavailable.as_str(), "the run was stopped")
}
