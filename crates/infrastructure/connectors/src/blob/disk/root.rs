//! The root folder, and whether it may be used.

use std::path::Path;
use std::sync::Arc;

use quire_ports::{BlobGuard, PortError, PortResult};

use super::error::unavailable;
use super::folder::FolderHandle;
use super::read;
use crate::blob::name::BlobName;

/// The root folder. It is opened for each call, so that a root that was moved away and back works again. A missing root is
/// an error of the storage, not a missing file.
#[derive(Clone, Debug)]
pub(super) struct Root {
    path: Arc<Path>,
    guard: Option<BlobGuard>,
}

impl Root {
    pub(super) fn new(path: impl Into<Arc<Path>>) -> Self {
        Self { path: path.into(), guard: None }
    }

    pub(super) fn guarded(&self, guard: BlobGuard) -> Self {
        Self { path: self.path.clone(), guard: Some(guard) }
    }

    /// Opens the root for a change. The guard must accept it.
    pub(super) fn open(&self) -> PortResult<FolderHandle> {
        let root = self.open_any()?;
        self.check(&root)?;
        Ok(root)
    }

    /// Opens the root and reads. The guard decides what a missing file means: in another folder than the right one it is
    /// not missing.
    pub(super) fn read<T>(&self, read: impl FnOnce(&FolderHandle) -> PortResult<T>) -> PortResult<T> {
        let root = self.open_any()?;
        let found = read(&root);
        if matches!(found, Err(PortError::NotFound(_))) {
            self.check(&root)?;
        }
        found
    }

    fn open_any(&self) -> PortResult<FolderHandle> {
        FolderHandle::open_root(&self.path).map_err(unavailable)
    }

    fn check(&self, root: &FolderHandle) -> PortResult<()> {
        let Some(guard) = &self.guard else { return Ok(()) };
        let content = match read::get(root, &BlobName::parse(guard.file)?, BlobGuard::MAX_BYTES) {
            Err(PortError::NotFound(_)) => None,
            content => Some(content?),
        };
        (guard.check)(content.as_deref())
    }
}
