//! Reads files. An open file keeps its content, even if its name gets a new content meanwhile.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;

use quire_ports::PortResult;
use rustix::io::Errno;

use super::error::unavailable;
use super::folder::FolderHandle;
use crate::blob::error::{not_found, reversed_range, too_large, too_short};
use crate::blob::name::BlobName;

pub(super) fn get(root: &FolderHandle, name: &BlobName, limit: u64) -> PortResult<Vec<u8>> {
    let (file, size) = open(root, name)?;
    if size > limit {
        return Err(too_large(name, limit));
    }
    // Stored files never grow, but another process might write to one. Reading stops at the limit.
    let content = read(file, size, limit.saturating_add(1))?;
    if content.len() as u64 > limit {
        return Err(too_large(name, limit));
    }
    Ok(content)
}

pub(super) fn get_range(root: &FolderHandle, name: &BlobName, range: &Range<u64>) -> PortResult<Vec<u8>> {
    let Some(length) = range.end.checked_sub(range.start) else {
        return Err(reversed_range());
    };
    let (mut file, size) = open(root, name)?;
    if size < range.end {
        return Err(too_short(name, range));
    }
    file.seek(SeekFrom::Start(range.start)).map_err(unavailable)?;
    let content = read(file, length, length)?;
    if (content.len() as u64) < length {
        return Err(too_short(name, range));
    }
    Ok(content)
}

/// Opens a file and returns its size. Folders, links and pipes count as not found.
fn open(root: &FolderHandle, name: &BlobName) -> PortResult<(File, u64)> {
    let (folders, last) = name.split();
    let opened = root.open_path(folders).and_then(|folder| folder.open_file(last));
    let file = opened.map_err(|error| match error {
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP => not_found(name),
        error => unavailable(error),
    })?;
    let metadata = file.metadata().map_err(unavailable)?;
    if metadata.is_file() { Ok((file, metadata.len())) } else { Err(not_found(name)) }
}

/// Reads up to `limit` bytes. `expected` is the likely number, for the buffer.
fn read(file: File, expected: u64, limit: u64) -> PortResult<Vec<u8>> {
    let mut content = Vec::with_capacity(usize::try_from(expected).unwrap_or(0));
    file.take(limit).read_to_end(&mut content).map_err(unavailable)?;
    Ok(content)
}
