//! Take a document in: its file, piece by piece as it comes, and then its record.
//!
//! The order is what makes a pair of the two. First the ids; then the file, whole and durable under its name; last, in
//! one transaction, the record and the first run. A crash in between leaves a file that nothing names, which nobody
//! sees, and never a record without its file.

mod batch;
mod file_name;
mod repetition;
mod sniffer;

use std::sync::Arc;

use quire_domain::reading::FileKind;
use quire_domain::run::run_created;
use quire_domain::{Document, DocumentId, NewRun, Pipeline, Priority, ReviewStatus, RunId};
use quire_ports::{AddOutcome, BlobStore, BlobWriter, NewDocument, PortError, PortResult, Store};
use sha2::{Digest as _, Sha256};

pub use self::batch::{UploadBatch, UploadRequest};
pub use self::repetition::UploadKey;

use self::file_name::base_name;
use self::repetition::{UploadIdentity, as_added, recall};
use self::sniffer::{Sniffer, Verdict};
use super::DocumentView;
use crate::Error;
use crate::engine::report;

/// Letters of a wrong name that are said again.
const MOST_NAMED: usize = 64;

/// What is taken in.
#[derive(Clone, Debug)]
pub struct UploadSettings {
    /// The kinds of files.
    pub kinds: Vec<FileKind>,
    /// Bytes of the largest one.
    pub largest: u64,
    /// The schema by which a document is understood if nobody asks for another.
    pub schema: String,
}

/// Why a file was not taken in. Nothing of it is left.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UploadError {
    /// It is larger than what is taken.
    #[error("the file is larger than {largest} bytes, the most that is taken; split it")]
    TooLarge {
        /// Bytes of the largest file that is.
        largest: u64,
    },
    /// There is nothing in it.
    #[error("the file is empty; send one with something in it")]
    Empty,
    /// It is of no kind that is taken.
    #[error("the file is of a kind that is not taken; send one of: {}", names(.kinds))]
    Unsupported {
        /// The kinds that are.
        kinds: Vec<FileKind>,
    },
    /// The schema that it was to be understood by is none that there is.
    #[error("there is no schema {name}; choose one of: {}", .known.join(", "))]
    UnknownSchema {
        /// Its name.
        name: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// The key under which it was sent belongs to something else that was sent.
    #[error("this key was used for another upload; choose a new one, or send what it was used for")]
    KeyReused,
    /// Storage or the database could not do their part.
    #[error(transparent)]
    Store(#[from] Error),
}

/// Who brings a document, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uploader {
    /// Under which name they are known.
    pub actor: String,
    /// By what a repetition is to be known, if at all.
    pub key: Option<UploadKey>,
}

/// The first run that a new document gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstRun {
    /// How urgent it is.
    pub priority: Priority,
    /// What ties it to the request that brought the document.
    pub correlation_id: Option<String>,
}

/// A file on its way in. Whoever drops it before it is finished leaves nothing behind.
pub struct Upload {
    store: Store,
    blobs: Arc<dyn BlobStore>,
    terms: Arc<UploadSettings>,
    incoming: Box<dyn BlobWriter>,
    sniffer: Sniffer,
    hash: Sha256,
    size: u64,
    /// The schema that was asked for.
    asked: Option<String>,
    language: Option<String>,
}

impl Upload {
    /// Begins one.
    pub async fn begin(
        store: Store,
        blobs: Arc<dyn BlobStore>,
        terms: Arc<UploadSettings>,
    ) -> Result<Self, UploadError> {
        let incoming = blobs.begin().await?;
        let (sniffer, hash) = (Sniffer::default(), Sha256::new());
        Ok(Self { store, blobs, terms, incoming, sniffer, hash, size: 0, asked: None, language: None })
    }

    /// To be understood by this schema, which [`require_schema`] has let pass. Without one, by that of the terms.
    #[must_use]
    pub fn by_schema(self, asked: Option<String>) -> Self {
        Self { asked, ..self }
    }

    /// The same, read in this language by every run that the document gets.
    #[must_use]
    pub fn in_language(self, language: Option<String>) -> Self {
        Self { language, ..self }
    }

    /// Takes the next piece. Refuses as soon as it is clear that the file will not be taken.
    pub async fn write(&mut self, piece: &[u8]) -> Result<(), UploadError> {
        self.size += piece.len() as u64;
        if self.size > self.terms.largest {
            return Err(UploadError::TooLarge { largest: self.terms.largest });
        }
        match self.sniffer.see(piece) {
            Verdict::Open => {}
            Verdict::Known(kind) => self.require(kind).map(drop)?,
        }
        self.hash.update(piece);
        Ok(self.incoming.write(piece).await?)
    }

