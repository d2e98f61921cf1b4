//! Files: uploaded originals, and the files that steps write.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use crate::PortResult;

/// Stores files under names such as `0192…/original.pdf`. A name has parts of letters, digits, `-`, `_` and `.`,
/// separated by slashes. No part is `.` or `..` or longer than 255 bytes, and no name is longer than 1024 bytes. Any
/// other name is a `Conflict` and changes nothing.
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Writes a file and replaces one of the same name. The file is complete and durable before this returns. Readers
    /// never see a partial file.
    async fn put(&self, name: &str, content: Vec<u8>) -> PortResult<()>;

    /// Writes a file if there is none of that name. True if this call wrote it. Of several calls at once, one writes it. After
    /// an error that is in doubt, the file may be there.
    async fn put_new(&self, name: &str, content: Vec<u8>) -> PortResult<bool>;

    /// Whether every write so far was compared with a checksum that the storage computed of what it received. Otherwise who must
    /// be sure of a file reads it again.
    fn confirms_writes(&self) -> bool {
        false
    }

    /// Begins a file that arrives in pieces. Readers do not see it until it is finished. Of several writers of one name at
    /// once, each finishes with a complete file or fails.
    async fn begin(&self, name: &str) -> PortResult<Box<dyn BlobWriter>>;

    /// A file's content. `Conflict` if the file is larger than `limit` bytes.
    async fn get(&self, name: &str, limit: u64) -> PortResult<Vec<u8>>;

    /// A part of a file. `Corrupt` if the file is shorter; `Conflict` if the range ends before it begins.
    async fn get_range(&self, name: &str, range: Range<u64>) -> PortResult<Vec<u8>>;

    /// Removes a file, durably, and the folders that become empty. True if the file existed.
    async fn remove(&self, name: &str) -> PortResult<bool>;

    /// Removes, durably, every file in this folder and its subfolders. True if there were any.
    async fn remove_folder(&self, folder: &str) -> PortResult<bool>;

    /// The names of some folders at the top, in any order: the first ones, or those that follow the page with this `next`.
    async fn folders(&self, after: Option<&str>) -> PortResult<FolderPage>;

    /// The files in this folder and its subfolders, in any order. Empty without such a folder.
    async fn files(&self, folder: &str) -> PortResult<Vec<BlobFile>>;

    /// When a file in this folder or its subfolders last got its content or its name. None without any file.
    async fn last_written(&self, folder: &str) -> PortResult<Option<Timestamp>>;

    /// Succeeds if the storage answers and accepts a small file.
    async fn check(&self) -> PortResult<()>;
}

/// A stored file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlobFile {
    /// Its whole name, such as `0192…/original.pdf`.
    pub name: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A file that is being written. At most a few pieces of it are in memory. Dropping an unfinished file removes it. After
/// a failed or cancelled write the file accepts no further piece and cannot be finished.
#[async_trait]
pub trait BlobWriter: Send {
    /// Writes the next piece.
    async fn write(&mut self, piece: &[u8]) -> PortResult<()>;

    /// Tells the SHA-256 of the whole file, which the caller knows. A storage that keeps it beside the file need not compute it.
    fn set_sha256(&mut self, _sha256: [u8; 32]) {}

    /// Gives the file its name and replaces one of the same name. The file is complete and durable before this returns.
    async fn finish(self: Box<Self>) -> PortResult<()>;
}

/// Some of the folders at the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderPage {
    /// Their names.
    pub names: Vec<String>,
    /// Gets the next page. None after the last one.
    pub next: Option<String>,
}

/// The top of a storage: a folder, whose disk may be mounted and unmounted at any time, or a container of an object store.
pub trait BlobRoot: BlobStore {
    /// The same storage, which works only while `guard` accepts it. A call that reads checks only what it does not find. In a
    /// folder, each call checks and uses the same disk, whatever is mounted meanwhile.
    fn guarded(&self, guard: BlobGuard) -> Arc<dyn BlobStore>;
}

/// Decides whether a storage may be used.
#[derive(Clone)]
pub struct BlobGuard {
    /// The name of a small file at the top of the storage.
    pub file: &'static str,
    /// Gets the content of that file, or None if there is no such file. Fails if the storage must not be used.
    pub check: Arc<BlobCheck>,
}

/// Gets the content of a file, or None if there is no such file.
type BlobCheck = dyn Fn(Option<&[u8]>) -> PortResult<()> + Send + Sync;

impl BlobGuard {
    /// The size limit of the file.
    pub const MAX_BYTES: u64 = 64;
}

impl std::fmt::Debug for BlobGuard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlobGuard").field("file", &self.file).finish_non_exhaustive()
    }
}
