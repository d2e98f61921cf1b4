//! The record of a submission: an artifact of the run, written under its fence before and after the file is submitted.

use jiff::Timestamp;
use quire_domain::{ArtifactId, Failure};
use quire_ports::{Clock, RunQueue, RunReader, StepContext};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::steps::error_code::{StepErrorCode, database_failure};
use crate::steps::run_artifacts::store_artifact;

/// The type of the artifact.
const ARTIFACT: &str = "DOCUMENT_INTELLIGENCE_OPERATION";

/// An operation of the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SubmittedOperation {
    /// Its address.
    pub(super) address: String,
    /// When the file was accepted.
    pub(super) submitted_at: Timestamp,
    /// When to poll it first.
    #[serde(skip)]
    pub(super) poll_at: Option<Timestamp>,
}

impl SubmittedOperation {
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
    Accepted(SubmittedOperation),
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
    pub(super) history: &'a dyn RunReader,
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

    /// Stores a submission, if this worker still owns the run: what was accepted must not be lost.
    pub(super) async fn store(&self, submission: Submission) -> Result<StoredSubmission, Failure> {
        let payload = serde_json::to_string(&submission).map_err(|_| unwritable())?;
        let at = self.clock.now();
        let id = store_artifact(self.queue, self.context, ARTIFACT, payload, at).await?;
        Ok(StoredSubmission { id, at, submission })
    }
}

fn unwritable() -> Failure {
    Failure::permanent(StepErrorCode::ResultNotStorable.as_str(), "the operation cannot be recorded")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_and_names_the_operation() {
        let address = "https://x.test/documentModels/m/analyzeResults/3b31320d-8bab-4f88-b19c-2322a7f11034?api-version=1";
        let operation = SubmittedOperation {
            address: address.to_owned(),
            submitted_at: Timestamp::UNIX_EPOCH,
            poll_at: None,
        };
        assert_eq!(operation.id().unwrap().to_string(), "3b31320d-8bab-4f88-b19c-2322a7f11034");
        for submission in [Submission::Begun, Submission::Accepted(operation), Submission::Over] {
            let json = serde_json::to_string(&submission).unwrap();
            assert_eq!(serde_json::from_str::<Submission>(&json).unwrap(), submission);
        }
    }
}
