//! Send a failed run back to the queue, if the policy of its pipeline allows that.

use quire_domain::{Pipeline, RequeuePolicy, Run, RunId};
use quire_ports::Store;

use crate::event_telemetry;
use crate::{App, Error};

/// Why a run is not retried.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RetryError {
    /// The run belongs to a document. Such a run never changes after its end; a new one replaces it.
    #[error(
        "runs of documents are not retried; process the document again with POST /documents/{{id}}/reprocess"
    )]
    DocumentRun,
    /// The run belongs to a link. A new request repeats it.
    #[error("requests of links are not retried in place; make a new one with POST /v1/requests/{{id}}/retry")]
    LinkRun,
    /// The policy of the pipeline, or the state of the run, does not allow it.
    #[error("{0}")]
    NotAllowed(String),
    /// There is no such run, or the database does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// Sends a failed run back to the queue if the settings of its pipeline allow that.
pub async fn retry(app: &App, id: RunId, actor: &str) -> Result<Run, RetryError> {
    let policy = |pipeline| {
        let policy = app.requeue.iter().find(|(name, _)| *name == pipeline);
        policy.map_or(RequeuePolicy::Never, |(_, policy)| *policy)
    };
    retry_by_policy(&app.store, id, policy, actor).await
}

/// Queues a failed run again, after a delay that doubles each time, if the policy of its pipeline allows that.
pub async fn retry_by_policy(
    store: &Store,
    id: RunId,
    policy: impl FnOnce(Pipeline) -> RequeuePolicy,
    actor: &str,
) -> Result<Run, RetryError> {
    let pipeline = store.run_reader.run(id).await.map_err(Error::from)?.pipeline;
    match pipeline {
        Pipeline::Document => return Err(RetryError::DocumentRun),
        Pipeline::Link => return Err(RetryError::LinkRun),
        Pipeline::Proposal => {}
    }
    match store.queue.retry(id, policy(pipeline), actor, store.clock.now()).await.map_err(Error::from) {
        Ok(transition) => {
            event_telemetry::log_transition(&transition);
            Ok(transition.run)
        }
        Err(Error::Conflict(why)) => Err(RetryError::NotAllowed(why)),
        Err(error) => Err(error.into()),
    }
}
