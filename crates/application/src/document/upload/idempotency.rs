//! Repeated uploads: the idempotency key identifies them, and the answer is that of the first upload.

use jiff::SignedDuration;
use quire_domain::{Document, DocumentId, ReviewStatus, Run, RunId};
use quire_ports::{DocumentOverview, IdempotencyKey, PortResult, Store};
use sha2::{Digest as _, Sha256};

use super::FirstRunOptions;
use crate::document::DocumentView;

/// How long an idempotency key is valid.
const KEY_LIFETIME: SignedDuration = SignedDuration::from_hours(24);

/// An idempotency key of a request, and the position of a file in that request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadKey {
    /// The key.
    pub key: String,
    /// The position of the file in the request, from 0.
    pub position: u32,
    /// Whether this is the last file. A request with one more file is a different request.
    pub is_last: bool,
}

/// The parts of an upload that identify it.
pub(super) struct UploadIdentity<'a> {
    pub document: &'a Document,
    pub first: Option<&'a FirstRunOptions>,
    /// The requested schema.
    pub schema: Option<&'a str>,
}

impl UploadKey {
    /// The key of this upload. Its fingerprint covers the content, the name and every option of the request.
    pub(super) fn for_upload(&self, owner: &str, upload: &UploadIdentity<'_>) -> IdempotencyKey {
        let UploadIdentity { document, first, schema } = upload;
        let mut hash = Sha256::new();
        hash.update(document.content_hash);
        hash.update([u8::from(self.is_last)]);
        hash.update(first.map_or("", |first| first.priority.as_str()));
        // A zero byte ends the schema name. No schema name contains one.
        if let Some(schema) = schema {
            hash.update([1]);
            hash.update(schema);
        }
        if let Some(extractor) = first.and_then(|first| first.extractor) {
            hash.update([2]);
            hash.update(extractor.as_str());
        }
        // The name comes last because it alone may have any length or content.
        hash.update([0]);
        hash.update(&document.original_filename);
        IdempotencyKey {
            owner: owner.to_owned(),
            key: self.key.clone(),
            position: self.position,
            fingerprint: hash.finalize().into(),
            expired_before: document.created_at.saturating_sub(KEY_LIFETIME).unwrap_or(document.created_at),
        }
    }
}

/// A document as the first upload returned it, without later changes.
pub(super) async fn as_first_returned(
    store: &Store,
    id: DocumentId,
    run: Option<RunId>,
) -> PortResult<DocumentView> {
    let document = store.documents.find(id).await?;
    let run = match run {
        Some(run) => Some(store.run_reader.run(run).await?.as_created()),
        None => None,
    };
    let language_override = run.as_ref().and_then(|run| run.language.clone());
    let document = Document { review_status: ReviewStatus::InReview, language_override, ..document };
    Ok(as_added(document, run))
}

/// A new document with its first run.
pub(super) fn as_added(document: Document, run: Option<Run>) -> DocumentView {
    DocumentView::of(DocumentOverview {
        updated_at: document.created_at,
        document,
        reviewed_at: None,
        reviewed_by: None,
        latest_run: run,
        text: None,
        confidence: None,
        hidden: None,
    })
}
