//! Which documents match the filters of a request.

use std::collections::HashSet;

use quire_domain::DocumentId;
use quire_ports::{PortError, PortResult, Store};
use quire_understanding::search_query;

use super::ListRequest;
use crate::document::DocumentView;
use crate::{App, Result};

impl ListRequest {
    /// The matching documents. Values are searched only for documents whose name does not match.
    pub(super) async fn matching(
        &self,
        store: &Store,
        read: &[DocumentView],
    ) -> PortResult<HashSet<DocumentId>> {
        let id = |view: &&DocumentView| view.overview.document.id;
        let by_status = read.iter().filter(|view| self.matches_status(view));
        let Some(words) = self.words.as_deref().map(search_query) else {
            return Ok(by_status.map(|view| id(&view)).collect());
        };
        let (by_name, others): (Vec<_>, Vec<_>) = by_status
            .partition(|view| search_query(&view.overview.document.original_filename).contains(&words));
        let others: Vec<_> = others.iter().map(id).collect();
        let by_value = if others.is_empty() { others } else { store.reviews.search(&others, &words).await? };
        Ok(by_name.iter().map(id).chain(by_value).collect())
    }

    fn matches_status(&self, document: &DocumentView) -> bool {
        let status = self.status.is_none_or(|status| status == document.processing.status);
        status && self.review.is_none_or(|review| review == document.overview.document.review_status)
    }
}

/// The documents that pass the filters, in the given order. Purged documents are left out.
pub async fn by_ids(app: &App, ids: &[DocumentId], request: &ListRequest) -> Result<Vec<DocumentView>> {
    Ok(list_by_ids(&app.store, ids, request).await?)
}

pub(super) async fn list_by_ids(
    store: &Store,
    ids: &[DocumentId],
    request: &ListRequest,
) -> PortResult<Vec<DocumentView>> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        match store.documents.overview(*id).await {
            Ok(overview) => found.push(DocumentView::of(overview)),
            Err(PortError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let matching = request.matching(store, &found).await?;
    found.retain(|view| matching.contains(&view.overview.document.id));
    Ok(found)
}
