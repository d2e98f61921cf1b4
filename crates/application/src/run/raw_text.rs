//! The text of a run.

use quire_domain::{Run, RunId};
use quire_ports::{Artifact, PortError, PortResult, Store};

use crate::document::pages::{MAX_PAGES_BYTES, PagesArtifact, RawTextArtifact};
use crate::{App, Error};

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RawTextError {
    /// The run has not read the text yet.
    #[error("the run has not read its document yet; retry when it has ended")]
    NotReady,
    /// The run ended without a text.
    #[error("the run ended without a text; GET /runs/ID says why")]
    NotAvailable,
    /// The run has read the text, but its file is gone.
    #[error("the file with the text of the run is gone; process the document again")]
    Missing,
    /// There is no such run, or the database does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// The text that a run read, even if the run failed later.
pub async fn raw_text(app: &App, id: RunId) -> Result<String, RawTextError> {
    let (store, blobs) = (&app.store, &app.blobs);
    // Read the run before its artifacts: an ended run produces no more artifacts.
    let run = store.run_reader.run(id).await?;
    let Some(artifact) = text_of(store, id).await? else {
        return Err(if run.state.is_terminal() {
            RawTextError::NotAvailable
        } else {
            RawTextError::NotReady
        });
    };
    let unreadable =
        |error: &dyn std::fmt::Display| PortError::Corrupt(format!("the text of run {id}: {error}"));
    let record: RawTextArtifact =
        serde_json::from_str(&artifact.payload).map_err(|error| unreadable(&error))?;
    let text = match blobs.get(&record.path, record.bytes).await {
        Ok(text) if record.is_content(&text) => text,
        // The file is gone, or a worker that had lost the run wrote another text to it.
        Ok(_) | Err(PortError::NotFound(_) | PortError::Conflict(_)) => {
            text_of_pages(app, id, &record).await?.ok_or(RawTextError::Missing)?
        }
        Err(error) => return Err(error.into()),
    };
    Ok(String::from_utf8(text).map_err(|error| unreadable(&error))?)
}

/// The text as the pages of the run have it, if it is the text that the run stored. Only its worker writes the file of
/// the pages.
async fn text_of_pages(app: &App, id: RunId, record: &RawTextArtifact) -> PortResult<Option<Vec<u8>>> {
    if record.sha256.is_none() {
        return Ok(None);
    }
    let artifacts = app.store.run_reader.artifacts(id).await?;
    let pages = artifacts.into_iter().rfind(|artifact| artifact.artifact_type == PagesArtifact::ARTIFACT);
    let Some(index) = pages.and_then(|pages| serde_json::from_str::<PagesArtifact>(&pages.payload).ok())
    else {
        return Ok(None);
    };
    let lines = match app.blobs.get(&index.path, MAX_PAGES_BYTES).await {
        Err(PortError::NotFound(_) | PortError::Conflict(_)) => return Ok(None),
        lines => lines?,
    };
    let text = PagesArtifact::reading(&lines).ok().map(|reading| reading.plain_text().text.into_bytes());
    Ok(text.filter(|text| record.is_content(text)))
}

/// The language in which a run read its document; until then the requested language, if any.
pub(super) async fn language_used(store: &Store, run: &Run) -> PortResult<Option<String>> {
    let text = text_of(store, run.id).await?;
    let record = text.and_then(|artifact| serde_json::from_str::<RawTextArtifact>(&artifact.payload).ok());
    Ok(record.map(|text| text.language).or_else(|| run.language.clone()))
}

async fn text_of(store: &Store, run: RunId) -> PortResult<Option<Artifact>> {
    let artifacts = store.run_reader.artifacts(run).await?;
    Ok(artifacts.into_iter().rfind(|artifact| artifact.artifact_type == RawTextArtifact::ARTIFACT))
}
