//! Where results go, and what is there already.

mod folder;
mod lines;
mod place;
mod stream;
mod table;

use std::io;

use self::folder::Folder;
use self::lines::Lines;
use self::stream::Stream;
use self::table::Table;
use super::outcome::{Head, Outcome};
use crate::trouble::Trouble;

pub(super) use self::place::{Format, Target};

/// Results as they are written.
pub(super) struct Results(Place);

enum Place {
    /// A JSON file for each.
    Folder(Folder),
    /// A line of JSON for each, in a file.
    Lines(Lines),
    /// A line for each value, in a file that is there when all of it is.
    Table(Table),
    /// One after the other to whoever reads them now.
    Stream(Stream),
}

impl Results {
    /// Opens the place. What a process that died left half written there is mended.
    pub(super) fn open(target: Target) -> Result<Self, Trouble> {
        let at = target.to_string();
        let opened = match target {
            Target::Folder(folder) => Folder::open(folder).map(Place::Folder),
            Target::File(path, format) if place::is_stream(&path) => {
                Stream::to_file(&path, format).map(Place::Stream)
            }
            Target::File(path, Format::Csv) => Table::open(path).map(Place::Table),
            Target::File(path, _) => Lines::open(path).map(Place::Lines),
            Target::Stdout(format) => Ok(Place::Stream(Stream::to_stdout(format))),
        };
        opened.map(Self).map_err(|error| Trouble::new(format!("results cannot be written to {at}: {error}")))
    }

    /// How the result of that file begins, if it is there.
    pub(super) fn head(&self, name: &str) -> Result<Option<Head>, Trouble> {
        let head = match &self.0 {
            Place::Folder(folder) => folder.head(name),
            Place::Lines(lines) => Ok(lines.head(name)),
            Place::Table(_) | Place::Stream(_) => Ok(None),
        };
        head.map_err(|error| self.trouble(&error))
    }

    /// Writes a result, in place of the one that file had. False when nobody reads it any more.
    pub(super) fn write(&mut self, outcome: &Outcome) -> Result<bool, Trouble> {
        let written = match &mut self.0 {
            Place::Folder(folder) => folder.write(outcome).map(|()| true),
            Place::Lines(lines) => lines.write(outcome).map(|()| true),
            Place::Table(table) => table.write(outcome).map(|()| true),
            Place::Stream(stream) => stream.write(outcome),
        };
        written.map_err(|error| self.trouble(&error))
    }

    /// Makes what was written durable and whole, whether it is all or not.
    pub(super) fn finish(&mut self, is_all: bool) -> Result<(), Trouble> {
        let finished = match &mut self.0 {
            Place::Folder(_) => Ok(()),
            Place::Lines(lines) => lines.finish(),
            Place::Table(table) if is_all => table.finish(),
            Place::Table(table) => table.give_up(),
            Place::Stream(stream) => stream.finish(),
        };
        finished.map_err(|error| self.trouble(&error))
    }

    fn trouble(&self, error: &io::Error) -> Trouble {
        let place = match &self.0 {
            Place::Folder(folder) => folder.place(),
            Place::Lines(lines) => lines.place(),
            Place::Table(table) => table.place(),
            Place::Stream(stream) => stream.place(),
        };
        Trouble::new(format!("results cannot be written to {place}: {error}"))
    }
}
