//! The watchdog: on every tick it looks for runs whose owner is gone, runs that their owner has let hang, and runs
//! whose delay has passed.

use std::sync::Arc;

use quire_domain::Transition;
use quire_ports::{Breakpoint, PortError, PortResult};

use super::{Inner, report};

/// How many runs one transaction settles.
const BATCH: usize = 100;

pub(super) async fn keep_watching(engine: Arc<Inner>) {
    loop {
        tokio::select! {
            () = engine.store.clock.sleep(engine.settings.tick) => {}
            () = engine.stopping.cancelled() => return,
        }
        engine.watch_once().await;
    }
}

impl Inner {
    /// Each look by itself: one that fails must not keep the others from what they are there for.
    async fn watch_once(&self) {
        if let Err(error) = self.probe.reached(Breakpoint::BeforeWatch, None).await {
            return watch_failed(&error);
        }
        let looks = [self.recover_orphans().await, self.time_out_overdue().await, self.release_due().await];
        for error in looks.iter().filter_map(|look| look.as_ref().err()) {
            watch_failed(error);
        }
    }

    async fn release_due(&self) -> PortResult<()> {
        while self.store.queue.release_due(self.store.clock.now(), BATCH).await? == BATCH {}
        Ok(())
    }

    /// Settles runs whose owner is gone: to FAILED or back to the queue, as their pipeline says.
    pub(super) async fn recover_orphans(&self) -> PortResult<()> {
        loop {
            let now = self.store.clock.now();
            let recovered = self.store.recovery.recover_orphans(&self.rules, now, BATCH).await?;
            for transition in &recovered {
                report::recovered(transition.run.pipeline);
                self.tally.recovered(transition);
                self.tell_of(transition);
            }
            if recovered.len() < BATCH {
                return Ok(());
            }
        }
    }

    /// Ends runs that their living owner should have ended itself.
    async fn time_out_overdue(&self) -> PortResult<()> {
        let now = self.store.clock.now();
        for transition in &self.store.recovery.time_out_overdue(&self.rules, now, BATCH).await? {
            tracing::warn!(run_id = %transition.run.id, "a run hung past its deadline; the watchdog ended it");
            self.tell_of(transition);
        }
        Ok(())
    }

    fn tell_of(&self, transition: &Transition) {
        self.tally.count_transition(transition);
        report::transition(transition);
    }
}

fn watch_failed(error: &PortError) {
    tracing::warn!(%error, "the watchdog could not look around; trying again on the next tick");
    metrics::counter!("quire_store_errors_total", "doing" => "watch").increment(1);
}
