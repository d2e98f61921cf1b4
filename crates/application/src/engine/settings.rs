//! What an engine is told: how much at once, how often, and how each pipeline goes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::SignedDuration;
use quire_domain::{Pipeline, PipelinePlan, RecoveryPolicy, RetryPolicy, StepName};
use quire_ports::{PortError, PortResult, RecoveryRules, Step};

/// More threads than this for steps only cost memory; steps beyond wait for a thread.
const MOST_WORK_THREADS: u32 = 32;

/// How an engine works.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// Host and process, for people.
    pub name: String,
    /// Runs worked on at once.
    pub slots: u32,
    /// Most runs taken in one claim.
    pub claim_limit: usize,
    /// Time between two looks at the queue when nothing wakes the engine.
    pub tick: Duration,
    /// How the lease is kept.
    pub lease: LeaseSettings,
    /// Time between two renewals of the lease.
    pub heartbeat: Duration,
    /// A RUNNING run that names no owner is taken for orphaned when it is older than this.
    pub zombie_after: SignedDuration,
    /// How long past its deadline a run is left to its living owner before the watchdog ends it.
    pub grace: SignedDuration,
    /// How long a shutdown waits for runs under way.
    pub shutdown_wait: Duration,
    /// What becomes of orphans, for every pipeline of the database: this engine recovers also what it could not
    /// execute.
    pub recovery: Vec<(Pipeline, RecoveryPolicy)>,
}

/// How an engine keeps its lease.
#[derive(Clone, Copy, Debug)]
pub enum LeaseSettings {
    /// By the lock on the database file.
    Exclusive,
    /// By renewing it before this much time has passed.
    Renewed {
        /// The time.
        term: SignedDuration,
    },
}

/// How one pipeline is carried out.
pub struct PipelineSetup {
    /// Its steps and its limit.
    pub plan: PipelinePlan,
    /// Its retries and its recovery.
    pub policy: RetryPolicy,
    /// The work of each step.
    pub steps: HashMap<StepName, Arc<dyn Step>>,
}

impl EngineSettings {
    pub(super) fn work_runtime(&self) -> PortResult<tokio::runtime::Runtime> {
        let threads = self.slots.clamp(1, MOST_WORK_THREADS) as usize;
        tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .thread_name("quire-step")
            .enable_all()
            .build()
            .map_err(|_| PortError::Unavailable {
                service: "system",
                reason: "no threads could be started for the steps".to_owned(),
                contention: false,
            })
    }

    pub(super) fn rescue_rules(&self) -> RecoveryRules {
        RecoveryRules { recovery: self.recovery.clone(), zombie_after: self.zombie_after, grace: self.grace }
    }
}
