//! What is read: PDFs that the bench makes, manuals that `cargo xtask` fetched, and whatever the user names.
//!
//! The manuals come from Debian's packages. They are measured on the machine that fetched them and go no further.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::contender::{Contender, Task};
use super::made;
use crate::report::{Line, Table};

/// Where `cargo xtask bench read` tells which folders hold manuals, as a list like `PATH`.
const MANUALS: &str = "QUIRE_BENCH_MANUALS";

/// How many of the files that could not be read are named.
const SHOWN: usize = 5;

/// Where a file is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The bench made it.
    Made,
    /// A manual of a Debian package.
    Manual,
    /// A folder that the user named.
    Own,
}

impl Source {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Made, Self::Manual, Self::Own];

    /// What its files are called together.
    pub fn name(self) -> &'static str {
        match self {
            Self::Made => "made by the bench",
            Self::Manual => "manuals from Debian",
            Self::Own => "own files",
        }
    }
}

/// A file to read.
#[derive(Clone, Debug)]
pub struct Specimen {
    /// Its name without the folder.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Where it is from.
    pub source: Source,
}

/// All files to read.
pub struct Corpus {
    /// The files.
    pub specimens: Vec<Specimen>,
    /// A document of one word.
    pub one_word: PathBuf,
    /// A full page of text.
    pub text_page: PathBuf,
    _folder: TempDir,
}

impl Corpus {
    /// Makes what is made, and finds the rest.
    pub fn gather(folders: &[PathBuf]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, file: Vec<u8>| {
            let path = folder.path().join(format!("{name}.pdf"));
            std::fs::write(&path, file).unwrap();
            path
        };
        let mut specimens: Vec<Specimen> = made::all()
            .into_iter()
            .map(|(name, file)| Specimen { path: put(&name, file), name, source: Source::Made })
            .collect();
        let manuals = std::env::var_os(MANUALS).unwrap_or_default();
        for manuals in std::env::split_paths(&manuals).filter(|path| !path.as_os_str().is_empty()) {
            specimens.extend(found(&manuals, Source::Manual));
        }
        specimens.extend(folders.iter().flat_map(|own| found(own, Source::Own)));
        let (one_word, text_page) = (put("one-word", made::one_word()), put("text-page", made::text_page()));
        Self { specimens, one_word, text_page, _folder: folder }
    }

    /// The paths of all files.
    pub fn paths(&self) -> Vec<&Path> {
        self.specimens.iter().map(|specimen| specimen.path.as_path()).collect()
    }

    /// What there is to read, for people.
    pub fn description(&self) -> String {
        let counts = Source::ALL.map(|source| {
            let count = self.specimens.iter().filter(|specimen| specimen.source == source).count();
            format!("{count} {}", source.name())
        });
        format!("PDFs: {}.", counts.join(", "))
    }

    /// Drops what either contender cannot read, after saying what that is: a file that only Quire fails on is missed,
    /// one that `PyMuPDF` fails on compares to nothing.
    pub fn keep_what_both_read(&mut self, pymupdf: &mut Contender, quire: &mut Contender) -> Table {
        let mut missed = Vec::new();
        self.specimens.retain(|specimen| {
            let theirs = pymupdf.ask(Task::Time, &[&specimen.path]).error;
            let ours = quire.ask(Task::Time, &[&specimen.path]).error;
            if let (None, Some(error)) = (&theirs, &ours) {
                missed.push(format!("{}: {error}", specimen.name));
            }
            theirs.is_none() && ours.is_none()
        });
        assert!(
            !self.specimens.is_empty(),
            "no file is read by both, so there is nothing to measure: {missed:?}"
        );
        let mut notes = vec![
            format!("{} against {}", quire.name, pymupdf.name),
            format!("{} files are read by both", self.specimens.len()),
        ];
        notes.extend(missed.iter().take(SHOWN).cloned());
        let line = Line {
            what: "files that PyMuPDF reads and Quire does not".to_owned(),
            figure: missed.len().to_string(),
            wanted: "none".to_owned(),
            met: missed.is_empty(),
        };
        Table { lines: vec![line], notes }
    }
}

/// The PDFs in a folder and in those below it, in the order of their names.
fn found(folder: &Path, source: Source) -> Vec<Specimen> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut specimens = Vec::new();
    for path in paths {
        if path.is_dir() {
            specimens.extend(found(&path, source));
        } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdf")) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            specimens.push(Specimen { name, path, source });
        }
    }
    specimens
}
