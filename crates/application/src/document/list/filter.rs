//! Which documents match the filters of a request.

use quire_domain::DocumentId;
use quire_ports::{PortError, PortResult, Store};

use super::{ListRequest, words};
use crate::document::DocumentView;
use crate::{App, Result};

impl ListRequest {
    pub(super) fn matches(&self, document: &DocumentView) -> bool {
        let is_listed = self.hidden == document.overview.hidden.is_some();
        let status = self.status.is_none_or(|status| status == document.processing.status);
        is_listed
            && status
            && self.review.is_none_or(|review| review == document.overview.document.review_status)
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
    found.retain(|view| request.matches(view));
    if let Some(text) = &request.words {
        let matching = words::among(store, ids, text, request).await?;
        found.retain(|view| matching.contains(&view.overview.document.id));
    }
    Ok(found)
}
