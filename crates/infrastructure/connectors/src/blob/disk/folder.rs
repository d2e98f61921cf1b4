//! A folder held open. What is in it is reached from here and by one part of a name at a time: whatever others
//! rename or link meanwhile, it stays the folder that was opened.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, Mode, OFlags};
use rustix::io::{Errno, Result};
use rustix::path::Arg;

/// Only the program's own user sees what people hand in.
const FOLDER_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);

pub(super) struct Folder(OwnedFd);

impl Folder {
    /// The root. It alone may be reached through links: where it is, is up to whoever runs the program.
    pub(super) fn root(path: &Path) -> Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).map(Self)
    }

    /// The folder of that name in this one. A link is none.
    pub(super) fn enter(&self, part: impl Arg) -> Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.0, part, flags, Mode::empty()).map(Self)
    }

    /// The same, made if there is none.
    pub(super) fn enter_or_make(&self, part: &str) -> Result<Self> {
        match self.enter(part) {
            Err(Errno::NOENT) => {}
            entered => return entered,
        }
        match rustix::fs::mkdirat(&self.0, part, FOLDER_MODE) {
            // Somebody else was quicker: theirs is as good.
            Ok(()) | Err(Errno::EXIST) => self.enter(part),
            Err(error) => Err(error),
        }
    }

    /// The folder at the end of that way down.
    pub(super) fn walk<'p>(&self, parts: impl Iterator<Item = &'p str>) -> Result<Self> {
        let mut folder = Self(self.0.try_clone().map_err(|error| errno(&error))?);
        for part in parts {
            folder = folder.enter(part)?;
        }
        Ok(folder)
    }

    /// A file to read. A link is none; and a pipe that somebody left here must not make its reader wait.
    pub(super) fn open_file(&self, part: impl Arg) -> Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        rustix::fs::openat(&self.0, part, flags, Mode::empty()).map(File::from)
    }

    /// A file that was not there before.
    pub(super) fn create_file(&self, part: &str) -> Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.0, part, flags, FILE_MODE).map(File::from)
    }

    /// Moves a file of this folder to another, in place of what has that name there.
    pub(super) fn move_file(&self, part: &str, to: &Self, name: &str) -> Result<()> {
        rustix::fs::renameat(&self.0, part, &to.0, name)
    }

    /// Removes a file, or a link itself. False if somebody else had.
    pub(super) fn remove_file(&self, part: impl Arg) -> Result<bool> {
        match rustix::fs::unlinkat(&self.0, part, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes a folder. False if there is something in it.
    pub(super) fn remove_empty(&self, part: impl Arg) -> Result<bool> {
        match rustix::fs::unlinkat(&self.0, part, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => Ok(true),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What is in it now, in no order.
    pub(super) fn entries(&self) -> Result<Vec<CString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name: &CStr = entry.file_name();
            if name != c"." && name != c".." {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Makes durable what was added, renamed or removed in it.
    pub(super) fn sync(&self) -> Result<()> {
        match rustix::fs::fsync(&self.0) {
            // Some network file systems know no such thing for folders; there it is up to their server.
            Err(Errno::INVAL) => Ok(()),
            synced => synced,
        }
    }
}

/// Creates the root and whatever is missing above it, durably.
pub(super) fn make_root(root: &Path) -> io::Result<()> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let missing: Vec<&Path> = root.ancestors().take_while(is_missing).collect();
    for folder in missing.into_iter().rev() {
        match std::fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let above = folder.parent().filter(|above| !above.as_os_str().is_empty());
        Folder::root(above.unwrap_or(Path::new(".")))?.sync()?;
    }
    Ok(())
}

fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
