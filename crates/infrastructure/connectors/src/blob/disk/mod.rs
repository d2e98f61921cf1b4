//! Files on a disk: each under its name below a root folder.
//!
//! A file is written beside its place, made durable and then moved there, so that its name shows the old content or
//! the new and nothing else, also after a crash. Below the root every folder is opened from the one above it and no
//! link is followed, so that nothing leads out.

mod error;
mod folder;
mod read;
mod receive;
mod remove;
mod write;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use quire_ports::{BlobStore, BlobWriter, PortResult};

use self::error::{closed, unavailable};
use self::folder::Folder;
use self::receive::Receiving;
use super::name::Name;

/// Files in a folder of this machine.
#[derive(Clone, Debug)]
pub struct DiskBlobs {
    root: Arc<Path>,
}

impl DiskBlobs {
    /// Files below `root`, which is created if there is none. What a process that died had half written is removed.
    pub fn open(root: impl Into<PathBuf>) -> PortResult<Self> {
        let root = root.into();
        folder::make_root(&root).map_err(unavailable)?;
        let opened = Folder::root(&root).map_err(unavailable)?;
        write::forget_leftovers(&opened).map_err(unavailable)?;
        Ok(Self { root: root.into() })
    }

    /// Does something with the root on a thread that may wait for the disk. The root is opened each time, so that
    /// one that was moved away and put back is found again; one that is gone is trouble and not a missing file.
    async fn at_root<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Folder) -> PortResult<T> + Send + 'static,
    ) -> PortResult<T> {
        let root = self.root.clone();
        let working = tokio::task::spawn_blocking(move || work(&Folder::root(&root).map_err(unavailable)?));
        working.await.map_err(|_| closed())?
    }
}

#[async_trait]
impl BlobStore for DiskBlobs {
    async fn put(&self, name: &str, content: Vec<u8>) -> PortResult<()> {
        let name = Name::parse(name)?;
        self.at_root(move |root| write::put(root, &name, &content)).await
    }

    /// Touches the disk only when there is something to write.
    async fn begin(&self) -> PortResult<Box<dyn BlobWriter>> {
        Ok(Box::new(Receiving::new(self.root.clone())))
    }

    async fn get(&self, name: &str, limit: u64) -> PortResult<Vec<u8>> {
        let name = Name::parse(name)?;
        self.at_root(move |root| read::get(root, &name, limit)).await
    }

    async fn get_range(&self, name: &str, range: Range<u64>) -> PortResult<Vec<u8>> {
        let name = Name::parse(name)?;
        self.at_root(move |root| read::get_range(root, &name, &range)).await
    }

    async fn remove(&self, name: &str) -> PortResult<bool> {
        let name = Name::parse(name)?;
        self.at_root(move |root| remove::remove(root, &name).map_err(unavailable)).await
    }

    async fn remove_folder(&self, folder: &str) -> PortResult<bool> {
        let folder = Name::parse(folder)?;
        self.at_root(move |root| remove::remove_folder(root, &folder).map_err(unavailable)).await
    }
}

#[cfg(test)]
mod tests;
