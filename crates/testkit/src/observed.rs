//! A store that rings a bell after every write, so that tests wait for events and not for time; and that can be
//! told to fail, before a write or, worse, after it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use quire_domain::{Event, NewRun, RequeuePolicy, Run, RunId, Transition, WorkerId};
use quire_ports::{
    Advance, AdvanceOutcome, ClaimRequest, ClaimedRun, PortError, PortResult, RecoveryRules, RunQueue,
    RunRecovery, Store,
};
use tokio::sync::{Notify, watch};

use crate::FakeClock;

/// How long a test waits for what must happen.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// How long to listen for the bell before moving a fake clock on.
const LISTEN: Duration = Duration::from_millis(2);

/// A planned failure of `advance`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The store is gone before it could do anything.
    Before,
    /// The store did it, and its answer was lost.
    After,
}

/// Watches a store, and makes it fail when told to.
#[derive(Clone)]
pub struct Observer {
    bell: watch::Sender<u64>,
    faults: Arc<Mutex<VecDeque<Fault>>>,
}

impl Observer {
    /// The same store, watched.
    pub fn watch(store: Store) -> (Store, Self) {
        let observer = Self { bell: watch::Sender::new(0), faults: Arc::default() };
        let watched = Arc::new(Watched {
            queue: store.queue.clone(),
            rescue: store.recovery.clone(),
            observer: observer.clone(),
        });
        (Store { queue: watched.clone(), recovery: watched, ..store }, observer)
    }

    /// The next `advance` fails so.
    pub fn plan(&self, fault: Fault) {
        self.faults.lock().unwrap().push_back(fault);
    }

    /// Returns when `condition` holds, looking again after every write.
    pub async fn until<F, R>(&self, condition: F)
    where
        F: Fn() -> R,
        R: Future<Output = bool>,
    {
        self.look_until(condition, || ()).await;
    }

    /// The same, moving the clock on by `step` whenever nothing else moves.
    pub async fn until_in_time<F, R>(&self, clock: &FakeClock, step: SignedDuration, condition: F)
    where
        F: Fn() -> R,
        R: Future<Output = bool>,
    {
        self.look_until(condition, || clock.advance(step)).await;
    }

    async fn look_until<F, R>(&self, condition: F, when_quiet: impl Fn())
    where
        F: Fn() -> R,
        R: Future<Output = bool>,
    {
        let mut bell = self.bell.subscribe();
        let looking = async {
            while !condition().await {
                if tokio::time::timeout(LISTEN, bell.changed()).await.is_err() {
                    when_quiet();
                }
            }
        };
        tokio::time::timeout(PATIENCE, looking).await.expect("what the test waits for happens in time");
    }

    fn ring(&self) {
        self.bell.send_modify(|rung| *rung += 1);
    }
}

struct Watched {
    queue: Arc<dyn RunQueue>,
    rescue: Arc<dyn RunRecovery>,
    observer: Observer,
}

fn gone() -> PortError {
    PortError::Unavailable { service: "database", reason: "rehearsed outage".to_owned(), contention: false }
}

#[async_trait]
impl RunQueue for Watched {
    async fn enqueue(&self, new: &NewRun, at: Timestamp) -> PortResult<Run> {
        let run = self.queue.enqueue(new, at).await;
        self.observer.ring();
        run
    }

    async fn claim(&self, claim: ClaimRequest<'_>) -> PortResult<Vec<ClaimedRun>> {
        let claimed = self.queue.claim(claim).await;
        self.observer.ring();
        claimed
    }

    async fn advance(&self, advance: Advance) -> PortResult<AdvanceOutcome> {
        let fault = self.observer.faults.lock().unwrap().pop_front();
        if fault == Some(Fault::Before) {
            return Err(gone());
        }
        let written = self.queue.advance(advance).await;
        self.observer.ring();
        if fault == Some(Fault::After) { Err(gone()) } else { written }
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
        self.observer.ring();
        retried
    }

    async fn withdraw(&self, run: RunId, actor: &str, at: Timestamp) -> PortResult<Transition> {
        let withdrawn = self.queue.withdraw(run, actor, at).await;
        self.observer.ring();
        withdrawn
    }

    async fn record(&self, events: &[Event]) -> PortResult<()> {
        let recorded = self.queue.record(events).await;
        self.observer.ring();
        recorded
    }

    fn wakeup(&self) -> Arc<Notify> {
        self.queue.wakeup()
    }
}

#[async_trait]
impl RunRecovery for Watched {
    async fn recover_orphans(
        &self,
        rules: &RecoveryRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let recovered = self.rescue.recover_orphans(rules, at, limit).await;
        self.observer.ring();
        recovered
    }

    async fn time_out_overdue(
        &self,
        rules: &RecoveryRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>> {
        let ended = self.rescue.time_out_overdue(rules, at, limit).await;
        self.observer.ring();
        ended
    }

    async fn hand_back_unknown(
        &self,
        worker: WorkerId,
        known: &[RunId],
        at: Timestamp,
    ) -> PortResult<Vec<Transition>> {
        let handed_back = self.rescue.hand_back_unknown(worker, known, at).await;
        self.observer.ring();
        handed_back
    }
}
