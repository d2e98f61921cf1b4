//! Documents.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{
    Document, DocumentId, DocumentStatus, Event, Hidden, HideChange, NewRun, ReviewStatus, Run, SubjectId,
};

use crate::{AddOutcome, NewDocument, PortResult};

/// A place in the list of documents, which is sorted by upload time and then by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentCursor {
    /// When the document at this place was uploaded.
    pub created_at: Timestamp,
    /// Its id.
    pub id: DocumentId,
}

/// Which documents. Each choice is answered from an index. Hidden documents are in `Hidden` alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DocumentFilter {
    /// All documents that are not hidden.
    #[default]
    All,
    /// Documents with this status, which follows from their latest run. `Uploaded` finds none here: such documents have no
    /// run.
    Status(DocumentStatus),
    /// Documents with this review status.
    Review(ReviewStatus),
    /// Documents that a person has hidden.
    Hidden,
}

/// Which part of the list of documents, newest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct DocumentListQuery {
    /// Which documents.
    pub filter: DocumentFilter,
    /// Only documents after this place, which are older.
    pub after: Option<DocumentCursor>,
    /// How many to skip.
    pub skip: u32,
    /// At most how many.
    pub limit: u32,
}

/// A place in the list of documents to review, which is sorted by confidence and then by id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceCursor {
    /// The confidence of the document at this place.
    pub confidence: f64,
    /// Its id.
    pub id: DocumentId,
}

/// Which part of the list of documents to review, the least confident first.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeastConfidentQuery {
    /// Only documents after this place, which are at least as confident.
    pub after: Option<ConfidenceCursor>,
    /// How many to skip.
    pub skip: u32,
    /// At most how many.
    pub limit: u32,
}

/// A document with its review and its latest run.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentOverview {
    /// The document.
    pub document: Document,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When a person reviewed it.
    pub reviewed_at: Option<Timestamp>,
    /// Who reviewed it.
    pub reviewed_by: Option<String>,
    /// Its latest run, by the time it was created.
    pub latest_run: Option<Run>,
    /// The payload of the artifact that names the text of that run.
    pub text: Option<String>,
    /// The confidence of the active version of its latest completed run, from 0 to 1, if that run has an interpretation.
    pub confidence: Option<f64>,
    /// Who has hidden it, if it is hidden.
    pub hidden: Option<Hidden>,
}

/// A request to hide a document or to show it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HideRequest {
    /// The document.
    pub document: DocumentId,
    /// The change.
    pub change: HideChange,
    /// Who asks for it.
    pub actor: String,
    /// When.
    pub at: Timestamp,
}

/// A document after such a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HideOutcome {
    /// Who has hidden it, if it is hidden.
    pub hidden: Option<Hidden>,
    /// The recorded event, if the request changed something.
    pub recorded: Option<Event>,
}

/// What the store knows about a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectPresence {
    /// It has a document or a run.
    Stored,
    /// It was purged, and nothing can be stored for it any more.
    Purged,
    /// There is no row of it. A transaction that adds one may still be running.
    Unknown,
}

/// Stores documents.
#[async_trait]
pub trait Documents: Send + Sync {
    /// Adds a document and, unless processing is switched off, its first run, with their events. `Conflict` if the
    /// document exists already. A request whose key was used before adds nothing. Of several simultaneous requests with
    /// the same key, one adds the document.
    async fn add(&self, new: NewDocument, at: Timestamp) -> PortResult<AddOutcome>;

    /// The document of that id.
    async fn find(&self, id: DocumentId) -> PortResult<Document>;

    /// The document of that id, with its review and its latest run.
    async fn overview(&self, id: DocumentId) -> PortResult<DocumentOverview>;

    /// The documents of these ids with their reviews and latest runs, in any order. Those that do not exist are left out.
    async fn overviews(&self, ids: &[DocumentId]) -> PortResult<Vec<DocumentOverview>>;

    /// A part of the list of documents, newest first. Its cost depends on the size of the part and not on the number of
    /// documents.
    async fn list(&self, part: DocumentListQuery) -> PortResult<Vec<DocumentOverview>>;

    /// The number of these documents. Counting stops at `most`.
    async fn count(&self, filter: DocumentFilter, most: u32) -> PortResult<u32>;

    /// A part of the list of documents to review: documents with an interpretation and without a review that are not hidden. The
    /// least confident come first. The cost depends on the size of the part alone.
    async fn least_confident(&self, part: LeastConfidentQuery) -> PortResult<Vec<DocumentOverview>>;

    /// The number of documents to review. Counting stops at `most`.
    async fn count_awaiting_review(&self, most: u32) -> PortResult<u32>;

    /// The other documents with the same content that are not hidden, newest first, at most `limit`.
    async fn duplicates(&self, document: &Document, limit: u32) -> PortResult<Vec<DocumentId>>;

    /// Accepts another run of a document at the time of `requested`, and records that event and the run's own. Returns
    /// the stored run. `NotFound` without such a document.
    async fn reprocess(&self, run: &NewRun, requested: Event) -> PortResult<Run> {
        self.reprocess_as(run, None, requested).await
    }

    /// Like [`Documents::reprocess`]; the run and the later runs of the document use this schema, if there is one.
    async fn reprocess_as(&self, run: &NewRun, schema: Option<&str>, requested: Event) -> PortResult<Run>;

    /// Sets or clears the language of a document, and records the event. Existing runs keep their language; runs that
    /// are created later use this one.
    async fn set_language(&self, id: DocumentId, language: Option<&str>, overridden: Event)
    -> PortResult<()>;

    /// Hides a document or shows it again, and records the event. `NotFound` without such a document. A change that was made
    /// already changes nothing.
    async fn set_hidden(&self, request: &HideRequest) -> PortResult<HideOutcome>;

    /// Removes a subject: its runs with their steps, artifacts and history, and its document if it has one. Events that
    /// name no run remain, and one event records the purge. Returns the number of removed runs. `Conflict` while a run
    /// is RUNNING. The subject stays purged: from then on, adding a document or a run of it is a `Conflict`.
    async fn purge(&self, subject: SubjectId, at: Timestamp) -> PortResult<u64>;

    /// What the store knows about each of these subjects, in the same order.
    async fn presence(&self, subjects: &[SubjectId]) -> PortResult<Vec<SubjectPresence>>;
}
