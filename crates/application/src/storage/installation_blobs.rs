//! The storage of one installation. It refuses to work while the storage carries another id or none.
//!
//! A folder whose disk is not mounted is an empty folder. Without this check its files would look lost, and new files
//! would go to the wrong disk.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::InstallationId;
use quire_ports::{
    BlobFile, BlobGuard, BlobRoot, BlobStore, BlobWriter, FolderPage, Installation, PortError, PortResult,
};
use tokio::sync::OnceCell;

use super::identity::{ID_FILE, StorageMatch, parse};

/// A storage that works only while it has the id of the database.
#[derive(Clone)]
pub struct InstallationBlobs {
    root: Arc<dyn BlobRoot>,
    installation: Arc<dyn Installation>,
    /// The storage that compares its id with that of the database, which never changes.
    checked: Arc<OnceCell<Arc<dyn BlobStore>>>,
}

impl InstallationBlobs {
    /// The storage of this installation.
    pub fn new(root: Arc<dyn BlobRoot>, installation: Arc<dyn Installation>) -> Self {
        Self { root, installation, checked: Arc::default() }
    }

    async fn checked(&self) -> PortResult<&dyn BlobStore> {
        let checked = self.checked.get_or_try_init(|| async {
            let Some(database) = self.installation.installation_id().await? else {
                return Err(unusable(
                    "the database has no installation id yet; run `quire migrate up`".to_owned(),
                ));
            };
            let check = Arc::new(move |content: Option<&[u8]>| verify(database, content));
            Ok(self.root.guarded(BlobGuard { file: ID_FILE, check }))
        });
        checked.await.map(|checked| &**checked)
    }
}

/// Fails unless the storage has the id of the database.
fn verify(database: InstallationId, content: Option<&[u8]>) -> PortResult<()> {
    let storage = content.map(|content| parse(ID_FILE, content)).transpose()?;
    match StorageMatch::of(database, storage) {
        StorageMatch::Same => Ok(()),
        StorageMatch::Different { storage, .. } => Err(unusable(format!(
            "it belongs to another installation ({storage}) than the database ({database}); check \
             storage.data, storage.documents and storage.blobs"
        ))),
        StorageMatch::StorageHasNone { .. } => Err(unusable(format!(
            "it has no installation id, so it is not the storage of this database ({database}), or its disk is not \
             mounted; check storage.data, storage.documents and storage.blobs"
        ))),
    }
}

#[async_trait]
impl BlobStore for InstallationBlobs {
    async fn put(&self, name: &str, content: Vec<u8>) -> PortResult<()> {
        self.checked().await?.put(name, content).await
    }

    async fn put_new(&self, name: &str, content: Vec<u8>) -> PortResult<bool> {
        self.checked().await?.put_new(name, content).await
    }

    async fn begin(&self, name: &str) -> PortResult<Box<dyn BlobWriter>> {
        self.checked().await?.begin(name).await
    }

    async fn get(&self, name: &str, limit: u64) -> PortResult<Vec<u8>> {
        self.checked().await?.get(name, limit).await
    }

    async fn get_range(&self, name: &str, range: Range<u64>) -> PortResult<Vec<u8>> {
        self.checked().await?.get_range(name, range).await
    }

    async fn remove(&self, name: &str) -> PortResult<bool> {
        self.checked().await?.remove(name).await
    }

    async fn remove_folder(&self, folder: &str) -> PortResult<bool> {
        self.checked().await?.remove_folder(folder).await
    }

    async fn folders(&self, after: Option<&str>) -> PortResult<FolderPage> {
        self.checked().await?.folders(after).await
    }

    async fn files(&self, folder: &str) -> PortResult<Vec<BlobFile>> {
        self.checked().await?.files(folder).await
    }

    async fn last_written(&self, folder: &str) -> PortResult<Option<Timestamp>> {
        self.checked().await?.last_written(folder).await
    }

    async fn check(&self) -> PortResult<()> {
        self.checked().await?.check().await
    }
}

fn unusable(reason: String) -> PortError {
    PortError::Unavailable { service: "storage", reason, contention: false }
}
