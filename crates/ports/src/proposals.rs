//! Proposals: what was asked, and what each step made of it.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::proposal::{
    ExpandedProposal, ExtraContext, PersonaReview, ProposalDecision, ProposalDiff, ProposalEdit, Verdict,
};
use quire_domain::{NewRun, Run, RunId, RunStateName};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::PortResult;

/// What was asked of a proposal run. It never changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposalRequest {
    /// How much of the pipeline the run goes through.
    pub scope: ProposalScope,
    /// The run that this one revises.
    pub parent: Option<RunId>,
    /// The API key of the client, if it has one.
    pub key_id: Option<Uuid>,
    /// The idea.
    pub input_idea: String,
    /// More about it.
    pub extra_context: Option<ExtraContext>,
    /// The model to ask.
    pub model: String,
    /// The temperature with which the idea is expanded.
    pub temperature: f64,
    /// More parameters, as the client gave them.
    pub parameters: Map<String, Value>,
    /// The version of the schemas.
    pub schema_version: Option<String>,
    /// The version of the prompts.
    pub prompt_set_version: Option<String>,
    /// What a person changed in the proposal of the parent.
    pub edited_proposal: Option<ProposalEdit>,
    /// What a person wrote about the proposal of the parent.
    pub edit_notes: Option<String>,
}

/// How much of the pipeline a run goes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProposalScope {
    /// Expansion, five reviews and a decision.
    Full,
    /// The expansion alone.
    Expand,
    /// The expansion and one review without a persona.
    SingleReview,
}

impl ProposalScope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Full, Self::Expand, Self::SingleReview];

    /// The name that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Expand => "expand",
            Self::SingleReview => "single_review",
        }
    }
}

/// What a step of a proposal run made. It is stored in the transaction of the step's success; if the run has it already,
/// the stored one stays.
#[derive(Clone, Debug, PartialEq)]
pub enum ProposalResult {
    /// The step `expand` made the proposal.
    Version(Box<ProposalVersion>),
    /// A persona reviewed it.
    Review(Box<StoredReview>),
    /// The step `aggregate_decision` decided.
    Decision(Box<ProposalDecision>),
}

/// The proposal of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposalVersion {
    /// The proposal.
    pub proposal: ExpandedProposal,
    /// What it changes in the proposal of the parent.
    pub diff: Option<ProposalDiff>,
    /// The version of the prompts for the personas.
    pub persona_template_version: String,
    /// What a person wrote about the proposal of the parent.
    pub edit_notes: Option<String>,
}

/// The review of a run by one persona.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredReview {
    /// The review.
    pub review: PersonaReview,
    /// How the model was asked.
    pub prompt_parameters: Map<String, Value>,
}

/// A proposal run with everything that is stored about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposalRun {
    /// The run.
    pub run: Run,
    /// What was asked.
    pub request: ProposalRequest,
    /// The proposal, after the first step.
    pub version: Option<ProposalVersion>,
    /// The reviews so far, in the order of the personas.
    pub reviews: Vec<StoredReview>,
    /// The decision, after the last step.
    pub decision: Option<ProposalDecision>,
}

/// A proposal run in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct ProposalSummary {
    /// The run.
    pub run: Run,
    /// The run that this one revises.
    pub parent: Option<RunId>,
    /// The idea.
    pub idea: String,
    /// The weighted confidence, after the last step.
    pub confidence: Option<f64>,
    /// The verdict, after the last step.
    pub verdict: Option<Verdict>,
    /// The title of the proposal.
    pub title: Option<String>,
    /// The summary of the proposal.
    pub summary: Option<String>,
}

/// Which proposal runs to list. What is none restricts nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProposalFilter {
    /// The states, as stored. Empty for all.
    pub states: Vec<RunStateName>,
    /// Whether the run is a revision.
    pub is_revision: Option<bool>,
    /// The run that they revise.
    pub parent: Option<RunId>,
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// The lowest weighted confidence. Runs without a decision have none.
    pub min_confidence: Option<f64>,
    /// Created at this time or later.
    pub created_from: Option<Timestamp>,
    /// Created at this time or earlier.
    pub created_until: Option<Timestamp>,
    /// How many to return.
    pub limit: u32,
    /// How many to skip.
    pub offset: u32,
}

/// Proposals and their runs.
#[async_trait]
pub trait Proposals: Send + Sync {
    /// Accepts a run and keeps what was asked, in one transaction. A second request with the same id returns the same run
    /// and changes nothing.
    async fn create(&self, new: &NewRun, request: &ProposalRequest, at: Timestamp) -> PortResult<Run>;

    /// A run with everything that is stored about it. `NotFound` if there is no such proposal run.
    async fn proposal(&self, run: RunId) -> PortResult<ProposalRun>;

    /// The runs that a filter lets through, newest first, and how many there are in all.
    async fn proposals(&self, filter: &ProposalFilter) -> PortResult<(Vec<ProposalSummary>, u64)>;
}
