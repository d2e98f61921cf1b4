//! What the settings mean to the engine: plans, policies and terms.

use std::thread::available_parallelism;
use std::time::Duration;

use jiff::SignedDuration;
use quire_application::document::upload::UploadSettings;
use quire_application::engine::{EngineSettings, LeaseSettings};
use quire_domain::{Backoff, Pipeline, PipelinePlan, RecoveryPolicy, RequeuePolicy, RetryPolicy, StepName};

use super::{Config, PipelineConfig, RecoveryChoice, RequeueChoice};

impl Config {
    /// How an engine of this name works, keeping its lease on these terms.
    pub fn engine_settings(&self, name: String, lease: LeaseSettings) -> EngineSettings {
        let engine = &self.engine;
        EngineSettings {
            name,
            slots: self.slots(),
            claim_limit: engine.claim_limit as usize,
            tick: plain(engine.tick),
            lease,
            heartbeat: plain(engine.heartbeat),
            ownerless_after: engine.zombie_after,
            grace: engine.deadline_grace,
            shutdown_wait: plain(engine.shutdown_wait),
            recovery: Pipeline::ALL.map(|pipeline| (pipeline, self.policy(pipeline).recovery)).to_vec(),
        }
    }

    /// Which files are taken in.
    pub fn upload_terms(&self) -> UploadSettings {
        UploadSettings {
            kinds: self.reading.formats.clone(),
            largest: self.uploads.max_mb << 20,
            schema: self.schemas.default.clone(),
        }
    }

    /// Runs worked on at once.
    pub fn slots(&self) -> u32 {
        match self.engine.slots {
            0 => available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX)),
            slots => slots,
        }
    }

    /// The steps of a pipeline and how long a run of it may take.
    pub fn plan(&self, pipeline: Pipeline) -> PipelinePlan {
        let wanted = |step: &StepName| *step != StepName::Embedding || self.search.enabled;
        PipelinePlan {
            pipeline,
            steps: pipeline.steps().iter().copied().filter(wanted).collect(),
            limit: self.pipeline(pipeline).run_limit,
        }
    }

    /// How runs of a pipeline are retried and recovered. What `default` means depends on the database: one process
    /// on SQLite fails what it cannot finish, workers on PostgreSQL take over from one another.
    pub fn policy(&self, pipeline: Pipeline) -> RetryPolicy {
        let settings = self.pipeline(pipeline);
        let single = self.location().is_sqlite();
        let PipelineConfig { max_claims, max_retries, requeue_delay: base_delay, .. } = *settings;
        let requeue = match settings.requeue {
            RequeueChoice::Default if pipeline != Pipeline::Document => RequeueChoice::Manual,
            RequeueChoice::Default if single => RequeueChoice::None,
            RequeueChoice::Default => RequeueChoice::Auto,
            chosen => chosen,
        };
        let fails = match settings.recovery {
            RecoveryChoice::Default => single,
            RecoveryChoice::Fail => true,
            RecoveryChoice::Requeue => false,
        };
        let retry = self.engine.retry;
        RetryPolicy {
            backoff: Backoff {
                attempts: settings.step_attempts,
                base_ms: retry.base_delay_ms,
                max_ms: retry.max_delay_ms,
                jitter_ratio: retry.jitter_ratio,
            },
            requeue: match requeue {
                RequeueChoice::None | RequeueChoice::Default => RequeuePolicy::Never,
                RequeueChoice::Auto => RequeuePolicy::Auto { max_claims, base_delay },
                RequeueChoice::Manual => RequeuePolicy::Manual { max_retries, base_delay },
            },
            recovery: if fails { RecoveryPolicy::Fail } else { RecoveryPolicy::Requeue { max_claims } },
        }
    }

    fn pipeline(&self, pipeline: Pipeline) -> &PipelineConfig {
        match pipeline {
            Pipeline::Document => &self.pipelines.document,
            Pipeline::Proposal => &self.pipelines.proposal,
            Pipeline::Link => &self.pipelines.link,
        }
    }
}

/// Settings were checked not to be negative.
pub(crate) fn plain(duration: SignedDuration) -> Duration {
    duration.try_into().unwrap_or_default()
}
