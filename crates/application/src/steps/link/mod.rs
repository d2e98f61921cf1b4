//! The steps of the link pipeline. Each locks its request while it works.

mod extraction;
mod lock;
mod model_summary;
mod summarization;

use std::sync::Arc;

use quire_domain::Failure;
use quire_ports::{Clock, LinkRun, Links, PortError, StepContext};

pub use extraction::LinkExtractionStep;
pub use lock::LinkLocks;
pub use model_summary::SummaryModel;
pub use summarization::LinkSummarizationStep;

use super::StepErrorCode;
use super::error_code::database_failure;

/// What the steps of a link share.
#[derive(Clone)]
pub struct LinkStepServices {
    /// What was asked.
    pub links: Arc<dyn Links>,
    /// Keeps two workers from one request.
    pub locks: LinkLocks,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

impl LinkStepServices {
    /// The request of a step. None if it has a summary already: then nothing is left to do.
    async fn load(&self, context: &StepContext) -> Result<Option<LinkRun>, Failure> {
        let run = &context.run;
        let correlation_id = run.correlation_id.as_deref();
        match self.links.request(run.id).await {
            Ok(found) if found.summary.is_some() => {
                tracing::info!(
                    event = "bg_request_already_summarized",
                    request_id = %run.id,
                    correlation_id,
                    stage = context.step.as_str(),
                    "the request has a summary already"
                );
                Ok(None)
            }
            Ok(found) => Ok(Some(found)),
            Err(PortError::NotFound(_)) => {
                tracing::error!(
                    event = "bg_request_not_found",
                    request_id = %run.id,
                    correlation_id,
                    stage = context.step.as_str(),
                    "the run has no request"
                );
                let message = "what was asked of this run is missing; send the request again";
                Err(Failure::permanent(StepErrorCode::StepInputMissing.as_str(), message))
            }
            Err(error) => Err(database_failure(&error)),
        }
    }
}
