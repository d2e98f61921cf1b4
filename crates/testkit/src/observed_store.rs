//! A store that notifies its observer after every write, so that tests wait for writes and not for time. The observer can
//! also make a write fail, before it is stored or after.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use quire_domain::{Event, NewRun, RequeuePolicy, Run, RunId, Transition, WorkerId};
use quire_ports::{
    Claim, ClaimRequest, ClaimedRun, ExpiredLeaseAction, FrontCheck, Lease, PortError, PortResult,
    RecoveryRules, RunQueue, RunRecovery, RunWrite, RunWriteOutcome, Store, SubjectQueue, Worker, Workers,
};
use tokio::sync::{Notify, watch};

use crate::FakeClock;

/// How long a test waits before it fails.
pub const TEST_TIMEOUT: Duration = Duration::from_secs(30);
/// How long to wait for a write before the fake clock is advanced.
const QUIET_PERIOD: Duration = Duration::from_millis(2);

/// A planned failure of `RunQueue::write`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The store fails and stores nothing.
    BeforeWrite,
    /// The store makes the write, but the caller gets an error.
    AfterWrite,
}

/// Observes the writes to a store and can make them fail.
#[derive(Clone)]
pub struct StoreObserver {
    writes: watch::Sender<u64>,
    faults: Arc<Mutex<VecDeque<Fault>>>,
    /// Heartbeats that the store has not answered yet. The fake clock stands still for them: a slow database must not
    /// look like a silent one.
    heartbeats: Arc<AtomicUsize>,
}

impl StoreObserver {
    /// Wraps a store. Returns the store to use and its observer.
    pub fn observe(store: Store) -> (Store, Self) {
        let observer =
            Self { writes: watch::Sender::new(0), faults: Arc::default(), heartbeats: Arc::default() };
        let wrapped = Arc::new(ObservedStore {
            queue: store.queue.clone(),
            recovery: store.recovery.clone(),
            workers: store.workers.clone(),
            observer: observer.clone(),
        });
        (Store { queue: wrapped.clone(), recovery: wrapped.clone(), workers: wrapped, ..store }, observer)
    }

    /// Makes the next `RunQueue::write` fail.
    pub fn fail_next_write(&self, fault: Fault) {
        self.faults.lock().unwrap().push_back(fault);
    }

    /// Returns when `condition` holds. It is checked after every write.
    pub async fn wait_until<F, R>(&self, condition: F)
    where
        F: Fn() -> R,
        R: Future<Output = bool>,
    {
        self.wait(condition, || ()).await;
    }

    /// Like [`StoreObserver::wait_until`], and advances the clock by `step` whenever there are no writes.
    pub async fn wait_until_advancing<F, R>(&self, clock: &FakeClock, step: SignedDuration, condition: F)
    where
        F: Fn() -> R,
        R: Future<Output = bool>,
    {
        self.wait(condition, || clock.advance(step)).await;
    }

    async fn wait<F, R>(&self, condition: F, when_quiet: impl Fn())
    where
        F: Fn() -> R,
        R: Future<Output = bool>,
    {
        let mut writes = self.writes.subscribe();
        let checking = async {
            while !condition().await {
                let is_quiet = tokio::time::timeout(QUIET_PERIOD, writes.changed()).await.is_err();
                if is_quiet && self.heartbeats.load(Ordering::Acquire) == 0 {
                    when_quiet();
                }
            }
        };
        tokio::time::timeout(TEST_TIMEOUT, checking)
            .await
            .expect("the condition holds within the test timeout");
    }

    fn notify_written(&self) {
        self.writes.send_modify(|count| *count += 1);
    }
}

/// The ports of an observed store.
struct ObservedStore {
    queue: Arc<dyn RunQueue>,
    recovery: Arc<dyn RunRecovery>,
    workers: Arc<dyn Workers>,
    observer: StoreObserver,
}

fn outage() -> PortError {
    PortError::Unavailable { service: "database", reason: "planned outage".to_owned(), contention: false }
}

#[async_trait]
impl RunQueue for ObservedStore {
    async fn enqueue(&self, new: &NewRun, at: Timestamp) -> PortResult<Run> {
        let run = self.queue.enqueue(new, at).await;
        self.observer.notify_written();
        run
    }

