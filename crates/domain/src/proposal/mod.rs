//! Proposals: an idea is expanded, five personas review the result, and their scores make a verdict.
//!
//! The types here are also the JSON that models answer with, that stores keep and that the API shows. Reading one
//! checks every member; an error names the path of the wrong one.

mod aggregate;
#[cfg(test)]
mod aggregate_tests;
mod comparison;
mod context;
mod decision;
mod edit;
mod expanded;
mod idea;
mod member;
mod parameters;
mod persona;
mod persona_review;
mod prompt_text;
mod revision;
mod single_review;
mod version;

pub use aggregate::{AggregationError, aggregate};
pub use comparison::{
    ComparedRun, DecisionDelta, PersonaDelta, PersonaPresence, ProposalChanges, Relationship, RunComparison,
    RunComparisonMetadata, SectionChange, SectionChanges, SectionStatus, compare_runs,
};
pub use context::{ExtraContext, check_note, object_of_at_most};
pub use decision::{
    MinorityReport, PersonaWeight, ProposalDecision, ScoreBreakdown, Verdict, weighted_confidence,
};
pub use edit::ProposalEdit;
pub use expanded::{ExpandedProposal, ProposalSection};
pub use idea::Idea;
pub use member::InvalidMember;
pub use parameters::ModelParameters;
pub use persona::{Persona, WeightsError, check_weights};
pub use persona_review::{BlockingIssue, Concern, PersonaReview, ReviewMetadata};
pub use prompt_text::{cut_list, cut_text};
pub use revision::{
    ChangedField, ProposalDiff, ReviewSource, RevisionBlocked, RevisionParent, check_parent, review_source,
};
pub use single_review::{GENERIC_REVIEWER_ID, GENERIC_REVIEWER_NAME, decide_alone};
pub use version::{PromptVersions, SemanticVersion, UnsupportedVersion};
