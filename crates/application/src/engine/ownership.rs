//! The runs that this engine works on, and how it notices that one is no longer its own.
//!
//! A person may cancel a run, and another engine may end it. The store then refuses what this engine writes about it; but
//! the step would work on for nobody. So the engine asks the store which of its claims are outdated: when a run was
//! cancelled anywhere, and on every tick, because such a message may be lost. Work on these runs stops at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use quire_domain::{Run, RunId};
use quire_ports::{Claim, PortResult};
use tokio_util::sync::CancellationToken;

use super::EngineCore;

/// The claims of an engine. Each has a token that is cancelled when the claim is outdated.
#[derive(Default)]
pub(super) struct OwnedRuns(Mutex<HashMap<Claim, CancellationToken>>);

/// Lists a run among the engine's own runs until this is dropped.
pub(super) struct OwnedRun {
    pub(super) engine: Arc<EngineCore>,
    claim: Claim,
    /// Cancelled when this engine no longer owns the run.
    pub(super) lost: CancellationToken,
}

impl Drop for OwnedRun {
    fn drop(&mut self) {
        self.engine.owned_runs.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.claim);
    }
}

impl OwnedRuns {
    fn claims(&self) -> Vec<Claim> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().copied().collect()
    }

    /// The ids of the runs.
    pub(super) fn ids(&self) -> Vec<RunId> {
        self.claims().into_iter().map(|(run, _)| run).collect()
    }

    fn abandon(&self, claim: Claim) {
        if let Some(lost) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&claim) {
            lost.cancel();
        }
    }
}

pub(super) async fn keep_checking(engine: Arc<EngineCore>) {
    let mut cancellations = engine.store.queue.cancellations();
    loop {
        tokio::select! {
            () = engine.aborting.cancelled() => return,
            () = engine.store.clock.sleep(engine.settings.tick) => {}
            Ok(()) = cancellations.changed() => {}
        }
        if let Err(error) = engine.abandon_lost_runs().await {
            tracing::warn!(%error, "owned runs: check failed, will retry on the next tick");
            metrics::counter!("quire_store_errors_total", "doing" => "check_claims").increment(1);
        }
    }
}

impl EngineCore {
    /// Lists a claimed run among the engine's own. The run is lost with the lease, if not before.
    pub(super) fn own(self: &Arc<Self>, run: &Run, lease_lost: &CancellationToken) -> OwnedRun {
        let (claim, lost) = ((run.id, run.fence), lease_lost.child_token());
        self.owned_runs.0.lock().unwrap_or_else(PoisonError::into_inner).insert(claim, lost.clone());
        OwnedRun { engine: self.clone(), claim, lost }
    }

    /// Stops the work on runs that this engine no longer owns.
    async fn abandon_lost_runs(&self) -> PortResult<()> {
        let claims = self.owned_runs.claims();
        if claims.is_empty() {
            return Ok(());
        }
        for claim in self.store.queue.outdated(&claims).await? {
            self.owned_runs.abandon(claim);
        }
        Ok(())
    }
}
