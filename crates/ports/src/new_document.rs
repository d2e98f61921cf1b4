//! Adding a document once, even if its upload is repeated.

use jiff::Timestamp;
use quire_domain::{Document, DocumentId, Event, NewRun, Run, RunId};

/// A document to add.
#[derive(Clone, Debug)]
pub struct NewDocument {
    /// The document.
    pub document: Document,
    /// Its first run; none if processing is switched off.
    pub run: Option<NewRun>,
    /// The events to record with the document. The store creates the run and records its event itself.
    pub events: Vec<Event>,
    /// The idempotency key, which identifies a repeated upload.
    pub idempotency_key: Option<IdempotencyKey>,
}

impl NewDocument {
    /// A document that this actor uploads without an idempotency key: each upload adds another document.
    pub fn uploaded_by(actor: &str, document: &Document, run: Option<&NewRun>) -> Self {
        Self {
            document: document.clone(),
            run: run.cloned(),
            events: vec![document.uploaded(actor, document.created_at)],
            idempotency_key: None,
        }
    }
}

/// The key that identifies a repeated upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// The owner of the key. Two owners may use the same key.
    pub owner: String,
    /// The key from the client.
    pub key: String,
    /// The position of the file in the request, from 0.
    pub position: u32,
    /// SHA-256 of every part that distinguishes the request from others.
    pub fingerprint: [u8; 32],
    /// A key that was last used before this time is free again.
    pub expired_before: Timestamp,
}

/// The outcome of adding a document.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)] // One value for each upload, and the large variant is the usual one.
pub enum AddOutcome {
    /// The document is stored.
    Added {
        /// Its first run as the store holds it: with its language and its schema version.
        run: Option<Run>,
    },
    /// An earlier request added the document. This request changed nothing.
    AlreadyAdded {
        /// The document that the first request added.
        document: DocumentId,
        /// The first run of that document, if it has one.
        run: Option<RunId>,
    },
    /// The key belongs to another request. This request changed nothing.
    KeyReused,
}
