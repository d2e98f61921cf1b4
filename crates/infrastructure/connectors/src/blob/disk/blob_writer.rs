//! Writes a file that arrives in pieces. Pieces are buffered in memory, so that a blocking thread is needed only once per
//! buffer. A small file needs it only once, at its end.

use async_trait::async_trait;
use quire_ports::PortResult;

use super::blocking;
use super::folder::FolderHandle;
use super::root::Root;
use super::temporary_file::TemporaryFile;
use crate::blob::error::earlier_write_failed;
use crate::blob::name::BlobName;

/// The size of the buffer, in bytes. An upload holds no more in memory.
const BUFFER_BYTES: usize = 256 << 10;

/// Writes one file. Dropping it before it is finished removes the temporary file.
pub(super) struct DiskBlobWriter {
    root: Root,
    name: BlobName,
    /// `None` while a blocking thread writes it, and after a write that failed or was cancelled: a file with a missing part
    /// must never get a name.
    partial: Option<PartialFile>,
}

#[derive(Default)]
struct PartialFile {
    buffer: Vec<u8>,
    /// The written part, if any.
    file: Option<TemporaryFile>,
}

impl PartialFile {
    /// Writes the buffer to the temporary file.
    fn flush(&mut self, root: &FolderHandle) -> PortResult<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(TemporaryFile::create(root)?),
        };
        file.append(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    fn finish(mut self, root: &FolderHandle, name: &BlobName) -> PortResult<()> {
        self.flush(root)?;
        match self.file.take() {
            Some(file) => file.finish(root, name),
            None => Err(earlier_write_failed()),
        }
    }
}

impl DiskBlobWriter {
    pub(super) fn new(root: Root, name: BlobName) -> Self {
        Self { root, name, partial: Some(PartialFile::default()) }
    }

    async fn flush(&mut self) -> PortResult<()> {
        let mut partial = self.partial.take().ok_or_else(earlier_write_failed)?;
        let root = self.root.clone();
        let flushed = blocking(move || {
            partial.flush(&root.open()?)?;
            Ok(partial)
        });
        self.partial = Some(flushed.await?);
        Ok(())
    }
}

#[async_trait]
impl quire_ports::BlobWriter for DiskBlobWriter {
    async fn write(&mut self, piece: &[u8]) -> PortResult<()> {
        let partial = self.partial.as_mut().ok_or_else(earlier_write_failed)?;
        partial.buffer.extend_from_slice(piece);
        if partial.buffer.len() < BUFFER_BYTES { Ok(()) } else { self.flush().await }
    }

    async fn finish(mut self: Box<Self>) -> PortResult<()> {
        let partial = self.partial.take().ok_or_else(earlier_write_failed)?;
        let (root, name) = (self.root.clone(), self.name.clone());
        blocking(move || partial.finish(&root.open()?, &name)).await
    }
}

impl Drop for DiskBlobWriter {
    /// Removes the temporary file, on a blocking thread if the runtime still has them.
    fn drop(&mut self) {
        let file = self.partial.take().and_then(|partial| partial.file);
        if let (Some(file), Ok(runtime)) = (file, tokio::runtime::Handle::try_current()) {
            runtime.spawn_blocking(move || drop(file));
        }
    }
}
