//! The documents that wait for a review, least confident first.

use quire_ports::{ConfidenceCursor, LeastConfidentQuery};

use super::counts::Counted;
use super::{DocumentCount, DocumentView};
use crate::{App, Result};

/// A page of documents that have an interpretation and wait for a review.
#[derive(Clone, Debug, Default)]
pub struct LeastConfidentList {
    /// The documents.
    pub items: Vec<DocumentView>,
    /// The number of documents; absent after a cursor.
    pub total: Option<DocumentCount>,
    /// The cursor of the next page, if there is one.
    pub next: Option<ConfidenceCursor>,
}

/// Lists the documents that wait for a review.
pub async fn least_confident(app: &App, part: LeastConfidentQuery) -> Result<LeastConfidentList> {
    let store = &app.store;
    let one_more = LeastConfidentQuery { limit: part.limit.saturating_add(1), ..part };
    let found = store.documents.least_confident(one_more).await?;
    let mut items: Vec<DocumentView> = found.into_iter().map(DocumentView::of).collect();
    let has_more = items.len() > part.limit as usize;
    items.truncate(part.limit as usize);
    let next = items.last().filter(|_| has_more).and_then(cursor);
    let total = match part.after {
        Some(_) => None,
        None => Some(app.counts.total(store, Counted::Open).await?),
    };
    Ok(LeastConfidentList { items, total, next })
}

fn cursor(view: &DocumentView) -> Option<ConfidenceCursor> {
    let confidence = view.overview.confidence?;
    Some(ConfidenceCursor { confidence, id: view.overview.document.id })
}
