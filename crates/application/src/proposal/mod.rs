//! Proposals: ideas that a model expands and five personas review.

mod compare;
mod create;
mod list;
mod retry;
mod revise;
mod show;
mod wait;

pub use quire_ports::{ProposalFilter, ProposalRun, ProposalScope, ProposalSummary};

pub use compare::{CompareRunsError, compare};
pub(crate) use create::key_id;
pub use create::{EXPAND_TEMPERATURE, NewProposal, ProposalError, create};
pub use list::list;
pub use retry::retry;
pub use revise::{MAX_TEMPERATURE, Revision, RevisionError, revise};
pub use show::{ProposalView, StepView, show};
pub use wait::wait_for_draft;
