//! Upload a document: store its file piece by piece, then add its record.
//!
//! The order keeps file and record together. First the upload creates the ids. Then it stores the file, complete and
//! durable, under its name. Last, one transaction adds the record and the first run. A crash in between can leave a
//! file without a record, which no list shows and which the sweep removes after a day (`storage/sweep.rs`). It never
//! leaves a record without its file.

mod batch;
mod document_writer;
mod file_name;
mod free_space;
mod idempotency;
mod sniffer;

use std::sync::Arc;

use quire_domain::reading::{Extractor, FileKind};
use quire_domain::{Document, DocumentId, NewRun, Pipeline, Priority, ReviewStatus, RunId};
use quire_ports::{BlobStore, BlobWriter, NewDocument, PortError, Store};
use sha2::{Digest as _, Sha256};

pub use self::batch::{UploadBatch, UploadRequest};
pub use self::free_space::FreeSpace;
pub use self::idempotency::UploadKey;

use self::document_writer::DocumentWriter;
use self::file_name::base_name;
use self::idempotency::UploadIdentity;
use self::sniffer::{SniffResult, Sniffer};
use super::{DocumentView, ExtractorNotConfigured, UnknownSchema};
use crate::Error;

/// Which files an upload accepts, and the default schema.
#[derive(Clone, Debug)]
pub struct UploadSettings {
    /// The accepted kinds of files.
    pub kinds: Vec<FileKind>,
    /// The size limit of a file, in bytes.
    pub max_bytes: u64,
    /// The schema of a document whose upload names none.
    pub schema: String,
}

/// Why an upload failed. No part of the file remains, unless the database left open whether it added the record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UploadError {
    /// The file is larger than the limit.
    #[error("the file is larger than the limit of {} MB; split it or raise uploads.max_mb", .max_bytes >> 20)]
    TooLarge {
        /// The limit, in bytes.
        max_bytes: u64,
    },
    /// The file is empty.
    #[error("the file is empty; send one with something in it")]
    Empty,
    /// The kind of the file is not accepted.
    #[error("file type not supported; send one of: {}", names(.kinds))]
    Unsupported {
        /// The accepted kinds.
        kinds: Vec<FileKind>,
    },
    /// The requested schema does not exist.
    #[error(transparent)]
    UnknownSchema(#[from] UnknownSchema),
    /// The requested extractor is not configured.
    #[error(transparent)]
    NotConfigured(#[from] ExtractorNotConfigured),
    /// The disk has less free space than it must keep.
    #[error("the disk has {} MB left, less than the {} MB that it must keep free; delete something or enlarge it", .free >> 20, .floor >> 20)]
    BelowReserve {
        /// Free bytes.
        free: u64,
        /// Bytes that must stay free.
        floor: u64,
    },
    /// The disk was full before the document was stored.
    #[error("the disk is full; delete something or enlarge it, then upload again")]
    DiskFull,
    /// The idempotency key belongs to another upload.
    #[error("this Idempotency-Key belongs to another upload; use a new key")]
    KeyReused,
    /// Storage or the database failed.
    #[error(transparent)]
    Other(#[from] Error),
}

impl From<PortError> for UploadError {
    fn from(error: PortError) -> Self {
        match error {
            PortError::Full { .. } => Self::DiskFull,
            error => Self::Other(error.into()),
        }
    }
}

/// Who uploads a document, and under which idempotency key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uploader {
    /// The name of the user or program.
    pub actor: String,
    /// The idempotency key, which identifies a repeated upload.
    pub key: Option<UploadKey>,
}

/// The first run of a new document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstRunOptions {
    /// The priority of the run.
    pub priority: Priority,
    /// Ties the run to the upload request in the log.
    pub correlation_id: Option<String>,
    /// Who reads the document. Without one, its schema or the settings decide.
    pub extractor: Option<Extractor>,
}

/// An unfinished upload. Dropping it removes its temporary file.
pub struct Upload {
    store: Store,
    blobs: Arc<dyn BlobStore>,
    settings: Arc<UploadSettings>,
    id: DocumentId,
    incoming: IncomingFile,
    sniffer: Sniffer,
    hash: Sha256,
    size: u64,
    /// The requested schema.
    schema: Option<String>,
    language: Option<String>,
}

/// The file of an upload. Its name ends with its kind, which shows after at most one window of the sniffer.
enum IncomingFile {
    /// The beginning of the file, without a name yet.
    Unnamed(Vec<u8>),
    /// A file that the storage is writing.
    Named(Box<dyn BlobWriter>),
}

