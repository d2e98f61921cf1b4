//! A folder for files that a command needs only while it runs.

use std::fs::File;
use std::path::{Path, PathBuf};

use crate::error::CommandError;

/// An empty folder of one process. It is removed with everything in it when this is dropped. What a killed process left in it
/// is removed by the next one that uses it.
pub(crate) struct ScratchFolder {
    path: PathBuf,
    /// Locked, so that no second process uses the folder.
    _folder: File,
}

impl ScratchFolder {
    /// Creates the folder, or empties it.
    pub(crate) fn create(path: PathBuf) -> Result<Self, CommandError> {
        let failed =
            |error: std::io::Error| CommandError::new(format!("the folder {}: {error}", path.display()));
        std::fs::create_dir_all(&path).map_err(failed)?;
        let folder = File::open(&path).map_err(failed)?;
        if folder.try_lock().is_err() {
            return Err(CommandError::new(format!(
                "another process is using the folder {}; wait until it has ended",
                path.display()
            )));
        }
        empty(&path).map_err(failed)?;
        Ok(Self { path, _folder: folder })
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        // If this fails, the next process that uses the folder empties it.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

fn empty(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            std::fs::remove_dir_all(entry.path())?;
        } else {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_belongs_to_one_process_and_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/scratch");
        std::fs::create_dir_all(path.join("old")).unwrap();
        std::fs::write(path.join("old/rows"), "rows").unwrap();
        let scratch = ScratchFolder::create(path.clone()).unwrap();
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "what was left is gone");
        std::fs::write(path.join("rows"), "rows").unwrap();
        let second = ScratchFolder::create(path.clone()).err().unwrap().to_string();
        assert!(second.contains("another process"), "{second}");
        assert!(path.join("rows").exists(), "the second one changes nothing");
        drop(scratch);
        assert!(!path.exists());
        assert!(ScratchFolder::create(path).is_ok());
    }
}
