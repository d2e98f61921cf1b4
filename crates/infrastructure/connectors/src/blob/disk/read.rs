//! Reading. A file that is open stays as it is, even if its name gets another content meanwhile.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;

use quire_ports::{PortError, PortResult};
use rustix::io::Errno;

use super::error::{missing, unavailable};
use super::folder::Folder;
use crate::blob::name::Name;

pub(super) fn get(root: &Folder, name: &Name, limit: u64) -> PortResult<Vec<u8>> {
    let (file, size) = open(root, name)?;
    if size > limit {
        return Err(too_large(name, limit));
    }
    // No file of ours grows, but one that somebody else writes to might: it is not followed past the limit.
    let content = read(file, size, limit.saturating_add(1))?;
    if content.len() as u64 > limit {
        return Err(too_large(name, limit));
    }
    Ok(content)
}

pub(super) fn get_range(root: &Folder, name: &Name, range: &Range<u64>) -> PortResult<Vec<u8>> {
    let Some(length) = range.end.checked_sub(range.start) else {
        return Err(PortError::Conflict("the range ends before it begins".to_owned()));
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

/// A file and its size. Whatever else has that name, a folder, a link, a pipe, is no file of ours.
fn open(root: &Folder, name: &Name) -> PortResult<(File, u64)> {
    let (folders, last) = name.split();
    let opened = root.walk(folders).and_then(|folder| folder.open_file(last));
    let file = opened.map_err(|error| match error {
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP => missing(name),
        error => unavailable(error),
    })?;
    let metadata = file.metadata().map_err(unavailable)?;
    if metadata.is_file() { Ok((file, metadata.len())) } else { Err(missing(name)) }
}

/// Up to `most` bytes, of which `expected` are to be expected.
fn read(file: File, expected: u64, most: u64) -> PortResult<Vec<u8>> {
    let mut content = Vec::with_capacity(usize::try_from(expected).unwrap_or(0));
    file.take(most).read_to_end(&mut content).map_err(unavailable)?;
    Ok(content)
}

fn too_large(name: &Name, limit: u64) -> PortError {
    PortError::Conflict(format!("file {name} is larger than {limit} bytes"))
}

fn too_short(name: &Name, range: &Range<u64>) -> PortError {
    PortError::Corrupt(format!("file {name} ends before byte {}", range.end))
}
