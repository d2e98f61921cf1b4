//! Which pages a document has, and the words on one of them. What it costs does not depend on how long the document is.

use quire_domain::reading::Page;
use quire_domain::{DocumentId, RunId};
use quire_ports::{BlobStore, PortError, PortResult, Store};

use super::PageIndex;

/// The pages as the newest run that read the document left them. `NotFound` if there is no such document, or none has
/// read it yet.
pub async fn list(store: &Store, document: DocumentId) -> PortResult<(RunId, PageIndex)> {
    let found = store.history.latest_artifact(document.into(), PageIndex::ARTIFACT).await?;
    let Some((run, artifact)) = found else {
        store.documents.find(document).await?;
        return Err(PortError::NotFound(format!(
            "the pages of document {document}; it has not been read yet"
        )));
    };
    let index = serde_json::from_str(&artifact.payload)
        .map_err(|error| PortError::Corrupt(format!("the pages of run {run}: {error}")))?;
    Ok((run, index))
}

/// The words on one page, from 1, with their places.
pub async fn page(
    store: &Store,
    blobs: &dyn BlobStore,
    document: DocumentId,
    number: usize,
) -> PortResult<Page> {
    let (run, index) = list(store, document).await?;
    let entry = number.checked_sub(1).and_then(|place| index.pages.get(place));
    let entry = entry.ok_or_else(|| {
        PortError::NotFound(format!(
            "page {number} of document {document}; it has {} pages",
            index.pages.len()
        ))
    })?;
    let line = blobs.get_range(&index.path, entry.start..entry.end).await?;
    serde_json::from_slice(&line)
        .map_err(|error| PortError::Corrupt(format!("page {number} of run {run}: {error}")))
}
