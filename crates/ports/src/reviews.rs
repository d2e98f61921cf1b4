//! Interpretations of documents, their edits and their reviews.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{
    Document, DocumentId, EditBase, EditBlocked, Event, InterpretationId, MarkBlocked, ReviewStatus, Run,
    RunId, SchemaRef, SignedVersion,
};
use quire_understanding::calibration::ConfidencePolicy;
use quire_understanding::edit::FieldChange;
use quire_understanding::structural_change::StructuralEdit;
use quire_understanding::{Interpretation, MadeBy};

use crate::PortResult;

/// The first version of a run's interpretation, stored with the success of its step.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstVersion {
    /// Its identity.
    pub id: InterpretationId,
    /// The interpretation.
    pub data: Interpretation,
    /// The interpreter that made it.
    pub made_by: Option<MadeBy>,
    /// The schema that was chosen for the document, if its run left the choice open. It becomes the schema of
    /// the run, and of the document if that one leaves it open, too.
    pub schema: Option<SchemaRef>,
}

/// A version of a run's interpretation.
#[derive(Clone, Debug, PartialEq)]
pub struct InterpretationVersion {
    /// Its identity.
    pub id: InterpretationId,
    /// Its number within the run, from 1.
    pub number: u32,
    /// The interpretation.
    pub data: Interpretation,
    /// When it was created.
    pub created_at: Timestamp,
    /// Who created it; none for the first version, which the run made itself.
    pub created_by: Option<String>,
    /// The interpreter that made it, if no person did and it is known.
    pub made_by: Option<MadeBy>,
}

/// A document with its latest completed run and that run's interpretation.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentReview {
    /// The document.
    pub document: Document,
    /// When a person reviewed it.
    pub reviewed_at: Option<Timestamp>,
    /// Who reviewed it.
    pub reviewed_by: Option<String>,
    /// Its latest completed run. Newer runs that did not complete do not count.
    pub latest_completed_run: Option<Run>,
    /// The payload of the artifact that names the text of that run.
    pub text: Option<String>,
    /// The active version of that run's interpretation.
    pub active: Option<InterpretationVersion>,
}

/// A run whose interpretation is to be edited.
#[derive(Clone, Debug, PartialEq)]
pub struct EditState {
    /// The run.
    pub run: Run,
    /// Whether any run of its document is RUNNING.
    pub has_running_run: bool,
    /// The latest completed run of its document.
    pub latest_completed_run: Option<RunId>,
    /// The active version.
    pub active: Option<InterpretationVersion>,
}

/// The version that an edit creates.
#[derive(Clone, Debug, PartialEq)]
pub struct NewInterpretationVersion {
    /// Its identity.
    pub id: InterpretationId,
    /// The run.
    pub run: RunId,
    /// The version that was edited.
    pub base: EditBase,
    /// The interpretation.
    pub data: Interpretation,
    /// The changes against the base version.
    pub changes: Vec<FieldChange>,
    /// The schema changes that the edit suggests.
    pub structural_edits: Vec<StructuralEdit>,
    /// Who edits.
    pub actor: String,
    /// When.
    pub at: Timestamp,
    /// The policy for removing the review's signals if the edit reopens the document.
    pub policy: Arc<ConfidencePolicy>,
    /// The event to record.
    pub edited: Event,
    /// The second event to record if the document was REVIEWED before the edit.
    pub reopened: Event,
}

/// What a request does to the review of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewChange {
    /// It makes the document REVIEWED, as it stands in this version.
    Mark(SignedVersion),
    /// It makes the document `IN_REVIEW` again.
    Reopen,
}

/// A request to mark a document as reviewed, or to remove the mark.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewMarkRequest {
    /// The document.
    pub document: DocumentId,
    /// What to do.
    pub change: ReviewChange,
    /// Who sets it.
    pub actor: String,
    /// When.
    pub at: Timestamp,
    /// The policy for adding or removing the review's signals.
    pub policy: Arc<ConfidencePolicy>,
    /// The event to record if this changes the document's status.
    pub event: Event,
}

/// An edit that was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedEdit {
    /// The number of the new version.
    pub number: u32,
    /// The recorded events: the edit, and the end of the review if the document was REVIEWED before.
    pub events: Vec<Event>,
}

/// The review status of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewMark {
    /// The status.
    pub status: ReviewStatus,
    /// When it was reviewed.
    pub reviewed_at: Option<Timestamp>,
    /// By whom.
    pub reviewed_by: Option<String>,
    /// The version that was reviewed.
    pub signed: Option<SignedVersion>,
    /// The recorded event, if the request changed the status.
    pub recorded: Option<Event>,
}

/// A version in the history of a run, with its changes.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionHistoryEntry {
    /// Its identity.
    pub id: InterpretationId,
    /// Its number.
    pub number: u32,
    /// Whether it is the active one.
    pub is_active: bool,
    /// When it was created.
    pub created_at: Timestamp,
    /// Who created it.
    pub created_by: Option<String>,
    /// The interpreter that made it, if no person did and it is known.
    pub made_by: Option<MadeBy>,
    /// The changes against the version before.
    pub changes: Vec<FieldChange>,
}

/// Stores interpretations and reviews.
#[async_trait]
pub trait Reviews: Send + Sync {
    /// A document as a reviewer sees it.
    async fn review(&self, document: DocumentId) -> PortResult<DocumentReview>;

    /// The active version of the latest completed run of each document that has one, in the given order.
    async fn active_versions(
        &self,
        documents: &[DocumentId],
    ) -> PortResult<Vec<(DocumentId, InterpretationVersion)>>;

    /// A run, with the data for editing its interpretation.
    async fn edit_state(&self, run: RunId) -> PortResult<EditState>;

    /// Adds a version, makes it the only active one, records each change and reopens the document if it was REVIEWED.
    /// If the edit is blocked, returns the reason, as [`quire_domain::check_edit`] decides. Of two edits of the same
    /// version, the store accepts one.
    async fn save(&self, version: &NewInterpretationVersion) -> PortResult<Result<SavedEdit, EditBlocked>>;

    /// The versions of a run with their changes: the newest 200, oldest first.
    async fn versions(&self, run: RunId) -> PortResult<Vec<VersionHistoryEntry>>;

    /// A version of a run's interpretation: the one of that number, or the active one. None if there is no such version.
    async fn version(&self, run: RunId, number: Option<u32>) -> PortResult<Option<InterpretationVersion>>;

    /// The active version of the previous completed run of the same document that has an interpretation.
    async fn version_of_run_before(&self, run: RunId) -> PortResult<Option<InterpretationVersion>>;

    /// Marks a document REVIEWED, or `IN_REVIEW` again. Setting the current status again changes nothing. If the mark is
    /// blocked, returns the reason, as [`quire_domain::check_mark`] decides.
    ///
    /// The mark adds the signals of the signed version to the calibration. Removing the mark removes exactly these
    /// signals, also when an edit removes it. The signals of a mark that a newer run has ended count until the next mark
    /// replaces them, so that a document counts once.
    async fn set_review_status(
        &self,
        marking: &ReviewMarkRequest,
    ) -> PortResult<Result<ReviewMark, MarkBlocked>>;
}
