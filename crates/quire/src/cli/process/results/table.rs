//! A line for each value, in the columns of an export. The file gets its name when it is whole; what was understood before
//! is written anew from the state, which takes no time to speak of.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use quire_application::export::{RowPrefix, heading, row_without_value, rows};
use quire_domain::ReviewStatus;

use super::Outcome;
use super::lines::unfinished;

pub(super) struct Table {
    path: PathBuf,
    unfinished: PathBuf,
    file: BufWriter<File>,
}

impl Table {
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        require_own(&path)?;
        let unfinished = unfinished(&path);
        let mut file = BufWriter::new(File::create(&unfinished)?);
        file.write_all(heading().as_bytes())?;
        Ok(Self { path, unfinished, file })
    }

    pub(super) fn place(&self) -> String {
        self.path.display().to_string()
    }

    pub(super) fn write(&mut self, outcome: &Outcome) -> io::Result<()> {
        self.file.write_all(lines_of(outcome).as_bytes())
    }

    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        std::fs::rename(&self.unfinished, &self.path)
    }

    /// Leaves the file as it was before.
    pub(super) fn give_up(&mut self) -> io::Result<()> {
        std::fs::remove_file(&self.unfinished)
    }
}

/// A file that is there already begins as this command writes it, or is empty.
fn require_own(path: &Path) -> io::Result<()> {
    let mut beginning = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(heading().len() as u64).read_to_end(&mut beginning)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if beginning.is_empty() || beginning == heading().as_bytes() {
        return Ok(());
    }
    Err(io::Error::other("it is no result of this command; choose another file"))
}

/// The lines of a document; one in which nothing was understood has one without a value, so that none is missing.
pub(super) fn lines_of(outcome: &Outcome) -> String {
    let head = RowPrefix {
        document_id: outcome.document_id,
        original_filename: &outcome.file,
        created_at: outcome.created_at,
        status: &outcome.status,
        review_status: ReviewStatus::InReview.as_str(),
        run_id: outcome.run_id,
        version_number: (!outcome.fields.is_empty()).then_some(1),
    };
    if outcome.fields.is_empty() { row_without_value(&head) } else { rows(&head, &outcome.fields) }
}
