//! Recovery of orphaned runs and of runs past their deadline.

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use quire_domain::{
    Orphaned, Pipeline, RecoveryPolicy, Run, RunChange, RunId, SubjectId, Transition, WorkerId,
};

use crate::PortResult;

/// What becomes of orphaned runs: the policy of each pipeline, and when a run counts as one.
#[derive(Clone, Debug)]
pub struct RecoveryRules {
    /// The rule for orphaned runs, by pipeline.
    pub recovery: Vec<(Pipeline, RecoveryPolicy)>,
    /// A run without an owner is an orphan when it is older than this.
    pub unowned_after: SignedDuration,
    /// How long past its deadline a run may stay with a live owner.
    pub grace: SignedDuration,
}

impl RecoveryRules {
    /// What happens to an orphaned run whose owner held that many runs, this one included.
    pub fn recover(&self, run: &Run, runs_of_worker: u32) -> RunChange {
        RunChange::Recover {
            recovery: self.recovery_of(run.pipeline),
            orphaned: Orphaned::among(runs_of_worker, &mut rand::rng()),
        }
    }

    /// The rule for an orphaned run of that pipeline. Without a rule the run fails.
    pub fn recovery_of(&self, pipeline: Pipeline) -> RecoveryPolicy {
        self.recovery
            .iter()
            .find(|(name, _)| *name == pipeline)
            .map_or(RecoveryPolicy::Fail, |(_, recovery)| *recovery)
    }
}

/// What recovery does with leases that have expired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiredLeaseAction {
    /// It ends them and recovers their runs.
    End,
    /// It leaves them to their workers, which may have been without an answer of the database as long as this one.
    Leave,
}

/// The runs of a subject in a pipeline. At most one of them is at the front.
pub type SubjectQueue = (SubjectId, Pipeline);

/// What one look at waiting runs found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontCheck {
    /// Where the oldest waiting run became the front, because no run was.
    pub restored: Vec<SubjectQueue>,
    /// Where the next look continues. None when no waiting run is left.
    pub next: Option<SubjectQueue>,
}

/// Finds and recovers orphaned and overdue runs.
#[async_trait]
pub trait RunRecovery: Send + Sync {
    /// Recovers up to `limit` RUNNING runs whose owner's lease has ended. `expired` says whether leases that have expired
    /// end now; their workers cannot renew them afterwards. It never changes runs of live owners, queued runs or ended
    /// runs. The returned transitions name the steps that were interrupted.
    async fn recover_orphaned_runs(
        &self,
        rules: &RecoveryRules,
        expired: ExpiredLeaseAction,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>>;

    /// Times out up to `limit` RUNNING runs whose owner is live and past the deadline. It leaves the runs in `except`:
    /// the caller works on them and ends them itself. The returned transitions name the steps that were interrupted.
    async fn time_out_overdue(
        &self,
        rules: &RecoveryRules,
        except: &[RunId],
        at: Timestamp,
        limit: usize,
    ) -> PortResult<Vec<Transition>>;

    /// Gives back the RUNNING runs that `worker` owns in the store but that are not in `known`. A claim whose answer
    /// was lost leaves such runs. Only the worker itself may call this, and only while it is not claiming.
    async fn hand_back_unknown(
        &self,
        worker: WorkerId,
        known: &[RunId],
        at: Timestamp,
    ) -> PortResult<Vec<Transition>>;

    /// Looks at up to `limit` runs that wait behind the front of their subject, after `after`. Where no front exists, it
    /// makes the oldest waiting run the front; nothing else would ever start these runs.
    async fn restore_fronts(
        &self,
        after: Option<SubjectQueue>,
        at: Timestamp,
        limit: usize,
    ) -> PortResult<FrontCheck>;
}
