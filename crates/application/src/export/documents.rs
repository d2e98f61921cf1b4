//! What was understood of many documents, a few at a time.

use std::sync::Arc;

use quire_ports::InterpretationVersion;

use crate::document::{self, DocumentView, ListRequest};
use crate::{App, Result};

/// Documents looked at in one go: enough to be quick, and never much in memory.
const STRIDE: u32 = 100;

/// A document with the active version of what was understood of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportedDocument {
    /// The document.
    pub view: DocumentView,
    /// What was understood.
    pub version: InterpretationVersion,
}

/// A walk along the list of documents, newest first.
pub struct Export {
    app: Arc<App>,
    request: ListRequest,
    is_over: bool,
}

impl Export {
    /// Of the documents that a list with these filters has; its limit and offset do not count.
    pub fn new(app: Arc<App>, filters: ListRequest) -> Self {
        let request = ListRequest { limit: STRIDE, offset: 0, after: None, ..filters };
        Self { app, request, is_over: false }
    }

    /// The next few, of those in which something was understood. None when there are no more. An empty part says nothing
    /// about those after it.
    pub async fn next(&mut self) -> Result<Option<Vec<ExportedDocument>>> {
        if self.is_over {
            return Ok(None);
        }
        let part = document::list(&self.app, &self.request).await?;
        self.request.after = part.next;
        self.is_over = part.next.is_none();
        let ids: Vec<_> = part.items.iter().map(|view| view.overview.document.id).collect();
        let mut versions = self.app.store.reviews.active_versions(&ids).await?.into_iter().peekable();
        let mut exported = Vec::with_capacity(part.items.len());
        for view in part.items {
            // Both are in the order of the list.
            if let Some((_, version)) = versions.next_if(|(id, _)| *id == view.overview.document.id) {
                exported.push(ExportedDocument { view, version });
            }
        }
        Ok(Some(exported))
    }
}
