//! An open handle of a folder. Its files and folders are opened relative to the handle, one part of a name at a time, so
//! that renames and links by other processes cannot redirect an access. All changes of folders go through this file, and
//! those of files through `file_changes`, so that tests know what is not yet on the disk.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, RenameFlags};
use rustix::io::{Errno, Result};
use rustix::path::Arg;

use super::file_changes::{FileChange, FileId, NewFile, id_of, record};

/// Only the user of this program can read the files.
const FOLDER_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);

/// An open folder.
pub(super) struct FolderHandle(OwnedFd);

impl FolderHandle {
    /// Opens the root. Only its path may contain links, because the operator chooses it.
    pub(super) fn open_root(path: &Path) -> Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty()).map(Self)
    }

    /// Opens a folder in this one. Links are not followed.
    pub(super) fn open_folder(&self, part: impl Arg) -> Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        rustix::fs::openat(&self.0, part, flags, Mode::empty()).map(Self)
    }

    /// Opens a folder in this one, and creates it if it does not exist.
    pub(super) fn open_or_create(&self, part: &str) -> Result<Self> {
        match self.open_folder(part) {
            Err(Errno::NOENT) => {}
            opened => return opened,
        }
        match rustix::fs::mkdirat(&self.0, part, FOLDER_MODE) {
            // Another process may have created it first.
            Ok(()) => {
                let created = self.open_folder(part)?;
                record(|| self.creation(part, id_of(&created.0)));
                Ok(created)
            }
            Err(Errno::EXIST) => self.open_folder(part),
            Err(error) => Err(error),
        }
    }

    /// Opens the folder at the end of a path.
    pub(super) fn open_path<'p>(&self, parts: impl Iterator<Item = &'p str>) -> Result<Self> {
        let mut folder = Self(self.0.try_clone().map_err(|error| errno(&error))?);
        for part in parts {
            folder = folder.open_folder(part)?;
        }
        Ok(folder)
    }

    /// Opens a file for reading. Links are not followed, and a named pipe does not block the reader.
    pub(super) fn open_file(&self, part: impl Arg) -> Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        rustix::fs::openat(&self.0, part, flags, Mode::empty()).map(File::from)
    }

    /// Creates a file that does not exist yet.
    pub(super) fn create_file(&self, part: &str) -> Result<NewFile> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.0, part, flags, FILE_MODE).map(File::from)?;
        record(|| self.creation(part, id_of(&file)));
        Ok(NewFile(file))
    }

    fn creation(&self, part: &str, id: FileId) -> FileChange {
        FileChange::Create { folder: id_of(&self.0), name: part.to_owned(), id }
    }

    /// Creates a file without a name, which is gone when it is closed. Not every file system supports it.
    pub(super) fn create_unnamed_file(&self) -> Result<File> {
        let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        rustix::fs::openat(&self.0, c".", flags, FILE_MODE).map(File::from)
    }

    /// Moves a file of this folder to another folder, and replaces a file of that name there.
    pub(super) fn move_file(&self, part: &str, to: &Self, name: &str) -> Result<()> {
        rustix::fs::renameat(&self.0, part, &to.0, name)?;
        self.record_move(part, to, name);
        Ok(())
    }

    /// Moves a file of this folder to another folder, unless something has that name there (`EXIST`).
    pub(super) fn move_new_file(&self, part: &str, to: &Self, name: &str) -> Result<()> {
        match rustix::fs::renameat_with(&self.0, part, &to.0, name, RenameFlags::NOREPLACE) {
            // A file system that cannot do both in one step, such as NFS.
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => match to.open_file(name) {
                Err(Errno::NOENT) => return self.move_file(part, to, name),
                Ok(_) => return Err(Errno::EXIST),
                Err(error) => return Err(error),
            },
            moved => moved?,
        }
        self.record_move(part, to, name);
        Ok(())
    }

    fn record_move(&self, part: &str, to: &Self, name: &str) {
        record(|| FileChange::Move {
            folder: id_of(&self.0),
            name: part.to_owned(),
            to: id_of(&to.0),
            new_name: name.to_owned(),
        });
    }

    /// Removes a file or a link. Returns false if it does not exist.
    pub(super) fn remove_file(&self, part: impl Arg + Copy) -> Result<bool> {
        match rustix::fs::unlinkat(&self.0, part, AtFlags::empty()) {
            Ok(()) => {
                record(|| self.removal(&part));
                Ok(true)
            }
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes an empty folder. Returns false if it is not empty.
    pub(super) fn remove_empty(&self, part: impl Arg + Copy) -> Result<bool> {
        match rustix::fs::unlinkat(&self.0, part, AtFlags::REMOVEDIR) {
            Ok(()) => {
                record(|| self.removal(&part));
                Ok(true)
            }
            Err(Errno::NOENT) => Ok(true),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn removal(&self, part: &impl Arg) -> FileChange {
        FileChange::Remove { folder: id_of(&self.0), name: part.to_string_lossy().into_owned() }
    }

    /// The names of its entries, in any order.
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

    /// The names of the folders in this one, in any order. Links are not followed.
    pub(super) fn subfolders(&self) -> Result<Vec<CString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let name: &CStr = entry.file_name();
            let is_folder = match entry.file_type() {
                FileType::Directory => true,
                // Some file systems do not say it in the list.
                FileType::Unknown => self.open_folder(name).is_ok(),
                _ => false,
            };
            if is_folder && name != c"." && name != c".." {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    /// Makes added, renamed and removed entries durable.
    pub(super) fn sync(&self) -> Result<()> {
        match rustix::fs::fsync(&self.0) {
            // Some network file systems do not support it for folders. There the server is responsible.
            Err(Errno::INVAL) => {}
            synced => synced?,
        }
        record(|| FileChange::SyncFolder { folder: id_of(&self.0) });
        Ok(())
    }
}

/// Creates the root and the missing folders parent it, durably.
pub(super) fn create_root(root: &Path) -> io::Result<()> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let missing: Vec<&Path> = root.ancestors().take_while(is_missing).collect();
    for folder in missing.into_iter().rev() {
        match std::fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
        FolderHandle::open_root(parent.unwrap_or(Path::new(".")))?.sync()?;
    }
    Ok(())
}

fn errno(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
