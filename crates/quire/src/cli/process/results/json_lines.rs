//! One line of JSON per document, appended as documents are done. After a kill the file may end with half a line, which the
//! next command removes. A file whose result changed has two lines until the command ends; then the older one is removed.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::{FileResult, ResultHeader};

/// The start of every line.
const LINE_START: &[u8] = br#"{"file":"#;

pub(super) struct JsonLinesFile {
    path: PathBuf,
    file: File,
    /// Length of all complete lines in bytes.
    length: u64,
    count: usize,
    newest: HashMap<String, NewestLine>,
}

/// The newest line of a document.
struct NewestLine {
    header: ResultHeader,
    line: usize,
}

impl JsonLinesFile {
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = OpenOptions::new().read(true).append(true).create(true).open(&path)?;
        let mut lines = Self { path, file, length: 0, count: 0, newest: HashMap::new() };
        lines.read()?;
        lines.file.set_len(lines.length)?;
        lines.compact()?;
        Ok(lines)
    }

    pub(super) fn location(&self) -> String {
        self.path.display().to_string()
    }

    pub(super) fn header(&self, name: &str) -> Option<ResultHeader> {
        self.newest.get(name).map(|newest| newest.header.clone())
    }

    pub(super) fn write(&mut self, result: &FileResult) -> io::Result<()> {
        let mut line = serde_json::to_vec(result)?;
        line.push(b'\n');
        if let Err(error) = self.file.write_all(&line) {
            // Removes half a line. If that fails too, the next command repairs the file.
            let _ = self.file.set_len(self.length);
            return Err(error);
        }
        self.length += line.len() as u64;
        self.remember(result.header());
        Ok(())
    }

    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.compact()?;
        self.file.sync_all()
    }

    /// Reads the headers of all complete lines.
    fn read(&mut self) -> io::Result<()> {
        let mut reader = BufReader::new(File::open(&self.path)?);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            let Ok(header) = serde_json::from_slice::<ResultHeader>(&line) else {
                return Err(io::Error::other(format!(
                    "line {} is not a result of this command; choose another file",
                    self.count + 1
                )));
            };
            self.length += line.len() as u64;
            self.remember(header);
            line.clear();
        }
        // Half a line of a killed process is written again. Other content is left alone.
        let start = &line[..line.len().min(LINE_START.len())];
        if LINE_START.starts_with(start) {
            return Ok(());
        }
        Err(io::Error::other("the end of the file is not a result of this command; choose another file"))
    }

    fn remember(&mut self, header: ResultHeader) {
        self.newest.insert(header.file.clone(), NewestLine { header, line: self.count });
        self.count += 1;
    }

    /// Keeps only the newest line of each document.
    fn compact(&mut self) -> io::Result<()> {
        if self.newest.len() == self.count {
            return Ok(());
        }
        let temporary = temporary_path(&self.path);
        let mut kept = BufWriter::new(File::create(&temporary)?);
        let newest: std::collections::HashSet<usize> =
            self.newest.values().map(|newest| newest.line).collect();
        let mut reader = BufReader::new(File::open(&self.path)?);
        let mut line = Vec::new();
        let mut number = 0;
        while reader.read_until(b'\n', &mut line)? > 0 {
            if newest.contains(&number) {
                kept.write_all(&line)?;
            }
            number += 1;
            line.clear();
        }
        kept.into_inner()?.sync_all()?;
        std::fs::rename(&temporary, &self.path)?;
        self.file = OpenOptions::new().read(true).append(true).open(&self.path)?;
        self.newest.clear();
        (self.length, self.count) = (0, 0);
        self.read()
    }
}

/// The path of a file while it is written.
pub(super) fn temporary_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.unfinished"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(file: &str, status: &str) -> FileResult {
        FileResult { file: file.to_owned(), status: status.to_owned(), ..FileResult::default() }
    }

    fn files(path: &Path) -> Vec<(String, String)> {
        let text = std::fs::read_to_string(path).unwrap();
        let headers = text.lines().map(|line| serde_json::from_str::<ResultHeader>(line).unwrap());
        headers.map(|header| (header.file, header.status)).collect()
    }

    fn pair(file: &str, status: &str) -> (String, String) {
        (file.to_owned(), status.to_owned())
    }

    #[test]
    fn half_a_line_is_removed_and_complete_lines_stay_wherever_the_file_was_cut() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r.jsonl");
        let mut lines = JsonLinesFile::open(path.clone()).unwrap();
        lines.write(&result("a", "COMPLETED")).unwrap();
        let first = lines.length;
        lines.write(&result("b", "COMPLETED")).unwrap();
        lines.finish().unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in first..whole.len() as u64 {
            std::fs::write(&path, &whole[..usize::try_from(cut).unwrap()]).unwrap();
            let mut lines = JsonLinesFile::open(path.clone()).unwrap();
            assert!(lines.header("a").is_some() && lines.header("b").is_none(), "{cut}");
            lines.write(&result("b", "COMPLETED")).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), whole, "{cut}");
        }
    }

    #[test]
    fn a_document_has_one_line_in_the_end_also_after_a_kill() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r.jsonl");
        let mut lines = JsonLinesFile::open(path.clone()).unwrap();
        for (file, status) in [("a", "FAILED"), ("b", "COMPLETED"), ("a", "COMPLETED")] {
            lines.write(&result(file, status)).unwrap();
        }
        let killed = std::fs::read(&path).unwrap();
        lines.finish().unwrap();
        let expected = [pair("b", "COMPLETED"), pair("a", "COMPLETED")];
        assert_eq!(files(&path), expected);
        lines.write(&result("c", "COMPLETED")).unwrap();
        assert_eq!(files(&path).len(), 3);
        std::fs::write(&path, killed).unwrap();
        drop(JsonLinesFile::open(path.clone()).unwrap());
        assert_eq!(files(&path), expected);
    }

    #[test]
    fn a_file_that_has_no_results_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("r.jsonl");
        std::fs::write(&path, "{\"mine\": 1}\nhalf").unwrap();
        assert!(JsonLinesFile::open(path.clone()).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"mine\": 1}\nhalf");
        let without_end = directory.path().join("whole.json");
        std::fs::write(&without_end, "{\"all\": \"mine\"}").unwrap();
        assert!(JsonLinesFile::open(without_end.clone()).is_err());
        assert_eq!(std::fs::read_to_string(&without_end).unwrap(), "{\"all\": \"mine\"}");
    }
}
