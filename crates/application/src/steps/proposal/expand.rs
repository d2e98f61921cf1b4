//! The step `expand` turns an idea, or an edited proposal, into a proposal.

use async_trait::async_trait;
use quire_domain::Failure;
use quire_domain::proposal::{ExpandedProposal, ProposalDiff, SemanticVersion};
use quire_ports::{
    ModelResponse, ProposalRequest, ProposalResult, ProposalVersion, Step, StepContext, StepOutput,
};

use super::ask::{self, ProposalModel, Question};
use super::prompts;

/// The step `expand`.
pub struct ExpandStep(pub ProposalModel);

#[async_trait]
impl Step for ExpandStep {
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure> {
        let run = self.0.load(&context).await?;
        if run.version.is_some() {
            // An earlier attempt stored it; a model is not paid twice.
            return Ok(StepOutput::default());
        }
        let request = run.request;
        let earlier = self.earlier(&request).await?;
        let edited = edited(&request, earlier.as_ref())?;
        let messages = match &earlier {
            None => prompts::expand(&request),
            Some(earlier) => prompts::revise(&request, earlier, edited.as_ref()),
        };
        let question = Question {
            messages,
            schema_name: "expanded_proposal",
            response_schema: prompts::PROPOSAL_SCHEMA,
            model: request.model.clone(),
            temperature: request.temperature,
            parameters: ask::parameters(&request),
        };
        let response = self.0.ask(&context, question).await?;
        let proposal = proposal(&request, &response)?;
        let now = self.0.clock.now();
        let version = ProposalVersion {
            diff: earlier.map(|earlier| ProposalDiff::between(&earlier, &proposal, now)),
            proposal,
            persona_template_version: SemanticVersion::PROMPT_SET.to_string(),
            edit_notes: request.edit_notes,
        };
        Ok(StepOutput {
            artifacts: vec![ask::artifact(&response)],
            proposal: Some(ProposalResult::Version(Box::new(version))),
            ..StepOutput::default()
        })
    }
}

impl ExpandStep {
    /// The proposal of the run that this one revises.
    async fn earlier(&self, request: &ProposalRequest) -> Result<Option<ExpandedProposal>, Failure> {
        let Some(parent) = request.parent else { return Ok(None) };
        let parent = self.0.proposals.proposal(parent).await.map_err(|error| ask::stored(&error))?;
        let version = parent.version.ok_or_else(|| ask::missing("the proposal of the revised run"))?;
        Ok(Some(version.proposal))
    }
}

/// The earlier proposal with the edited sections of a person.
fn edited(
    request: &ProposalRequest,
    earlier: Option<&ExpandedProposal>,
) -> Result<Option<ExpandedProposal>, Failure> {
    let (Some(edit), Some(earlier)) = (&request.edited_proposal, earlier) else { return Ok(None) };
    edit.apply_to(earlier).map_err(|error| ask::missing(&format!("a part of the edit ({error})")))
}

/// The proposal of an answer. Sections that a person has edited stay in the words of that person.
fn proposal(request: &ProposalRequest, response: &ModelResponse) -> Result<ExpandedProposal, Failure> {
    let answered = ExpandedProposal::parse(response.json());
    let answered = answered.map_err(|error| ask::invalid_answer(&error, response))?;
    let edited = request.edited_proposal.as_ref().map(|edit| edit.apply_to(&answered)).transpose();
    let edited = edited.map_err(|error| ask::invalid_answer(&error, response))?.flatten();
    Ok(ExpandedProposal {
        raw_idea: Some(request.input_idea.clone()),
        raw_expanded_proposal: None,
        metadata: Some(serde_json::Map::from_iter([("model".to_owned(), response.model.clone().into())])),
        ..edited.unwrap_or(answered)
    })
}
