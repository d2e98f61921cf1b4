//! `/v1/requests` and `/v1/summaries`: links, one file per operation.

pub(crate) mod bodies;
pub(crate) mod create;
pub(crate) mod retry;
pub(crate) mod show;
pub(crate) mod status;
pub(crate) mod summaries;
pub(crate) mod summary;

use quire_application::link::{LinkError, LinkRetryError, SummariesNotConfigured};
use serde_json::json;

use crate::{ApiError, Code, ConflictReason};

impl From<LinkError> for ApiError {
    fn from(error: LinkError) -> Self {
        match error {
            LinkError::Url(error) => Self::invalid("input_url", &error.to_string()),
            LinkError::NotConfigured(error) => error.into(),
            LinkError::Other(error) => error.into(),
        }
    }
}

impl From<SummariesNotConfigured> for ApiError {
    fn from(error: SummariesNotConfigured) -> Self {
        Self::new(Code::ProviderNotConfigured, error.to_string()).with(json!({ "settings": [error.0] }))
    }
}

impl From<LinkRetryError> for ApiError {
    fn from(error: LinkRetryError) -> Self {
        let message = error.to_string();
        let reason = ConflictReason::RetryNotAllowed.as_str();
        match error {
            LinkRetryError::NotFailed(status) => {
                Self::new(Code::Conflict, message).with(json!({ "reason": reason, "status": status }))
            }
            LinkRetryError::Superseded(newer) => Self::new(Code::Conflict, message)
                .with(json!({ "reason": reason, "existing_request_id": newer })),
            LinkRetryError::NotConfigured(error) => error.into(),
            LinkRetryError::Other(error) => error.into(),
        }
    }
}
