//! The documents that wait for a person, the least certain first.

use quire_ports::{CertaintyPlace, LeastCertainPart, PortResult, Store};

use super::counts::{Counted, Counts};
use super::{DocumentView, Total};

/// A part of the documents that wait for a person: something was understood of them and nobody has checked it.
#[derive(Clone, Debug, Default)]
pub struct LeastCertain {
    /// The documents.
    pub items: Vec<DocumentView>,
    /// How many there are in all; not told to whoever goes on from a place.
    pub total: Option<Total>,
    /// Where the next part begins, if there is one.
    pub next: Option<CertaintyPlace>,
}

/// Lists them.
pub async fn least_certain(
    store: &Store,
    counts: &Counts,
    part: LeastCertainPart,
) -> PortResult<LeastCertain> {
    let one_more = LeastCertainPart { limit: part.limit.saturating_add(1), ..part };
    let found = store.documents.least_certain(one_more).await?;
    let mut items: Vec<DocumentView> = found.into_iter().map(DocumentView::of).collect();
    let has_more = items.len() > part.limit as usize;
    items.truncate(part.limit as usize);
    let next = items.last().filter(|_| has_more).and_then(place);
    let total = match part.after {
        Some(_) => None,
        None => Some(counts.total(store, Counted::Open).await?),
    };
    Ok(LeastCertain { items, total, next })
}

fn place(view: &DocumentView) -> Option<CertaintyPlace> {
    let certainty = view.overview.certainty?;
    Some(CertaintyPlace { certainty, id: view.overview.document.id })
}