    async fn claim(&self, claim: ClaimRequest<'_>) -> PortResult<Vec<ClaimedRun>> {
        let claimed = self.queue.claim(claim).await;
        self.observer.notify_written();
        claimed
    }

    async fn write(&self, write: RunWrite) -> PortResult<RunWriteOutcome> {
        let fault = self.observer.faults.lock().unwrap().pop_front();
        if fault == Some(Fault::BeforeWrite) {
            return Err(outage());
        }
        let written = self.queue.write(write).await;
        self.observer.notify_written();
        if fault == Some(Fault::AfterWrite) { Err(outage()) } else { written }
    }

    async fn release_due(&self, at: Timestamp, limit: usize) -> PortResult<usize> {
        self.queue.release_due(at, limit).await
    }

    async fn retry(
        &self,
        run: RunId,
        requeue: RequeuePolicy,
        actor: &str,
        at: Timestamp,
    ) -> PortResult<Transition> {
        let retried = self.queue.retry(run, requeue, actor, at).await;
        self.observer.notify_written();
        retried
    }

    async fn withdraw(&self, run: RunId, actor: &str, at: Timestamp) -> PortResult<Transition> {
        let withdrawn = self.queue.withdraw(run, actor, at).await;
        self.observer.notify_written();
        withdrawn
    }

    async fn cancel(&self, run: RunId, actor: &str, at: Timestamp) -> PortResult<Transition> {
        let cancelled = self.queue.cancel(run, actor, at).await;
        self.observer.notify_written();
        cancelled
    }

    fn cancellations(&self) -> watch::Receiver<u64> {
        self.queue.cancellations()
    }

    async fn outdated(&self, claims: &[Claim]) -> PortResult<Vec<Claim>> {
        self.queue.outdated(claims).await
    }

    async fn record(&self, events: &[Event]) -> PortResult<()> {
        let recorded = self.queue.record(events).await;
        self.observer.notify_written();
        recorded
    }

    fn wakeup(&self) -> Arc<Notify> {
        self.queue.wakeup()
    }
}

#[async_trait]
impl RunRecovery for ObservedStore {
    async fn recover_orphaned_runs(
        &self,
        rules: &RecoveryRules,
        expired_leases: ExpiredLeaseAction,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let recovered = self.recovery.recover_orphaned_runs(rules, expired_leases, at, limit).await;
        self.observer.notify_written();
        recovered
    }

    async fn time_out_overdue(
        &self,
        rules: &RecoveryRules,
        except: &[RunId],
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let ended = self.recovery.time_out_overdue(rules, except, at, limit).await;
        self.observer.notify_written();
        ended
    }

    async fn hand_back_unknown(
        &self,
        worker: WorkerId,
        known: &[RunId],
        at: Timestamp,
    ) -> PortResult<Vec<Transition>> {
        let handed_back = self.recovery.hand_back_unknown(worker, known, at).await;
        self.observer.notify_written();
        handed_back
    }

    async fn restore_fronts(
        &self,
        after: Option<SubjectQueue>,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<FrontCheck> {
        let checked = self.recovery.restore_fronts(after, at, limit).await;
        self.observer.notify_written();
        checked
    }
}

/// Counts a heartbeat until it is answered or given up.
struct HeartbeatInFlight<'a>(&'a AtomicUsize);

impl Drop for HeartbeatInFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[async_trait]
impl Workers for ObservedStore {
    async fn register(&self, worker: &Worker) -> PortResult<()> {
        self.workers.register(worker).await
    }

    async fn renew(&self, worker: WorkerId, at: Timestamp, lease: Lease) -> PortResult<bool> {
        self.observer.heartbeats.fetch_add(1, Ordering::AcqRel);
        let _in_flight = HeartbeatInFlight(&self.observer.heartbeats);
        self.workers.renew(worker, at, lease).await
    }

    async fn postpone_deadlines(&self, worker: WorkerId, by: Duration) -> PortResult<()> {
        self.workers.postpone_deadlines(worker, by).await
    }

    async fn resign(&self, worker: WorkerId, at: Timestamp) -> PortResult<()> {
        self.workers.resign(worker, at).await
    }

    async fn list(&self) -> PortResult<Vec<Worker>> {
        self.workers.list().await
    }
}
