//! Taking a document in, and knowing a repetition of the same wish.

use jiff::Timestamp;
use quire_domain::{Document, DocumentId, NewRun, RunId};

/// A document to take in.
#[derive(Clone, Copy, Debug)]
pub struct NewDocument<'a> {
    /// The document.
    pub document: &'a Document,
    /// Its first run; none where processing is switched off.
    pub run: Option<&'a NewRun>,
    /// Who brings it.
    pub actor: &'a str,
    /// By what a repetition is known, if its sender wants that.
    pub key: Option<&'a IdempotencyKey>,
}

impl<'a> NewDocument<'a> {
    /// Without a key: each time is another document.
    pub fn by(actor: &'a str, document: &'a Document, run: Option<&'a NewRun>) -> Self {
        Self { document, run, actor, key: None }
    }
}

/// By what a wish is known when it is repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// Whose key it is; others may use the same.
    pub scope: String,
    /// The key that the sender chose.
    pub key: String,
    /// Which file of the request, from 0.
    pub place: u32,
    /// SHA-256 of all that makes the wish what it is.
    pub fingerprint: [u8; 32],
    /// A key that was used before this moment is as good as new.
    pub kept_since: Timestamp,
}

/// What became of a document that was brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddOutcome {
    /// It was taken in.
    Added,
    /// The same wish was fulfilled before, and nothing was changed.
    AlreadyAdded {
        /// The document of that time.
        document: DocumentId,
        /// Its first run, if it got one.
        run: Option<RunId>,
    },
    /// The key belongs to another wish, and nothing was changed.
    KeyReused,
}
