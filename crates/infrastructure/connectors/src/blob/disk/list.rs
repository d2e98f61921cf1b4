//! Lists folders, and finds out when their files were written.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;

use jiff::Timestamp;
use quire_ports::BlobFile;
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

/// The files of this folder and its subfolders.
pub(super) fn files(root: &FolderHandle, name: &BlobName) -> Result<Vec<BlobFile>> {
    let (folders, last) = name.split();
    let mut files = Vec::new();
    match root.open_path(folders) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
        parent => files_below(&parent?, last, &name.to_string(), &mut files)?,
    }
    Ok(files)
}

fn files_below(
    parent: &FolderHandle,
    part: impl Arg + Copy,
    path: &str,
    files: &mut Vec<BlobFile>,
) -> Result<()> {
    let folder = match parent.open_folder(part) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(()),
        folder => folder?,
    };
    for entry in folder.entries()? {
        // No stored file has another name.
        let Ok(name) = entry.to_str() else { continue };
        let path = format!("{path}/{name}");
        match folder.open_file(name) {
            Ok(file) => {
                let metadata = file.metadata().map_err(|_| Errno::IO)?;
                if metadata.is_dir() {
                    files_below(&folder, name, &path, files)?;
                } else {
                    files.push(BlobFile { name: path, bytes: metadata.len() });
                }
            }
            // Another process removed it. A link is not a stored file.
            Err(Errno::NOENT | Errno::LOOP) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
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
