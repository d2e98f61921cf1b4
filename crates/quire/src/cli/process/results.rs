//! Writes results to a folder, a file or a stream, and finds those of an earlier command.

mod csv_file;
mod json_folder;
mod json_lines;
mod stream;
mod target;

use std::io;

use self::csv_file::CsvFile;
use self::json_folder::JsonFolder;
use self::json_lines::JsonLinesFile;
use self::stream::OutputStream;
use super::file_result::{FileResult, ResultHeader};
use crate::error::CommandError;

pub(super) use self::target::{OutputFormat, OutputTarget};

/// Writes results to one destination.
pub(super) struct ResultWriter(Destination);

enum Destination {
    /// One JSON file per document.
    Folder(JsonFolder),
    /// One line of JSON per document.
    Lines(JsonLinesFile),
    /// One line per value. The file appears when it is complete.
    Csv(CsvFile),
    /// Standard output, a pipe or a device.
    Stream(OutputStream),
}

impl ResultWriter {
    /// Opens the destination, and repairs what a killed process left incomplete there.
    pub(super) fn open(target: OutputTarget) -> Result<Self, CommandError> {
        let location = target.to_string();
        let opened = match target {
            OutputTarget::Folder(folder) => JsonFolder::open(folder).map(Destination::Folder),
            OutputTarget::File(path, format) if target::is_stream(&path) => {
                OutputStream::to_file(&path, format).map(Destination::Stream)
            }
            OutputTarget::File(path, OutputFormat::Csv) => CsvFile::open(path).map(Destination::Csv),
            OutputTarget::File(path, _) => JsonLinesFile::open(path).map(Destination::Lines),
            OutputTarget::Stdout(format) => Ok(Destination::Stream(OutputStream::to_stdout(format))),
        };
        opened.map(Self).map_err(|error| write_error(&location, &error))
    }

    /// The header of the existing result of this file, if there is one.
    pub(super) fn header(&self, name: &str) -> Result<Option<ResultHeader>, CommandError> {
        let header = match &self.0 {
            Destination::Folder(folder) => folder.header(name),
            Destination::Lines(lines) => Ok(lines.header(name)),
            Destination::Csv(_) | Destination::Stream(_) => Ok(None),
        };
        header.map_err(|error| self.error(&error))
    }

    /// Writes a result and replaces an earlier one of the same file. Returns false if the output is closed.
    pub(super) fn write(&mut self, result: &FileResult) -> Result<bool, CommandError> {
        let written = match &mut self.0 {
            Destination::Folder(folder) => folder.write(result).map(|()| true),
            Destination::Lines(lines) => lines.write(result).map(|()| true),
            Destination::Csv(csv) => csv.write(result).map(|()| true),
            Destination::Stream(stream) => stream.write(result),
        };
        written.map_err(|error| self.error(&error))
    }

    /// Makes the written results durable. An incomplete CSV file is discarded.
    pub(super) fn finish(&mut self, is_complete: bool) -> Result<(), CommandError> {
        let finished = match &mut self.0 {
            Destination::Folder(_) => Ok(()),
            Destination::Lines(lines) => lines.finish(),
            Destination::Csv(csv) if is_complete => csv.finish(),
            Destination::Csv(csv) => csv.discard(),
            Destination::Stream(stream) => stream.finish(),
        };
        finished.map_err(|error| self.error(&error))
    }

    fn error(&self, error: &io::Error) -> CommandError {
        let location = match &self.0 {
            Destination::Folder(folder) => folder.location(),
            Destination::Lines(lines) => lines.location(),
            Destination::Csv(csv) => csv.location(),
            Destination::Stream(stream) => stream.location(),
        };
        write_error(&location, error)
    }
}

fn write_error(location: &str, error: &io::Error) -> CommandError {
    CommandError::new(format!("cannot write results to {location}: {error}"))
}
