//! The versions of an interpretation.

use quire_domain::RunId;
use quire_ports::{InterpretationVersion, VersionHistoryEntry};

use crate::{App, Result};

/// The newest 200 versions of a run, oldest first, each with its changes against the version before it.
pub async fn versions(app: &App, run: RunId) -> Result<Vec<VersionHistoryEntry>> {
    // Distinguishes an unknown run from a run without an interpretation.
    app.store.run_reader.run(run).await?;
    Ok(app.store.reviews.versions(run).await?)
}

/// One version of a run, if the run has it.
pub async fn version(app: &App, run: RunId, number: u32) -> Result<Option<InterpretationVersion>> {
    Ok(app.store.reviews.version(run, Some(number)).await?)
}
