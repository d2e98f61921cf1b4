//! The settings of an engine and of its pipelines.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use quire_domain::{ClaimScope, Pipeline, PipelinePlan, RecoveryPolicy, RetryPolicy, StepName};
use quire_ports::{PortError, PortResult, RecoveryRules, Step};

/// More threads than this only cost memory. Further steps wait for a free thread.
const MAX_STEP_THREADS: u32 = 32;

/// The settings of an engine.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Host and process, shown to people.
    pub name: String,
    /// The runs that it claims.
    pub scope: ClaimScope,
    /// How many runs are worked on at once.
    pub slots: u32,
    /// How many runs one claim takes at most.
    pub claim_limit: usize,
    /// The longest pause before a step's next attempt that passes in the slot. For a longer one the run goes back to the
    /// queue, which takes two commits and leaves the slot to other runs.
    pub longest_slot_pause: Duration,
    /// Time between two claims when nothing wakes the engine.
    pub tick: Duration,
    /// How the worker lease is kept.
    pub lease: LeaseSettings,
    /// Time between two renewals of the lease.
    pub heartbeat: Duration,
    /// A RUNNING run without an owner counts as orphaned when it is older than this (setting `engine.zombie_after`).
    /// Under an exclusive lease it is orphaned at once.
    pub unowned_after: SignedDuration,
    /// How long after a run's deadline the watchdog leaves the run to an owner that is alive.
    pub grace: SignedDuration,
    /// How long a shutdown waits for running runs.
    pub shutdown_wait: Duration,
    /// The recovery policy of every pipeline in the database. An engine also recovers runs of pipelines that it cannot
    /// execute.
    pub recovery: Vec<(Pipeline, RecoveryPolicy)>,
}

/// How an engine keeps its worker lease.
#[derive(Clone, Copy, Debug)]
pub enum LeaseSettings {
    /// The lock on the file beside the database is the lease.
    Exclusive,
    /// The engine renews the lease before it expires.
    Renewed {
        /// How long the lease lasts.
        term: SignedDuration,
    },
}

impl LeaseSettings {
    /// How long a heartbeat waits for an answer. A connection to a server that is gone must not use up the lease, so
    /// this leaves time to try again over another connection.
    pub(super) fn renewal_timeout(self) -> Option<Duration> {
        match self {
            Self::Exclusive => None,
            Self::Renewed { term } => Some(Duration::try_from(term).unwrap_or_default() / 3),
        }
    }
}

/// How the engine executes one pipeline.
#[derive(Clone)]
pub struct PipelineSetup {
    /// Its steps and its time limit.
    pub plan: PipelinePlan,
    /// Its retry and recovery policies.
    pub policy: RetryPolicy,
    /// The work of each step.
    pub steps: HashMap<StepName, Arc<dyn Step>>,
}

impl EngineSettings {
    /// The usual [`EngineSettings::longest_slot_pause`].
    pub const SLOT_PAUSE: Duration = Duration::from_millis(50);

    pub(super) fn step_runtime(&self) -> PortResult<tokio::runtime::Runtime> {
        let threads = self.slots.clamp(1, MAX_STEP_THREADS) as usize;
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_name("quire-step")
            .enable_all()
            .build()
            .map_err(|_| PortError::Unavailable {
                service: "system",
                reason: "could not start threads for the steps".to_owned(),
                contention: false,
            })
    }

    pub(super) fn recovery_rules(&self) -> RecoveryRules {
        let unowned_after = match self.lease {
            // No other engine can have started the run.
            LeaseSettings::Exclusive => SignedDuration::ZERO,
            LeaseSettings::Renewed { .. } => self.unowned_after,
        };
        RecoveryRules { recovery: self.recovery.clone(), unowned_after, grace: self.grace }
    }
}
