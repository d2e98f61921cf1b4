//! Stores files on the local disk, each under its name below a root folder.
//!
//! A file is written to a temporary file, made durable and then moved to its name. So the name always has the complete old
//! or the complete new content, even after a crash. Below the root, every folder is opened relative to its parent and links
//! are not followed, so that no name leads out of the root.

mod blob_writer;
mod error;
mod file_changes;
mod folder;
mod lack_of_space;
mod list;
mod read;
mod remove;
mod root;
mod temporary_file;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_ports::{BlobFile, BlobGuard, BlobRoot, BlobStore, BlobWriter, FolderPage, PortResult};

use self::blob_writer::DiskBlobWriter;
use self::error::{shutting_down, unavailable};
use self::folder::FolderHandle;
use self::lack_of_space::LackOfSpace;
use self::root::Root;
use super::name::BlobName;

/// Stores files in a folder of this machine.
#[derive(Clone, Debug)]
pub struct DiskBlobs {
    root: Root,
    lack: Arc<LackOfSpace>,
}

impl DiskBlobs {
    /// Opens the storage below `root`, and creates it if it does not exist. Removes temporary files of processes that died.
    pub fn open(root: impl Into<PathBuf>) -> PortResult<Self> {
        let root = root.into();
        folder::create_root(&root).map_err(unavailable)?;
        let opened = FolderHandle::open_root(&root).map_err(unavailable)?;
        temporary_file::remove_leftovers(&opened).map_err(unavailable)?;
        Ok(Self { root: Root::new(root), lack: Arc::default() })
    }

    /// Runs disk work with the open root, on a blocking thread.
    async fn with_root<T: Send + 'static>(
        &self,
        work: impl FnOnce(&FolderHandle) -> PortResult<T> + Send + 'static,
    ) -> PortResult<T> {
        let root = self.root.clone();
        blocking(move || work(&root.open()?)).await
    }
}

/// Runs disk work on a blocking thread.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> PortResult<T> + Send + 'static) -> PortResult<T> {
    tokio::task::spawn_blocking(work).await.map_err(|_| shutting_down())?
}

impl BlobRoot for DiskBlobs {
    fn guarded(&self, guard: BlobGuard) -> Arc<dyn BlobStore> {
        Arc::new(Self { root: self.root.guarded(guard), lack: self.lack.clone() })
    }
}

#[async_trait]
impl BlobStore for DiskBlobs {
    async fn put(&self, name: &str, content: Vec<u8>) -> PortResult<()> {
        let name = BlobName::parse(name)?;
        let lack = self.lack.clone();
        let put =
            move |root: &FolderHandle| lack.note(content.len(), temporary_file::put(root, &name, &content));
        self.with_root(put).await
    }

    async fn put_new(&self, name: &str, content: Vec<u8>) -> PortResult<bool> {
        let name = BlobName::parse(name)?;
        let lack = self.lack.clone();
        let put = move |root: &FolderHandle| {
            lack.note(content.len(), temporary_file::put_new(root, &name, &content))
        };
        self.with_root(put).await
    }

    /// Creates no file before the first write.
    async fn begin(&self, name: &str) -> PortResult<Box<dyn BlobWriter>> {
        let name = BlobName::parse(name)?;
        self.with_root(|_| Ok(())).await?;
        Ok(Box::new(DiskBlobWriter::new(self.root.clone(), name)))
    }

    async fn get(&self, name: &str, limit: u64) -> PortResult<Vec<u8>> {
        let (name, root) = (BlobName::parse(name)?, self.root.clone());
        blocking(move || root.read(|root| read::get(root, &name, limit))).await
    }

    async fn get_range(&self, name: &str, range: Range<u64>) -> PortResult<Vec<u8>> {
        let (name, root) = (BlobName::parse(name)?, self.root.clone());
        blocking(move || root.read(|root| read::get_range(root, &name, &range))).await
    }

    async fn remove(&self, name: &str) -> PortResult<bool> {
        let name = BlobName::parse(name)?;
        self.with_root(move |root| remove::remove(root, &name).map_err(unavailable)).await
    }

    async fn remove_folder(&self, folder: &str) -> PortResult<bool> {
        let folder = BlobName::parse(folder)?;
        self.with_root(move |root| remove::remove_folder(root, &folder).map_err(unavailable)).await
    }

    /// All folders are on the first page.
    async fn folders(&self, _: Option<&str>) -> PortResult<FolderPage> {
        let names = self.with_root(|root| list::folders(root).map_err(unavailable)).await?;
        Ok(FolderPage { names, next: None })
    }

    async fn files(&self, folder: &str) -> PortResult<Vec<BlobFile>> {
        let folder = BlobName::parse(folder)?;
        self.with_root(move |root| list::files(root, &folder).map_err(unavailable)).await
    }

    async fn last_written(&self, folder: &str) -> PortResult<Option<Timestamp>> {
        let folder = BlobName::parse(folder)?;
        self.with_root(move |root| list::last_written(root, &folder).map_err(unavailable)).await
    }

    async fn check(&self) -> PortResult<()> {
        let lack = self.lack.clone();
        self.with_root(move |root| lack.check(|bytes| temporary_file::probe(root, bytes))).await
    }
}

#[cfg(test)]
mod power_loss_tests;
#[cfg(test)]
mod tests;
