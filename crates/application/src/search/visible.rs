//! Hidden documents are not found: neither as documents that are like another one, nor by the words that a slip is taken for.

use std::collections::HashSet;

use quire_domain::DocumentId;
use quire_ports::{DocumentFilter, FindQuery, FoundOrder, PortResult, SearchIndex, Store, TextQuery};
use quire_understanding::search::Term;

use super::Correction;

/// Those of the documents that are not hidden.
pub(super) async fn visible_among(
    index: &dyn SearchIndex,
    mut documents: Vec<DocumentId>,
) -> PortResult<HashSet<DocumentId>> {
    documents.sort();
    documents.dedup();
    if documents.is_empty() {
        return Ok(HashSet::new());
    }
    let limit = u32::try_from(documents.len()).unwrap_or(u32::MAX);
    let find = FindQuery { among: Some(documents), limit, count_limit: limit, ..any_visible() };
    Ok(index.find(&find).await?.documents.into_iter().map(|document| document.id).collect())
}

/// The corrections without words that only hidden documents have. A word may be the name of a person.
pub(super) async fn visible_corrections(
    store: &Store,
    corrections: Vec<Correction>,
) -> PortResult<Vec<Correction>> {
    if corrections.is_empty() || store.documents.count(DocumentFilter::Hidden, 1).await? == 0 {
        return Ok(corrections);
    }
    let mut visible = Vec::with_capacity(corrections.len());
    for Correction { word, meant } in corrections {
        let mut kept = Vec::with_capacity(meant.len());
        for one in meant {
            let text = TextQuery { terms: vec![vec![Term::Word(one.clone())]], ..TextQuery::default() };
            if !store.search.find(&FindQuery { text, ..any_visible() }).await?.documents.is_empty() {
                kept.push(one);
            }
        }
        if !kept.is_empty() {
            visible.push(Correction { word, meant: kept });
        }
    }
    Ok(visible)
}

/// One of the documents that are not hidden.
fn any_visible() -> FindQuery {
    FindQuery {
        text: TextQuery::default(),
        conditions: Vec::new(),
        among: None,
        order: FoundOrder::Newest(None),
        limit: 1,
        count_limit: 1,
    }
}
