//! The queue of runs and the one way to write about a run that is being worked on.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Event, NewRun, PipelinePlan, RequeuePolicy, Run, RunId, StepName, Transition, WorkerId};
use tokio::sync::Notify;

use crate::PortResult;
use crate::history::Artifact;
use crate::reviews::FirstVersion;

/// A wish for runs to work on.
#[derive(Clone, Copy, Debug)]
pub struct ClaimRequest<'a> {
    /// For whom.
    pub worker: WorkerId,
    /// When.
    pub at: Timestamp,
    /// At most how many.
    pub limit: usize,
    /// Of which pipelines, and how those go.
    pub plans: &'a [PipelinePlan],
}

/// A run that is now RUNNING in the claimer's name.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimedRun {
    /// The run, with the fence that every write for it must carry.
    pub run: Run,
    /// The step that was recorded as started with it: the first that has not succeeded yet. None when all have.
    pub step: Option<StepName>,
}

/// A write about a running run by its owner.
#[derive(Clone, Debug, PartialEq)]
pub struct Advance {
    /// The run as it was claimed; its fence guards the write.
    pub run: Run,
    /// When.
    pub at: Timestamp,
    /// What happened to its steps.
    pub events: Vec<Event>,
    /// What its steps produced.
    pub artifacts: Vec<Artifact>,
    /// What it understood of its document.
    pub interpretation: Option<FirstVersion>,
    /// How it ended, if it did.
    pub end: Option<Transition>,
    /// Whether an earlier try at this same write may have succeeded without an answer. If it did, this one
    /// changes nothing and is accepted.
    pub repeated: bool,
}

/// Whether a write was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdvanceOutcome {
    /// It is stored.
    Accepted,
    /// Its fence was no longer the run's. Nothing of it is stored but the event that says so.
    Refused,
}

/// The queue of runs.
#[async_trait]
pub trait RunQueue: Send + Sync {
    /// Accepts a run: QUEUED, behind the older runs of its subject. A document's run gets the language that is set
    /// for the document at this moment. Asking again with the same id answers the same run and changes nothing.
    async fn enqueue(&self, new: &NewRun, at: Timestamp) -> PortResult<Run>;

    /// Starts up to `limit` runs, each at the head of its subject, by priority, then `queued_at`, then id. Each
    /// start, with its first step, is recorded in the same transaction; the database refuses a second RUNNING run
    /// of a subject. A worker whose lease has ended gets nothing.
    async fn claim(&self, claim: ClaimRequest<'_>) -> PortResult<Vec<ClaimedRun>>;

    /// Writes what happened to a running run, if the fence still holds.
    async fn advance(&self, advance: Advance) -> PortResult<AdvanceOutcome>;

    /// Lets queued runs whose delay has passed take their turn. Answers how many.
    async fn release_due(&self, at: Timestamp, limit: usize) -> PortResult<usize>;

    /// Sends a failed run back to the queue. `Conflict` says why not.
    async fn retry(
        &self,
        run: RunId,
        requeue: RequeuePolicy,
        actor: &str,
        at: Timestamp,
    ) -> PortResult<Transition>;

    /// Takes a queued run out of the queue. `Conflict` if it has started.
    async fn withdraw(&self, run: RunId, actor: &str, at: Timestamp) -> PortResult<Transition>;

    /// Appends events that change nothing about a run.
    async fn record(&self, events: &[Event]) -> PortResult<()>;

    /// Notified when there may be something to claim.
    fn wakeup(&self) -> Arc<Notify>;
}
