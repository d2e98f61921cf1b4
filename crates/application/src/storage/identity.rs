//! Gives a database and its storage the same installation id, once.
//!
//! Without it, a worker with the wrong folder would take every document for one whose file is lost. The order of the
//! writes lets an interrupted call be repeated: a pending id in the storage, the id in the database, the id in the
//! storage. The database decides: a storage that has an id already never gets another one.

use quire_domain::InstallationId;
use quire_ports::{BlobGuard, BlobStore, DocumentListQuery, PortError, PortResult, Store};

use crate::Error;

/// The file at the top of the storage that has the id.
pub(super) const ID_FILE: &str = "installation-id";
/// The file that has the id until the database has it.
const PENDING_FILE: &str = "installation-id.pending";
/// How many of the newest documents are looked for in a storage that gets an id.
const SAMPLE: u32 = 20;

/// What a database and its storage have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identified {
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

/// Why a database without an id cannot get one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IdentityError {
    /// The storage belongs to another database.
    #[error(
        "the storage folder belongs to another installation ({storage}), and this database to none; name the folder of \
         this database with storage.data or storage.documents. If that installation is gone for good, delete the file installation-id in the \
         storage folder"
    )]
    StorageOfAnother {
        /// The id of the storage.
        storage: InstallationId,
    },
    /// The database has documents, and the storage has none of their files.
    #[error(
        "the database has documents, and the storage folder has none of their files; name the right folder with \
         storage.data or storage.documents"
    )]
    FilesElsewhere,
    /// The database or the storage does not answer.
    #[error(transparent)]
    Store(#[from] Error),
}

/// Whether the originals of documents stay in the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Originals {
    /// As long as their documents exist.
    Kept,
    /// Until their documents are processed, as by `quire process`.
    Removed,
}

/// Compares the ids of the database and the storage. If the database has none, both get one.
pub async fn identify(
    store: &Store,
    blobs: &dyn BlobStore,
    originals: Originals,
) -> Result<Identified, IdentityError> {
    if let Some(database) = store.installation.installation_id().await? {
        return Ok(compare(database, blobs).await?);
    }
    let evidence = look_for_documents(store, blobs).await?;
    let id = match (read(blobs, ID_FILE).await?, evidence) {
        (_, Evidence::FilesMissing) if originals == Originals::Kept => {
            return Err(IdentityError::FilesElsewhere);
        }
        // The database lost its id, because it was migrated down or restored from an old copy.
        (Some(storage), Evidence::FilesFound) => storage,
        (Some(storage), _) => return Err(IdentityError::StorageOfAnother { storage }),
        (None, _) => pending_id(blobs).await?,
    };
    let database = store.installation.set_installation_id(id).await?;
    Ok(compare(database, blobs).await?)
}

/// Takes the id of this database from the storage, after the database has lost it. The next [`identify`] gives both the
/// same id again.
pub async fn forget(blobs: &dyn BlobStore, database: InstallationId) -> PortResult<()> {
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
    write(blobs, PENDING_FILE, id).await?;
    Ok(id)
}

async fn compare(database: InstallationId, blobs: &dyn BlobStore) -> PortResult<Identified> {
    match read(blobs, ID_FILE).await? {
        Some(storage) if storage == database => Ok(Identified::Same),
        Some(storage) => Ok(Identified::Different { database, storage }),
        None if read(blobs, PENDING_FILE).await? == Some(database) => {
            write(blobs, ID_FILE, database).await?;
            blobs.remove(PENDING_FILE).await?;
            Ok(Identified::Same)
        }
        None => Ok(Identified::StorageHasNone { database }),
    }
}

/// What the files of the newest documents say about a storage.
enum Evidence {
    NoDocuments,
    FilesFound,
    FilesMissing,
}

async fn look_for_documents(store: &Store, blobs: &dyn BlobStore) -> PortResult<Evidence> {
    let query = DocumentListQuery { limit: SAMPLE, ..DocumentListQuery::default() };
    let newest = store.documents.list(query).await?;
    for overview in &newest {
        match blobs.get_range(&overview.document.storage_path, 0..0).await {
            Err(PortError::NotFound(_)) => {}
            found => return found.map(|_| Evidence::FilesFound),
        }
    }
    Ok(if newest.is_empty() { Evidence::NoDocuments } else { Evidence::FilesMissing })
}

/// The id in a file of the storage, if the file exists.
async fn read(blobs: &dyn BlobStore, file: &str) -> PortResult<Option<InstallationId>> {
    let content = match blobs.get(file, BlobGuard::MAX_BYTES).await {
        Err(PortError::NotFound(_)) => return Ok(None),
        content => content?,
    };
    parse(file, &content).map(Some)
}

/// The id in the content of a file.
pub(super) fn parse(file: &str, content: &[u8]) -> PortResult<InstallationId> {
    let id = std::str::from_utf8(content).ok().and_then(|text| text.trim().parse().ok());
    id.ok_or_else(|| PortError::Corrupt(format!("the file {file} of the storage has no id in it")))
}

async fn write(blobs: &dyn BlobStore, file: &str, id: InstallationId) -> PortResult<()> {
    blobs.put(file, format!("{id}\n").into_bytes()).await
}

#[cfg(test)]
#[path = "identity_tests.rs"]
mod tests;
