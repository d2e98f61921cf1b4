//! The queue of runs, and the writes of a run's owner.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{
    Event, Fence, LaneName, NewRun, PipelinePlan, RequeuePolicy, Run, RunId, StepAttempt, Transition,
    WorkerId,
};
use tokio::sync::{Notify, watch};

use crate::PortResult;
use crate::links::NewSummary;
use crate::proposals::ProposalResult;
use crate::reviews::FirstVersion;
use crate::run_reader::Artifact;
use crate::search::IndexedText;

/// A worker's request for runs.
#[derive(Clone, Copy, Debug)]
pub struct ClaimRequest<'a> {
    /// The worker.
    pub worker: WorkerId,
    /// The time of the request.
    pub at: Timestamp,
    /// The most runs to claim.
    pub limit: usize,
    /// Whether the worker works on no run now. Only then may it claim a run that must run alone.
    pub is_idle: bool,
    /// The pipelines to claim from, each with its steps.
    pub plans: &'a [PipelinePlan],
    /// Claims runs at the front that wait (DELAYED) in one of these lanes, instead of those that are READY.
    pub lanes: Option<&'a [LaneName]>,
}

/// A RUNNING run and its claim.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimedRun {
    /// The run, with the fence that every write to it must carry.
    pub run: Run,
    /// The attempts that the claim recorded as started: at each unfinished step of the first group that has one. None if
    /// all steps have succeeded.
    pub started_steps: Vec<StepAttempt>,
}

/// A claimed run and the fence that its claim issued.
pub type Claim = (RunId, Fence);

/// A write of the worker that runs a run: the progress of its steps, and perhaps the run's next state.
#[derive(Clone, Debug, PartialEq)]
pub struct RunWrite {
    /// The claimed run. Its fence guards the write.
    pub run: Run,
    /// The time of the write.
    pub at: Timestamp,
    /// The changes of its steps.
    pub events: Vec<Event>,
    /// The artifacts of its steps.
    pub artifacts: Vec<Artifact>,
    /// The interpretation of its document.
    pub interpretation: Option<FirstVersion>,
    /// What its steps made of a proposal. What the run has already stays as it is.
    pub proposal: Vec<ProposalResult>,
    /// The summary of its link request. If the request has one already, that one stays.
    pub summary: Option<NewSummary>,
    /// The text of its document, which enters the search index when the run completes with this write.
    pub text: Option<Arc<IndexedText>>,
    /// The change of the run's state, if the worker lets go of it: it ended, waits, or returns to the queue.
    pub transition: Option<Transition>,
    /// Whether an earlier attempt at this same write may have succeeded without an answer. If it did, the store accepts
    /// this one and changes nothing.
    pub repeated: bool,
}

/// The outcome of a write.
#[derive(Clone, Debug, PartialEq)]
pub enum RunWriteOutcome {
    /// The write is stored, with these events that depended on what the store found: the end of a review, and the
    /// creation of a run that continues the work. None if an earlier attempt has stored them.
    Accepted(Vec<Event>),
    /// The run has another fence by now. Only the event of the refusal is stored.
    Refused,
}

/// The queue of runs.
#[async_trait]
pub trait RunQueue: Send + Sync {
    /// Accepts a run: QUEUED, behind the older runs of its subject. A document's run gets the document's current
    /// language and schema version. A second request with the same id returns the same run and changes nothing.
    async fn enqueue(&self, new: &NewRun, at: Timestamp) -> PortResult<Run>;

    /// Starts up to `limit` runs, each the first of its subject, by priority, then `queued_at`, then id. The same
    /// transaction records each start and its first steps. The database refuses a second RUNNING run of a subject. A
    /// worker whose lease has ended or expired gets no run. A run that must run alone is claimed alone, when it
    /// is first ([`quire_domain::run::may_start`]). With `lanes`, runs that wait in one of them are started without being
    /// woken, in the same order.
    async fn claim(&self, claim: ClaimRequest<'_>) -> PortResult<Vec<ClaimedRun>>;

    /// Makes a write about a running run if its fence is still valid.
    async fn write(&self, write: RunWrite) -> PortResult<RunWriteOutcome>;

    /// Makes queued runs claimable once their delay has passed. Returns their number.
    async fn release_due(&self, at: Timestamp, limit: usize) -> PortResult<usize>;

    /// Sends a failed run back to the queue. `Conflict` gives the reason if that is not possible.
    async fn retry(
        &self,
        run: RunId,
        requeue: RequeuePolicy,
        actor: &str,
        at: Timestamp,
    ) -> PortResult<Transition>;

    /// Removes a queued run from the queue. `Conflict` if it has started.
    async fn withdraw(&self, run: RunId, actor: &str, at: Timestamp) -> PortResult<Transition>;

    /// Ends a running run at the request of a person. `Conflict` if no worker executes it. The writes of its worker are
    /// refused from now on. The returned transition names the steps that were interrupted.
    async fn cancel(&self, run: RunId, actor: &str, at: Timestamp) -> PortResult<Transition>;

    /// Changes when a running run was cancelled, by this process or another one. A message may be lost.
    fn cancellations(&self) -> watch::Receiver<u64>;

    /// Those of the claims whose run has another fence by now: it was cancelled, ended or recovered.
    async fn outdated(&self, claims: &[Claim]) -> PortResult<Vec<Claim>>;

    /// Appends events that do not change a run.
    async fn record(&self, events: &[Event]) -> PortResult<()>;

    /// Notified when a run may be ready to claim.
    fn wakeup(&self) -> Arc<Notify>;
}
