//! The step `aggregate_decision`: from the reviews to a decision, without a model.

use async_trait::async_trait;
use quire_domain::proposal::{GENERIC_REVIEWER_ID, Persona, PersonaReview, aggregate, decide_alone};
use quire_domain::{Failure, FailureType};
use quire_ports::{ProposalResult, ProposalScope, Step, StepContext, StepOutput};

use super::ask::{self, ProposalModel};

/// The step `aggregate_decision`.
pub struct AggregateStep(pub ProposalModel);

#[async_trait]
impl Step for AggregateStep {
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure> {
        let run = self.0.load(&context).await?;
        if run.decision.is_some() || run.request.scope == ProposalScope::Expand {
            return Ok(StepOutput::default());
        }
        let reviews: Vec<PersonaReview> = run.reviews.into_iter().map(|stored| stored.review).collect();
        let by = |id: &str| reviews.iter().find(|review| review.persona_id == id);
        let decision = if run.request.scope == ProposalScope::SingleReview {
            decide_alone(by(GENERIC_REVIEWER_ID).ok_or_else(|| ask::missing("the review of this run"))?)
        } else {
            if let Some(silent) = Persona::ALL.into_iter().find(|persona| by(persona.id()).is_none()) {
                return Err(ask::missing(&format!("the review by {}", silent.name())));
            }
            aggregate(&reviews).map_err(|error| {
                Failure::permanent(FailureType::AggregationFailed.as_str(), error.to_string())
            })?
        };
        Ok(StepOutput {
            proposal: Some(ProposalResult::Decision(Box::new(decision))),
            ..StepOutput::default()
        })
    }
}
