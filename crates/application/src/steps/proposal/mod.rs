//! The steps of the proposal pipeline. What a step makes is stored with its success, before the next one uses it.

mod aggregate;
mod ask;
mod expand;
mod persona_review;
mod prompts;

pub use aggregate::AggregateStep;
pub use ask::ProposalModel;
pub use expand::ExpandStep;
pub use persona_review::PersonaReviewStep;
