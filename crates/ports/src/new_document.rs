//! Adding a document once, however often its upload is repeated.

use jiff::Timestamp;
use quire_domain::{Document, DocumentId, Event, NewRun, Run, RunId};

/// A document to add.
#[derive(Clone, Debug)]
pub struct NewDocument {
    /// The document.
    pub document: Document,
    /// Its first run; none where processing is switched off.
    pub run: Option<NewRun>,
    /// The events to record with it. The event of its run is not one of them: the store creates the run.
    pub events: Vec<Event>,
    /// By what a repetition is known, if the sender wants that.
    pub idempotency_key: Option<IdempotencyKey>,
}

impl NewDocument {
    /// A document that this actor uploads, without an idempotency key: each time is another document.
    pub fn by(actor: &str, document: &Document, run: Option<&NewRun>) -> Self {
        Self {
            document: document.clone(),
            run: run.cloned(),
            events: vec![document.uploaded(actor, document.created_at)],
            idempotency_key: None,
        }
    }
}

/// By what a repeated upload is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// Whose key it is; others may use the same.
    pub scope: String,
    /// The key that the sender chose.
    pub key: String,
    /// Which file of the request, from 0.
    pub place: u32,
    /// SHA-256 of everything that makes the request what it is.
    pub fingerprint: [u8; 32],
    /// A key that was used before this moment may be used again.
    pub kept_since: Timestamp,
}

/// The outcome of adding a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddOutcome {
    /// The document is stored.
    Added {
        /// Its first run as it is stored: with its language and its schema version.
        run: Option<Run>,
    },
    /// The same request was fulfilled before, and nothing was changed.
    AlreadyAdded {
        /// The document that the first request added.
        document: DocumentId,
        /// Its first run, if it got one.
        run: Option<RunId>,
    },
    /// The key belongs to another request, and nothing was changed.
    KeyReused,
}
