//! The same upload a second time: known by its key, answered as the first time.

use jiff::SignedDuration;
use quire_domain::{Document, DocumentId, ReviewStatus, Run, RunId};
use quire_ports::{DocumentOverview, IdempotencyKey, PortResult, Store};
use sha2::{Digest as _, Sha256};

use super::FirstRun;
use crate::document::DocumentView;

/// How long a key is remembered.
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// A key that the sender chose for a request, and which of its files this is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadKey {
    /// The key.
    pub key: String,
    /// The file's place in the request, from 0.
    pub place: u32,
    /// Whether no other file follows. A request with one more is another one.
    pub is_last: bool,
}

/// What makes two uploads the same.
pub(super) struct UploadIdentity<'w> {
    pub document: &'w Document,
    pub first: Option<&'w FirstRun>,
    /// The schema, if the sender asked for one.
    pub schema: Option<&'w str>,
}

impl UploadKey {
    /// The key of this upload: its fingerprint is made of the content, the name and everything the sender asked for.
    pub(super) fn of(&self, scope: &str, upload: &UploadIdentity<'_>) -> IdempotencyKey {
        let UploadIdentity { document, first, schema } = upload;
        let mut hash = Sha256::new();
        hash.update(document.content_hash);
        hash.update([u8::from(self.is_last)]);
        hash.update(first.map_or("", |first| first.priority.as_str()));
        // No name of a schema has the byte that ends it here.
        if let Some(schema) = schema {
            hash.update([1]);
            hash.update(schema);
        }
        // Last, since it is the one part that may have any length or content.
        hash.update([0]);
        hash.update(&document.original_filename);
        IdempotencyKey {
            scope: scope.to_owned(),
            key: self.key.clone(),
            place: self.place,
            fingerprint: hash.finalize().into(),
            kept_since: document.created_at.saturating_sub(KEPT).unwrap_or(document.created_at),
        }
    }
}

/// A document as it was answered when it was added, whatever became of it since.
pub(super) async fn recall(store: &Store, id: DocumentId, run: Option<RunId>) -> PortResult<DocumentView> {
    let document = store.documents.find(id).await?;
    let run = match run {
        Some(run) => Some(store.history.run(run).await?.as_created()),
        None => None,
    };
    let language_override = run.as_ref().and_then(|run| run.language.clone());
    let document = Document { review_status: ReviewStatus::InReview, language_override, ..document };
    Ok(as_added(document, run))
}

/// A document that was just added, with its first run.
pub(super) fn as_added(document: Document, run: Option<Run>) -> DocumentView {
    DocumentView::of(DocumentOverview {
        updated_at: document.created_at,
        document,
        reviewed_at: None,
        reviewed_by: None,
        latest_run: run,
        text: None,
        confidence: None,
    })
}
