//! Output of commands: aligned columns and durations for people, JSON for programs.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _, stdout};

use jiff::{SignedDuration, Timestamp};

use crate::error::CommandError;

/// Prints to standard output. A closed pipe (`| head`) is no error.
pub(crate) fn print(text: &str) -> Result<(), CommandError> {
    try_print(text).map(|_| ())
}

/// Like [`print`], but returns false if the output is closed.
pub(crate) fn try_print(text: &str) -> Result<bool, CommandError> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Indented JSON.
pub(crate) fn json(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

/// A text of a document in one line. Its control characters never reach a terminal.
pub(crate) fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control() || c.is_whitespace(), " ")
}

/// Rows in aligned columns under a heading; empty if there are no rows.
pub(crate) fn table<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> String {
    let mut text = String::new();
    if rows.is_empty() {
        return text;
    }
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).chain([heading[column].len()]).max().unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let mut line = |cells: [&str; N]| {
        let start = text.len();
        for (cell, width) in cells.iter().zip(widths) {
            // Writing to a String cannot fail.
            let _ = write!(text, "{cell:width$}  ");
        }
        text.truncate(start + text[start..].trim_end().len());
        text.push('\n');
    };
    line(heading);
    for row in rows {
        line(std::array::from_fn(|column| row[column].as_str()));
    }
    text
}

/// A duration in seconds, or in milliseconds below 10 seconds.
pub(crate) fn duration(duration: SignedDuration) -> String {
    let unit = if duration.abs() < SignedDuration::from_secs(10) {
        jiff::Unit::Millisecond
    } else {
        jiff::Unit::Second
    };
    format!("{:#}", duration.round(unit).unwrap_or(duration))
}

/// A size in MB, or in kB below 1 MB.
pub(crate) fn size(bytes: u64) -> String {
    #[allow(clippy::cast_precision_loss)] // Rounded to one decimal anyway.
    let kilobytes = bytes as f64 / 1024.0;
    if kilobytes < 1024.0 { format!("{kilobytes:.1} kB") } else { format!("{:.1} MB", kilobytes / 1024.0) }
}

/// The time since `then`, as "5m ago".
pub(crate) fn ago(then: Timestamp, now: Timestamp) -> String {
    let elapsed = now.duration_since(then).round(jiff::Unit::Second).unwrap_or_default();
    format!("{elapsed:#} ago")
}

/// A time to the millisecond, or a dash.
pub(crate) fn time(at: Option<Timestamp>) -> String {
    at.map_or_else(|| "-".to_owned(), |at| format!("{at:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_lines_have_no_trailing_spaces() {
        let rows = [["a".to_owned(), "1".to_owned()], ["longer".to_owned(), String::new()]];
        assert_eq!(table(["NAME", "N"], &rows), "NAME    N\na       1\nlonger\n");
        assert_eq!(table(["NAME"], &[]), "");
    }

    #[test]
    fn short_durations_show_milliseconds_and_long_ones_seconds() {
        assert_eq!(duration(SignedDuration::from_millis(1_250)), "1s 250ms");
        assert_eq!(duration(SignedDuration::from_millis(75_400)), "1m 15s");
    }

    #[test]
    fn sizes_are_in_kb_or_mb() {
        assert_eq!(size(512), "0.5 kB");
        assert_eq!(size(3 << 19), "1.5 MB");
    }
}
