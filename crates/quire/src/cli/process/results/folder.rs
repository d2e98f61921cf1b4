//! A JSON file for each document, under the document's own name. A file is there whole or not at all.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::PathBuf;

use quire_application::document::content_hash;
use quire_domain::hex;

use super::{Head, Outcome};

/// Where a result is until it is whole.
const UNFINISHED: &str = ".unfinished.json";

/// Bytes of the longest name of a document that is kept whole, and how much is kept of a longer one.
const LONGEST_NAME: usize = 200;
const KEPT_OF_NAME: usize = 160;

pub(super) struct Folder {
    root: PathBuf,
}

impl Folder {
    pub(super) fn open(root: PathBuf) -> io::Result<Self> {
        std::fs::create_dir_all(&root)?;
        Ok(Self { root })
    }

    pub(super) fn place(&self) -> String {
        self.root.display().to_string()
    }

    pub(super) fn head(&self, name: &str) -> io::Result<Option<Head>> {
        let path = self.path(name);
        let text = match std::fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text?,
        };
        match serde_json::from_slice::<Head>(&text) {
            Ok(head) if head.file == name => Ok(Some(head)),
            _ => Err(io::Error::other(format!(
                "{} is in the way and is no result of this command; move it, or choose another folder",
                path.display()
            ))),
        }
    }

    pub(super) fn write(&mut self, outcome: &Outcome) -> io::Result<()> {
        let (path, unfinished) = (self.path(&outcome.file), self.root.join(UNFINISHED));
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = File::create(&unfinished)?;
        let mut text = serde_json::to_vec_pretty(outcome)?;
        text.push(b'\n');
        file.write_all(&text)?;
        // A name must never lead to half a file, also after a power cut. That the name itself is durable is not needed:
        // a result that is missing is written again from the state.
        file.sync_all()?;
        std::fs::rename(&unfinished, &path)
    }

    /// Under the name of the document. One that would be too long for a file with its ending is cut and told apart by
    /// its hash.
    fn path(&self, name: &str) -> PathBuf {
        let (folder, own) = name.rsplit_once('/').map_or(("", name), |(folder, own)| (folder, own));
        if own.len() <= LONGEST_NAME {
            return self.root.join(format!("{name}.json"));
        }
        let cut: String = own
            .chars()
            .scan(0, |length, letter| {
                *length += letter.len_utf8();
                (*length <= KEPT_OF_NAME).then_some(letter)
            })
            .collect();
        let hash = content_hash(own.as_bytes()).map(|hash| hex(&hash)[..16].to_owned()).unwrap_or_default();
        self.root.join(folder).join(format!("{cut}~{hash}.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_somebody_else_put_there_is_not_written_over() {
        let home = tempfile::tempdir().unwrap();
        let mut folder = Folder::open(home.path().join("out")).unwrap();
        assert_eq!(folder.head("a/b.pdf").unwrap(), None);
        let outcome = Outcome { file: "a/b.pdf".to_owned(), ..Outcome::default() };
        folder.write(&outcome).unwrap();
        assert_eq!(folder.head("a/b.pdf").unwrap(), Some(outcome.head()));
        std::fs::write(home.path().join("out/a/c.pdf.json"), "{}").unwrap();
        assert!(folder.head("a/c.pdf").unwrap_err().to_string().contains("in the way"));
    }

    #[test]
    fn long_names_fit_and_stay_apart() {
        let home = tempfile::tempdir().unwrap();
        let mut folder = Folder::open(home.path().join("out")).unwrap();
        for end in ["a", "b"] {
            let file = format!("x/{}{end}", "ñ".repeat(125));
            let outcome = Outcome { file: file.clone(), ..Outcome::default() };
            folder.write(&outcome).unwrap();
            assert_eq!(folder.head(&file).unwrap(), Some(outcome.head()));
        }
        assert_eq!(std::fs::read_dir(home.path().join("out/x")).unwrap().count(), 2);
    }
}
