//! Edit an interpretation.

use quire_domain::review::{interpretation_edited, review_reopened};
use quire_domain::{
    DocumentId, EditBase, EditBlocked, EditContext, InterpretationId, ReviewEnd, RunId, check_edit,
};
use quire_ports::{EditState, InterpretationVersion, NewInterpretationVersion, SavedEdit, Store};
use quire_understanding::edit::entered_text::{RequestedEdit, UnclearText, parse_entered_texts};
use quire_understanding::edit::{InvalidEdit, RestorableFields, apply_edits};
use quire_understanding::{Interpretation, Schema};

use super::restore::deleted_fields;
use super::stale::{self, StaleEdit};
use super::view::schema_of;
use crate::event_telemetry;
use crate::{App, Error};

/// A batch of edits of an interpretation.
#[derive(Clone, Debug, PartialEq)]
pub struct EditRequest {
    /// The run of the interpretation.
    pub run: RunId,
    /// The version that the reviewer edited.
    pub base: EditBase,
    /// What is requested. All of it is applied, or nothing.
    pub edits: Vec<RequestedEdit>,
    /// The name of the reviewer.
    pub actor: String,
    /// Ties the edit to its request in the log.
    pub correlation_id: Option<String>,
}

/// Why an edit was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    /// A run of the document is RUNNING.
    #[error("a run of this document is RUNNING; edit when it has ended")]
    RunRunning,
    /// The run has not completed.
    #[error("this run has not completed; edit the latest completed run")]
    NotCompleted,
    /// The run has no interpretation.
    #[error("this run has no interpretation; process the document again")]
    Missing,
    /// A newer version exists, or a newer run has completed.
    #[error("a newer version exists; `details` says what became of each change and how to repeat it")]
    Stale(Box<StaleEdit>),
    /// An edit of the batch is invalid.
    #[error(transparent)]
    Invalid(#[from] InvalidEdit),
    /// A typed text can be read in several ways, or is not what its key can have.
    #[error(transparent)]
    Unclear(#[from] UnclearText),
    /// The store has no such run, or does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// None if the edit is stale.
fn unless_stale<T>(result: Result<T, EditBlocked>) -> Result<Option<T>, EditError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(EditBlocked::Stale) => Ok(None),
        Err(EditBlocked::RunRunning) => Err(EditError::RunRunning),
        Err(EditBlocked::NotCompleted) => Err(EditError::NotCompleted),
        Err(EditBlocked::Missing) => Err(EditError::Missing),
    }
}

/// The active version after an edit.
#[derive(Clone, Debug, PartialEq)]
pub struct EditResult {
    /// The version.
    pub version: InterpretationVersion,
    /// Whether the edit created this version. A batch without effect creates none.
    pub is_new: bool,
    /// The schema of the run.
    pub schema: Schema,
}

/// Applies a batch of edits to the active version of a run. Versions never change, so a result computed from a
/// version stays correct while that version is active. The store checks that it still is.
pub async fn edit(app: &App, request: EditRequest) -> Result<EditResult, EditError> {
    match apply_to_active(app, &request).await? {
        Some(result) => Ok(result),
        None => Err(EditError::Stale(Box::new(stale::report(&app.store, &request).await?))),
    }
}

/// Creates the new version; none if the edit is stale.
async fn apply_to_active(app: &App, request: &EditRequest) -> Result<Option<EditResult>, EditError> {
    let (store, policy) = (&app.store, &app.confidence);
    let state = store.reviews.edit_state(request.run).await?;
    let Some(active) = unless_stale(version_to_edit(&state, request.base))? else { return Ok(None) };
    let document = DocumentId(state.run.subject.0);
    let schema = schema_of(store, &state.run).await?;
    let (fields, neutral) = (&active.data.fields, policy.human_edit_neutral);
    let edits = parse_entered_texts(&request.edits, fields, &schema)?;
    let deleted = deleted_fields(store, request.run, &edits).await?;
    let found = store.reviews.version(request.run, Some(1)).await?.map(|first| first.data.fields);
    let earlier = RestorableFields { deleted: &deleted, found: &found.unwrap_or_default() };
    let edited = apply_edits(fields, earlier, &schema, neutral, &edits)?;
    if edited.changes.is_empty() {
        return Ok(Some(EditResult { version: active.clone(), is_new: false, schema }));
    }
    let at = store.clock.now();
    let new = NewInterpretationVersion {
        id: InterpretationId::new(),
        run: request.run,
        base: request.base,
        data: Interpretation { created_at: at, fields: edited.fields, ..active.data.clone() },
        changes: edited.changes,
        structural_edits: edited.structural_edits,
        edited: interpretation_edited(document, request.run, &request.actor, at),
        reopened: review_reopened(document, ReviewEnd::Edited, &request.actor, at),
        actor: request.actor.clone(),
        at,
        policy: policy.clone(),
    };
    let Some(saved) = save(store, &new).await? else { return Ok(None) };
    for event in &saved.events {
        event_telemetry::log(event, request.correlation_id.as_deref());
    }
    let version = InterpretationVersion {
        id: new.id,
        number: saved.number,
        data: new.data,
        created_at: at,
        created_by: Some(new.actor),
        made_by: None,
    };
    Ok(Some(EditResult { version, is_new: true, schema }))
}

/// Stores the version; none if the edit is stale. If the answer is lost, checks whether the store has this version.
/// Without the check, a repeated edit would look as if another person had edited first.
async fn save(store: &Store, new: &NewInterpretationVersion) -> Result<Option<SavedEdit>, EditError> {
    match store.reviews.save(new).await {
        Err(error) if error.is_in_doubt() => {
            let now = store.reviews.edit_state(new.run).await?;
            match now.active {
                Some(active) if active.id == new.id => {
                    Ok(Some(SavedEdit { number: active.number, events: vec![new.edited.clone()] }))
                }
                _ => Err(error.into()),
            }
        }
        saved => unless_stale(saved?),
    }
}

/// The active version, if it may be edited now.
fn version_to_edit(state: &EditState, base: EditBase) -> Result<&InterpretationVersion, EditBlocked> {
    let active = state.active.as_ref();
    let context = EditContext {
        run: &state.run,
        has_running_run: state.has_running_run,
        latest_completed_run: state.latest_completed_run,
        active: active.map(|active| active.number),
    };
    check_edit(context, base)?;
    active.ok_or(EditBlocked::Missing)
}
