//! The documents that wait for a person, the least certain first.

use quire_ports::{ConfidenceCursor, LeastConfidentQuery};

use super::counts::Counted;
use super::{DocumentCount, DocumentView};
use crate::{App, Result};

/// A part of the documents that wait for a person: something was understood of them and nobody has checked it.
#[derive(Clone, Debug, Default)]
pub struct LeastConfidentList {
    /// The documents.
    pub items: Vec<DocumentView>,
    /// How many there are in all; not told to whoever goes on from a place.
    pub total: Option<DocumentCount>,
    /// Where the next part begins, if there is one.
    pub next: Option<ConfidenceCursor>,
}

/// Lists them.
pub async fn least_confident(app: &App, part: LeastConfidentQuery) -> Result<LeastConfidentList> {
    let store = &app.store;
    let one_more = LeastConfidentQuery { limit: part.limit.saturating_add(1), ..part };
    let found = store.documents.least_confident(one_more).await?;
    let mut items: Vec<DocumentView> = found.into_iter().map(DocumentView::of).collect();
    let has_more = items.len() > part.limit as usize;
    items.truncate(part.limit as usize);
    let next = items.last().filter(|_| has_more).and_then(place);
    let total = match part.after {
        Some(_) => None,
        None => Some(app.counts.total(store, Counted::Open).await?),
    };
    Ok(LeastConfidentList { items, total, next })
}

fn place(view: &DocumentView) -> Option<ConfidenceCursor> {
    let certainty = view.overview.confidence?;
    Some(ConfidenceCursor { confidence: certainty, id: view.overview.document.id })
}
