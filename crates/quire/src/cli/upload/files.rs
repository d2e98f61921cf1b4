//! Finds the files to upload.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The files to upload: named ones, and those in named folders.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct UploadFiles {
    /// Sorted by name within each folder.
    pub(super) files: Vec<PathBuf>,
    /// Number of skipped hidden files and folders.
    pub(super) hidden: usize,
    /// Entries of folders that cannot be uploaded, and why.
    pub(super) unusable: Vec<(PathBuf, String)>,
}

impl UploadFiles {
    /// Finds all files below these paths. A named file is included whatever it is.
    pub(super) fn find(paths: &[PathBuf]) -> Self {
        let mut found = Self::default();
        for path in paths {
            if path.is_dir() {
                found.walk(path);
            } else {
                found.files.push(path.clone());
            }
        }
        found
    }

    fn walk(&mut self, folder: &Path) {
        let mut entries = match std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
            Ok(entries) => entries,
            Err(error) => return self.unusable.push((folder.to_path_buf(), error.to_string())),
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            if is_hidden(&entry.file_name()) {
                self.hidden += 1;
                continue;
            }
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => self.walk(&path),
                Ok(kind) if kind.is_file() => self.files.push(path),
                // A link may form a loop, and a pipe never ends.
                Ok(_) => {
                    self.unusable.push((
                        path,
                        "is neither a file nor a folder; name it on the command line to upload it".to_owned(),
                    ));
                }
                Err(error) => self.unusable.push((path, error.to_string())),
            }
        }
    }
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_walked_in_order_and_skipped_entries_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["b/z", "b/.git", ".hidden"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        for name in ["c.pdf", "a.txt", "b/2.pdf", "b/z/1.bin", "b/.git/x", ".DS_Store"] {
            std::fs::write(at(name), "x").unwrap();
        }
        std::os::unix::fs::symlink(folder.path(), at("b/back")).unwrap();
        let found = UploadFiles::find(&[folder.path().to_path_buf(), at(".DS_Store"), at("missing")]);
        let expected = ["a.txt", "b/2.pdf", "b/z/1.bin", "c.pdf", ".DS_Store", "missing"].map(at);
        assert_eq!(found.files, expected);
        assert_eq!(found.hidden, 3);
        assert_eq!(found.unusable.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>(), [at("b/back")]);
    }
}
