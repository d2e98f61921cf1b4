//! Removes files and whole folders. After a crash in the middle, another call removes the rest.

use rustix::io::{Errno, Result};
use rustix::path::Arg;

use super::folder::FolderHandle;
use crate::blob::name::BlobName;

pub(super) fn remove(root: &FolderHandle, name: &BlobName) -> Result<bool> {
    let (folders, last) = name.split();
    let mut path: Vec<(&str, FolderHandle)> = Vec::new();
    for part in folders {
        let next = match path.last().map_or(root, |(_, folder)| folder).open_folder(part) {
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(false),
            next => next?,
        };
        path.push((part, next));
    }
    let folder = path.last().map_or(root, |(_, folder)| folder);
    // The kernel reports a folder with one of these two errors.
    let removed = match folder.remove_file(last) {
        Err(Errno::ISDIR | Errno::PERM) => return Ok(false),
        removed => removed?,
    };
    // Sync even if the file did not exist: the process that removed it may have died before its sync.
    folder.sync()?;
    while let Some((part, _)) = path.pop() {
        let parent = path.last().map_or(root, |(_, folder)| folder);
        if !parent.remove_empty(part)? {
            break;
        }
        parent.sync()?;
    }
    Ok(removed)
}

pub(super) fn remove_folder(root: &FolderHandle, name: &BlobName) -> Result<bool> {
    let (folders, last) = name.split();
    let parent = match root.open_path(folders) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(false),
        parent => parent?,
    };
    let removed = remove_below(&parent, last)?;
    // Sync even if the file did not exist: the process that removed it may have died before its sync.
    parent.sync()?;
    Ok(removed)
}

/// Removes a folder in `parent` with all its content. Returns whether it contained a file. Links are removed, not followed.
fn remove_below(parent: &FolderHandle, part: impl Arg + Copy) -> Result<bool> {
    let folder = match parent.open_folder(part) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(false),
        folder => folder?,
    };
    let mut removed_any = false;
    for entry in folder.entries()? {
        let entry = entry.as_c_str();
        removed_any |= match folder.open_folder(entry) {
            Ok(_) => remove_below(&folder, entry)?,
            Err(Errno::NOTDIR | Errno::LOOP) => folder.remove_file(entry)?,
            // Another process removed it.
            Err(Errno::NOENT) => false,
            Err(error) => return Err(error),
        };
    }
    if !parent.remove_empty(part)? {
        // Another process added a file meanwhile. It stays, and the removed files stay removed.
        folder.sync()?;
    }
    Ok(removed_any)
}
