//! Removing a file, or a folder with everything in it. What was removed when a crash interrupts it is removed, and
//! asking again removes the rest.

use rustix::io::{Errno, Result};
use rustix::path::Arg;

use super::folder::Folder;
use crate::blob::name::Name;

pub(super) fn remove(root: &Folder, name: &Name) -> Result<bool> {
    let (folders, last) = name.split();
    let mut way: Vec<(&str, Folder)> = Vec::new();
    for part in folders {
        let next = match way.last().map_or(root, |(_, folder)| folder).enter(part) {
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(false),
            next => next?,
        };
        way.push((part, next));
    }
    let folder = way.last().map_or(root, |(_, folder)| folder);
    // A folder of that name is no file: the kernel says so in one of two ways.
    let removed = match folder.remove_file(last) {
        Err(Errno::ISDIR | Errno::PERM) => return Ok(false),
        removed => removed?,
    };
    // Also when nothing was there: whoever removed it may have died before this.
    folder.sync()?;
    while let Some((part, _)) = way.pop() {
        let above = way.last().map_or(root, |(_, folder)| folder);
        if !above.remove_empty(part)? {
            break;
        }
        above.sync()?;
    }
    Ok(removed)
}

pub(super) fn remove_folder(root: &Folder, name: &Name) -> Result<bool> {
    let (folders, last) = name.split();
    let above = match root.walk(folders) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(false),
        above => above?,
    };
    let removed = remove_below(&above, last)?;
    // Also when nothing was there: whoever removed it may have died before this.
    above.sync()?;
    Ok(removed)
}

/// Removes a folder of this one. True if there was a file in it or below; a link is removed and not followed.
fn remove_below(above: &Folder, part: impl Arg + Copy) -> Result<bool> {
    let folder = match above.enter(part) {
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Ok(false),
        folder => folder?,
    };
    let mut any = false;
    for entry in folder.entries()? {
        let entry = entry.as_c_str();
        any |= match folder.enter(entry) {
            Ok(_) => remove_below(&folder, entry)?,
            Err(Errno::NOTDIR | Errno::LOOP) => folder.remove_file(entry)?,
            // Somebody else removes the same.
            Err(Errno::NOENT) => false,
            Err(error) => return Err(error),
        };
    }
    if !above.remove_empty(part)? {
        // Somebody has put a file here since; it stays, and what was removed beside it stays removed.
        folder.sync()?;
    }
    Ok(any)
}
