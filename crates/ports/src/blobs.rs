//! Files: uploaded originals, and the files that steps write.

use std::ops::Range;

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

    /// Begins a file that arrives in pieces. It has no name, and readers do not see it, until it is finished.
    async fn begin(&self) -> PortResult<Box<dyn BlobWriter>>;

    /// A file's content. `Conflict` if the file is larger than `limit` bytes.
    async fn get(&self, name: &str, limit: u64) -> PortResult<Vec<u8>>;

    /// A part of a file. `Corrupt` if the file is shorter; `Conflict` if the range ends before it begins.
    async fn get_range(&self, name: &str, range: Range<u64>) -> PortResult<Vec<u8>>;

    /// Removes a file, durably, and the folders that become empty. True if the file existed.
    async fn remove(&self, name: &str) -> PortResult<bool>;

    /// Removes, durably, every file in this folder and its subfolders. True if there were any.
    async fn remove_folder(&self, folder: &str) -> PortResult<bool>;

    /// The names of the folders at the top, in any order.
    async fn folders(&self) -> PortResult<Vec<String>>;

    /// When a file in this folder or its subfolders last got its content or its name. None without any file.
    async fn last_written(&self, folder: &str) -> PortResult<Option<Timestamp>>;

    /// Succeeds if the storage answers and accepts a small file.
    async fn check(&self) -> PortResult<()>;
}

/// A file that is being written. At most a few pieces of it are in memory. Dropping an unfinished file removes it. After
/// a failed or cancelled write the file accepts no further piece and cannot be finished.
#[async_trait]
pub trait BlobWriter: Send {
    /// Writes the next piece.
    async fn write(&mut self, piece: &[u8]) -> PortResult<()>;

    /// Gives the file its name and replaces one of the same name. The file is complete and durable before this returns.
    async fn finish(self: Box<Self>, name: &str) -> PortResult<()>;
}
