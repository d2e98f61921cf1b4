//! Results on standard output, a pipe or a device.

use std::fs::{File, OpenOptions};
use std::io::{self, Write, stdout};
use std::path::Path;

use quire_application::export::heading;

use super::csv_file::csv_lines;
use super::{FileResult, OutputFormat};

pub(super) struct OutputStream {
    output: Box<dyn Write>,
    location: String,
    format: OutputFormat,
    is_started: bool,
}

impl OutputStream {
    pub(super) fn to_stdout(format: OutputFormat) -> Self {
        Self { output: Box::new(stdout()), location: "standard output".to_owned(), format, is_started: false }
    }

    pub(super) fn to_file(path: &Path, format: OutputFormat) -> io::Result<Self> {
        let file: File = OpenOptions::new().write(true).open(path)?;
        Ok(Self { output: Box::new(file), location: path.display().to_string(), format, is_started: false })
    }

    pub(super) fn location(&self) -> String {
        self.location.clone()
    }

    /// Returns false if the output is closed.
    pub(super) fn write(&mut self, result: &FileResult) -> io::Result<bool> {
        let mut text = match self.format {
            OutputFormat::Csv => csv_lines(result),
            OutputFormat::Json | OutputFormat::Jsonl => serde_json::to_string(result)? + "\n",
        };
        if !self.is_started && self.format == OutputFormat::Csv {
            text.insert_str(0, &heading());
        }
        self.is_started = true;
        match self.output.write_all(text.as_bytes()).and_then(|()| self.output.flush()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// A CSV without lines still has its heading.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        if !self.is_started && self.format == OutputFormat::Csv {
            self.output.write_all(heading().as_bytes())?;
        }
        match self.output.flush() {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }
}
