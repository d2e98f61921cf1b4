//! One document with its status.

use std::collections::HashMap;

use quire_domain::{Document, DocumentId, StatusDetails, status_of};
use quire_ports::{DocumentCursor, DocumentOverview, PortResult, Store};

use super::pages::RawTextArtifact;
use crate::{App, Result};

/// A document with its status.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentView {
    /// The stored document.
    pub overview: DocumentOverview,
    /// The processing status.
    pub processing: StatusDetails,
    /// The language in which its latest run read it; until then the requested language, if any.
    pub language_used: Option<String>,
}

impl DocumentView {
    pub(super) fn of(overview: DocumentOverview) -> Self {
        let processing = status_of(overview.latest_run.as_ref().map(|run| &run.state));
        let asked_for = overview.latest_run.as_ref().and_then(|run| run.language.clone());
        let language_used = overview.text.as_deref().and_then(language_of).or(asked_for);
        Self { overview, processing, language_used }
    }

    pub(super) fn cursor(&self) -> DocumentCursor {
        let document = &self.overview.document;
        DocumentCursor { created_at: document.created_at, id: document.id }
    }
}

/// The language of a text, from the payload of its artifact.
fn language_of(payload: &str) -> Option<String> {
    serde_json::from_str::<RawTextArtifact>(payload).ok().map(|text| text.language)
}

/// The document of that id.
pub async fn detail(app: &App, id: DocumentId) -> Result<DocumentView> {
    Ok(DocumentView::of(app.store.documents.overview(id).await?))
}

/// The documents of these ids. Those that do not exist are left out.
pub(crate) async fn overviews(
    store: &Store,
    ids: &[DocumentId],
) -> PortResult<HashMap<DocumentId, DocumentView>> {
    let found = store.documents.overviews(ids).await?;
    Ok(found.into_iter().map(|overview| (overview.document.id, DocumentView::of(overview))).collect())
}

/// The stored record of that document, without its runs.
pub async fn find(app: &App, id: DocumentId) -> Result<Document> {
    Ok(app.store.documents.find(id).await?)
}

/// Duplicates that are listed at most.
const MAX_DUPLICATES: u32 = 20;

/// The other documents with the same content, newest first.
pub async fn duplicates(app: &App, document: &Document) -> Result<Vec<DocumentId>> {
    Ok(app.store.documents.duplicates(document, MAX_DUPLICATES).await?)
}
