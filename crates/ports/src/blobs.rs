//! Files: what was taken in, and what steps wrote beside it.

use std::ops::Range;

use async_trait::async_trait;

use crate::PortResult;

/// Where files are kept, by names such as `0192…/original.pdf`: parts of letters, digits, `-`, `_` and `.`, apart by
/// slashes. No part is `.` or `..` or longer than 255 bytes, and no name is longer than 1024. A name that is anything
/// else is `Conflict` and touches nothing.
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Writes a file, whole and durable before it answers, in place of one of that name. Nobody ever sees half of it.
    async fn put(&self, name: &str, content: Vec<u8>) -> PortResult<()>;

    /// Begins a file that comes in pieces and has no name yet. Nobody sees it before it is finished.
    async fn begin(&self) -> PortResult<Box<dyn BlobWriter>>;

    /// A file's content, if it is not larger than `limit` bytes; else `Conflict`.
    async fn get(&self, name: &str, limit: u64) -> PortResult<Vec<u8>>;

    /// A part of a file. `Corrupt` if the file is shorter; `Conflict` if the range ends before it begins.
    async fn get_range(&self, name: &str, range: Range<u64>) -> PortResult<Vec<u8>>;

    /// Removes a file, durably, and the folders that it leaves empty. True if it was there.
    async fn remove(&self, name: &str) -> PortResult<bool>;

    /// Removes, durably, every file in this folder and in those below it. True if there was any.
    async fn remove_folder(&self, folder: &str) -> PortResult<bool>;
}

/// A file on its way in, held in memory only as far as a few pieces. Whoever drops it before it is finished leaves
/// nothing behind; so does one whose write failed or was given up, which takes no further piece and cannot be finished.
#[async_trait]
pub trait BlobWriter: Send {
    /// Takes the next piece.
    async fn write(&mut self, piece: &[u8]) -> PortResult<()>;

    /// Gives the file its name, whole and durable before it answers, in place of one of that name.
    async fn finish(self: Box<Self>, name: &str) -> PortResult<()>;
}
