//! Repeat a request that failed, as a new one.

use quire_domain::link::{can_retry, request_status, retry_correlation_id};
use quire_domain::{Run, RunId};
use quire_ports::{LinkCreation, LinkRequest};

use super::create::{SummariesNotConfigured, accept, require_summariser};
use super::owner::visible;
use crate::{App, Error};

/// Why a request is not repeated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkRetryError {
    /// It has not failed.
    #[error("only a request that failed is retried; this one has the status {0}")]
    NotFailed(&'static str),
    /// There is a newer request for the same.
    #[error("a newer request for the same page exists: {0}; follow that one")]
    Superseded(RunId),
    /// A model is configured in part.
    #[error(transparent)]
    NotConfigured(#[from] SummariesNotConfigured),
    /// There is no such request, or the database does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// Accepts a new request for what a failed one asked. It is linked to that one, also by its correlation id.
pub async fn retry(app: &App, id: RunId, actor: &str) -> Result<Run, LinkRetryError> {
    let failed = visible(app, id, actor).await?;
    if !can_retry(&failed.run.state) {
        return Err(LinkRetryError::NotFailed(request_status(&failed.run.state)));
    }
    require_summariser(app)?;
    let correlation_id = failed.run.correlation_id.as_deref().map(retry_correlation_id);
    let request = LinkRequest { retry_of: Some(id), ..failed.request };
    match accept(&app.store, &request, actor, correlation_id).await? {
        LinkCreation::Created(run) => Ok(*run),
        LinkCreation::Duplicate(newer) => Err(LinkRetryError::Superseded(newer.run.id)),
    }
}
