//! One line per value, in the columns of an export. The file gets its name when it is complete. Results of an earlier command
//! are written again from the state, which is fast.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use quire_application::export::{RowPrefix, heading, row_without_value, rows};
use quire_domain::ReviewStatus;

use super::FileResult;
use super::json_lines::temporary_path;

pub(super) struct CsvFile {
    path: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
}

impl CsvFile {
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        require_own_file(&path)?;
        let temporary = temporary_path(&path);
        let mut file = BufWriter::new(File::create(&temporary)?);
        file.write_all(heading().as_bytes())?;
        Ok(Self { path, temporary, file })
    }

    pub(super) fn location(&self) -> String {
        self.path.display().to_string()
    }

    pub(super) fn write(&mut self, result: &FileResult) -> io::Result<()> {
        self.file.write_all(csv_lines(result).as_bytes())
    }

    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        std::fs::rename(&self.temporary, &self.path)
    }

    /// Leaves the existing file as it was.
    pub(super) fn discard(&mut self) -> io::Result<()> {
        std::fs::remove_file(&self.temporary)
    }
}

/// Refuses to overwrite a file that is neither empty nor a CSV of this command.
fn require_own_file(path: &Path) -> io::Result<()> {
    let mut start = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(heading().len() as u64).read_to_end(&mut start)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if start.is_empty() || start == heading().as_bytes() {
        return Ok(());
    }
    Err(io::Error::other("the file is not a result of this command; choose another file"))
}

/// The lines of a document. A document without fields has one line without a value, so that it is not missing.
pub(super) fn csv_lines(result: &FileResult) -> String {
    let prefix = RowPrefix {
        document_id: result.document_id,
        original_filename: &result.file,
        created_at: result.created_at,
        status: &result.status,
        review_status: ReviewStatus::InReview.as_str(),
        run_id: result.run_id,
        version_number: (!result.fields.is_empty()).then_some(1),
    };
    if result.fields.is_empty() { row_without_value(&prefix) } else { rows(&prefix, &result.fields) }
}
