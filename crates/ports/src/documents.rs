//! Documents as they were taken in.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Document, DocumentId, NewRun, SubjectId};

use crate::PortResult;

/// Where documents are kept.
#[async_trait]
pub trait Documents: Send + Sync {
    /// Adds a document and, unless processing is switched off, its first run, with the events that tell of both.
    /// `Conflict` if the document is there already.
    async fn add(&self, document: &Document, run: Option<&NewRun>, at: Timestamp) -> PortResult<()>;

    /// The document of that id.
    async fn find(&self, id: DocumentId) -> PortResult<Document>;

    /// Sets or clears the language that a person asks for, and tells of it. Runs that are there keep theirs, and none
    /// is created: only runs created later use it.
    async fn set_language(&self, id: DocumentId, language: Option<&str>, at: Timestamp) -> PortResult<()>;

    /// Removes a subject whole: its runs, their steps, artifacts and history, and the document if it is one.
    /// What remains are the events that name no run, and one that says what was done. Answers how many runs went.
    /// `Conflict` while one is RUNNING.
    async fn purge(&self, subject: SubjectId, at: Timestamp) -> PortResult<u64>;
}
