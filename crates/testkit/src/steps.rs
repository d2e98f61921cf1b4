//! Steps made of closures, for pipelines that exist only in tests and drills.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::{Failure, PipelinePlan, StepName};
use quire_ports::{Step, StepContext, StepOutput};

/// What a step answers.
pub type StepResult = Result<StepOutput, Failure>;

struct FnStep<F>(F);

#[async_trait]
impl<F, R> Step for FnStep<F>
where
    F: Fn(StepContext) -> R + Send + Sync + 'static,
    R: Future<Output = StepResult> + Send + 'static,
{
    async fn run(&self, context: StepContext) -> StepResult {
        (self.0)(context).await
    }
}

/// A step that does what the closure does.
pub fn step<F, R>(work: F) -> Arc<dyn Step>
where
    F: Fn(StepContext) -> R + Send + Sync + 'static,
    R: Future<Output = StepResult> + Send + 'static,
{
    Arc::new(FnStep(work))
}

/// A step that does nothing, successfully.
pub fn no_op() -> Arc<dyn Step> {
    step(|_| async { Ok(StepOutput::default()) })
}

/// The same work for every step of a plan.
pub fn for_every_step(plan: &PipelinePlan, work: &Arc<dyn Step>) -> HashMap<StepName, Arc<dyn Step>> {
    plan.steps.iter().map(|name| (*name, work.clone())).collect()
}

/// What a successful step leaves behind.
pub fn artifact(artifact_type: &str, payload: &str) -> StepOutput {
    StepOutput { artifacts: vec![(artifact_type.to_owned(), payload.to_owned())], ..StepOutput::default() }
}
