//! Which files, and their bytes.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quire_domain::reading::FileKind;
use tokio::io::AsyncReadExt as _;

use crate::trouble::Trouble;

/// How much of a file in a folder is looked at, to tell whether it can be read.
const LOOK: u64 = 64 << 10;

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// Its name below the folder that was named; of a file that was named, just its name.
    within: PathBuf,
}

impl Found {
    /// What the images of its pages begin with.
    pub(super) fn image_stem(&self) -> PathBuf {
        self.within.with_extension("")
    }
}

/// The named files as they are, and of the named folders what can be read, in the order of their names.
pub(super) fn gather(paths: &[PathBuf], kinds: &[FileKind]) -> Result<Vec<Found>, Trouble> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            walk(path, path, kinds, &mut found);
        } else {
            let within = path.file_name().map_or_else(|| path.clone(), PathBuf::from);
            found.push(Found { path: path.clone(), within });
        }
    }
    if found.is_empty() {
        return Err(Trouble::new("nothing that was named can be read; `quire read --help` says what can"));
    }
    Ok(found)
}

/// Refuses files whose images would get the same names.
pub(super) fn require_apart(found: &[Found]) -> Result<(), Trouble> {
    let mut stems = HashSet::new();
    match found.iter().find(|file| !stems.insert(file.image_stem())) {
        None => Ok(()),
        Some(file) => Err(Trouble::new(format!(
            "the pages of {} would be written over those of another file of that name; read them into different folders",
            file.path.display()
        ))),
    }
}

/// What cannot be looked into is said and passed over.
fn walk(folder: &Path, root: &Path, kinds: &[FileKind], found: &mut Vec<Found>) {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) => return eprintln!("quire: {}: {error}", folder.display()),
    };
    let mut entries: Vec<PathBuf> = listed.filter_map(Result::ok).map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        // A link may lead back to where it came from.
        let Ok(kind) = path.symlink_metadata().map(|metadata| metadata.file_type()) else { continue };
        if kind.is_dir() {
            walk(&path, root, kinds, found);
        } else if kind.is_file() && seems_readable(&path, kinds) {
            let within = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
            found.push(Found { path, within });
        }
    }
}

/// Whether a file begins like one of these kinds.
pub(in crate::cli) fn seems_readable(path: &Path, kinds: &[FileKind]) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LOOK).read_to_end(&mut start));
    if read.is_err() {
        return false;
    }
    // A character that the look ends in the middle of says nothing about the file.
    if let Err(error) = std::str::from_utf8(&start)
        && error.error_len().is_none()
    {
        start.truncate(error.valid_up_to());
    }
    // The name of a Word document's main part may stand at the end of the file; the zip at its start is enough here.
    let may_be_docx = start.starts_with(b"PK\x03\x04") && path.extension().is_some_and(|end| end == "docx");
    FileKind::sniff(&start)
        .or(may_be_docx.then_some(FileKind::Docx))
        .is_some_and(|kind| kinds.contains(&kind))
}

/// The bytes of a file, or of whatever the name leads to, if they are not more than `largest`.
pub(super) async fn load(path: PathBuf, largest: u64) -> Result<Arc<[u8]>, String> {
    let file = tokio::fs::File::open(&path).await.map_err(|error| error.to_string())?;
    let mut content = Vec::new();
    file.take(largest + 1).read_to_end(&mut content).await.map_err(|error| error.to_string())?;
    if content.len() as u64 > largest {
        return Err(format!(
            "the file is larger than {} MB; raise reading.max_file_mb or split it",
            largest >> 20
        ));
    }
    if content.is_empty() {
        return Err("the file is empty (EXTRACTION_FAILED)".to_owned());
    }
    Ok(content.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(within: &str) -> Found {
        Found { path: PathBuf::from("in").join(within), within: PathBuf::from(within) }
    }

    #[test]
    fn images_of_two_files_never_get_the_same_names() {
        assert!(require_apart(&[found("a/x.pdf"), found("b/x.pdf"), found("y.pdf")]).is_ok());
        let refused =
            require_apart(&[found("x.pdf"), found("y.pdf"), found("x.docx")]).unwrap_err().to_string();
        assert!(refused.contains("x.docx"), "{refused}");
    }

    #[test]
    fn a_long_text_is_known_wherever_it_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        for shift in 0..4 {
            let path = folder.path().join(format!("{shift}.txt"));
            std::fs::write(&path, format!("{}{}", "x".repeat(shift), "Á".repeat(40_000))).unwrap();
            assert!(seems_readable(&path, &[FileKind::Text]), "{shift}");
        }
    }
}
