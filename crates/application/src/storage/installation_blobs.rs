//! The storage of one installation. It refuses to work while the storage carries another id or none.
//!
//! A folder whose disk is not mounted is an empty folder. Without this check its files would look lost, and new files
//! would go to the wrong disk.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::InstallationId;
use quire_ports::{BlobStore, BlobWriter, Installation, PortError, PortResult};

use super::identity::{ID_FILE, read};

/// A storage that works only while it has the id of the database.
#[derive(Clone)]
pub struct InstallationBlobs {
    blobs: Arc<dyn BlobStore>,
    installation: Arc<dyn Installation>,
    /// The id of the database. It never changes, so it is read once.
    id: Arc<OnceLock<InstallationId>>,
}

impl InstallationBlobs {
    /// The storage of this installation.
    pub fn new(blobs: Arc<dyn BlobStore>, installation: Arc<dyn Installation>) -> Self {
        Self { blobs, installation, id: Arc::default() }
    }

    /// Fails unless the storage has the id of the database.
    async fn verify(&self) -> PortResult<()> {
        let database = self.database_id().await?;
        match read(&*self.blobs, ID_FILE).await? {
            Some(storage) if storage == database => Ok(()),
            Some(storage) => Err(unusable(format!(
                "it belongs to another installation ({storage}) than the database ({database}); check \
                 storage.data and storage.documents"
            ))),
            None => Err(unusable(format!(
                "it has no installation id, so it is not the storage of this database ({database}), or its disk is not \
                 mounted; check storage.data and storage.documents"
            ))),
        }
    }

    async fn database_id(&self) -> PortResult<InstallationId> {
        if let Some(id) = self.id.get() {
            return Ok(*id);
        }
        let Some(id) = self.installation.installation_id().await? else {
            return Err(unusable(
                "the database has no installation id yet; run `quire migrate up`".to_owned(),
            ));
        };
        Ok(*self.id.get_or_init(|| id))
    }

    /// A file that is missing in the right storage stays missing. In another one it is unknown.
    async fn found<T>(&self, found: PortResult<T>) -> PortResult<T> {
        if matches!(found, Err(PortError::NotFound(_))) {
            self.verify().await?;
        }
        found
    }
}

#[async_trait]
impl BlobStore for InstallationBlobs {
    async fn put(&self, name: &str, content: Vec<u8>) -> PortResult<()> {
        self.verify().await?;
        self.blobs.put(name, content).await
    }

    async fn begin(&self) -> PortResult<Box<dyn BlobWriter>> {
        self.verify().await?;
        let writer = self.blobs.begin().await?;
        Ok(Box::new(InstallationBlobWriter { writer, storage: self.clone() }))
    }

    async fn get(&self, name: &str, limit: u64) -> PortResult<Vec<u8>> {
        self.found(self.blobs.get(name, limit).await).await
    }

    async fn get_range(&self, name: &str, range: Range<u64>) -> PortResult<Vec<u8>> {
        self.found(self.blobs.get_range(name, range).await).await
    }

    async fn remove(&self, name: &str) -> PortResult<bool> {
        self.verify().await?;
        self.blobs.remove(name).await
    }

    async fn remove_folder(&self, folder: &str) -> PortResult<bool> {
        self.verify().await?;
        self.blobs.remove_folder(folder).await
    }

    async fn folders(&self) -> PortResult<Vec<String>> {
        self.verify().await?;
        self.blobs.folders().await
    }

    async fn last_written(&self, folder: &str) -> PortResult<Option<Timestamp>> {
        self.verify().await?;
        self.blobs.last_written(folder).await
    }

    async fn check(&self) -> PortResult<()> {
        self.verify().await?;
        self.blobs.check().await
    }
}

/// Checks the storage again before the file gets its name: its disk may have been unmounted meanwhile.
struct InstallationBlobWriter {
    writer: Box<dyn BlobWriter>,
    storage: InstallationBlobs,
}

#[async_trait]
impl BlobWriter for InstallationBlobWriter {
    async fn write(&mut self, piece: &[u8]) -> PortResult<()> {
        self.writer.write(piece).await
    }

    async fn finish(self: Box<Self>, name: &str) -> PortResult<()> {
        self.storage.verify().await?;
        self.writer.finish(name).await
    }
}

fn unusable(reason: String) -> PortError {
    PortError::Unavailable { service: "storage", reason, contention: false }
}
