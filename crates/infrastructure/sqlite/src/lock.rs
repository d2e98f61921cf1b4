//! One engine owns a database file. The lock stops a second engine. The operating system releases the lock as soon as
//! its holder dies, however it dies.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

/// The lock on a database file, held for as long as the engine runs on the file.
#[derive(Debug)]
pub struct FileLock {
    _file: File,
}

/// Why the lock could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another engine holds the lock.
    #[error(
        "another Quire{holder} is already at work on this database; stop it first, or give this one another folder: \
         --data, or --state for `quire process`"
    )]
    HeldByAnother {
        /// The process that holds the lock, if the lock file names it.
        holder: String,
    },
    /// The lock file cannot be created.
    #[error("the lock file beside the database cannot be written: {0}")]
    Unwritable(std::io::ErrorKind),
}

impl FileLock {
    /// Takes the lock of the database at `path`, or returns the process that holds it.
    pub fn acquire(path: &Path) -> Result<Self, LockError> {
        let unwritable = |error: std::io::Error| LockError::Unwritable(error.kind());
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(lock_path(path))
            .map_err(unwritable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(error)) => return Err(unwritable(error)),
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // The process id is only for the message. The lock is held even if the id cannot be read.
                let _ = file.read_to_string(&mut holder);
                let holder = if holder.is_empty() { holder } else { format!(" (process {})", holder.trim()) };
                return Err(LockError::HeldByAnother { holder });
            }
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(unwritable)?;
        writeln!(file, "{}", std::process::id()).map_err(unwritable)?;
        Ok(Self { _file: file })
    }
}

fn lock_path(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_engine_learns_who_holds_the_file_and_gets_it_after_the_first_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("quire.db");
        let first = FileLock::acquire(&database).unwrap();
        let refused = FileLock::acquire(&database).unwrap_err().to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        assert!(refused.contains("--data"), "{refused}");
        drop(first);
        FileLock::acquire(&database).unwrap();
    }
}
