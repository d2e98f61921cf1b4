//! Proposals and their runs, one file per operation.

pub(crate) mod bodies;
pub(crate) mod create;
pub(crate) mod diff;
pub(crate) mod draft;
pub(crate) mod list;
pub(crate) mod names;
pub(crate) mod retry;
pub(crate) mod revise;
mod sent_idea;
pub(crate) mod show;

pub(crate) use create::full_review;
pub(crate) use diff::diff;
pub(crate) use draft::{expand_idea, review_idea};
pub(crate) use list::list;
pub(crate) use retry::retry;
pub(crate) use revise::revise;
pub(crate) use show::show;

use quire_application::proposal::{CompareRunsError, ProposalError, RevisionError};
use quire_domain::proposal::{InvalidMember, RevisionBlocked, SemanticVersion, UnsupportedVersion};
use serde_json::json;

use crate::{ApiError, Code, ConflictReason};

impl From<InvalidMember> for ApiError {
    fn from(error: InvalidMember) -> Self {
        Self::new(Code::ValidationError, error.to_string()).with(json!({ "parameter": error.path }))
    }
}

impl From<UnsupportedVersion> for ApiError {
    fn from(error: UnsupportedVersion) -> Self {
        Self::new(Code::UnsupportedVersion, error.to_string()).with(json!({
            "requested_schema_version": error.schema,
            "requested_prompt_set_version": error.prompt_set,
            "supported_schema_version": SemanticVersion::SCHEMA.to_string(),
            "supported_prompt_set_version": SemanticVersion::PROMPT_SET.to_string(),
            "api_version": "v1",
        }))
    }
}

fn not_configured(message: String) -> ApiError {
    ApiError::new(Code::ProviderNotConfigured, message)
        .with(json!({ "settings": ["model.url", "model.name"] }))
}

impl From<ProposalError> for ApiError {
    fn from(error: ProposalError) -> Self {
        match error {
            ProposalError::NotConfigured => not_configured(error.to_string()),
            ProposalError::Other(error) => error.into(),
        }
    }
}

impl From<RevisionError> for ApiError {
    fn from(error: RevisionError) -> Self {
        let message = error.to_string();
        match error {
            RevisionError::NotConfigured => not_configured(message),
            RevisionError::Blocked(RevisionBlocked::NoEdit) => {
                Self::new(Code::InvalidRequest, message).with(json!({ "parameter": "edited_proposal" }))
            }
            RevisionError::Blocked(RevisionBlocked::NotCompleted(_)) => {
                Self::conflict(ConflictReason::RunNotCompleted, message)
            }
            RevisionError::Blocked(RevisionBlocked::NoProposal | RevisionBlocked::ReviewsMissing) => {
                Self::new(Code::InvalidRequest, message).with(json!({ "parameter": "id" }))
            }
            RevisionError::Invalid(error) => error.into(),
            RevisionError::Other(error) => error.into(),
        }
    }
}

impl From<CompareRunsError> for ApiError {
    fn from(error: CompareRunsError) -> Self {
        match error {
            CompareRunsError::SameRun => {
                Self::new(Code::InvalidRequest, error.to_string()).with(json!({ "parameter": "second" }))
            }
            CompareRunsError::Other(error) => error.into(),
        }
    }
}
