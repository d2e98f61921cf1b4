//! One JSON file per document, named after the document. A file is complete or missing.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::PathBuf;

use quire_application::document::content_hash;
use quire_domain::hex;

use super::{FileResult, ResultHeader};

/// The name of a result while it is written.
const TEMPORARY: &str = ".unfinished.json";

/// Maximum length of a document's name in bytes. Longer names are cut to `CUT_NAME` bytes.
const MAX_NAME: usize = 200;
const CUT_NAME: usize = 160;

pub(super) struct JsonFolder {
    root: PathBuf,
}

impl JsonFolder {
    pub(super) fn open(root: PathBuf) -> io::Result<Self> {
        std::fs::create_dir_all(&root)?;
        Ok(Self { root })
    }

    pub(super) fn location(&self) -> String {
        self.root.display().to_string()
    }

    pub(super) fn header(&self, name: &str) -> io::Result<Option<ResultHeader>> {
        let path = self.path(name);
        let text = match std::fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        match serde_json::from_slice::<ResultHeader>(&text) {
            Ok(header) if header.file == name => Ok(Some(header)),
            _ => Err(io::Error::other(format!(
                "{} exists and is not a result of this command; move it or choose another folder",
                path.display()
            ))),
        }
    }

    pub(super) fn write(&mut self, result: &FileResult) -> io::Result<()> {
        let (path, temporary) = (self.path(&result.file), self.root.join(TEMPORARY));
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = File::create(&temporary)?;
        let mut text = serde_json::to_vec_pretty(result)?;
        text.push(b'\n');
        file.write_all(&text)?;
        // Without this, a power cut could leave an incomplete file. The rename need not be durable: a missing result is
        // written again from the state.
        file.sync_all()?;
        std::fs::rename(&temporary, &path)
    }

    /// The file of a document's result. A name that is too long is cut and made unique by its hash.
    fn path(&self, name: &str) -> PathBuf {
        let (folder, file_name) = name.rsplit_once('/').unwrap_or(("", name));
        if file_name.len() <= MAX_NAME {
            return self.root.join(format!("{name}.json"));
        }
        let cut: String = file_name
            .chars()
            .scan(0, |length, letter| {
                *length += letter.len_utf8();
                (*length <= CUT_NAME).then_some(letter)
            })
            .collect();
        let hash =
            content_hash(file_name.as_bytes()).map(|hash| hex(&hash)[..16].to_owned()).unwrap_or_default();
        self.root.join(folder).join(format!("{cut}~{hash}.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_a_result_is_not_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let mut folder = JsonFolder::open(directory.path().join("out")).unwrap();
        assert_eq!(folder.header("a/b.pdf").unwrap(), None);
        let result = FileResult { file: "a/b.pdf".to_owned(), ..FileResult::default() };
        folder.write(&result).unwrap();
        assert_eq!(folder.header("a/b.pdf").unwrap(), Some(result.header()));
        std::fs::write(directory.path().join("out/a/c.pdf.json"), "{}").unwrap();
        assert!(folder.header("a/c.pdf").unwrap_err().to_string().contains("not a result"));
    }

    #[test]
    fn long_names_are_cut_and_stay_distinct() {
        let directory = tempfile::tempdir().unwrap();
        let mut folder = JsonFolder::open(directory.path().join("out")).unwrap();
        for end in ["a", "b"] {
            let file = format!("x/{}{end}", "ñ".repeat(125));
            let result = FileResult { file: file.clone(), ..FileResult::default() };
            folder.write(&result).unwrap();
            assert_eq!(folder.header(&file).unwrap(), Some(result.header()));
        }
        assert_eq!(std::fs::read_dir(directory.path().join("out/x")).unwrap().count(), 2);
    }
}