    /// Keeps the file and adds the document under that name, with its first run if it gets one. Answers it as it was at
    /// that moment; a repetition is answered with the document of the first time. What is begun here is brought to its
    /// end even if nobody waits for the answer any more.
    pub async fn finish(
        self,
        name: &str,
        first: Option<FirstRun>,
        sender: &Uploader,
    ) -> Result<DocumentView, UploadError> {
        if self.size == 0 {
            return Err(UploadError::Empty);
        }
        let kind = self.require(self.sniffer.conclude())?;
        let id = DocumentId::new();
        let at = self.store.clock.now();
        let document = Document {
            id,
            original_filename: base_name(name, kind),
            content_type: kind.media_type().to_owned(),
            file_size: self.size,
            content_hash: self.hash.finalize().into(),
            storage_path: format!("{id}/original.{}", kind.extension()),
            created_at: at,
            review_status: ReviewStatus::InReview,
            language_override: self.language,
            schema: self.asked.clone().unwrap_or_else(|| self.terms.schema.clone()),
        };
        let identity =
            UploadIdentity { document: &document, first: first.as_ref(), schema: self.asked.as_deref() };
        let idempotency_key = sender.key.as_ref().map(|key| key.of(&sender.actor, &identity));
        let run = first.map(|first| NewRun {
            id: RunId::new(),
            pipeline: Pipeline::Document,
            subject: id.into(),
            priority: first.priority,
            correlation_id: first.correlation_id,
        });
        let events = vec![document.uploaded(&sender.actor, at)];
        let new = NewDocument { document, run, events, idempotency_key };
        let pair = FileAndRecord { store: self.store, blobs: self.blobs, new };
        let kept = tokio::spawn(pair.keep(self.incoming)).await;
        kept.map_err(|_| interrupted())?
    }

    fn require(&self, kind: Option<FileKind>) -> Result<FileKind, UploadError> {
        kind.filter(|kind| self.terms.kinds.contains(kind))
            .ok_or_else(|| UploadError::Unsupported { kinds: self.terms.kinds.clone() })
    }
}

/// Refuses a schema that there is not, with the names of those that there are.
pub async fn require_schema(store: &Store, name: &str) -> Result<(), UploadError> {
    let known = store.governance.schema_names().await?;
    if known.iter().any(|one| one == name) {
        return Ok(());
    }
    Err(UploadError::UnknownSchema { name: shortened(name), known })
}

/// What somebody sent as a name, fit for a message.
fn shortened(name: &str) -> String {
    let plain = name.chars().filter(|c| !c.is_control());
    plain.take(MOST_NAMED).collect()
}

/// A file and its record, which exist together or not at all.
struct FileAndRecord {
    store: Store,
    blobs: Arc<dyn BlobStore>,
    new: NewDocument,
}

impl FileAndRecord {
    async fn keep(self, incoming: Box<dyn BlobWriter>) -> Result<DocumentView, UploadError> {
        if let Err(error) = incoming.finish(&self.new.document.storage_path).await {
            // It may have its name already, and only not be durable.
            self.remove_file().await;
            return Err(error.into());
        }
        match self.add().await? {
            AddOutcome::Added { run } => {
                let correlation_id = run.as_ref().and_then(|run| run.correlation_id.as_deref());
                for event in self.new.events.iter().chain(run.as_ref().map(run_created).as_ref()) {
                    report::log(event, correlation_id);
                }
                Ok(as_added(self.new.document, run))
            }
            AddOutcome::AlreadyAdded { document, run } => {
                self.remove_file().await;
                Ok(recall(&self.store, document, run).await?)
            }
            AddOutcome::KeyReused => {
                self.remove_file().await;
                Err(UploadError::KeyReused)
            }
        }
    }

    /// Adds the record; removes the file again if there is to be none.
    async fn add(&self) -> PortResult<AddOutcome> {
        let added = match self.try_to_add().await {
            Err(error) if error.is_in_doubt() => match self.try_to_add().await {
                // The transaction was made and only its answer lost, or it was on its way and the second waited for it.
                Ok(AddOutcome::AlreadyAdded { document, .. }) if document == self.new.document.id => {
                    return self.stored().await;
                }
                Err(PortError::Conflict(_)) if self.is_there().await => return self.stored().await,
                second => second,
            },
            first => first,
        };
        let error = match added {
            Ok(outcome) => return Ok(outcome),
            Err(error) => error,
        };
        if error.is_in_doubt() {
            // A file without a record is seen by nobody; a record without a file would be.
            tracing::warn!(
                document_id = %self.new.document.id,
                "the database does not say whether it has this document; its file is kept"
            );
        } else {
            self.remove_file().await;
        }
        Err(error)
    }

    async fn try_to_add(&self) -> PortResult<AddOutcome> {
        self.store.documents.add(self.new.clone(), self.new.document.created_at).await
    }

    async fn is_there(&self) -> bool {
        self.store.documents.find(self.new.document.id).await.is_ok()
    }

    /// The outcome that was lost: the document is stored, and so is its run.
    async fn stored(&self) -> PortResult<AddOutcome> {
        let run = match &self.new.run {
            Some(run) => Some(self.store.history.run(run.id).await?.as_created()),
            None => None,
        };
        Ok(AddOutcome::Added { run })
    }

    async fn remove_file(&self) {
        if let Err(error) = self.blobs.remove(&self.new.document.storage_path).await {
            tracing::warn!(
                document_id = %self.new.document.id,
                %error,
                "the file of a document that was not added cannot be removed"
            );
        }
    }
}

/// The process is on its way out.
fn interrupted() -> PortError {
    PortError::Unavailable {
        service: "server",
        reason: "it was stopped meanwhile".to_owned(),
        contention: false,
    }
}

fn names(kinds: &[FileKind]) -> String {
    kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
