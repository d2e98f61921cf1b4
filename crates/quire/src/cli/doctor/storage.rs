//! The storage of files: whether it is the one of this database, and whether a file can be written, read and removed.

use quire_application::storage::{StorageMatch, compare_ids, probe_name};
use quire_ports::{BlobStore, PortResult};

use super::{CheckedInstallation, Finding};
use crate::wire;

/// The content of the file that is written for the check.
const PROBE: &[u8] = b"quire doctor\n";

pub(super) async fn storage(installation: &CheckedInstallation<'_>) -> Finding {
    let config = installation.config;
    let place = config.blob_location();
    if let Some(folder) = config.documents_folder().filter(|folder| !folder.is_dir()) {
        let message = format!("no storage folder at {}", folder.display());
        return match installation.store() {
            None => Finding::warning(message, "`quire serve` and `quire migrate up` create it"),
            Some(_) => Finding::error(
                message,
                "mount it, or name the folder of this database with storage.data or storage.documents",
            ),
        };
    }
    let remedy = match config.documents_folder() {
        Some(_) => "check that the folder is mounted and writable, and storage.data and storage.documents",
        None => "check storage.blobs, its credential in [storage.azure] or [storage.s3], and the network",
    };
    let blobs = match wire::blobs_of_any(config) {
        Ok(blobs) => blobs,
        Err(error) => return Finding::error(error.to_string(), remedy),
    };
    if let Some(store) = installation.store() {
        match compare_ids(store, &*blobs).await {
            Err(error) => return Finding::error(format!("{place}: {error}"), remedy),
            Ok(identified) => {
                if let Some(finding) = wrong_storage(identified, &place.to_string()) {
                    return finding;
                }
            }
        }
    }
    match write_read_and_remove(&*blobs).await {
        Err(error) => Finding::error(format!("{place}: {error}"), remedy),
        Ok(false) => Finding::error(
            format!("{place}: a file that was written was read back differently"),
            "check the disk; keep no documents there until it is fixed",
        ),
        Ok(true) => Finding::ok(format!("{place} stores and returns files")),
    }
}

/// What is wrong if the storage is not the one of the database.
fn wrong_storage(identified: Option<StorageMatch>, place: &str) -> Option<Finding> {
    match identified? {
        StorageMatch::Same => None,
        StorageMatch::StorageHasNone { database } => Some(Finding::error(
            format!("{place} has no installation id, and the database has {database}"),
            "mount the folder of this database, or name it with storage.data, storage.documents or storage.blobs",
        )),
        StorageMatch::Different { database, storage } => Some(Finding::error(
            format!("{place} belongs to another installation ({storage}) than the database ({database})"),
            "name the storage of this database with storage.data, storage.documents or storage.blobs",
        )),
    }
}

/// Whether a small file comes back as it was written.
async fn write_read_and_remove(blobs: &dyn BlobStore) -> PortResult<bool> {
    let name = probe_name();
    blobs.put(&name, PROBE.to_vec()).await?;
    let read = blobs.get(&name, PROBE.len() as u64).await;
    blobs.remove(&name).await?;
    Ok(read? == PROBE)
}
