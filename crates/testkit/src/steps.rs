//! Steps made from closures, for tests and drills.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::{Failure, PipelinePlan, StepName};
use quire_ports::{Step, StepContext, StepOutput};

/// The result of a step.
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

/// A step that calls the closure.
pub fn step<F, R>(work: F) -> Arc<dyn Step>
where
    F: Fn(StepContext) -> R + Send + Sync + 'static,
    R: Future<Output = StepResult> + Send + 'static,
{
    Arc::new(FnStep(work))
}

/// A step that succeeds without doing anything.
pub fn no_op() -> Arc<dyn Step> {
    step(|_| async { Ok(StepOutput::default()) })
}

/// The same step for every step name of a plan.
pub fn for_every_step(plan: &PipelinePlan, work: &Arc<dyn Step>) -> HashMap<StepName, Arc<dyn Step>> {
    plan.steps.iter().map(|name| (*name, work.clone())).collect()
}

/// The output of a step that produced one artifact.
pub fn artifact(artifact_type: &str, payload: &str) -> StepOutput {
    StepOutput { artifacts: vec![(artifact_type.to_owned(), payload.to_owned())], ..StepOutput::default() }
}
