//! An idea that a client sends, with everything about the request that its run keeps.

use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use quire_application::proposal::{NewProposal, ProposalScope};
use quire_domain::Priority;
use quire_domain::proposal::{ExtraContext, Idea, PromptVersions};

use super::bodies::IdeaRequest;
use crate::ApiError;
use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::JsonBody;

const SCHEMA_VERSION: &str = "x-schema-version";
const PROMPT_SET_VERSION: &str = "x-prompt-set-version";

/// An idea as it came.
pub(crate) struct SentIdea {
    request: IdeaRequest,
    headers: HeaderMap,
    actor: String,
    correlation_id: String,
}

impl<S: Send + Sync> FromRequest<S> for SentIdea {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let Caller(actor) = Caller::of(request.extensions());
        let correlation_id = request.extensions().get::<RequestId>().map(|id| id.0.clone());
        let headers = request.headers().clone();
        let JsonBody(request) = JsonBody::from_request(request, state).await?;
        Ok(Self { request, headers, actor, correlation_id: correlation_id.unwrap_or_default() })
    }
}

impl SentIdea {
    /// The checked idea, and what the client should know about the versions that it gets.
    pub(crate) fn checked(self, scope: ProposalScope) -> Result<(NewProposal, Vec<String>), ApiError> {
        let header = |name: &str| self.headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let (schema, prompt_set) = (header(SCHEMA_VERSION), header(PROMPT_SET_VERSION));
        let versions = PromptVersions::requested(schema, prompt_set)?;
        let priority = self.request.priority.as_deref().map(Priority::parse).transpose();
        let priority = priority.map_err(|_| ApiError::invalid("priority", "must be high or normal"))?;
        let new = NewProposal {
            scope,
            idea: Idea::parse("idea", self.request.idea)?,
            extra_context: ExtraContext::parse(self.request.extra_context)?,
            versions,
            priority: priority.unwrap_or_default(),
            actor: self.actor,
            correlation_id: self.correlation_id,
        };
        let defaults = [
            ("X-Schema-Version", schema, versions.schema),
            ("X-Prompt-Set-Version", prompt_set, versions.prompt_set),
        ];
        let absent = defaults.into_iter().filter(|(_, given, _)| given.is_none());
        let warnings: Vec<String> =
            absent.map(|(name, _, used)| format!("{name} is absent; version {used} is used")).collect();
        if !warnings.is_empty() {
            tracing::warn!(
                correlation_id = new.correlation_id.as_str(),
                schema_version = %versions.schema,
                prompt_set_version = %versions.prompt_set,
                "version headers are absent, using the current versions"
            );
        }
        Ok((new, warnings))
    }
}
