//! Renews the worker lease. One lease covers every run that this engine owns.

use std::sync::Arc;
use std::time::Duration;

use quire_ports::{Breakpoint, PortError};

use super::{EngineCore, WorkerLease};

/// Pause after a failed renewal. It is shorter than the usual heartbeat.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

pub(super) async fn keep_alive(engine: Arc<EngineCore>) {
    let mut pause = engine.settings.heartbeat;
    loop {
        tokio::select! {
            () = engine.store.clock.sleep(pause) => {}
            () = engine.halted.cancelled() => return,
        }
        pause = match engine.renew().await {
            Ok(true) => engine.settings.heartbeat,
            Ok(false) => {
                engine.replace_lost_lease().await;
                engine.settings.heartbeat
            }
            Err(error) => {
                tracing::warn!(%error, "worker lease: renewal failed, will retry");
                metrics::counter!("quire_store_errors_total", "doing" => "heartbeat").increment(1);
                engine.settings.heartbeat.min(RETRY_PAUSE)
            }
        };
    }
}

impl EngineCore {
    async fn renew(&self) -> Result<bool, PortError> {
        self.probe.reached(Breakpoint::BeforeHeartbeat, None).await?;
        let now = self.store.clock.now();
        let renewed = self.store.workers.renew(self.lease().worker, now, self.lease_from(now)).await?;
        self.note_contact();
        Ok(renewed)
    }

    /// Abandons every run that was claimed under the expired lease and registers as a new worker. Recovery takes care of
    /// the abandoned runs.
    async fn replace_lost_lease(&self) {
        let lost = self.lease();
        tracing::warn!(worker_id = %lost.worker, "worker lease: expired, abandoning its runs");
        metrics::counter!("quire_leases_lost_total").increment(1);
        lost.lost.cancel();
        loop {
            let lease = Arc::new(WorkerLease::new());
            match self.register(&lease).await {
                Ok(()) => {
                    *self.lease.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = lease;
                    return;
                }
                Err(error) => tracing::warn!(%error, "worker lease: registration failed, will retry"),
            }
            tokio::select! {
                () = self.store.clock.sleep(RETRY_PAUSE) => {}
                () = self.halted.cancelled() => return,
            }
        }
    }
}
