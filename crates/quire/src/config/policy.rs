//! Converts the settings to those of the engine: plans, policies and limits.

use std::thread::available_parallelism;
use std::time::Duration;

use jiff::SignedDuration;
use quire_application::document::upload::UploadSettings;
use quire_application::engine::{EngineSettings, LeaseSettings};
use quire_application::lanes::LaneLimits;
use quire_domain::{Backoff, Pipeline, PipelinePlan, RecoveryPolicy, RequeuePolicy, RetryPolicy, StepName};

use super::{Config, LanesSection, PipelineSection, RecoveryChoice, RequeueChoice};

impl Config {
    /// The settings of an engine with this name and this kind of lease.
    pub fn engine_settings(&self, name: String, lease: LeaseSettings) -> EngineSettings {
        let engine = &self.engine;
        EngineSettings {
            name,
            scope: self.scope.clone(),
            slots: self.slots(),
            claim_limit: engine.claim_limit as usize,
            longest_slot_pause: EngineSettings::SLOT_PAUSE,
            tick: to_std(engine.tick),
            lease,
            heartbeat: to_std(engine.heartbeat),
            unowned_after: engine.zombie_after,
            grace: engine.deadline_grace,
            shutdown_wait: to_std(engine.shutdown_wait),
            recovery: Pipeline::ALL.map(|pipeline| (pipeline, self.policy(pipeline).recovery)).to_vec(),
        }
    }

    /// How many calls may be made at once in each lane.
    pub fn lane_limits(&self) -> LaneLimits {
        let LanesSection { max_concurrent_calls, max_installation_calls } = self.lanes;
        LaneLimits {
            per_process: max_concurrent_calls,
            per_installation: Some(max_installation_calls).filter(|calls| *calls > 0),
            ocr: self.parsers(),
        }
    }

    /// Which files may be uploaded.
    pub fn upload_settings(&self) -> UploadSettings {
        UploadSettings {
            kinds: self.reading.formats.clone(),
            max_bytes: self.uploads.max_mb << 20,
            schema: self.schemas.default.clone(),
        }
    }

    /// The number of runs that this process works on at the same time.
    pub fn slots(&self) -> u32 {
        match self.engine.slots {
            0 => cores(),
            slots => slots,
        }
    }

    /// The number of parsers, which is also the number of pages that are recognised at once.
    pub fn parsers(&self) -> u32 {
        match self.reading.parsers {
            0 => cores(),
            parsers => parsers,
        }
    }

    /// The steps of a pipeline and the time limit of its runs.
    pub fn plan(&self, pipeline: Pipeline) -> PipelinePlan {
        let wanted = |step: &StepName| *step != StepName::Embedding || self.search.enabled;
        PipelinePlan {
            pipeline,
            steps: pipeline.steps().iter().copied().filter(wanted).collect(),
            limit: self.pipeline(pipeline).run_limit,
        }
    }

    /// How runs of a pipeline are retried and recovered. `default` depends on the database: on SQLite, with a single
    /// process, an unfinished run fails; on PostgreSQL another worker takes it over.
    pub fn policy(&self, pipeline: Pipeline) -> RetryPolicy {
        let settings = self.pipeline(pipeline);
        let is_sqlite = self.location().is_sqlite();
        let PipelineSection { max_claims, max_retries, requeue_delay: base_delay, .. } = *settings;
        let requeue = match settings.requeue {
            RequeueChoice::Default if pipeline != Pipeline::Document => RequeueChoice::Manual,
            RequeueChoice::Default if is_sqlite => RequeueChoice::None,
            RequeueChoice::Default => RequeueChoice::Auto,
            choice => choice,
        };
        let fails = match settings.recovery {
            RecoveryChoice::Default => is_sqlite,
            RecoveryChoice::Fail => true,
            RecoveryChoice::Requeue => false,
        };
        let retry = self.engine.retry;
        let backoff = match pipeline {
            Pipeline::Link => self.background.backoff(),
            Pipeline::Document | Pipeline::Proposal => Backoff {
                max_attempts: settings.step_attempts,
                base_ms: retry.base_delay_ms,
                max_ms: retry.max_delay_ms,
                jitter_ratio: retry.jitter_ratio,
            },
        };
        RetryPolicy {
            backoff,
            requeue: match requeue {
                RequeueChoice::None | RequeueChoice::Default => RequeuePolicy::Never,
                RequeueChoice::Auto => RequeuePolicy::Auto { max_claims, base_delay },
                RequeueChoice::Manual => RequeuePolicy::Manual { max_retries, base_delay },
            },
            continuations: settings.continuations,
            recovery: if fails { RecoveryPolicy::Fail } else { RecoveryPolicy::Requeue { max_claims } },
        }
    }

    fn pipeline(&self, pipeline: Pipeline) -> &PipelineSection {
        match pipeline {
            Pipeline::Document => &self.pipelines.document,
            Pipeline::Proposal => &self.pipelines.proposal,
            Pipeline::Link => &self.pipelines.link,
        }
    }
}

/// Converts a duration of the settings, which is never negative.
pub(crate) fn to_std(duration: SignedDuration) -> Duration {
    duration.try_into().unwrap_or_default()
}

fn cores() -> u32 {
    available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX))
}
