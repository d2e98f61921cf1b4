//! Correct what was understood.

use quire_domain::review::{interpretation_edited, review_marked};
use quire_domain::{DocumentId, EditBlocked, InterpretationId, ReviewStatus, RunId, check_edit};
use quire_ports::{EditableRun, InterpretationVersion, NewInterpretationVersion, SavedEdit, Store};
use quire_understanding::edit::{EditOperation, InvalidEdit, apply_edits};
use quire_understanding::{Interpretation, Schema};

use super::view::schema_of;
use crate::engine::report;
use crate::{App, Error};

/// What somebody wants changed.
#[derive(Clone, Debug, PartialEq)]
pub struct EditRequest {
    /// The run whose interpretation it is.
    pub run: RunId,
    /// The version that they looked at.
    pub base: u32,
    /// The changes, all of them or none.
    pub changes: Vec<EditOperation>,
    /// Who.
    pub actor: String,
    /// What ties it to its request.
    pub correlation_id: Option<String>,
}

/// Why nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A run of the document is RUNNING.
    #[error("a run of this document is RUNNING; edit when it has ended")]
    ActiveRun,
    /// The run has not completed.
    #[error("this run has not completed; there is nothing to edit")]
    NotCompleted,
    /// The run has no interpretation.
    #[error("this run has no interpretation; process the document again")]
    Missing,
    /// Somebody else has made a newer version.
    #[error("another edit came first; reload and repeat your changes")]
    Stale,
    /// One of the changes is not as it must be.
    #[error(transparent)]
    Bad(#[from] InvalidEdit),
    /// Storage has no such run, or does not answer.
    #[error(transparent)]
    Store(#[from] Error),
}

impl From<EditBlocked> for EditError {
    fn from(blocked: EditBlocked) -> Self {
        match blocked {
            EditBlocked::ActiveRun => Self::ActiveRun,
            EditBlocked::NotCompleted => Self::NotCompleted,
            EditBlocked::Missing => Self::Missing,
            EditBlocked::Stale => Self::Stale,
        }
    }
}

/// The active version after an edit.
#[derive(Clone, Debug, PartialEq)]
pub struct EditResult {
    /// The version.
    pub version: InterpretationVersion,
    /// Whether the edit made it; a batch that changes nothing makes none.
    pub is_new: bool,
    /// The schema of the run.
    pub schema: Schema,
}

/// Applies a batch of changes to the active version of a run. Versions never change, so that what was worked out from one
/// is right as long as that one is still active, and the store sees to that.
pub async fn edit(app: &App, request: EditRequest) -> Result<EditResult, EditError> {
    let (store, policy) = (&app.store, &app.confidence);
    let editable = store.reviews.editable(request.run).await?;
    let active = editable_version(&editable, request.base)?;
    let schema = schema_of(store, &editable.run).await?;
    let edited = apply_edits(&active.data.fields, &schema, policy.human_edit_neutral, &request.changes)?;
    if edited.changes.is_empty() {
        return Ok(EditResult { version: active.clone(), is_new: false, schema });
    }
    let at = store.clock.now();
    let document = DocumentId(editable.run.subject.0);
    let new = NewInterpretationVersion {
        id: InterpretationId::new(),
        run: request.run,
        base: request.base,
        data: Interpretation { created_at: at, fields: edited.fields, ..active.data.clone() },
        changes: edited.changes,
        structure: edited.structure,
        edited: interpretation_edited(document, request.run, &request.actor, at),
        reopened: review_marked(document, ReviewStatus::InReview, &request.actor, at),
        actor: request.actor,
        at,
        policy: policy.clone(),
    };
    let saved = save(store, &new).await?;
    for event in &saved.events {
        report::log(event, request.correlation_id.as_deref());
    }
    let version = InterpretationVersion {
        id: new.id,
        number: saved.number,
        data: new.data,
        created_at: at,
        created_by: Some(new.actor),
        made_by: None,
    };
    Ok(EditResult { version, is_new: true, schema })
}

/// Stores it. If the answer is lost, it is asked whether this version is there: whoever repeated it would else be told that
/// somebody else had come first.
async fn save(store: &Store, new: &NewInterpretationVersion) -> Result<SavedEdit, EditError> {
    match store.reviews.save(new).await {
        Err(error) if error.is_in_doubt() => {
            let now = store.reviews.editable(new.run).await?;
            match now.active {
                Some(active) if active.id == new.id => {
                    Ok(SavedEdit { number: active.number, events: vec![new.edited.clone()] })
                }
                _ => Err(error.into()),
            }
        }
        saved => Ok(saved??),
    }
}

/// The active version, if it may be edited now.
fn editable_version(editable: &EditableRun, base: u32) -> Result<&InterpretationVersion, EditBlocked> {
    let active = editable.active.as_ref();
    check_edit(&editable.run, editable.is_busy, active.map(|active| active.number), base)?;
    active.ok_or(EditBlocked::Missing)
}
