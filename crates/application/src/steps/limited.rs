//! A time limit for each attempt at a step, beside the limit of the run.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use quire_domain::Failure;
use quire_ports::{PortResult, Step, StepContext, StepOutput};
use tokio::sync::watch;

use super::StepErrorCode;

/// A step whose attempts have a limit. An attempt that exceeds it is interrupted and ends its run: a person decides whether
/// another one is worth its time.
pub struct LimitedStep {
    /// The step.
    pub step: Arc<dyn Step>,
    /// The longest time of an attempt.
    pub limit: Duration,
}

#[async_trait]
impl Step for LimitedStep {
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure> {
        let of_run = context.deadline.clone();
        let deadline = of_run.at_most(self.limit);
        // Dropped with this attempt, whether the engine or the limit ends it.
        let cancel = CancelOnDrop(watch::Sender::new(*context.cancelled.borrow()));
        let context = StepContext { deadline: deadline.clone(), cancelled: cancel.0.subscribe(), ..context };
        tokio::select! {
            biased;
            outcome = self.step.run(context) => outcome,
            () = deadline.passed() => {
                if of_run.time_left().is_zero() {
                    // The engine ends the run at its own limit.
                    std::future::pending::<()>().await;
                }
                Err(timed_out(self.limit))
            }
        }
    }

    async fn ready(&self) -> PortResult<()> {
        self.step.ready().await
    }
}

/// Tells the step to stop when it is dropped.
struct CancelOnDrop(watch::Sender<bool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.send_replace(true);
    }
}

fn timed_out(limit: Duration) -> Failure {
    let message = format!(
        "the step took longer than its limit of {} s; try again, or raise step_limit of its pipeline",
        limit.as_secs()
    );
    Failure::permanent(StepErrorCode::StepTimedOut.as_str(), message)
}
