//! Which files, and their bytes.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quire_domain::reading::FileKind;

use crate::trouble::Trouble;

/// How much of a file in a folder is looked at, to tell whether it can be read.
const LOOK: u64 = 64 << 10;

/// The named files as they are, and of the named folders what can be read, in the order of their names.
pub(super) fn gather(paths: &[PathBuf], kinds: &[FileKind]) -> Result<Vec<PathBuf>, Trouble> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = found.len();
            walk(path, kinds, &mut found)?;
            if found.len() == before {
                eprintln!("quire: {}: nothing in this folder can be read", path.display());
            }
        } else {
            found.push(path.clone());
        }
    }
    Ok(found)
}

fn walk(folder: &Path, kinds: &[FileKind], found: &mut Vec<PathBuf>) -> Result<(), Trouble> {
    let listed =
        std::fs::read_dir(folder).map_err(|error| Trouble::new(format!("{}: {error}", folder.display())))?;
    let mut entries: Vec<PathBuf> = listed.filter_map(Result::ok).map(|entry| entry.path()).collect();
    entries.sort();
    for entry in entries {
        // A link may lead back to where it came from.
        let Ok(kind) = entry.symlink_metadata().map(|metadata| metadata.file_type()) else { continue };
        if kind.is_dir() {
            walk(&entry, kinds, found)?;
        } else if kind.is_file() && seems_readable(&entry, kinds) {
            found.push(entry);
        }
    }
    Ok(())
}

fn seems_readable(path: &Path, kinds: &[FileKind]) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LOOK).read_to_end(&mut start));
    if read.is_err() {
        return false;
    }
    // The name of a Word document's main part may stand at the end of the file; the zip at its start is enough here.
    let may_be_docx = start.starts_with(b"PK\x03\x04") && path.extension().is_some_and(|end| end == "docx");
    FileKind::sniff(&start)
        .or(may_be_docx.then_some(FileKind::Docx))
        .is_some_and(|kind| kinds.contains(&kind))
}

/// The bytes of a file that is not larger than `largest`.
pub(super) async fn load(path: PathBuf, largest: u64) -> Result<Arc<[u8]>, String> {
    let size = tokio::fs::metadata(&path).await.map_err(|error| error.to_string())?.len();
    if size > largest {
        return Err(format!(
            "the file is larger than {} MB; raise reading.max_file_mb or split it",
            largest >> 20
        ));
    }
    if size == 0 {
        return Err("the file is empty (EXTRACTION_FAILED)".to_owned());
    }
    tokio::fs::read(&path).await.map(Into::into).map_err(|error| error.to_string())
}
