//! Results for somebody who reads them as they come: standard output, a pipe or a device.

use std::fs::{File, OpenOptions};
use std::io::{self, Write, stdout};
use std::path::Path;

use quire_application::export::heading;

use super::table::lines_of;
use super::{Format, Outcome};

pub(super) struct Stream {
    to: Box<dyn Write>,
    place: String,
    format: Format,
    has_begun: bool,
}

impl Stream {
    pub(super) fn to_stdout(format: Format) -> Self {
        Self { to: Box::new(stdout()), place: "standard output".to_owned(), format, has_begun: false }
    }

    pub(super) fn to_file(path: &Path, format: Format) -> io::Result<Self> {
        let file: File = OpenOptions::new().write(true).open(path)?;
        Ok(Self { to: Box::new(file), place: path.display().to_string(), format, has_begun: false })
    }

    pub(super) fn place(&self) -> String {
        self.place.clone()
    }

    /// False when nobody reads it.
    pub(super) fn write(&mut self, outcome: &Outcome) -> io::Result<bool> {
        let mut text = match self.format {
            Format::Csv => lines_of(outcome),
            Format::Json | Format::Jsonl => serde_json::to_string(outcome)? + "\n",
        };
        if !self.has_begun && self.format == Format::Csv {
            text.insert_str(0, &heading());
        }
        self.has_begun = true;
        match self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// A table without lines still has its heading.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        if !self.has_begun && self.format == Format::Csv {
            self.to.write_all(heading().as_bytes())?;
        }
        match self.to.flush() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }
}
