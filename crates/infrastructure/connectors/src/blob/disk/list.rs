//! Lists folders, and finds out when their files were written.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;

use jiff::Timestamp;
use rustix::io::{Errno, Result};
use rustix::path::Arg;

use super::folder::FolderHandle;
use super::temporary_file::TEMPORARY_FOLDER;
use crate::blob::name::BlobName;

/// The names of the folders at the top, except the folder of temporary files.
pub(super) fn folders(root: &FolderHandle) -> Result<Vec<String>> {
    let names = root.subfolders()?.into_iter().filter_map(|name| name.into_string().ok());
    Ok(names.filter(|name| name != TEMPORARY_FOLDER).collect())
}

/// When a file of this folder or its subfolders last got its content or its name.
pub(super) fn last_written(root: &FolderHandle, name: &BlobName) -> Result<Option<Timestamp>> {
    let (folders, last) = name.split();
    match root.open_path(folders) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
        parent => last_written_below(&parent?, last),
    }
}

fn last_written_below(parent: &FolderHandle, part: impl Arg + Copy) -> Result<Option<Timestamp>> {
    let folder = match parent.open_folder(part) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(None),
        folder => folder?,
    };
    let mut newest = None;
    for entry in folder.entries()? {
        let entry = entry.as_c_str();
        let written = match folder.open_file(entry) {
            Ok(file) if file.metadata().is_ok_and(|metadata| metadata.is_dir()) => {
                last_written_below(&folder, entry)?
            }
            Ok(file) => Some(changed_at(&file).map_err(|_| Errno::IO)?),
            // Another process removed it. A link is not a stored file.
            Err(Errno::NOENT | Errno::LOOP) => None,
            Err(error) => return Err(error),
        };
        newest = newest.max(written);
    }
    Ok(newest)
}

/// The time of the last change of content or name. A copy that keeps the old time of its content, as backups do, counts
/// as new.
fn changed_at(file: &File) -> std::io::Result<Timestamp> {
    let metadata = file.metadata()?;
    let seconds = metadata.ctime().max(metadata.mtime());
    Timestamp::from_second(seconds).map_err(std::io::Error::other)
}
