//! Keeping the lease. One renewal covers every run this engine holds.

use std::sync::Arc;
use std::time::Duration;

use quire_ports::{Breakpoint, PortError};

use super::{Inner, WorkerLease};

/// After a renewal that failed, the next try comes sooner than the next heartbeat.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

pub(super) async fn keep_alive(engine: Arc<Inner>) {
    let mut pause = engine.settings.heartbeat;
    loop {
        tokio::select! {
            () = engine.store.clock.sleep(pause) => {}
            () = engine.halted.cancelled() => return,
        }
        pause = match engine.renew().await {
            Ok(true) => engine.settings.heartbeat,
            Ok(false) => {
                engine.begin_anew().await;
                engine.settings.heartbeat
            }
            Err(error) => {
                tracing::warn!(%error, "the lease could not be renewed; trying again");
                metrics::counter!("quire_store_errors_total", "doing" => "heartbeat").increment(1);
                engine.settings.heartbeat.min(AFTER_FAILURE)
            }
        };
    }
}

impl Inner {
    async fn renew(&self) -> Result<bool, PortError> {
        self.probe.reached(Breakpoint::BeforeHeartbeat, None).await?;
        let now = self.store.clock.now();
        let renewed = self.store.workers.renew(self.lease().worker, now, self.lease_from(now)).await?;
        self.note_contact();
        Ok(renewed)
    }

    /// The lease has ended, and with it every claim made under it: let go of all of them and register as a new
    /// worker. What was under way belongs to whoever recovers it.
    async fn begin_anew(&self) {
        let lost = self.lease();
        tracing::warn!(worker_id = %lost.worker, "the lease has expired; abandoning what it covered");
        metrics::counter!("quire_leases_lost_total").increment(1);
        lost.lost.cancel();
        loop {
            let life = Arc::new(WorkerLease::new());
            match self.register(&life).await {
                Ok(()) => {
                    *self.lease.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = life;
                    return;
                }
                Err(error) => tracing::warn!(%error, "no new lease could be had yet; trying again"),
            }
            tokio::select! {
                () = self.store.clock.sleep(AFTER_FAILURE) => {}
                () = self.halted.cancelled() => return,
            }
        }
    }
}
