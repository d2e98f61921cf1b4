//! Runs that need saving: their owner is gone, or holds them too long.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use quire_domain::{Pipeline, RecoveryPolicy, RunId, Transition, WorkerId};

use crate::PortResult;

/// What to do with whom.
#[derive(Clone, Debug)]
pub struct RecoveryRules {
    /// What becomes of an orphan, by pipeline.
    pub recovery: Vec<(Pipeline, RecoveryPolicy)>,
    /// A run that names no owner at all is taken for orphaned when it is older than this.
    pub ownerless_after: SignedDuration,
    /// How long past its deadline a run of a living owner is left to that owner.
    pub grace: SignedDuration,
}

impl RecoveryRules {
    /// What becomes of an orphan of that pipeline. One that no rule names is failed, which promises nothing.
    pub fn recovery_of(&self, pipeline: Pipeline) -> RecoveryPolicy {
        self.recovery
            .iter()
            .find(|(of, _)| *of == pipeline)
            .map_or(RecoveryPolicy::Fail, |(_, recovery)| *recovery)
    }
}

/// Finds and settles them.
#[async_trait]
pub trait RunRecovery: Send + Sync {
    /// Settles up to `limit` RUNNING runs whose owner's lease has ended. Live ones, queued ones and ended ones are
    /// never touched.
    async fn recover_orphaned_runs(
        &self,
        rules: &RecoveryRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>>;

    /// Times out up to `limit` RUNNING runs whose owner lives but has let the deadline pass.
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
