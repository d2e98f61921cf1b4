//! Gives a database and its storage the same installation id, once.
//!
//! Without it, a worker with the wrong folder would take every document for one whose file is lost. The order of the
//! writes lets an interrupted call be repeated: a pending id in the storage, the id in the database, the id in the
//! storage. The database decides: a storage that has an id already never gets another one.

use std::sync::Arc;

use quire_domain::InstallationId;
use quire_ports::{BlobGuard, BlobRoot, BlobStore, DocumentListQuery, PortError, PortResult, Store};

use crate::Error;

/// The file at the top of the storage that has the id.
pub const ID_FILE: &str = "installation-id";
/// The file that has the id until the database has it.
const PENDING_FILE: &str = "installation-id.pending";
/// The file that a storage has while an installation is copied into it. It has the id of that installation.
const COPY_FILE: &str = "installation-id.copy";
/// How many of the newest documents are looked for in a storage that gets an id.
const SAMPLE: u32 = 20;

/// What a database and its storage have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageMatch {
    /// Both have the same id.
    Same,
    /// The storage has no id. It is not mounted, or it is another folder.
    StorageHasNone {
        /// The id of the database.
        database: InstallationId,
    },
    /// The storage belongs to another installation.
    Different {
        /// The id of the database.
        database: InstallationId,
        /// The id of the storage.
        storage: InstallationId,
    },
}

impl StorageMatch {
    /// What the ids say.
    pub(super) fn of(database: InstallationId, storage: Option<InstallationId>) -> Self {
        match storage {
            Some(storage) if storage == database => Self::Same,
            Some(storage) => Self::Different { database, storage },
            None => Self::StorageHasNone { database },
        }
    }
}

/// Why a database without an id cannot get one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    /// The storage belongs to another database.
    #[error(
        "the storage belongs to another installation ({storage}), and this database to none; name the storage of this \
         database with storage.data, storage.documents or storage.blobs. If that installation is gone for good, delete the \
         file installation-id at the top of the storage"
    )]
    StorageOfAnother {
        /// The id of the storage.
        storage: InstallationId,
    },
    /// The database has documents, and the storage has none of their files.
    #[error(
        "the database has documents, and the storage has none of their files; name the right one with storage.data, \
         storage.documents or storage.blobs"
    )]
    FilesElsewhere,
    /// The database or the storage does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// How long the originals of documents stay in the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginalsPolicy {
    /// As long as their documents exist.
    Kept,
    /// Until their documents are processed, as by `quire process`.
    Removed,
}

/// Compares the ids of the database and the storage. If the database has none, both get one.
pub async fn identify(
    store: &Store,
    blobs: &dyn BlobStore,
    originals: OriginalsPolicy,
) -> Result<StorageMatch, IdentityError> {
    if let Some(database) = store.installation.installation_id().await? {
        return Ok(compare(database, blobs).await?);
    }
    let evidence = look_for_documents(store, blobs).await?;
    let id = match (read(blobs, ID_FILE).await?, evidence) {
        (_, FileSample::FilesMissing) if originals == OriginalsPolicy::Kept => {
            return Err(IdentityError::FilesElsewhere);
        }
        // The database lost its id, because it was migrated down or restored from an old copy.
        (Some(storage), FileSample::FilesFound) => storage,
        (Some(storage), _) => return Err(IdentityError::StorageOfAnother { storage }),
        (None, _) => pending_id(blobs).await?,
    };
    let database = store.installation.set_installation_id(id).await?;
    Ok(compare(database, blobs).await?)
}

/// Compares the ids of the database and the storage, and changes nothing. None if the database has none.
pub async fn compare_ids(store: &Store, blobs: &dyn BlobStore) -> PortResult<Option<StorageMatch>> {
    let Some(database) = store.installation.installation_id().await? else { return Ok(None) };
    Ok(Some(StorageMatch::of(database, stored_id(blobs).await?)))
}

/// The id of a storage, if it has one.
pub(super) async fn stored_id(blobs: &dyn BlobStore) -> PortResult<Option<InstallationId>> {
    read(blobs, ID_FILE).await
}

/// Takes the id from a storage that gets another one.
pub(super) async fn remove_id(blobs: &dyn BlobStore) -> PortResult<()> {
    blobs.remove(ID_FILE).await.map(drop)
}

/// Gives a storage this id.
pub(super) async fn write_id(blobs: &dyn BlobStore, id: InstallationId) -> PortResult<()> {
    write(blobs, ID_FILE, id).await
}

