//! Documents as they were taken in.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Document, DocumentId, DocumentStatus, Event, NewRun, ReviewStatus, Run, SubjectId};

use crate::{AddOutcome, NewDocument, PortResult};

/// A place in the list of documents, which goes by the time they were taken in and then by their id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentCursor {
    /// When the document at this place was taken in.
    pub created_at: Timestamp,
    /// Which it is.
    pub id: DocumentId,
}

/// Which documents, as far as an index tells them apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DocumentFilter {
    /// All of them.
    #[default]
    All,
    /// Those whose latest run makes them stand so. None stands as `Uploaded` here, since that takes no run at all.
    Status(DocumentStatus),
    /// Those that were or were not checked by a person.
    Review(ReviewStatus),
}

/// Which part of the list of documents, newest first.
#[derive(Clone, Copy, Debug, Default)]
pub struct DocumentListQuery {
    /// Of which documents.
    pub of: DocumentFilter,
    /// Only what comes after this place, which is older.
    pub after: Option<DocumentCursor>,
    /// How many to pass over first.
    pub skip: u32,
    /// At most how many.
    pub limit: u32,
}

/// A place in the list of documents that wait for a person, which goes by how certain they are and then by their id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceCursor {
    /// How certain the document at this place is.
    pub confidence: f64,
    /// Which it is.
    pub id: DocumentId,
}

/// Which part of the list of documents that wait for a person, the least certain first.
#[derive(Clone, Copy, Debug, Default)]
pub struct LeastConfidentQuery {
    /// Only what comes after this place, which is no less certain.
    pub after: Option<ConfidenceCursor>,
    /// How many to pass over first.
    pub skip: u32,
    /// At most how many.
    pub limit: u32,
}

/// A document with what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentOverview {
    /// The document.
    pub document: Document,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// When a person has checked it.
    pub reviewed_at: Option<Timestamp>,
    /// Who.
    pub reviewed_by: Option<String>,
    /// Its latest run, by the time it was created.
    pub latest_run: Option<Run>,
    /// The payload of the artifact in which that run says what text it read.
    pub text: Option<String>,
    /// How certain the active version of its latest completed run is, from 0 to 1, if that run understood something.
    pub confidence: Option<f64>,
}

/// Where documents are kept.
#[async_trait]
pub trait Documents: Send + Sync {
    /// Adds a document and, unless processing is switched off, its first run, with their events. `Conflict` if the
    /// document is there already. A request whose key was used before adds nothing; of several requests with the same
    /// key at the same time, one adds the document.
    async fn add(&self, new: NewDocument, at: Timestamp) -> PortResult<AddOutcome>;

    /// The document of that id.
    async fn find(&self, id: DocumentId) -> PortResult<Document>;

    /// The document of that id, with what became of it.
    async fn overview(&self, id: DocumentId) -> PortResult<DocumentOverview>;

    /// A part of the list of documents, newest first. What it costs depends on the part alone and not on how many
    /// documents there are.
    async fn list(&self, part: DocumentListQuery) -> PortResult<Vec<DocumentOverview>>;

    /// How many of these documents there are; the counting ends at `most`.
    async fn count(&self, of: DocumentFilter, most: u32) -> PortResult<u32>;

    /// A part of the list of documents that wait for a person: something was understood and nobody has checked it. The
    /// least certain come first. What it costs depends on the part alone.
    async fn least_confident(&self, part: LeastConfidentQuery) -> PortResult<Vec<DocumentOverview>>;

    /// How many documents wait for a person; the counting ends at `most`.
    async fn count_open(&self, most: u32) -> PortResult<u32>;

    /// The other documents with the same content, newest first, at most `limit`.
    async fn duplicates(&self, document: &Document, limit: u32) -> PortResult<Vec<DocumentId>>;

    /// Accepts another run of a document at the time of `requested`, and records that event and the run's own. Answers
    /// the run as it is stored. `NotFound` without such a document.
    async fn reprocess(&self, run: &NewRun, requested: Event) -> PortResult<Run>;

    /// Sets or clears the language of a document, and records the event. Existing runs keep their language; runs that
    /// are created later use this one.
    async fn set_language(&self, id: DocumentId, language: Option<&str>, overridden: Event)
    -> PortResult<()>;

    /// Removes a subject whole: its runs, their steps, artifacts and history, and the document if it is one.
    /// What remains are the events that name no run, and one that says what was done. Answers how many runs went.
    /// `Conflict` while one is RUNNING.
    async fn purge(&self, subject: SubjectId, at: Timestamp) -> PortResult<u64>;
}
