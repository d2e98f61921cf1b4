//! A log of the changes that storage makes to the file system, for the tests that simulate a loss of power. A program that
//! is not under test records nothing.

use std::fs::File;
use std::io::{self, Write as _};

use rustix::fd::AsFd;

/// Identifies a file or folder, whatever its name.
pub(super) type FileId = u64;

/// One change of the file system, in the order in which storage asked for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code))]
pub(super) enum FileChange {
    /// A new file or folder.
    Create { folder: FileId, name: String, id: FileId },
    /// Bytes at the end of a file.
    Append { file: FileId, bytes: Vec<u8> },
    /// The content of a file is on the disk.
    SyncFile { file: FileId },
    /// The entries of a folder are on the disk.
    SyncFolder { folder: FileId },
    /// A file gets another name.
    Move { folder: FileId, name: String, to: FileId, new_name: String },
    /// A file or an empty folder loses its name.
    Remove { folder: FileId, name: String },
}

/// Records a change of this thread, if a test wants it.
#[cfg(not(test))]
pub(super) fn record(_: impl FnOnce() -> FileChange) {}

#[cfg(test)]
pub(super) use recording::{changes_of, record};

/// The id of an open file or folder.
pub(super) fn id_of(handle: impl AsFd) -> FileId {
    rustix::fs::fstat(handle).map_or(0, |status| status.st_ino)
}

/// A file that is being written.
pub(super) struct NewFile(pub(super) File);

impl NewFile {
    /// Appends bytes.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)?;
        record(|| FileChange::Append { file: id_of(&self.0), bytes: bytes.to_vec() });
        Ok(())
    }

    /// Makes the content durable.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.0.sync_all()?;
        record(|| FileChange::SyncFile { file: id_of(&self.0) });
        Ok(())
    }
}

#[cfg(test)]
mod recording {
    use std::cell::RefCell;

    use super::FileChange;

    thread_local! {
        static CHANGES: RefCell<Option<Vec<FileChange>>> = const { RefCell::new(None) };
    }

    pub(in crate::blob::disk) fn record(change: impl FnOnce() -> FileChange) {
        CHANGES.with_borrow_mut(|changes| {
            if let Some(changes) = changes {
                changes.push(change());
            }
        });
    }

    /// The changes that `work` makes on this thread.
    pub(in crate::blob::disk) fn changes_of<T>(work: impl FnOnce() -> T) -> (T, Vec<FileChange>) {
        CHANGES.set(Some(Vec::new()));
        let result = work();
        (result, CHANGES.take().unwrap_or_default())
    }
}
