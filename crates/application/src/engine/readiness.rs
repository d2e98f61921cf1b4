//! Which pipelines this engine may claim runs of: those that are not paused and whose steps are
//! all ready.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use quire_domain::{Pipeline, PipelinePlan, StepName};

use super::EngineCore;

/// The pipelines that are not ready, with the reason that was logged.
#[derive(Default)]
pub(super) struct NotReady(Mutex<HashMap<Pipeline, String>>);

impl NotReady {
    /// Logs a change, and only a change: the claim loop asks every second.
    fn note(&self, pipeline: Pipeline, reason: Option<String>) {
        let is_ready = f64::from(u8::from(reason.is_none()));
        metrics::gauge!("quire_pipeline_ready", "pipeline" => pipeline.as_str()).set(is_ready);
        let mut reasons = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if reasons.get(&pipeline) == reason.as_ref() {
            return;
        }
        if let Some(reason) = reason {
            tracing::error!(pipeline = pipeline.as_str(), %reason, "pipeline not ready; its runs are not claimed until the reason is fixed");
            reasons.insert(pipeline, reason);
        } else {
            tracing::info!(pipeline = pipeline.as_str(), "runs are claimed again");
            reasons.remove(&pipeline);
        }
    }
}

impl EngineCore {
    /// The plans of the pipelines that are ready.
    pub(super) async fn ready_plans(&self) -> Vec<PipelinePlan> {
        let mut ready = Vec::with_capacity(self.plans.len());
        for plan in &self.plans {
            if self.is_paused(plan.pipeline).await {
                continue;
            }
            let reason = self.why_not_ready(plan).await;
            if reason.is_none() {
                ready.push(plan.clone());
            }
            self.not_ready.note(plan.pipeline, reason);
        }
        // A storage may be slow to answer, and an operator may have paused a pipeline meanwhile.
        let mut claimable = Vec::with_capacity(ready.len());
        for plan in ready {
            if !self.is_paused(plan.pipeline).await {
                claimable.push(plan);
            }
        }
        claimable
    }

    /// Whether this step can do its work now.
    pub(super) async fn is_ready(&self, pipeline: Pipeline, step: StepName) -> bool {
        let setup = self.pipelines.get(&pipeline);
        match setup.and_then(|setup| setup.steps.get(&step)) {
            Some(step) => step.ready().await.is_ok(),
            None => true,
        }
    }

    async fn why_not_ready(&self, plan: &PipelinePlan) -> Option<String> {
        let setup = self.pipelines.get(&plan.pipeline)?;
        for step in plan.steps.iter().filter_map(|name| setup.steps.get(name)) {
            if let Err(error) = step.ready().await {
                return Some(error.to_string());
            }
        }
        None
    }
}
