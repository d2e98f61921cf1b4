//! The scheduler: looks at the queue on every tick and whenever something wakes it, and never in between.

use std::sync::{Arc, PoisonError};

use jiff::{SignedDuration, Timestamp};
use quire_domain::{Change, Event, EventType, RunId};
use quire_ports::{Breakpoint, ClaimRequest, ClaimedRun, PortError};

use super::execute::execute;
use super::persist::Produced;
use super::slots::Slot;
use super::{Inner, WorkerLease, report};

/// How long after a claim that got no answer its commit may still come through.
const DOUBT: SignedDuration = SignedDuration::from_mins(1);

/// What a look at the queue found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// As much as was asked for: there may be more.
    Plenty,
    /// Less: the queue is empty for now.
    TheRest,
}

pub(super) async fn keep_claiming(engine: Arc<Inner>) {
    let wakeup = engine.store.queue.wakeup();
    let mut scheduler = Scheduler { engine: &engine, contended: false, doubtful_until: None };
    while !engine.stopping.is_cancelled() {
        let found = scheduler.look().await;
        if found == Some(Found::Plenty) {
            tokio::select! {
                () = engine.slots.wait() => {}
                () = engine.stopping.cancelled() => {}
            }
        } else {
            tokio::select! {
                () = wakeup.notified() => {}
                () = engine.store.clock.sleep(engine.settings.tick) => {}
                () = engine.stopping.cancelled() => {}
            }
        }
    }
}

struct Scheduler<'e> {
    engine: &'e Arc<Inner>,
    /// There was contention that could not be written down while it lasted.
    contended: bool,
    /// A claim got no answer: until then, runs may be ours without our knowing.
    doubtful_until: Option<Timestamp>,
}

impl Scheduler<'_> {
    async fn look(&mut self) -> Option<Found> {
        let found = match self.settle_doubts().await {
            Ok(()) => self.engine.claim_once().await,
            Err(error) => Err(error),
        };
        match found {
            Ok(found) => {
                if self.contended {
                    self.contended = !self.engine.tell_of_contention().await;
                }
                Some(found)
            }
            Err(error) => {
                self.engine.claim_failed(&error);
                self.contended |= error.is_contention();
                self.doubtful_until = self.engine.store.clock.now().checked_add(DOUBT).ok();
                None
            }
        }
    }

    /// After a claim whose answer was lost, gives back whatever it may have claimed.
    async fn settle_doubts(&mut self) -> Result<(), PortError> {
        let Some(until) = self.doubtful_until else { return Ok(()) };
        let now = self.engine.store.clock.now();
        let (worker, known) = (self.engine.lease().worker, self.engine.known());
        for transition in self.engine.store.recovery.hand_back_unknown(worker, &known, now).await? {
            report::transition(&transition);
        }
        if now > until {
            self.doubtful_until = None;
        }
        Ok(())
    }
}

/// A run that this engine holds, in a slot of its own, until this is dropped.
struct Held {
    engine: Arc<Inner>,
    run: RunId,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.engine.held.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.run);
    }
}

impl Inner {
    /// Claims what fits in the free slots and sets it going.
    async fn claim_once(self: &Arc<Self>) -> Result<Found, PortError> {
        self.probe.reached(Breakpoint::BeforeClaim, None).await?;
        let limit = self.slots.free().min(self.settings.claim_limit);
        if limit == 0 {
            return Ok(Found::Plenty);
        }
        let life = self.lease();
        let at = self.store.clock.now();
        let claim = ClaimRequest { worker: life.worker, at, limit, plans: &self.plans };
        let claimed = self.store.queue.claim(claim).await?;
        let found = if claimed.len() < limit { Found::TheRest } else { Found::Plenty };
        self.probe.reached(Breakpoint::AfterClaim, None).await?;
        for claimed in claimed {
            let Some(slot) = self.slots.take() else {
                // Only this loop takes slots, so there are as many as it counted.
                self.give_back(&life, &claimed).await;
                continue;
            };
            report::started(&claimed, life.worker);
            self.tally.count(&Event::of_run(EventType::RunStarted, &claimed.run, at));
            let held = self.hold(claimed.run.id);
            self.runs.spawn(run_in_slot(held, life.clone(), claimed, slot));
        }
        Ok(found)
    }

    fn hold(self: &Arc<Self>, run: RunId) -> Held {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).insert(run);
        Held { engine: self.clone(), run }
    }

    fn known(&self) -> Vec<RunId> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    pub(super) async fn give_back(&self, life: &WorkerLease, claimed: &ClaimedRun) {
        self.settle(life, &claimed.run, Vec::new(), Produced::default(), Change::HandBack).await;
    }

    fn claim_failed(&self, error: &PortError) {
        if error.is_contention() {
            report::log(&Event::new(EventType::SchedulerContention, self.store.clock.now()), None);
            metrics::counter!("quire_scheduler_contention_total").increment(1);
        } else {
            tracing::error!(%error, "runs could not be claimed; trying again on the next tick");
            metrics::counter!("quire_store_errors_total", "doing" => "claim").increment(1);
        }
    }

    /// Writes down the contention that is over. Whether that went well.
    async fn tell_of_contention(&self) -> bool {
        let event = Event::new(EventType::SchedulerContention, self.store.clock.now());
        self.store.queue.record(&[event]).await.is_ok()
    }
}

async fn run_in_slot(held: Held, life: Arc<WorkerLease>, claimed: ClaimedRun, slot: Arc<Slot>) {
    execute(&held.engine, life, claimed, slot).await;
}