impl Upload {
    /// Begins an upload.
    pub fn begin(store: Store, blobs: Arc<dyn BlobStore>, settings: Arc<UploadSettings>) -> Self {
        Self {
            store,
            blobs,
            settings,
            id: DocumentId::new(),
            incoming: IncomingFile::Unnamed(Vec::new()),
            sniffer: Sniffer::default(),
            hash: Sha256::new(),
            size: 0,
            schema: None,
            language: None,
        }
    }

    /// Sets the schema. The caller has checked it with [`super::require_schema`]. Without one, the settings decide.
    #[must_use]
    pub fn with_schema(self, schema: Option<String>) -> Self {
        Self { schema, ..self }
    }

    /// Sets the language in which every run reads the document.
    #[must_use]
    pub fn with_language(self, language: Option<String>) -> Self {
        Self { language, ..self }
    }

    /// Writes the next piece. Fails as soon as the upload cannot accept the file.
    pub async fn write(&mut self, piece: &[u8]) -> Result<(), UploadError> {
        self.size += piece.len() as u64;
        if self.size > self.settings.max_bytes {
            return Err(UploadError::TooLarge { max_bytes: self.settings.max_bytes });
        }
        match self.sniffer.push(piece) {
            SniffResult::Open => {}
            SniffResult::Known(kind) => self.require(kind).map(drop)?,
        }
        self.hash.update(piece);
        match &mut self.incoming {
            IncomingFile::Named(file) => Ok(file.write(piece).await?),
            IncomingFile::Unnamed(beginning) => {
                beginning.extend_from_slice(piece);
                if let Some(kind) = self.sniffer.candidate() {
                    self.incoming = IncomingFile::Named(self.begin_file(kind).await?);
                }
                Ok(())
            }
        }
    }

    /// Begins the file in the storage, with what has come of it.
    async fn begin_file(&mut self, kind: FileKind) -> Result<Box<dyn BlobWriter>, UploadError> {
        let mut file = self.blobs.begin(&self.path(kind)).await?;
        if let IncomingFile::Unnamed(beginning) = &mut self.incoming {
            let beginning = std::mem::take(beginning);
            file.write(&beginning).await?;
        }
        Ok(file)
    }

    fn path(&self, kind: FileKind) -> String {
        format!("{}/original.{}", self.id, kind.extension())
    }

    /// Stores the file and adds the document under that name, with its first run if it gets one. Returns the document
    /// as this call added it. A repeated upload returns the document that the first upload added. The work continues
    /// even if the caller stops waiting for the result.
    pub async fn finish(
        mut self,
        name: &str,
        first: Option<FirstRunOptions>,
        uploader: &Uploader,
    ) -> Result<DocumentView, UploadError> {
        if self.size == 0 {
            return Err(UploadError::Empty);
        }
        let kind = self.require(self.sniffer.conclude())?;
        let storage_path = self.path(kind);
        if let IncomingFile::Unnamed(_) = self.incoming {
            self.incoming = IncomingFile::Named(self.begin_file(kind).await?);
        }
        let IncomingFile::Named(incoming) = self.incoming else { return Err(interrupted().into()) };
        let (id, at) = (self.id, self.store.clock.now());
        let document = Document {
            id,
            original_filename: base_name(name, kind),
            content_type: kind.media_type().to_owned(),
            file_size: self.size,
            content_hash: self.hash.finalize().into(),
            storage_path,
            created_at: at,
            review_status: ReviewStatus::InReview,
            language_override: self.language,
            schema: self.schema.clone().unwrap_or_else(|| self.settings.schema.clone()),
        };
        let identity =
            UploadIdentity { document: &document, first: first.as_ref(), schema: self.schema.as_deref() };
        let idempotency_key = uploader.key.as_ref().map(|key| key.for_upload(&uploader.actor, &identity));
        let run = first.map(|first| NewRun {
            id: RunId::new(),
            pipeline: Pipeline::Document,
            subject: id.into(),
            priority: first.priority,
            correlation_id: first.correlation_id,
            requested_by: Some(uploader.actor.clone()),
            extractor: first.extractor,
            continues: None,
        });
        let events = vec![document.uploaded(&uploader.actor, at)];
        let new = NewDocument { document, run, events, idempotency_key };
        let writer = DocumentWriter { store: self.store, blobs: self.blobs, new };
        let written = tokio::spawn(writer.write(incoming)).await;
        written.map_err(|_| interrupted())?
    }

    fn require(&self, kind: Option<FileKind>) -> Result<FileKind, UploadError> {
        kind.filter(|kind| self.settings.kinds.contains(kind))
            .ok_or_else(|| UploadError::Unsupported { kinds: self.settings.kinds.clone() })
    }
}

/// The write ended without an answer: the process is shutting down, or the write panicked.
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
