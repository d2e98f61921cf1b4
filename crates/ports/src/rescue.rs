//! Runs that need saving: their owner is gone, or holds them too long.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use quire_domain::{Pipeline, Recovery, Transition};

use crate::PortResult;

/// What to do with whom.
#[derive(Clone, Debug)]
pub struct RescueRules {
    /// What becomes of an orphan, by pipeline.
    pub recovery: Vec<(Pipeline, Recovery)>,
    /// A run that names no owner at all is taken for orphaned when it is older than this.
    pub zombie_after: SignedDuration,
    /// How long past its deadline a run of a living owner is left to that owner.
    pub grace: SignedDuration,
}

/// Finds and settles them.
#[async_trait]
pub trait Rescue: Send + Sync {
    /// Settles up to `limit` RUNNING runs whose owner's lease has ended. Live ones, queued ones and ended ones are
    /// never touched.
    async fn recover_orphans(
        &self,
        rules: &RescueRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>>;

    /// Times out up to `limit` RUNNING runs whose owner lives but has let the deadline pass.
    async fn time_out_overdue(
        &self,
        rules: &RescueRules,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>>;
}
