//! The text that a run has read.

use quire_domain::{Run, RunId};
use quire_ports::{Artifact, PortError, PortResult, Store};

use crate::document::pages::RawTextArtifact;
use crate::{App, Error};

/// Why there is no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RawTextError {
    /// The run may still read it.
    #[error("the run has not read its document yet; ask again when it has ended")]
    NotReady,
    /// The run ended without it.
    #[error("the run ended without a text")]
    NotAvailable,
    /// The run has read it, but its file is gone.
    #[error("the file with the text of the run is gone; process the document again")]
    Missing,
    /// Storage has no such run, or does not answer.
    #[error(transparent)]
    Store(#[from] Error),
}

/// The text, whether or not the run went on well after it had read it.
pub async fn raw_text(app: &App, id: RunId) -> Result<String, RawTextError> {
    let (store, blobs) = (&app.store, &app.blobs);
    // The run first: one that has ended by then has produced all that it ever will.
    let run = store.history.run(id).await?;
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
    let text = blobs.get(&record.path, record.bytes).await.map_err(|error| match error {
        PortError::NotFound(_) => RawTextError::Missing,
        PortError::Conflict(error) => unreadable(&error).into(),
        error => error.into(),
    })?;
    Ok(String::from_utf8(text).map_err(|error| unreadable(&error))?)
}

/// The language in which a run has read its document; while it has not, the one that was asked for, if any.
pub(super) async fn language_used(store: &Store, run: &Run) -> PortResult<Option<String>> {
    let text = text_of(store, run.id).await?;
    let record = text.and_then(|artifact| serde_json::from_str::<RawTextArtifact>(&artifact.payload).ok());
    Ok(record.map(|text| text.language).or_else(|| run.language.clone()))
}

async fn text_of(store: &Store, run: RunId) -> PortResult<Option<Artifact>> {
    let artifacts = store.history.artifacts(run).await?;
    Ok(artifacts.into_iter().rfind(|artifact| artifact.artifact_type == RawTextArtifact::ARTIFACT))
}
