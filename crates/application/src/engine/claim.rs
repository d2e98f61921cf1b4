//! The scheduler: looks at the queue on every tick and whenever something wakes it, and never in between.

use std::sync::Arc;

use quire_domain::{Change, Event, EventType};
use quire_ports::{Breakpoint, Claim, Claimed, PortError};
use tokio::sync::OwnedSemaphorePermit;

use super::execute::execute;
use super::{Inner, Life, report};

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
    let mut contended = false;
    while !engine.stopping.is_cancelled() {
        let found = engine.claim_once().await;
        contended = match &found {
            Ok(_) if contended => !engine.tell_of_contention().await,
            Ok(_) => false,
            Err(error) => {
                engine.claim_failed(error);
                contended || error.is_contention()
            }
        };
        if found == Ok(Found::Plenty) {
            tokio::select! {
                () = engine.a_slot() => {}
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

impl Inner {
    /// Claims what fits in the free slots and sets it going.
    async fn claim_once(self: &Arc<Self>) -> Result<Found, PortError> {
        self.probe.reached(Breakpoint::BeforeClaim, None).await?;
        let limit = self.slots.available_permits().min(self.settings.claim_limit);
        if limit == 0 {
            return Ok(Found::Plenty);
        }
        let life = self.life();
        let at = self.store.clock.now();
        let claim = Claim { worker: life.worker, at, limit, plans: &self.plans };
        let claimed = self.store.queue.claim(claim).await?;
        let found = if claimed.len() < limit { Found::TheRest } else { Found::Plenty };
        self.probe.reached(Breakpoint::AfterClaim, None).await?;
        for claimed in claimed {
            let Ok(slot) = self.slots.clone().try_acquire_owned() else {
                // Only this loop takes slots, so there are as many as it counted.
                self.give_back(life.clone(), claimed).await;
                continue;
            };
            report::started(&claimed, life.worker);
            self.tally.count(&Event::of_run(EventType::RunStarted, &claimed.run, at));
            self.runs.spawn(run_in_slot(self.clone(), life.clone(), claimed, slot));
        }
        Ok(found)
    }

    pub(super) async fn give_back(&self, life: Arc<Life>, claimed: Claimed) {
        self.settle(&life, &claimed.run, Vec::new(), Change::HandBack).await;
    }

    /// Returns when a slot is free.
    async fn a_slot(&self) {
        while self.slots.available_permits() == 0 {
            self.slot_freed.notified().await;
        }
        // Runs tend to end together, as their writes were committed together: let all of them give up their slots
        // first, and claim for all of them at once.
        tokio::task::yield_now().await;
    }

    fn claim_failed(&self, error: &PortError) {
        if error.is_contention() {
            report::log(&Event::bare(EventType::SchedulerContention, self.store.clock.now()), None);
            metrics::counter!("quire_scheduler_contention_total").increment(1);
        } else {
            tracing::error!(%error, "runs could not be claimed; trying again on the next tick");
            metrics::counter!("quire_store_errors_total", "doing" => "claim").increment(1);
        }
    }

    /// Contention could not be written down while it lasted. Whether it is now.
    async fn tell_of_contention(&self) -> bool {
        let event = Event::bare(EventType::SchedulerContention, self.store.clock.now());
        self.store.queue.record(&event).await.is_ok()
    }
}

async fn run_in_slot(engine: Arc<Inner>, life: Arc<Life>, claimed: Claimed, slot: OwnedSemaphorePermit) {
    execute(&engine, life, claimed).await;
    drop(slot);
    engine.slot_freed.notify_one();
}
