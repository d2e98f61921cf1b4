//! The next document that waits for a reviewer.

use jiff::ToSpan as _;
use quire_domain::{DocumentId, DocumentStatus, ReviewStatus};
use quire_ports::{ConfidenceCursor, DocumentCursor, LeastConfidentQuery};
use uuid::Uuid;

use crate::document::{self, ListRequest};
use crate::{App, Result};

/// How often the search continues after a scan stopped at its limit.
const MOST_PARTS: usize = 5;

/// The next document by confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NextLeastConfident {
    /// The document.
    pub id: DocumentId,
    /// Its confidence, from which the next search continues.
    pub confidence: Option<f64>,
}

/// The next document to review after this one, newest first. After the oldest the search starts again at the newest.
pub async fn next_newest(app: &App, here: DocumentId) -> Result<Option<DocumentId>> {
    let here = app.store.documents.find(here).await?;
    let place = DocumentCursor { created_at: here.created_at, id: here.id };
    let newest = app.store.clock.now().saturating_add(1.hour()).unwrap_or(here.created_at);
    let begin = DocumentCursor { created_at: newest, id: DocumentId(Uuid::max()) };
    for after in [place, begin] {
        if let Some(next) = first_after(app, after).await?.filter(|next| *next != here.id) {
            return Ok(Some(next));
        }
    }
    Ok(None)
}

/// The next document to review after this one, least confident first. `at` is the confidence of this document when the
/// reviewer opened it, because an edit changes its place in this order. After the last document the search starts again
/// at the first.
pub async fn next_least_confident(
    app: &App,
    here: DocumentId,
    at: Option<f64>,
) -> Result<Option<NextLeastConfident>> {
    let place = match at.filter(|at| (0.0..=1.0).contains(at)) {
        Some(at) => Some(at),
        None => app.store.documents.overview(here).await?.confidence,
    };
    let after = place.map(|confidence| ConfidenceCursor { confidence, id: here });
    for after in [after, None] {
        let query = LeastConfidentQuery { after, limit: 2, ..LeastConfidentQuery::default() };
        let found = app.store.documents.least_confident(query).await?;
        if let Some(next) = found.iter().find(|one| one.document.id != here) {
            return Ok(Some(NextLeastConfident { id: next.document.id, confidence: next.confidence }));
        }
    }
    Ok(None)
}

async fn first_after(app: &App, after: DocumentCursor) -> Result<Option<DocumentId>> {
    let mut after = Some(after);
    for _ in 0..MOST_PARTS {
        let request = ListRequest {
            limit: 1,
            after,
            status: Some(DocumentStatus::Completed),
            review: Some(ReviewStatus::InReview),
            ..ListRequest::default()
        };
        let found = document::list(app, &request).await?;
        if let Some(view) = found.items.first() {
            return Ok(Some(view.overview.document.id));
        }
        after = found.next;
        if !found.is_cut_short || after.is_none() {
            return Ok(None);
        }
    }
    Ok(None)
}
