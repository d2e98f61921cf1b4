//! Writing: beside the place, made durable, then moved there.

use std::fs::File;
use std::io::Write as _;
use std::time::Duration;

use quire_ports::{PortError, PortResult};
use rustix::io::{Errno, Result};
use uuid::Uuid;

use super::error::{crowded, unavailable};
use super::folder::Folder;
use crate::blob::name::Name;

/// Where files are until they are whole. No file of ours can have a name with this character.
pub(super) const INCOMING: &str = "~incoming";
/// How old a file there is when nobody writes it any more.
const LEFT_OVER: Duration = Duration::from_hours(1);
/// How often a folder may be removed under our hands before somebody else should go first.
const ROUNDS: usize = 50;

pub(super) fn put(root: &Folder, name: &Name, content: &[u8]) -> PortResult<()> {
    let incoming = Incoming::write(root, content)?;
    for _ in 0..ROUNDS {
        match place(root, name, &incoming) {
            // Somebody removes the folder, before this file could be in it.
            Err(Errno::NOENT) => {}
            Err(Errno::NOTDIR | Errno::ISDIR | Errno::LOOP) => return Err(in_the_way(name)),
            placed => return placed.map_err(unavailable),
        }
    }
    Err(crowded())
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

/// A file that nobody sees yet. It goes with this, unless it was moved away.
pub(super) struct Incoming {
    folder: Folder,
    part: String,
}

impl Incoming {
    pub(super) fn write(root: &Folder, content: &[u8]) -> PortResult<Self> {
        let folder = root.enter_or_make(INCOMING).map_err(unavailable)?;
        let part = Uuid::now_v7().to_string();
        let file = folder.create_file(&part).map_err(unavailable)?;
        let incoming = Self { folder, part };
        fill(file, content)?;
        Ok(incoming)
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        // One that cannot be removed now is a leftover, and removed at the next start.
        let _ = self.folder.remove_file(&*self.part);
    }
}

/// Writes a whole file, durably.
pub(super) fn fill(mut file: File, content: &[u8]) -> PortResult<()> {
    file.write_all(content).and_then(|()| file.sync_all()).map_err(unavailable)
}

/// Removes what processes that died had begun to write. What is young may be another process at work.
pub(super) fn forget_leftovers(root: &Folder) -> Result<()> {
    let incoming = root.enter_or_make(INCOMING)?;
    for part in incoming.entries()? {
        if incoming.open_file(&part).is_ok_and(|file| is_left_over(&file)) {
            // If it cannot be removed it takes up room, and that is no reason not to start.
            let _ = incoming.remove_file(&part);
        }
    }
    Ok(())
}

fn is_left_over(file: &File) -> bool {
    let modified = file.metadata().and_then(|metadata| metadata.modified());
    modified.is_ok_and(|then| then.elapsed().is_ok_and(|age| age > LEFT_OVER))
}
