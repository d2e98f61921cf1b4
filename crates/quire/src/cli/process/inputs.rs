//! Finds the files to process and names their results.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// A file to process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct InputFile {
    pub(in crate::cli) path: PathBuf,
    /// The name of its result: its path relative to the working directory.
    pub(in crate::cli) name: String,
    /// Whether it was named on the command line. Other files of a folder need not be documents.
    pub(super) is_named: bool,
}

/// The files to process: named ones, and those in named folders.
#[derive(Debug, Default)]
pub(in crate::cli) struct InputFiles {
    /// Sorted by name within each folder.
    pub(in crate::cli) files: Vec<InputFile>,
    /// Number of skipped hidden files and folders.
    pub(super) hidden: usize,
    /// Entries that are neither file nor folder, and why they are skipped.
    pub(super) skipped: Vec<(String, String)>,
    /// Entries that cannot be opened and may be documents, and why.
    pub(super) unreadable: Vec<(String, String)>,
}

impl InputFiles {
    /// Finds all files below these paths, except in the excluded ones: results and state of this command. Fails for a path
    /// that does not exist or is excluded.
    pub(in crate::cli) fn find(paths: &[PathBuf], excluded: &[Option<&Path>]) -> Result<Self, String> {
        let mut found = Self::default();
        let excluded: Vec<PathBuf> =
            excluded.iter().flatten().filter_map(|path| path.canonicalize().ok()).collect();
        for path in paths {
            let Ok(real_path) = path.canonicalize() else {
                return Err(format!("there is no file or folder {}", path.display()));
            };
            let name = name_of(path);
            if real_path.is_dir() {
                if let Some(excluded) = excluded.iter().find(|excluded| real_path.starts_with(excluded)) {
                    return Err(format!(
                        "{} is inside {}, where this command writes; choose another --out",
                        path.display(),
                        excluded.display()
                    ));
                }
                found.walk(path, &name, &excluded);
            } else if real_path.is_file() {
                found.files.push(InputFile { path: path.clone(), name, is_named: true });
            } else {
                return Err(format!("{} is neither a file nor a folder", path.display()));
            }
        }
        found.require_distinct_names()?;
        Ok(found)
    }

    fn walk(&mut self, folder: &Path, name: &str, excluded: &[PathBuf]) {
        let mut entries = match std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
            Ok(entries) => entries,
            Err(error) => return self.unreadable.push((name.to_owned(), error.to_string())),
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let Ok(file_name) = entry.file_name().into_string() else {
                let name = path.to_string_lossy().into_owned();
                self.unreadable.push((name, "the name is not valid Unicode; rename the file".to_owned()));
                continue;
            };
            if is_hidden(&entry.file_name()) {
                self.hidden += 1;
                continue;
            }
            let name = if name.is_empty() { file_name } else { format!("{name}/{file_name}") };
            match entry.file_type() {
                Ok(_)
                    if !excluded.is_empty()
                        && path.canonicalize().is_ok_and(|real_path| excluded.contains(&real_path)) => {}
                Ok(kind) if kind.is_dir() => self.walk(&path, &name, excluded),
                Ok(kind) if kind.is_file() => self.files.push(InputFile { path, name, is_named: false }),
                // A link may form a loop, and a pipe never ends.
                Ok(_) => {
                    self.skipped.push((
                        name,
                        "is neither a file nor a folder; name it on the command line to process it"
                            .to_owned(),
                    ));
                }
                Err(error) => self.unreadable.push((name, error.to_string())),
            }
        }
    }

    /// Removes files that were named twice. Refuses two files whose results would have the same name.
    fn require_distinct_names(&mut self) -> Result<(), String> {
        let mut known: HashMap<String, PathBuf> = HashMap::new();
        let mut clash = None;
        self.files.retain(|file| match known.get(&file.name) {
            None => {
                known.insert(file.name.clone(), file.path.clone());
                true
            }
            Some(other) => {
                if other.canonicalize().ok() != file.path.canonicalize().ok() {
                    clash = Some(format!(
                        "the results of {} and {} would have the same name; process them with two commands",
                        other.display(),
                        file.path.display()
                    ));
                }
                false
            }
        });
        clash.map_or(Ok(()), Err)
    }
}

/// The path relative to the working directory, without `..` and `/`, so that no result is written outside its folder.
fn name_of(path: &Path) -> String {
    let working_directory = std::env::current_dir().unwrap_or_default();
    let relative = path.strip_prefix(&working_directory).unwrap_or(path);
    let parts = relative.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_walked_in_order_without_hidden_files_links_and_results() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["b/z", "b/.git", "out/b"] {
            std::fs::create_dir_all(at(name)).unwrap();
        }
        for name in ["c.pdf", "a.txt", "b/2.pdf", "b/z/1.bin", "b/.git/x", ".DS_Store", "out/b/2.pdf.json"] {
            std::fs::write(at(name), "x").unwrap();
        }
        std::os::unix::fs::symlink(folder.path(), at("b/back")).unwrap();
        let named = [folder.path().to_path_buf(), at("a.txt")];
        let found = InputFiles::find(&named, &[Some(&at("out"))]).unwrap();
        let paths: Vec<_> = found.files.iter().map(|file| file.path.clone()).collect();
        assert_eq!(
            paths,
            ["a.txt", "b/2.pdf", "b/z/1.bin", "c.pdf"].map(at),
            "the file that was named twice is there once"
        );
        assert_eq!((found.hidden, found.skipped.len()), (2, 1));
        assert!(found.files.iter().all(|file| !file.name.starts_with(['/', '.'])));
        let refused = InputFiles::find(&[at("out/b")], &[Some(&at("out"))]).unwrap_err();
        assert!(refused.contains("--out"), "{refused}");
        assert!(InputFiles::find(&[at("missing")], &[]).is_err());
    }

    #[test]
    fn two_files_whose_results_would_have_the_same_name_are_refused() {
        assert_eq!(name_of(Path::new("x/a.pdf")), "x/a.pdf");
        assert_eq!(name_of(Path::new("./x/../a.pdf")), "x/a.pdf");
        assert_eq!(name_of(Path::new("/srv/a.pdf")), "srv/a.pdf");
        assert_eq!(name_of(Path::new(".")), "");
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("x")).unwrap();
        for name in ["a.pdf", "x/a.pdf"] {
            std::fs::write(at(name), "x").unwrap();
        }
        let refused = InputFiles::find(&[at("a.pdf"), at("x/../a.pdf"), at("x/a.pdf")], &[]).unwrap_err();
        assert!(refused.contains("same name"), "{refused}");
    }
}
