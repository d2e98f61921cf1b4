//! The list of documents by words, newest first, from the search index.

use std::collections::HashSet;

use quire_domain::DocumentId;
use quire_ports::{
    DocumentCondition, DocumentProperty, FindQuery, FoundDocuments, FoundOrder, PortResult, Store, TextQuery,
};
use quire_understanding::search::Query;

use super::{DocumentCount, DocumentList, DocumentView, ListRequest};
use crate::document::overviews;

/// A page of the documents that contain these words.
pub(super) async fn page(store: &Store, request: &ListRequest, text: &str) -> PortResult<DocumentList> {
    let Some(words) = text_query(text) else { return Ok(nothing(request)) };
    let wanted = request.offset.saturating_add(request.limit);
    let find = FindQuery {
        text: words,
        conditions: conditions(request),
        among: None,
        order: FoundOrder::Newest(request.after),
        limit: wanted.saturating_add(1),
        count_limit: FoundDocuments::MAX_COUNT,
    };
    let found = store.search.find(&find).await?;
    let has_more = found.documents.len() > wanted as usize;
    let shown = found.documents.into_iter().skip(request.offset as usize).take(request.limit as usize);
    let ids: Vec<DocumentId> = shown.map(|document| document.id).collect();
    let mut views = overviews(store, &ids).await?;
    let items: Vec<DocumentView> = ids.iter().filter_map(|id| views.remove(id)).collect();
    let total = DocumentCount { count: found.total, is_lower_bound: found.is_lower_bound };
    Ok(DocumentList {
        next: items.last().filter(|_| has_more).map(DocumentView::cursor),
        total: request.after.is_none().then_some(total),
        is_cut_short: false,
        items,
    })
}

/// Those of the documents that contain these words.
pub(super) async fn among(
    store: &Store,
    ids: &[DocumentId],
    text: &str,
    request: &ListRequest,
) -> PortResult<HashSet<DocumentId>> {
    let Some(words) = text_query(text) else { return Ok(HashSet::new()) };
    let limit = u32::try_from(ids.len()).unwrap_or(u32::MAX);
    let find = FindQuery {
        text: words,
        conditions: conditions(request),
        among: Some(ids.to_vec()),
        order: FoundOrder::Newest(None),
        limit,
        count_limit: FoundDocuments::MAX_COUNT,
    };
    let found = store.search.find(&find).await?;
    Ok(found.documents.into_iter().map(|document| document.id).collect())
}

/// The words of a text. None if it has none: signs alone are in no document.
fn text_query(text: &str) -> Option<TextQuery> {
    let query = Query::of_beginnings(text);
    let alone = |terms: Vec<_>| terms.into_iter().map(|term| vec![term]).collect();
    (!query.is_empty()).then(|| TextQuery {
        terms: alone(query.terms),
        any: false,
        excluded: alone(query.excluded),
    })
}

fn conditions(request: &ListRequest) -> Vec<DocumentCondition> {
    let status = request.status.map(DocumentProperty::Status);
    let review = request.review.map(DocumentProperty::Review);
    let condition = |property| DocumentCondition { property, is_negated: false };
    let hidden = request.hidden.then_some(DocumentProperty::Hidden);
    status.into_iter().chain(review).chain(hidden).map(condition).collect()
}

fn nothing(request: &ListRequest) -> DocumentList {
    let none = DocumentCount { count: 0, is_lower_bound: false };
    DocumentList { total: request.after.is_none().then_some(none), ..DocumentList::default() }
}
