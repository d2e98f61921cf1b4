//! Send a failed run back to the queue, if the policy of its pipeline allows that.

use quire_domain::{Pipeline, RequeuePolicy, Run, RunId};
use quire_ports::{PortResult, Store};

use crate::engine::report;
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
    Store(#[from] Error),
}

/// Sends a failed run back to the queue if the settings of its pipeline allow that.
pub async fn retry(app: &App, id: RunId, actor: &str) -> Result<Run, RetryError> {
    let pipeline = app.store.history.run(id).await?.pipeline;
    if pipeline == Pipeline::Document {
        return Err(RetryError::DocumentRun);
    }
    if pipeline == Pipeline::Link {
        return Err(RetryError::LinkRun);
    }
    let policy = app.requeue.iter().find(|(name, _)| *name == pipeline);
    let policy = policy.map_or(RequeuePolicy::Never, |(_, policy)| *policy);
    match retry_by_policy(&app.store, id, policy, actor).await.map_err(Error::from) {
        Ok(run) => Ok(run),
        Err(Error::Conflict(why)) => Err(RetryError::NotAllowed(why)),
        Err(error) => Err(error.into()),
    }
}

/// Queues a failed run again, after a delay that doubles each time. `Conflict` gives the reason if that is not allowed.
pub async fn retry_by_policy(
    store: &Store,
    run: RunId,
    requeue: RequeuePolicy,
    actor: &str,
) -> PortResult<Run> {
    let transition = store.queue.retry(run, requeue, actor, store.clock.now()).await?;
    report::log_transition(&transition);
    Ok(transition.run)
}
