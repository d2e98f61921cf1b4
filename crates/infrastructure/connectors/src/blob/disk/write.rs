//! Writing: beside the place, made durable, then moved there.

use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use quire_ports::{PortError, PortResult};
use rustix::io::{Errno, Result};
use uuid::Uuid;

use super::error::{crowded, unavailable};
use super::folder::Folder;
use crate::blob::name::Name;

/// Where files are until they are whole. No file of ours can have a name with this character.
pub(super) const INCOMING: &str = "~incoming";
/// How old a file there is when nobody writes it any more, where locks cannot tell.
const LEFT_OVER: Duration = Duration::from_hours(1);
/// How often a folder may be removed under our hands before somebody else should go first.
const ROUNDS: usize = 50;

pub(super) fn put(root: &Folder, name: &Name, content: &[u8]) -> PortResult<()> {
    let mut incoming = Incoming::begin(root)?;
    incoming.append(content)?;
    incoming.finish(root, name)
}

/// Moves a whole file to its name. Every folder on the way is made durable, whoever made it: the one who did may
/// not have come to it yet.
fn place(root: &Folder, name: &Name, incoming: &Incoming) -> Result<()> {
    let (folders, last) = name.split();
    let mut way: Vec<Folder> = Vec::new();
    for part in folders {
        let next = way.last().unwrap_or(root).enter_or_make(part)?;
        way.push(next);
    }
    incoming.folder.move_file(&incoming.part, way.last().unwrap_or(root), last)?;
    way.iter().rev().try_for_each(Folder::sync)?;
    root.sync()
}

fn in_the_way(name: &Name) -> PortError {
    PortError::Conflict(format!(
        "there is no room for file {name}: a file and a folder cannot have the same name"
    ))
}

/// A file that nobody sees yet. It goes with this, unless it was moved away. As long as this lives the file is locked,
/// so that others can tell it from what a process that died has left.
pub(super) struct Incoming {
    folder: Folder,
    part: String,
    pub(super) file: File,
}

impl Incoming {
    /// An empty one.
    pub(super) fn begin(root: &Folder) -> PortResult<Self> {
        let folder = root.enter_or_make(INCOMING).map_err(unavailable)?;
        for _ in 0..ROUNDS {
            let part = Uuid::now_v7().to_string();
            let file = folder.create_file(&part).map_err(unavailable)?;
            if is_claimed(&file).map_err(unavailable)? {
                return Ok(Self { folder, part, file });
            }
        }
        Err(crowded())
    }

    /// Writes the next bytes.
    pub(super) fn append(&mut self, piece: &[u8]) -> PortResult<()> {
        self.file.write_all(piece).map_err(unavailable)
    }

    /// Makes it durable and moves it to its name.
    pub(super) fn finish(self, root: &Folder, name: &Name) -> PortResult<()> {
        self.file.sync_all().map_err(unavailable)?;
        for _ in 0..ROUNDS {
            match place(root, name, &self) {
                // Somebody removes the folder, before this file could be in it.
                Err(Errno::NOENT) => {}
                Err(Errno::NOTDIR | Errno::ISDIR | Errno::LOOP) => return Err(in_the_way(name)),
                placed => return placed.map_err(unavailable),
            }
        }
        Err(crowded())
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // One that cannot be removed now is a leftover, and removed at the next start.
        let _ = self.folder.remove_file(&*self.part);
    }
}

/// Locks a new file. False if somebody who starts at this moment has taken it for a leftover.
fn is_claimed(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        // A file system without locks: there, leftovers are told by their age alone.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file.metadata()?.nlink() > 0),
    }
}

/// Removes what processes that died had begun to write.
pub(super) fn forget_leftovers(root: &Folder) -> Result<()> {
    let incoming = root.enter_or_make(INCOMING)?;
    for part in incoming.entries()? {
        // Held open, and with it locked, until it is gone.
        if let Ok(file) = incoming.open_file(&part)
            && is_left_over(&file)
        {
            // If it cannot be removed it takes up room, and that is no reason not to start.
            let _ = incoming.remove_file(&part);
        }
    }
    Ok(())
}

/// Whether nobody writes it any more: its writer would hold the lock, which ends with the process however that ends.
fn is_left_over(file: &File) -> bool {
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        // A file system without locks, or one where only a writer can have them.
        Err(TryLockError::Error(_)) => is_old(file),
    }
}

fn is_old(file: &File) -> bool {
    let modified = file.metadata().and_then(|metadata| metadata.modified());
    modified.is_ok_and(|then| then.elapsed().is_ok_and(|age| age > LEFT_OVER))
}
