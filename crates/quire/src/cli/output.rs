//! How commands write: aligned columns and ages for people, JSON for programs.

use std::fmt::Write as _;
use std::io::{ErrorKind, Write as _, stdout};

use jiff::{SignedDuration, Timestamp};

use crate::trouble::Trouble;

/// Writes to standard output. A reader that has seen enough (`| head`) is no trouble.
pub(crate) fn say(text: &str) -> Result<(), Trouble> {
    go_on_saying(text).map(|_| ())
}

/// The same, and whether anybody still reads.
pub(crate) fn go_on_saying(text: &str) -> Result<bool, Trouble> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// JSON over several lines, so that people can read it as well.
pub(crate) fn json(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

/// Rows in aligned columns under a heading. Without rows, nothing.
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

/// A duration to the second, or finer when it is short.
pub(crate) fn lasting(duration: SignedDuration) -> String {
    let unit = if duration.abs() < SignedDuration::from_secs(10) {
        jiff::Unit::Millisecond
    } else {
        jiff::Unit::Second
    };
    format!("{:#}", duration.round(unit).unwrap_or(duration))
}

/// How long ago.
pub(crate) fn ago(then: Timestamp, now: Timestamp) -> String {
    let passed = now.duration_since(then).round(jiff::Unit::Second).unwrap_or_default();
    format!("{passed:#} ago")
}

/// A time, or a dash.
pub(crate) fn time(at: Option<Timestamp>) -> String {
    at.map_or_else(|| "-".to_owned(), to_the_second)
}

/// A time to the millisecond: finer would only be noise to people.
fn to_the_second(at: Timestamp) -> String {
    format!("{at:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_and_lines_end_where_they_end() {
        let rows = [["a".to_owned(), "1".to_owned()], ["longer".to_owned(), String::new()]];
        assert_eq!(table(["NAME", "N"], &rows), "NAME    N\na       1\nlonger\n");
        assert_eq!(table(["NAME"], &[]), "");
    }

    #[test]
    fn durations_read_as_people_say_them() {
        assert_eq!(lasting(SignedDuration::from_millis(1_250)), "1s 250ms");
        assert_eq!(lasting(SignedDuration::from_millis(75_400)), "1m 15s");
    }
}
