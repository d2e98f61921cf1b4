//! How an interpretation came to be what it is.

use quire_domain::RunId;
use quire_ports::{PortResult, Store, VersionHistoryEntry};

/// The versions of a run, the newest two hundred, oldest first, with the changes that made each.
pub async fn versions(store: &Store, run: RunId) -> PortResult<Vec<VersionHistoryEntry>> {
    // So that a run that is not there is told from one that has understood nothing.
    store.history.run(run).await?;
    store.reviews.versions(run).await
}
