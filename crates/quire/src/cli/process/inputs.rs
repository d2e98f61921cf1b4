//! Which files are meant, under which names, and what is passed over.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// A file to process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) path: PathBuf,
    /// Under which name its result is known: the way to it from here.
    pub(super) name: String,
    /// Whether it was named itself. What else is in a folder need not be a document.
    pub(super) is_named: bool,
}

/// What was named, and what is in the folders that were.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// In the order of their names within each folder.
    pub(super) files: Vec<Input>,
    /// Hidden files and folders, which nobody means by naming the folder that they are in.
    pub(super) hidden: usize,
    /// What is in a named folder and is neither file nor folder: why it is passed over.
    pub(super) strange: Vec<(String, String)>,
    /// What is there and cannot be looked at, which may be documents: why.
    pub(super) closed: Vec<(String, String)>,
}

impl Inputs {
    /// All files below these paths, but for what is kept apart: results and state of this very command. Says what was
    /// named and cannot be meant.
    pub(super) fn below(paths: &[PathBuf], apart: &[Option<&Path>]) -> Result<Self, String> {
        let mut found = Self::default();
        let apart: Vec<PathBuf> =
            apart.iter().flatten().filter_map(|path| path.canonicalize().ok()).collect();
        for path in paths {
            let Ok(place) = path.canonicalize() else {
                return Err(format!("there is no file or folder {}", path.display()));
            };
            let name = name_of(path);
            if place.is_dir() {
                if let Some(apart) = apart.iter().find(|apart| place.starts_with(apart)) {
                    return Err(format!(
                        "{} is in {}, where this command writes; choose another --out",
                        path.display(),
                        apart.display()
                    ));
                }
                found.walk(path, &name, &apart);
            } else if place.is_file() {
                found.files.push(Input { path: path.clone(), name, is_named: true });
            } else {
                return Err(format!("{} is neither a file nor a folder", path.display()));
            }
        }
        found.require_apart()?;
        Ok(found)
    }

    fn walk(&mut self, folder: &Path, name: &str, apart: &[PathBuf]) {
        let mut entries = match std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
            Ok(entries) => entries,
            Err(error) => return self.closed.push((name.to_owned(), error.to_string())),
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let Ok(own) = entry.file_name().into_string() else {
                let name = path.to_string_lossy().into_owned();
                self.closed.push((name, "its name is not Unicode; rename it".to_owned()));
                continue;
            };
            if is_hidden(&entry.file_name()) {
                self.hidden += 1;
                continue;
            }
            let name = if name.is_empty() { own } else { format!("{name}/{own}") };
            match entry.file_type() {
                Ok(_)
                    if !apart.is_empty() && path.canonicalize().is_ok_and(|place| apart.contains(&place)) => {
                }
                Ok(kind) if kind.is_dir() => self.walk(&path, &name, apart),
                Ok(kind) if kind.is_file() => self.files.push(Input { path, name, is_named: false }),
                // A link may lead back to where it came from, and a pipe never ends.
                Ok(_) => {
                    self.strange.push((name, "is neither a file nor a folder; name it itself".to_owned()));
                }
                Err(error) => self.closed.push((name, error.to_string())),
            }
        }
    }

    /// A file that is meant twice counts once; two files of one name would be one result.
    fn require_apart(&mut self) -> Result<(), String> {
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
                        "the results of {} and {} would have the same name; process them one after the other",
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

/// The way to a path from here, without what leads up or to the root: a result never lies outside its folder.
fn name_of(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let below = path.strip_prefix(&here).unwrap_or(path);
    let parts = below.components().filter_map(|part| match part {
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
    fn folders_are_walked_in_order_without_what_is_hidden_linked_or_our_own() {
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
        let found = Inputs::below(&named, &[Some(&at("out"))]).unwrap();
        let paths: Vec<_> = found.files.iter().map(|file| file.path.clone()).collect();
        assert_eq!(paths, ["a.txt", "b/2.pdf", "b/z/1.bin", "c.pdf"].map(at), "and the one named twice once");
        assert_eq!((found.hidden, found.strange.len()), (2, 1));
        assert!(found.files.iter().all(|file| !file.name.starts_with(['/', '.'])));
        let refused = Inputs::below(&[at("out/b")], &[Some(&at("out"))]).unwrap_err();
        assert!(refused.contains("--out"), "{refused}");
        assert!(Inputs::below(&[at("missing")], &[]).is_err());
    }

    #[test]
    fn two_files_never_have_one_name() {
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
        let refused = Inputs::below(&[at("a.pdf"), at("x/../a.pdf"), at("x/a.pdf")], &[]).unwrap_err();
        assert!(refused.contains("same name"), "{refused}");
    }
}
