//! Revise a proposal.

use quire_domain::proposal::{
    ExtraContext, Idea, InvalidMember, PersonaReview, PromptVersions, ProposalEdit, RevisionBlocked,
    RevisionParent, check_parent,
};
use quire_domain::{Run, RunId};
use quire_ports::{ProposalRequest, ProposalScope};
use serde_json::{Map, Value};

use super::create::{enqueue, key_id};
use crate::{App, Error};

/// The highest temperature.
pub const MAX_TEMPERATURE: f64 = 2.0;

/// What a person changes, and who asks for it. What is none is that of the parent.
#[derive(Clone, Debug)]
pub struct Revision {
    /// The edited proposal.
    pub edited_proposal: Option<ProposalEdit>,
    /// Notes about the proposal.
    pub edit_notes: Option<String>,
    /// Another idea.
    pub idea: Option<Idea>,
    /// Another context.
    pub extra_context: Option<ExtraContext>,
    /// Another model.
    pub model: Option<String>,
    /// Another temperature.
    pub temperature: Option<f64>,
    /// Other parameters.
    pub parameters: Option<Map<String, Value>>,
    /// The name of the client.
    pub actor: String,
    /// Links the run to the request.
    pub correlation_id: String,
}

/// Why a proposal is not revised.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RevisionError {
    /// There is no model to ask.
    #[error("proposals need a language model and none is configured; set model.url and model.name")]
    NotConfigured,
    /// The parent or the request does not allow it.
    #[error(transparent)]
    Blocked(#[from] RevisionBlocked),
    /// The edit does not fit the proposal.
    #[error(transparent)]
    Invalid(#[from] InvalidMember),
    /// There is no such run, or the database does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// Accepts a revision of a completed run. It inherits everything that the request does not name.
pub async fn revise(app: &App, parent: RunId, revision: Revision) -> Result<Run, RevisionError> {
    if app.proposal_model.is_none() {
        return Err(RevisionError::NotConfigured);
    }
    let has_edit = revision.edited_proposal.is_some() || revision.edit_notes.is_some();
    let found = app.store.proposals.proposal(parent).await.map_err(Error::from)?;
    let reviews: Vec<PersonaReview> = found.reviews.into_iter().map(|stored| stored.review).collect();
    let state = &found.run.state;
    check_parent(
        has_edit,
        RevisionParent { state, has_proposal: found.version.is_some(), reviews: &reviews },
    )?;
    if let (Some(edit), Some(version)) = (&revision.edited_proposal, &found.version) {
        edit.apply_to(&version.proposal)?;
    }
    let inherited = found.request;
    let request = ProposalRequest {
        scope: ProposalScope::Full,
        parent: Some(parent),
        key_id: key_id(app, &revision.actor).await?,
        input_idea: revision.idea.map_or(inherited.input_idea, Into::into),
        extra_context: revision.extra_context.or(inherited.extra_context),
        model: revision.model.unwrap_or(inherited.model),
        temperature: revision.temperature.unwrap_or(inherited.temperature),
        parameters: revision.parameters.unwrap_or(inherited.parameters),
        schema_version: Some(PromptVersions::SUPPORTED.schema.to_string()),
        prompt_set_version: Some(PromptVersions::SUPPORTED.prompt_set.to_string()),
        edited_proposal: revision.edited_proposal,
        edit_notes: revision.edit_notes,
    };
    Ok(enqueue(app, &request, found.run.priority, revision.actor, revision.correlation_id).await?)
}
