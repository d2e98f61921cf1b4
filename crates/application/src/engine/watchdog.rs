//! The watchdog: on every tick it recovers orphaned runs, times out runs whose owner lets them hang, and releases
//! runs whose delay has passed or whose lane is free. Once a minute it also restores missing fronts.

use std::sync::Arc;

use quire_domain::Transition;
use quire_ports::{Breakpoint, ExpiredLeaseAction, PortError, PortResult};

use super::EngineCore;
use super::fronts::FrontWatch;
use crate::event_telemetry;

/// How many runs one transaction changes.
pub(super) const BATCH: usize = 100;

pub(super) async fn keep_watching(engine: Arc<EngineCore>) {
    let mut fronts = FrontWatch::default();
    loop {
        tokio::select! {
            () = engine.store.clock.sleep(engine.settings.tick) => {}
            () = engine.draining.cancelled() => return,
        }
        engine.watch_once(&mut fronts).await;
    }
}

/// Observes how long this process is awake.
pub(super) async fn observe_awake_time(engine: Arc<EngineCore>) {
    tokio::select! {
        () = engine.awake.observe() => {}
        () = engine.aborting.cancelled() => {}
    }
}

impl EngineCore {
    /// Does its tasks independently: if one fails, the others still run.
    async fn watch_once(&self, fronts: &mut FrontWatch) {
        if let Err(error) = self.breakpoints.reached(Breakpoint::BeforeWatch, None).await {
            return watch_failed(&error);
        }
        let results = [
            self.recover_orphaned_runs().await,
            self.time_out_overdue().await,
            self.release_due().await,
            self.restore_fronts(fronts).await,
            self.watch_lanes().await,
        ];
        for error in results.iter().filter_map(|result| result.as_ref().err()) {
            watch_failed(error);
        }
    }

    pub(super) async fn release_due(&self) -> PortResult<()> {
        while self.store.queue.release_due(self.store.clock.now(), BATCH).await? == BATCH {}
        Ok(())
    }

    /// Ends runs that are past their deadline although their owner is alive. The owner normally does this itself, by the
    /// time in which it was awake; so this engine leaves the runs that it works on itself, and after a silence of the
    /// store it first lets the other owners tell how long they slept.
    async fn time_out_overdue(&self) -> PortResult<()> {
        let now = self.store.clock.now();
        if self.contact.expired_leases(now) == ExpiredLeaseAction::Leave {
            return Ok(());
        }
        let own = self.owned_runs.ids();
        for transition in
            &self.store.recovery.time_out_overdue(&self.recovery_rules, &own, now, BATCH).await?
        {
            tracing::warn!(run_id = %transition.run.id, "watchdog: timed out a run that hung past its deadline");
            self.report_transition(transition);
        }
        Ok(())
    }

    /// Logs and counts a transition that the store has made.
    pub(super) fn report_transition(&self, transition: &Transition) {
        self.minute_counters.count_transition(transition);
        event_telemetry::log_and_count_transition(transition);
    }
}

fn watch_failed(error: &PortError) {
    tracing::warn!(%error, "watchdog: check failed, will retry on the next tick");
    metrics::counter!("quire_store_errors_total", "doing" => "watch").increment(1);
}
