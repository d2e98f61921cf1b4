//! The pages of a document and the words of one page. The cost does not depend on the length of the document.

use quire_domain::reading::Page;
use quire_domain::{DocumentId, RunId};
use quire_ports::{BlobStore, PortError, PortResult, Store};

use super::PagesArtifact;
use crate::{App, Error, Result};

/// Why the words of a page cannot be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// A run read the page, but the file with its words is gone.
    #[error("the file with the words of this page is gone; process the document again")]
    FileMissing,
    /// There is no such document or page, or storage does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// The pages of a document. `NotFound` until a run has read it.
pub async fn list(app: &App, document: DocumentId) -> Result<(RunId, PagesArtifact)> {
    Ok(page_index(&app.store, document).await?)
}

/// The words on one page, counted from 1.
pub async fn page(app: &App, document: DocumentId, number: usize) -> Result<Page, PageError> {
    let error = match page_words(&app.store, &*app.blobs, document, number).await {
        Ok(page) => return Ok(page),
        Err(error) => error,
    };
    // A page in the index was read once, so only its file is missing.
    let is_listed = async || match page_index(&app.store, document).await {
        Ok((_, index)) => number <= index.pages.len(),
        Err(_) => false,
    };
    match error {
        PortError::NotFound(_) if is_listed().await => Err(PageError::FileMissing),
        error => Err(error.into()),
    }
}

/// The pages as the newest run read them. `NotFound` without such a document, or until a run has read it.
pub async fn page_index(store: &Store, document: DocumentId) -> PortResult<(RunId, PagesArtifact)> {
    let found = store.run_reader.latest_artifact(document.into(), PagesArtifact::ARTIFACT).await?;
    let Some((run, artifact)) = found else {
        store.documents.find(document).await?;
        return Err(PortError::NotFound(format!("the list of pages of document {document} (not read yet)")));
    };
    let index = serde_json::from_str(&artifact.payload)
        .map_err(|error| PortError::Corrupt(format!("the pages of run {run}: {error}")))?;
    Ok((run, index))
}

/// The words of one page, from 1, with their rectangles.
pub async fn page_words(
    store: &Store,
    blobs: &dyn BlobStore,
    document: DocumentId,
    number: usize,
) -> PortResult<Page> {
    let (run, index) = page_index(store, document).await?;
    let entry = number.checked_sub(1).and_then(|place| index.pages.get(place));
    let entry = entry.ok_or_else(|| {
        PortError::NotFound(format!(
            "page {number} of document {document} (which has {} pages)",
            index.pages.len()
        ))
    })?;
    let line = blobs.get_range(&index.path, entry.start..entry.end).await?;
    if !entry.is_line(&line) {
        return Err(PortError::Corrupt(format!("page {number} of run {run} is not what was stored")));
    }
    serde_json::from_slice(&line)
        .map_err(|error| PortError::Corrupt(format!("page {number} of run {run}: {error}")))
}
