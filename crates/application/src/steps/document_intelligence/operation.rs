//! The record of a submission: an artifact of the run, written under its fence before and after the file is submitted.

use std::time::Duration;

use jiff::Timestamp;
use quire_domain::{ArtifactId, Failure};
use quire_ports::{Advance, AdvanceOutcome, Artifact, Clock, RunHistory, RunQueue, StepContext};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::steps::error_code::{StepErrorCode, database_failure};

/// The type of the artifact.
const ARTIFACT: &str = "DOCUMENT_INTELLIGENCE_OPERATION";
/// Pauses between two tries while the store is not available.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// An operation of the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Operation {
    /// Its address.
    pub(super) address: String,
    /// When the file was accepted.
    pub(super) submitted_at: Timestamp,
    /// When to poll it first.
    #[serde(skip)]
    pub(super) poll_at: Option<Timestamp>,
}

impl Operation {
    /// The id that the service gave it.
    pub(super) fn id(&self) -> Option<Uuid> {
        let path = self.address.split('?').next()?;
        path.rsplit('/').next()?.parse().ok()
    }
}

/// How far the submission of a file has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub(super) enum Submission {
    /// The file is about to be submitted.
    Begun,
    /// It was accepted.
    Accepted(Operation),
    /// It was refused, its operation has failed or vanished, or nobody knows what became of it.
    Over,
}

/// A submission and the artifact that records it.
#[derive(Clone, Debug)]
pub(super) struct StoredSubmission {
    pub(super) id: ArtifactId,
    pub(super) at: Timestamp,
    pub(super) submission: Submission,
}

/// The submissions of a run.
pub(super) struct OperationRecords<'a> {
    pub(super) queue: &'a dyn RunQueue,
    pub(super) history: &'a dyn RunHistory,
    pub(super) clock: &'a dyn Clock,
    pub(super) context: &'a StepContext,
}

impl OperationRecords<'_> {
    /// The last one, of this run or of the run whose work it continues.
    pub(super) async fn last(&self) -> Result<Option<StoredSubmission>, Failure> {
        let run = &self.context.run;
        for run in std::iter::once(run.id).chain(run.continues.map(|continued| continued.run)) {
            let artifacts = self.history.artifacts(run).await.map_err(|error| database_failure(&error))?;
            let last = artifacts.iter().rfind(|artifact| artifact.artifact_type == ARTIFACT);
            if let Some(last) = last {
                let submission = serde_json::from_str(&last.payload).ok();
                let stored = |submission| StoredSubmission { id: last.id, at: last.created_at, submission };
                return Ok(submission.map(stored));
            }
        }
        Ok(None)
    }

    /// Stores a submission, if this worker still owns the run. While the store is not available it tries again until the run
    /// is stopped: what was accepted must not be lost.
    pub(super) async fn store(&self, submission: Submission) -> Result<StoredSubmission, Failure> {
        let payload = serde_json::to_string(&submission).map_err(|_| stopped())?;
        let now = self.clock.now();
        let stored = StoredSubmission { id: ArtifactId::new(), at: now, submission };
        let artifact =
            Artifact { id: stored.id, artifact_type: ARTIFACT.to_owned(), payload, created_at: now };
        let advance = Advance {
            run: self.context.run.clone(),
            at: now,
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
            match self.queue.advance(advance.clone()).await {
                Ok(AdvanceOutcome::Accepted(_)) => return Ok(stored),
                Ok(AdvanceOutcome::Refused) => return Err(stopped()),
                Err(error) if error.is_retryable() && !*self.context.cancelled.borrow() => {
                    tracing::warn!(run_id = %self.context.run.id, %error, "Document Intelligence: storing an operation failed, will retry");
                }
                Err(error) => return Err(database_failure(&error)),
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

fn stopped() -> Failure {
    Failure::transient(StepErrorCode::StoreUnavailable.as_str(), "the run was stopped")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_and_names_the_operation() {
        let address = "https://x.test/documentModels/m/analyzeResults/3b31320d-8bab-4f88-b19c-2322a7f11034?api-version=1";
        let operation =
            Operation { address: address.to_owned(), submitted_at: Timestamp::UNIX_EPOCH, poll_at: None };
        assert_eq!(operation.id().unwrap().to_string(), "3b31320d-8bab-4f88-b19c-2322a7f11034");
        for submission in [Submission::Begun, Submission::Accepted(operation), Submission::Over] {
            let json = serde_json::to_string(&submission).unwrap();
            assert_eq!(serde_json::from_str::<Submission>(&json).unwrap(), submission);
        }
    }
}
