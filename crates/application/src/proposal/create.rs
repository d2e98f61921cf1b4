//! Send in an idea.

use quire_domain::proposal::{ExtraContext, Idea, PromptVersions};
use quire_domain::run::run_created;
use quire_domain::{NewRun, Pipeline, Priority, Run, RunId, SubjectId};
use quire_ports::{ProposalRequest, ProposalScope};
use serde_json::Map;
use uuid::Uuid;

use crate::event_telemetry;
use crate::{App, Error};

/// The temperature with which an idea is expanded, unless a revision asks for another one.
pub const EXPAND_TEMPERATURE: f64 = 0.7;

/// An idea, and who sends it.
#[derive(Clone, Debug)]
pub struct NewProposal {
    /// How much is to be done with it.
    pub scope: ProposalScope,
    /// The idea.
    pub idea: Idea,
    /// More about it.
    pub extra_context: Option<ExtraContext>,
    /// The versions that the client asked for.
    pub versions: PromptVersions,
    /// The priority.
    pub priority: Priority,
    /// The name of the client.
    pub actor: String,
    /// Links the run to the request.
    pub correlation_id: String,
}

/// Why an idea is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProposalError {
    /// There is no model to ask.
    #[error("proposals need a language model and none is configured; set model.url and model.name")]
    NotConfigured,
    /// The database does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// Accepts an idea. When this returns, its run is stored and will be executed even after a crash.
pub async fn create(app: &App, new: NewProposal) -> Result<Run, ProposalError> {
    let model = app.proposal_model.clone().ok_or(ProposalError::NotConfigured)?;
    let request = ProposalRequest {
        scope: new.scope,
        parent: None,
        key_id: key_id(app, &new.actor).await?,
        input_idea: new.idea.into(),
        extra_context: new.extra_context,
        model,
        temperature: EXPAND_TEMPERATURE,
        parameters: Map::new(),
        schema_version: Some(new.versions.schema.to_string()),
        prompt_set_version: Some(new.versions.prompt_set.to_string()),
        edited_proposal: None,
        edit_notes: None,
    };
    Ok(enqueue(app, &request, new.priority, new.actor, new.correlation_id).await?)
}

/// Stores the run of a request. The run is its own subject.
pub(super) async fn enqueue(
    app: &App,
    request: &ProposalRequest,
    priority: Priority,
    actor: String,
    correlation_id: String,
) -> Result<Run, Error> {
    let id = RunId::new();
    let new = NewRun {
        id,
        pipeline: Pipeline::Proposal,
        subject: SubjectId(id.0),
        priority,
        correlation_id: Some(correlation_id),
        requested_by: Some(actor),
        extractor: None,
        continues: None,
    };
    let run = app.store.proposals.create(&new, request, app.store.clock.now()).await?;
    event_telemetry::log(&run_created(&run), run.correlation_id.as_deref());
    Ok(run)
}

/// The id of the key that the client has, if it has one.
pub(crate) async fn key_id(app: &App, actor: &str) -> Result<Option<Uuid>, Error> {
    let keys = app.store.credentials.list().await?;
    Ok(keys.into_iter().find(|key| key.key.name == actor).map(|key| key.key.id.0))
}
