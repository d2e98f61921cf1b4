//! The steps `review_…`: a persona reviews the proposal.

use async_trait::async_trait;
use quire_domain::proposal::{
    ModelParameters, Persona, PersonaReview, ReviewMetadata, ReviewSource, SemanticVersion, review_source,
};
use quire_domain::{Failure, StepName};
use quire_ports::{
    CallContext, ModelResponse, ProposalResult, ProposalRun, ProposalScope, Step, StepContext, StepOutput,
    StoredReview,
};
use serde_json::{Map, Value, json};

use super::ask::{self, ProposalModel, Question};
use super::prompts::{self, Reviewer};

/// The temperature of reviews.
const TEMPERATURE: f64 = 0.2;

/// The step in which the only reviewer of a draft reviews it.
const GENERIC_STEP: StepName = StepName::ReviewArchitect;

/// A step in which a persona reviews the proposal.
pub struct PersonaReviewStep(pub ProposalModel);

#[async_trait]
impl Step for PersonaReviewStep {
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure> {
        let run = self.0.load(&context).await?;
        let Some(reviewer) = reviewer(run.request.scope, context.step) else {
            return Ok(StepOutput::default());
        };
        if run.reviews.iter().any(|stored| stored.review.persona_id == reviewer.id()) {
            // An earlier attempt stored it; a model is not paid twice.
            return Ok(StepOutput::default());
        }
        match self.source(reviewer, &run).await? {
            ReviewSource::Reused(review) => Ok(reused(*review)),
            ReviewSource::Model => self.review(&context, reviewer, &run).await,
        }
    }
}

/// Who reviews in a step of a run, if anybody does.
fn reviewer(scope: ProposalScope, step: StepName) -> Option<Reviewer> {
    match scope {
        ProposalScope::Full => Persona::of_step(step).map(Reviewer::Persona),
        ProposalScope::SingleReview => (step == GENERIC_STEP).then_some(Reviewer::Generic),
        ProposalScope::Expand => None,
    }
}

impl PersonaReviewStep {
    async fn source(&self, reviewer: Reviewer, run: &ProposalRun) -> Result<ReviewSource, Failure> {
        let (Some(parent), Reviewer::Persona(persona)) = (run.request.parent, reviewer) else {
            return Ok(ReviewSource::Model);
        };
        let parent = self.0.proposals.proposal(parent).await.map_err(|error| ask::stored(&error))?;
        let earlier = parent.reviews.iter().find(|stored| stored.review.persona_id == persona.id());
        Ok(review_source(earlier.map(|stored| &stored.review)))
    }

    async fn review(
        &self,
        context: &StepContext,
        reviewer: Reviewer,
        run: &ProposalRun,
    ) -> Result<StepOutput, Failure> {
        let version = run.version.as_ref().ok_or_else(|| ask::missing("the proposal of this run"))?;
        report_other_prompts(&context.into(), &version.persona_template_version);
        let question = Question {
            messages: prompts::review(reviewer, &version.proposal),
            schema_name: "persona_review",
            response_schema: prompts::REVIEW_SCHEMA,
            model: run.request.model.clone(),
            temperature: TEMPERATURE,
            parameters: ask::parameters(&run.request),
        };
        let response = self.0.ask(context, question).await?;
        let review = self.answered(context, reviewer, &response)?;
        let prompt_parameters = parameters(&response, &ask::parameters(&run.request));
        let stored = StoredReview { review, prompt_parameters };
        Ok(StepOutput {
            artifacts: vec![ask::artifact(&response)],
            proposal: Some(ProposalResult::Review(Box::new(stored))),
            ..StepOutput::default()
        })
    }

    fn answered(
        &self,
        context: &StepContext,
        reviewer: Reviewer,
        response: &ModelResponse,
    ) -> Result<PersonaReview, Failure> {
        let review = PersonaReview::parse_answer(response.json(), reviewer.id(), reviewer.name());
        let review = review.map_err(|error| ask::invalid_answer(&error, response))?;
        let metadata = ReviewMetadata {
            model: Some(response.model.clone()),
            latency_ms: u64::try_from(response.latency.as_millis()).ok(),
            request_id: context.run.correlation_id.clone(),
            timestamp: Some(self.0.clock.now().to_string()),
            reused: false,
        };
        Ok(PersonaReview { internal_metadata: Some(metadata), ..review })
    }
}

/// A run goes on after an upgrade with the prompts of the new program. Its reviews then follow other prompts than its
/// proposal, and a person who compares runs should know.
fn report_other_prompts(context: &CallContext, of_proposal: &str) {
    let of_review = SemanticVersion::PROMPT_SET.to_string();
    if of_proposal != of_review {
        tracing::warn!(
            event = "mixed_prompt_versions",
            run_id = context.run_id.map(tracing::field::display),
            correlation_id = context.correlation_id.as_deref(),
            step = context.step.map(StepName::as_str),
            proposal_version = of_proposal,
            review_version = of_review,
            "the steps of a run use different versions of the prompts"
        );
    }
}

/// The output of a step whose review was copied.
fn reused(review: PersonaReview) -> StepOutput {
    let prompt_parameters = Map::from_iter([("reused".to_owned(), Value::Bool(true))]);
    let stored = StoredReview { review, prompt_parameters };
    StepOutput { proposal: Some(ProposalResult::Review(Box::new(stored))), ..StepOutput::default() }
}

/// How the model was asked.
fn parameters(response: &ModelResponse, more: &ModelParameters) -> Map<String, Value> {
    let mut parameters = match json!(more) {
        Value::Object(parameters) => parameters,
        _ => Map::new(),
    };
    parameters.extend([
        ("model".to_owned(), json!(response.model)),
        ("temperature".to_owned(), json!(TEMPERATURE)),
        ("prompt_set_version".to_owned(), json!(SemanticVersion::PROMPT_SET.to_string())),
    ]);
    parameters
}

#[cfg(test)]
mod tests {
    use quire_domain::RunId;
    use quire_testkit::CapturedLog;

    use super::*;

    /// Proves B10: a run whose steps used different versions of the prompts says so in the log.
    #[test]
    fn mixed_versions_of_prompts_are_logged() {
        let run = RunId::new();
        let context = CallContext {
            run_id: Some(run),
            step: Some(StepName::ReviewCritic),
            correlation_id: Some("corr-7".to_owned()),
            ..CallContext::default()
        };
        let log = CapturedLog::start();
        report_other_prompts(&context, &SemanticVersion::PROMPT_SET.to_string());
        assert!(log.lines().is_empty(), "{:?}", log.lines());
        report_other_prompts(&context, "0.9.0");
        let lines = log.lines();
        assert_eq!(lines.len(), 1);
        for part in ["mixed_prompt_versions", &run.to_string(), "corr-7", "0.9.0", "review_critic"] {
            assert!(lines[0].contains(part), "{part}: {}", lines[0]);
        }
    }
}
