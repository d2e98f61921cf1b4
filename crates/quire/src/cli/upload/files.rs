//! Which files are meant, and what is passed over.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What was named, and what is in the folders that were.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// In the order of their names within each folder.
    pub(super) files: Vec<PathBuf>,
    /// Hidden files and folders, which nobody means by naming the folder that they are in.
    pub(super) hidden: usize,
    /// What is in a named folder and is no file: why, and where.
    pub(super) strange: Vec<(PathBuf, String)>,
}

impl Found {
    /// All files below these paths. A file that was named itself is meant, whatever it is.
    pub(super) fn below(paths: &[PathBuf]) -> Self {
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
            Err(error) => return self.strange.push((folder.to_path_buf(), error.to_string())),
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
                // A link may lead back to where it came from, and a pipe never ends.
                Ok(_) => {
                    self.strange.push((path, "is neither a file nor a folder; name it itself".to_owned()));
                }
                Err(error) => self.strange.push((path, error.to_string())),
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
    fn folders_are_walked_in_order_and_nothing_is_passed_over_in_silence() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["b/z", "b/.git", ".hidden"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        for name in ["c.pdf", "a.txt", "b/2.pdf", "b/z/1.bin", "b/.git/x", ".DS_Store"] {
            std::fs::write(at(name), "x").unwrap();
        }
        std::os::unix::fs::symlink(folder.path(), at("b/back")).unwrap();
        let found = Found::below(&[folder.path().to_path_buf(), at(".DS_Store"), at("missing")]);
        let expected = ["a.txt", "b/2.pdf", "b/z/1.bin", "c.pdf", ".DS_Store", "missing"].map(at);
        assert_eq!(found.files, expected);
        assert_eq!(found.hidden, 3);
        assert_eq!(found.strange.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>(), [at("b/back")]);
    }
}