/// Marks a storage as the target of a copy of this installation. Returns the storage, which works only while it has the mark:
/// a disk that is unmounted meanwhile must not leave files elsewhere.
pub(super) async fn begin_copy(
    blobs: &Arc<dyn BlobRoot>,
    source: InstallationId,
) -> PortResult<Arc<dyn BlobStore>> {
    write(&**blobs, COPY_FILE, source).await?;
    let check = move |content: Option<&[u8]>| {
        let marked = content.map(|content| parse(COPY_FILE, content)).transpose()?;
        if marked == Some(source) {
            return Ok(());
        }
        let reason = "the storage of the target has lost the mark of this copy; check that it is mounted, and run the \
                      command again";
        Err(PortError::Unavailable { service: "storage", reason: reason.to_owned(), contention: false })
    };
    Ok(blobs.guarded(BlobGuard { file: COPY_FILE, check: Arc::new(check) }))
}

/// The installation that is copied into a storage, if one is.
pub(super) async fn copied_id(blobs: &dyn BlobStore) -> PortResult<Option<InstallationId>> {
    read(blobs, COPY_FILE).await
}

/// Takes the mark of a copy that did not begin.
pub(super) async fn remove_copy_mark(blobs: &dyn BlobStore) -> PortResult<()> {
    blobs.remove(COPY_FILE).await.map(drop)
}

/// Gives the storage of a finished copy its id, and takes the mark.
pub(super) async fn end_copy(blobs: &dyn BlobStore, source: InstallationId) -> PortResult<()> {
    write_id(blobs, source).await?;
    remove_copy_mark(blobs).await
}

/// Takes the id of this database from the storage, after the database has lost it. The next [`identify`] gives both the
/// same id again.
pub async fn release_storage_id(blobs: &dyn BlobStore, database: InstallationId) -> PortResult<()> {
    if read(blobs, ID_FILE).await? == Some(database) {
        write(blobs, PENDING_FILE, database).await?;
        blobs.remove(ID_FILE).await?;
    }
    Ok(())
}

/// The id that an interrupted call left, or a new one.
async fn pending_id(blobs: &dyn BlobStore) -> PortResult<InstallationId> {
    if let Some(pending) = read(blobs, PENDING_FILE).await? {
        return Ok(pending);
    }
    let id = InstallationId::new();
    if blobs.put_new(PENDING_FILE, content(id)).await? {
        return Ok(id);
    }
    // Another process was quicker. Both take its id, whichever database call comes first.
    let pending = read(blobs, PENDING_FILE).await?;
    pending.ok_or_else(|| PortError::Conflict("another process is giving the storage its id".to_owned()))
}

async fn compare(database: InstallationId, blobs: &dyn BlobStore) -> PortResult<StorageMatch> {
    let found = StorageMatch::of(database, stored_id(blobs).await?);
    let is_pending = matches!(found, StorageMatch::StorageHasNone { .. })
        && read(blobs, PENDING_FILE).await? == Some(database);
    if !is_pending {
        return Ok(found);
    }
    write(blobs, ID_FILE, database).await?;
    blobs.remove(PENDING_FILE).await?;
    Ok(StorageMatch::Same)
}

/// What the files of the newest documents say about a storage.
enum FileSample {
    NoDocuments,
    FilesFound,
    FilesMissing,
}

async fn look_for_documents(store: &Store, blobs: &dyn BlobStore) -> PortResult<FileSample> {
    let query = DocumentListQuery { limit: SAMPLE, ..DocumentListQuery::default() };
    let newest = store.documents.list(query).await?;
    for overview in &newest {
        match blobs.get_range(&overview.document.storage_path, 0..0).await {
            Err(PortError::NotFound(_)) => {}
            found => return found.map(|_| FileSample::FilesFound),
        }
    }
    Ok(if newest.is_empty() { FileSample::NoDocuments } else { FileSample::FilesMissing })
}

/// The id in a file of the storage, if the file exists.
async fn read(blobs: &dyn BlobStore, file: &str) -> PortResult<Option<InstallationId>> {
    match blobs.get(file, BlobGuard::MAX_BYTES).await {
        Err(PortError::NotFound(_)) => Ok(None),
        found => parse(file, &found?).map(Some),
    }
}

/// The id in the content of a file.
pub(super) fn parse(file: &str, content: &[u8]) -> PortResult<InstallationId> {
    let id = std::str::from_utf8(content).ok().and_then(|text| text.trim().parse().ok());
    id.ok_or_else(|| PortError::Corrupt(format!("the file {file} of the storage has no id in it")))
}

async fn write(blobs: &dyn BlobStore, file: &str, id: InstallationId) -> PortResult<()> {
    blobs.put(file, content(id)).await
}

fn content(id: InstallationId) -> Vec<u8> {
    format!("{id}\n").into_bytes()
}

#[cfg(test)]
#[path = "identity_tests.rs"]
mod tests;
