//! What people do with what was understood: look at it, correct it, say that it is checked.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{DocumentId, EditBlocked, Event, InterpretationId, ReviewStatus, Run, RunId};
use quire_understanding::calibration::ConfidencePolicy;
use quire_understanding::edit::FieldChange;
use quire_understanding::structure::StructuralEdit;
use quire_understanding::{Interpretation, MadeBy};

use crate::PortResult;
use crate::documents::DocumentOverview;

/// The first version of what a run understood, stored with the success of its step.
#[derive(Clone, Debug, PartialEq)]
pub struct FirstVersion {
    /// Its identity.
    pub id: InterpretationId,
    /// What was understood.
    pub data: Interpretation,
    /// Who understood it.
    pub made_by: Option<MadeBy>,
}

/// A version of what a run understood.
#[derive(Clone, Debug, PartialEq)]
pub struct InterpretationVersion {
    /// Its identity.
    pub id: InterpretationId,
    /// Its number within the run, from 1.
    pub number: u32,
    /// What it says.
    pub data: Interpretation,
    /// When it was made.
    pub created_at: Timestamp,
    /// Who made it; nobody for the first, which the run made itself.
    pub created_by: Option<String>,
    /// What understood the document, if no person made it and it is known.
    pub made_by: Option<MadeBy>,
}

/// A document with the latest run that completed, and what that run understood.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentReview {
    /// The document; its run here is the latest that completed, if any did.
    pub overview: DocumentOverview,
    /// The active version of what that run understood.
    pub active: Option<InterpretationVersion>,
}

/// A run whose interpretation somebody wants to change.
#[derive(Clone, Debug, PartialEq)]
pub struct EditableRun {
    /// The run.
    pub run: Run,
    /// Whether any run of its document is RUNNING.
    pub is_busy: bool,
    /// The active version.
    pub active: Option<InterpretationVersion>,
}

/// A version that an edit makes.
#[derive(Clone, Debug, PartialEq)]
pub struct NewInterpretationVersion {
    /// Its identity.
    pub id: InterpretationId,
    /// The run.
    pub run: RunId,
    /// The version that was edited.
    pub base: u32,
    /// What it says.
    pub data: Interpretation,
    /// What made the difference.
    pub changes: Vec<FieldChange>,
    /// What the edit says about the schema.
    pub structure: Vec<StructuralEdit>,
    /// Who edited.
    pub actor: String,
    /// When.
    pub at: Timestamp,
    /// By which policy the document's lesson is taken back if this reopens it.
    pub policy: Arc<ConfidencePolicy>,
    /// The event to record.
    pub edited: Event,
    /// The event to record too if the document was REVIEWED until now.
    pub reopened: Event,
}

/// A request to mark a document as reviewed, or to take that mark back.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewMarkRequest {
    /// The document.
    pub document: DocumentId,
    /// What it is to be.
    pub to: ReviewStatus,
    /// Who says so.
    pub actor: String,
    /// When.
    pub at: Timestamp,
    /// By which policy its lesson is learnt, or taken back.
    pub policy: Arc<ConfidencePolicy>,
    /// The event to record if this changes the document's status.
    pub event: Event,
}

/// An edit that was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedEdit {
    /// The number of the new version.
    pub number: u32,
    /// The events that were recorded: the edit, and the end of the review if the document was REVIEWED until now.
    pub events: Vec<Event>,
}

/// Whether a document is checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewMark {
    /// The status.
    pub status: ReviewStatus,
    /// Since when it is REVIEWED.
    pub reviewed_at: Option<Timestamp>,
    /// By whom.
    pub reviewed_by: Option<String>,
    /// The event that was recorded, if the request changed the status.
    pub recorded: Option<Event>,
}

/// A version as the history of a run lists it, with the changes that made it.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionHistoryEntry {
    /// Its identity.
    pub id: InterpretationId,
    /// Its number.
    pub number: u32,
    /// Whether it is the active one.
    pub is_active: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// Who made it.
    pub created_by: Option<String>,
    /// What understood the document, if no person made it and it is known.
    pub made_by: Option<MadeBy>,
    /// What changed against the version before.
    pub changes: Vec<FieldChange>,
}

/// Interpretations and the people who check them.
#[async_trait]
pub trait Reviews: Send + Sync {
    /// A document as a reviewer sees it.
    async fn review(&self, document: DocumentId) -> PortResult<DocumentReview>;

    /// The active version of the latest completed run of each of these documents that has one, in their order.
    async fn active_versions(
        &self,
        documents: &[DocumentId],
    ) -> PortResult<Vec<(DocumentId, InterpretationVersion)>>;

    /// Those of these documents whose latest completed run, in its active version, says these words, in their order. The
    /// words are as `quire_understanding::sought` makes them.
    async fn found_by(&self, documents: &[DocumentId], words: &str) -> PortResult<Vec<DocumentId>>;

    /// A run, with what is needed to change its interpretation.
    async fn editable(&self, run: RunId) -> PortResult<EditableRun>;

    /// Adds a version, makes it the only active one, logs each change and reopens the document if it was REVIEWED;
    /// or says why not. Of two edits of the same version one is stored.
    async fn save(&self, version: &NewInterpretationVersion) -> PortResult<Result<SavedEdit, EditBlocked>>;

    /// The versions of a run, the newest two hundred, oldest first, with what changed.
    async fn versions(&self, run: RunId) -> PortResult<Vec<VersionHistoryEntry>>;

    /// The tokens of language models that versions made from this moment on have taken.
    async fn tokens_since(&self, from: Timestamp) -> PortResult<u64>;

    /// A version of what a run understood: the one of that number, or the active one. None if there is no such version.
    async fn version(&self, run: RunId, number: Option<u32>) -> PortResult<Option<InterpretationVersion>>;

    /// The active version of the run of the same document that completed last before this one did, of those that
    /// understood something.
    async fn version_of_run_before(&self, run: RunId) -> PortResult<Option<InterpretationVersion>>;

    /// Marks a document REVIEWED, or makes it `IN_REVIEW` again. One that is so already stays as it is.
    ///
    /// With the mark, what the active version of its latest completed run teaches is learnt; with its end exactly that
    /// is taken back, whoever ends it, an edit included.
    async fn mark(&self, marking: &ReviewMarkRequest) -> PortResult<ReviewMark>;
}
