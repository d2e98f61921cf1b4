//! Temporary files: written, made durable, then moved to their names. Also removes those of processes that died.

use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use quire_ports::{PortError, PortResult};
use rustix::io::{Errno, Result};
use uuid::Uuid;

use super::error::{contended, unavailable};
use super::file_changes::NewFile;
use super::folder::FolderHandle;
use crate::blob::name::BlobName;

/// The folder of temporary files. Names of stored files cannot contain `~`.
pub(super) const TEMPORARY_FOLDER: &str = "~incoming";
/// On file systems without locks, an older temporary file is a leftover.
const LEFTOVER_AGE: Duration = Duration::from_hours(1);
/// How often to retry while other calls remove the folder.
const ATTEMPTS: usize = 50;

/// How a file gets its name.
type Move = fn(&FolderHandle, &str, &FolderHandle, &str) -> Result<()>;

pub(super) fn put(root: &FolderHandle, name: &BlobName, content: &[u8]) -> PortResult<()> {
    let mut file = TemporaryFile::create(root)?;
    file.append(content)?;
    file.finish(root, name)
}

/// Writes a file unless there is one of that name. Returns whether it did.
pub(super) fn put_new(root: &FolderHandle, name: &BlobName, content: &[u8]) -> PortResult<bool> {
    let mut file = TemporaryFile::create(root)?;
    file.append(content)?;
    file.finish_as(root, name, FolderHandle::move_new_file)
}

/// Writes a small file, reserves room for `bytes` and removes the file. Fails on a full or read-only disk. Where the file
/// system can, the file has no name, so that a process that dies meanwhile leaves nothing behind.
pub(super) fn probe(root: &FolderHandle, bytes: u64) -> PortResult<()> {
    const CONTENT: [u8; 4096] = [0; 4096];
    match root.create_unnamed_file() {
        Ok(mut file) => file.write_all(&CONTENT).and_then(|()| reserve(&file, bytes)).map_err(unavailable),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => {
            TemporaryFile::create(root)?.append(&CONTENT)
        }
        Err(error) => Err(unavailable(error)),
    }
}

/// Fails if the disk has no room for so many bytes.
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    match rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => {
            let disk = rustix::fs::fstatvfs(file)?;
            let is_full = disk.f_bavail.saturating_mul(disk.f_frsize) < bytes;
            if is_full { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }
        reserved => Ok(reserved?),
    }
}

/// Moves a complete file to its name. Makes every folder of the path durable, even if another process created it: that
/// process may not have done it yet.
fn move_to_name(root: &FolderHandle, name: &BlobName, file: &TemporaryFile, move_file: Move) -> Result<()> {
    let (folders, last) = name.split();
    let mut path: Vec<FolderHandle> = Vec::new();
    for part in folders {
        let next = path.last().unwrap_or(root).open_or_create(part)?;
        path.push(next);
    }
    move_file(&file.folder, &file.part, path.last().unwrap_or(root), last)?;
    path.iter().rev().try_for_each(FolderHandle::sync)?;
    root.sync()
}

fn name_taken(name: &BlobName) -> PortError {
    PortError::Conflict(format!(
        "the file {name} cannot be stored, because a folder has the same name or a file has the name of one of its folders"
    ))
}

/// A temporary file. Dropping it removes the file, unless it was moved to its name. The file is locked as long as this value
/// exists, so that other processes do not take it for a leftover.
pub(super) struct TemporaryFile {
    folder: FolderHandle,
    part: String,
    pub(super) file: NewFile,
}

impl TemporaryFile {
    /// Creates an empty file.
    pub(super) fn create(root: &FolderHandle) -> PortResult<Self> {
        let folder = root.open_or_create(TEMPORARY_FOLDER).map_err(unavailable)?;
        for _ in 0..ATTEMPTS {
            let part = Uuid::now_v7().to_string();
            let file = folder.create_file(&part).map_err(unavailable)?;
            if lock_new(&file.0).map_err(unavailable)? {
                return Ok(Self { folder, part, file });
            }
        }
        Err(contended())
    }

    /// Appends bytes.
    pub(super) fn append(&mut self, piece: &[u8]) -> PortResult<()> {
        self.file.append(piece).map_err(unavailable)
    }

    /// Makes it durable and moves it to its name.
    pub(super) fn finish(self, root: &FolderHandle, name: &BlobName) -> PortResult<()> {
        self.finish_as(root, name, FolderHandle::move_file).map(drop)
    }

    /// Makes it durable and moves it to its name in this way. Returns false if the way refuses to replace a file.
    fn finish_as(self, root: &FolderHandle, name: &BlobName, move_file: Move) -> PortResult<bool> {
        self.file.sync().map_err(unavailable)?;
        for _ in 0..ATTEMPTS {
            match move_to_name(root, name, &self, move_file) {
                Err(Errno::EXIST) => return Ok(false),
                // Another call removed the folder before the file was in it.
                Err(Errno::NOENT) => {}
                Err(Errno::NOTDIR | Errno::ISDIR | Errno::LOOP) => return Err(name_taken(name)),
                moved => return moved.map(|()| true).map_err(unavailable),
            }
        }
        Err(contended())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // If this fails, the next start removes the file as a leftover.
        let _ = self.folder.remove_file(&*self.part);
    }
}

/// Locks a new file. Returns false if a starting process took it for a leftover.
fn lock_new(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        // A file system without locks. There, only the age identifies leftovers.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file.metadata()?.nlink() > 0),
    }
}

/// Removes the temporary files of processes that died.
pub(super) fn remove_leftovers(root: &FolderHandle) -> Result<()> {
    let temporary = root.open_or_create(TEMPORARY_FOLDER)?;
    for part in temporary.entries()? {
        // The file stays open, and locked, until it is removed.
        if let Ok(file) = temporary.open_file(&part)
            && is_leftover(&file)
        {
            // A file that cannot be removed only takes space. That must not prevent the start.
            let _ = temporary.remove_file(&part);
        }
    }
    Ok(())
}

/// Whether the writer of a file is gone. A living writer holds the lock; the kernel releases it when the process ends.
fn is_leftover(file: &File) -> bool {
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        // A file system without locks, or one where only a file open for writing can be locked.
        Err(TryLockError::Error(_)) => is_old(file),
    }
}

fn is_old(file: &File) -> bool {
    let modified = file.metadata().and_then(|metadata| metadata.modified());
    modified.is_ok_and(|then| then.elapsed().is_ok_and(|age| age > LEFTOVER_AGE))
}
