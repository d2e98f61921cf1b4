//! Finds the files to read and loads them.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use quire_domain::reading::FileKind;
use tokio::io::AsyncReadExt as _;

use crate::error::CommandError;

/// Bytes of a file that are examined to detect its type.
const SNIFF_BYTES: u64 = 64 << 10;

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::cli) struct ReadableFile {
    pub(in crate::cli) path: PathBuf,
    /// Its path below the named folder; for a named file, its name.
    relative: PathBuf,
}

impl ReadableFile {
    /// The path of its page images without page number and extension.
    pub(super) fn image_stem(&self) -> PathBuf {
        self.relative.with_extension("")
    }
}

/// All named files, and the supported files of named folders, sorted by name.
pub(in crate::cli) fn find(paths: &[PathBuf], kinds: &[FileKind]) -> Result<Vec<ReadableFile>, CommandError> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            walk(path, path, kinds, &mut files);
        } else {
            let relative = path.file_name().map_or_else(|| path.clone(), PathBuf::from);
            files.push(ReadableFile { path: path.clone(), relative });
        }
    }
    if files.is_empty() {
        return Err(CommandError::new(
            "no supported file found; see `quire read --help` for the supported types",
        ));
    }
    Ok(files)
}

/// Refuses files whose page images would have the same names.
pub(super) fn require_distinct_images(files: &[ReadableFile]) -> Result<(), CommandError> {
    let mut stems = HashSet::new();
    match files.iter().find(|file| !stems.insert(file.image_stem())) {
        None => Ok(()),
        Some(file) => Err(CommandError::new(format!(
            "the page images of {} would overwrite those of another file with the same name; write them to different folders",
            file.path.display()
        ))),
    }
}

/// Reports and skips a folder that cannot be opened.
fn walk(folder: &Path, root: &Path, kinds: &[FileKind], files: &mut Vec<ReadableFile>) {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) => return eprintln!("quire: {}: {error}", folder.display()),
    };
    let mut entries: Vec<PathBuf> = listed.filter_map(Result::ok).map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        // Links are not followed: they may form a loop.
        let Ok(kind) = path.symlink_metadata().map(|metadata| metadata.file_type()) else { continue };
        if kind.is_dir() {
            walk(&path, root, kinds, files);
        } else if kind.is_file() && is_supported(&path, kinds) {
            let relative = path.strip_prefix(root).unwrap_or(&path).to_path_buf();
            files.push(ReadableFile { path, relative });
        }
    }
}

/// Whether the first bytes of a file look like one of these types.
pub(in crate::cli) fn is_supported(path: &Path, kinds: &[FileKind]) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SNIFF_BYTES).read_to_end(&mut start));
    if read.is_err() {
        return false;
    }
    // The last character may be cut in the middle.
    if let Err(error) = std::str::from_utf8(&start)
        && error.error_len().is_none()
    {
        start.truncate(error.valid_up_to());
    }
    // The entry that identifies a Word document may be at the end of the file; a zip header is enough here.
    let may_be_docx = start.starts_with(b"PK\x03\x04") && path.extension().is_some_and(|end| end == "docx");
    FileKind::sniff(&start)
        .or(may_be_docx.then_some(FileKind::Docx))
        .is_some_and(|kind| kinds.contains(&kind))
}

/// Loads a file of at most `largest` bytes.
pub(in crate::cli) async fn load(path: PathBuf, largest: u64) -> Result<Arc<[u8]>, String> {
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

    fn file(relative: &str) -> ReadableFile {
        ReadableFile { path: PathBuf::from("in").join(relative), relative: PathBuf::from(relative) }
    }

    #[test]
    fn two_files_with_the_same_image_names_are_refused() {
        assert!(require_distinct_images(&[file("a/x.pdf"), file("b/x.pdf"), file("y.pdf")]).is_ok());
        let refused =
            require_distinct_images(&[file("x.pdf"), file("y.pdf"), file("x.docx")]).unwrap_err().to_string();
        assert!(refused.contains("x.docx"), "{refused}");
    }

    #[test]
    fn a_long_text_is_detected_wherever_its_first_bytes_are_cut() {
        let folder = tempfile::tempdir().unwrap();
        for shift in 0..4 {
            let path = folder.path().join(format!("{shift}.txt"));
            std::fs::write(&path, format!("{}{}", "x".repeat(shift), "Á".repeat(40_000))).unwrap();
            assert!(is_supported(&path, &[FileKind::Text]), "{shift}");
        }
    }
}
