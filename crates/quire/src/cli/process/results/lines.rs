//! A line of JSON for each document, added as they are done. After a kill the file may end in half a line, which goes when
//! it is opened next. A file whose result changed has two lines until the end; then the older one goes.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::{Head, Outcome};

/// How every line begins.
const BEGINNING: &[u8] = br#"{"file":"#;

pub(super) struct Lines {
    path: PathBuf,
    file: File,
    /// Bytes of the whole lines.
    length: u64,
    count: usize,
    held: HashMap<String, Held>,
}

/// The newest line of a document.
struct Held {
    head: Head,
    line: usize,
}

impl Lines {
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = OpenOptions::new().read(true).append(true).create(true).open(&path)?;
        let mut lines = Self { path, file, length: 0, count: 0, held: HashMap::new() };
        lines.read()?;
        lines.file.set_len(lines.length)?;
        lines.compact()?;
        Ok(lines)
    }

    pub(super) fn place(&self) -> String {
        self.path.display().to_string()
    }

    pub(super) fn head(&self, name: &str) -> Option<Head> {
        self.held.get(name).map(|held| held.head.clone())
    }

    pub(super) fn write(&mut self, outcome: &Outcome) -> io::Result<()> {
        let mut line = serde_json::to_vec(outcome)?;
        line.push(b'\n');
        if let Err(error) = self.file.write_all(&line) {
            // Half a line is none. Where even this fails, the next start mends it.
            let _ = self.file.set_len(self.length);
            return Err(error);
        }
        self.length += line.len() as u64;
        self.hold(outcome.head());
        Ok(())
    }

    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.compact()?;
        self.file.sync_all()
    }

    /// Learns what is there, as far as the lines are whole.
    fn read(&mut self) -> io::Result<()> {
        let mut reader = BufReader::new(File::open(&self.path)?);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
            let Ok(head) = serde_json::from_slice::<Head>(&line) else {
                return Err(io::Error::other(format!(
                    "its line {} is no result of this command; choose another file",
                    self.count + 1
                )));
            };
            self.length += line.len() as u64;
            self.hold(head);
            line.clear();
        }
        // Half a line is left of a process that was killed, and written anew; what never was a line of ours stays.
        let beginning = &line[..line.len().min(BEGINNING.len())];
        if BEGINNING.starts_with(beginning) {
            return Ok(());
        }
        Err(io::Error::other("it ends with what is no result of this command; choose another file"))
    }

    fn hold(&mut self, head: Head) {
        self.held.insert(head.file.clone(), Held { head, line: self.count });
        self.count += 1;
    }

    /// Leaves each document its newest line, if one has several.
    fn compact(&mut self) -> io::Result<()> {
        if self.held.len() == self.count {
            return Ok(());
        }
        let unfinished = unfinished(&self.path);
        let mut kept = BufWriter::new(File::create(&unfinished)?);
        let newest: std::collections::HashSet<usize> = self.held.values().map(|held| held.line).collect();
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
        std::fs::rename(&unfinished, &self.path)?;
        self.file = OpenOptions::new().read(true).append(true).open(&self.path)?;
        self.held.clear();
        (self.length, self.count) = (0, 0);
        self.read()
    }
}

/// Beside a file, where the next one is until it is whole.
pub(super) fn unfinished(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.unfinished"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(file: &str, status: &str) -> Outcome {
        Outcome { file: file.to_owned(), status: status.to_owned(), ..Outcome::default() }
    }

    fn files(path: &Path) -> Vec<(String, String)> {
        let text = std::fs::read_to_string(path).unwrap();
        let heads = text.lines().map(|line| serde_json::from_str::<Head>(line).unwrap());
        heads.map(|head| (head.file, head.status)).collect()
    }

    fn pair(file: &str, status: &str) -> (String, String) {
        (file.to_owned(), status.to_owned())
    }

    #[test]
    fn half_a_line_goes_and_what_is_whole_stays_wherever_it_was_cut() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("r.jsonl");
        let mut lines = Lines::open(path.clone()).unwrap();
        lines.write(&outcome("a", "COMPLETED")).unwrap();
        let first = lines.length;
        lines.write(&outcome("b", "COMPLETED")).unwrap();
        lines.finish().unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in first..whole.len() as u64 {
            std::fs::write(&path, &whole[..usize::try_from(cut).unwrap()]).unwrap();
            let mut lines = Lines::open(path.clone()).unwrap();
            assert!(lines.head("a").is_some() && lines.head("b").is_none(), "{cut}");
            lines.write(&outcome("b", "COMPLETED")).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), whole, "{cut}");
        }
    }

    #[test]
    fn a_document_has_one_line_in_the_end_also_if_a_kill_came_before_it() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("r.jsonl");
        let mut lines = Lines::open(path.clone()).unwrap();
        for (file, status) in [("a", "FAILED"), ("b", "COMPLETED"), ("a", "COMPLETED")] {
            lines.write(&outcome(file, status)).unwrap();
        }
        let killed = std::fs::read(&path).unwrap();
        lines.finish().unwrap();
        let expected = [pair("b", "COMPLETED"), pair("a", "COMPLETED")];
        assert_eq!(files(&path), expected);
        lines.write(&outcome("c", "COMPLETED")).unwrap();
        assert_eq!(files(&path).len(), 3);
        std::fs::write(&path, killed).unwrap();
        drop(Lines::open(path.clone()).unwrap());
        assert_eq!(files(&path), expected);
    }

    #[test]
    fn a_file_of_somebody_else_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("r.jsonl");
        std::fs::write(&path, "{\"mine\": 1}\nhalf").unwrap();
        assert!(Lines::open(path.clone()).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"mine\": 1}\nhalf");
        let without_end = home.path().join("whole.json");
        std::fs::write(&without_end, "{\"all\": \"mine\"}").unwrap();
        assert!(Lines::open(without_end.clone()).is_err());
        assert_eq!(std::fs::read_to_string(&without_end).unwrap(), "{\"all\": \"mine\"}");
    }
}
