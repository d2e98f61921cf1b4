//! Renews the worker lease. One lease covers every run that this engine owns.

use std::sync::Arc;
use std::time::Duration;

use quire_ports::{Breakpoint, PortError, PortResult};
use tokio::time::timeout;

use super::{EngineCore, WorkerLease};

/// Pause after a failed renewal. It is shorter than the usual heartbeat.
const RETRY_PAUSE: Duration = Duration::from_secs(1);

pub(super) async fn keep_alive(engine: Arc<EngineCore>) {
    let mut pause = engine.settings.heartbeat;
    let mut slept = Duration::ZERO;
    loop {
        tokio::select! {
            () = engine.store.clock.sleep(pause) => {}
            () = engine.aborting.cancelled() => return,
        }
        pause = match engine.renew().await {
            Ok(true) => {
                slept = engine.postpone_deadlines(slept).await;
                engine.settings.heartbeat
            }
            Ok(false) => {
                engine.replace_lost_lease().await;
                engine.settings.heartbeat
            }
            Err(error) => {
                engine.contact.lost();
                tracing::warn!(%error, "worker lease: renewal failed, will retry");
                metrics::counter!("quire_store_errors_total", "doing" => "heartbeat").increment(1);
                engine.settings.heartbeat.min(RETRY_PAUSE)
            }
        };
    }
}

impl EngineCore {
    async fn renew(&self) -> Result<bool, PortError> {
        self.breakpoints.reached(Breakpoint::BeforeHeartbeat, None).await?;
        let now = self.store.clock.now();
        let worker = self.lease().worker;
        let renewed =
            self.within_renewal_timeout(self.store.workers.renew(worker, now, self.lease_from(now))).await?;
        self.contact.answered(self.store.clock.now());
        Ok(renewed)
    }

    /// Waits for an answer about the lease only as long as the lease allows.
    async fn within_renewal_timeout<T>(&self, answer: impl Future<Output = PortResult<T>>) -> PortResult<T> {
        match self.settings.lease.renewal_timeout() {
            Some(limit) => timeout(limit, answer).await.unwrap_or_else(|_| Err(no_answer(limit))),
            None => answer.await,
        }
    }

    /// Tells the store how long this process was not awake, beyond what it told before. Returns what it has told now.
    async fn postpone_deadlines(&self, told: Duration) -> Duration {
        let slept = self.awake.asleep();
        if slept == told {
            return told;
        }
        let untold = slept.saturating_sub(told);
        let postponing = self.store.workers.postpone_deadlines(self.lease().worker, untold);
        match self.within_renewal_timeout(postponing).await {
            Ok(()) => {
                tracing::warn!(
                    seconds = untold.as_secs(),
                    "process was suspended; the deadlines of its runs were extended"
                );
                slept
            }
            Err(error) => {
                tracing::warn!(%error, "deadlines could not be moved, will retry");
                told
            }
        }
    }

    /// Abandons every run that was claimed under the ended lease and registers as a new worker. The engine that ended
    /// the lease has recovered these runs.
    async fn replace_lost_lease(&self) {
        let lost = self.lease();
        tracing::warn!(worker_id = %lost.worker, "worker lease: ended by another engine, abandoning its runs");
        metrics::counter!("quire_leases_lost_total").increment(1);
        lost.lost.cancel();
        loop {
            let lease = Arc::new(WorkerLease::new());
            match self.within_renewal_timeout(self.register(&lease)).await {
                Ok(()) => {
                    *self.lease.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = lease;
                    return;
                }
                Err(error) => tracing::warn!(%error, "worker lease: registration failed, will retry"),
            }
            tokio::select! {
                () = self.store.clock.sleep(RETRY_PAUSE) => {}
                () = self.aborting.cancelled() => return,
            }
        }
    }
}

fn no_answer(limit: Duration) -> PortError {
    PortError::Unavailable {
        service: "database",
        reason: format!("it did not answer within {} ms", limit.as_millis()),
        contention: false,
    }
}
