//! Recovery of runs whose owner is gone or holds them too long.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use quire_domain::{Pipeline, RecoveryPolicy, RunId, Transition, WorkerId};

use crate::PortResult;

/// What happens to such runs.
#[derive(Clone, Debug)]
pub struct RecoveryRules {
    /// What happens to an orphaned run, by pipeline.
    pub recovery: Vec<(Pipeline, RecoveryPolicy)>,
    /// A run without an owner is an orphan when it is older than this.
    pub ownerless_after: SignedDuration,
    /// How long past its deadline a run stays with a live owner.
    pub grace: SignedDuration,
}

impl RecoveryRules {
    /// What happens to an orphaned run of that pipeline. Without a rule it fails.
    pub fn recovery_of(&self, pipeline: Pipeline) -> RecoveryPolicy {
        self.recovery
            .iter()
            .find(|(of, _)| *of == pipeline)
            .map_or(RecoveryPolicy::Fail, |(_, recovery)| *recovery)
    }
}

/// Finds and recovers such runs.
#[async_trait]
pub trait RunRecovery: Send + Sync {
    /// Recovers up to `limit` RUNNING runs whose owner's lease has ended. Runs of live owners, queued runs and ended runs
    /// are never touched.
    async fn recover_orphaned_runs(
        &self,
        rules: &RecoveryRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>>;

    /// Times out up to `limit` RUNNING runs whose owner is live and past the deadline.
    async fn time_out_overdue(
        &self,
        rules: &RecoveryRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>>;

    /// Gives back the RUNNING runs that the store believes `worker` to hold, other than those it `knows` of: a claim
    /// whose answer was lost made them its own without its knowledge. Only the worker itself may ask, and only while
    /// it is not claiming.
    async fn hand_back_unknown(
        &self,
        worker: WorkerId,
        known: &[RunId],
        at: Timestamp,
    ) -> PortResult<Vec<Transition>>;
}
