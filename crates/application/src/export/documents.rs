//! The interpretations of many documents, a few at a time.

use std::sync::Arc;

use quire_ports::InterpretationVersion;

use super::KeyColumns;
use crate::document::{self, DocumentView, ListRequest};
use crate::{App, Result};

/// Documents read at once.
const DOCUMENTS_PER_QUERY: u32 = 100;

/// A document with its active interpretation.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportedDocument {
    /// The document.
    pub view: DocumentView,
    /// The active version.
    pub version: InterpretationVersion,
}

/// A cursor over the documents, newest first.
pub struct Export {
    app: Arc<App>,
    request: ListRequest,
    is_over: bool,
}

impl Export {
    /// Exports the documents that pass these filters. The limit and the offset are ignored.
    pub fn new(app: Arc<App>, filters: ListRequest) -> Self {
        let request = ListRequest { limit: DOCUMENTS_PER_QUERY, offset: 0, after: None, ..filters };
        Self { app, request, is_over: false }
    }

    /// The columns of a table with one row per document. Reads all documents for their keys.
    pub async fn key_columns(app: Arc<App>, filters: ListRequest) -> Result<KeyColumns> {
        let mut columns = KeyColumns::default();
        let mut export = Self::new(app, filters);
        while let Some(documents) = export.next().await? {
            for document in &documents {
                columns.add(&document.version.data.fields);
            }
        }
        Ok(columns)
    }

    /// The next documents that have an interpretation; none at the end. An empty part does not mean the end.
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
            // Both lists have the same order.
            if let Some((_, version)) = versions.next_if(|(id, _)| *id == view.overview.document.id) {
                exported.push(ExportedDocument { view, version });
            }
        }
        Ok(Some(exported))
    }
}
