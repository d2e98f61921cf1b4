//! The error of a command.

use std::fmt;
use std::io::Write;

/// A message for the user: what went wrong and what to do next.
#[derive(Debug)]
pub struct CommandError(String);

impl CommandError {
    /// An error with that message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Prints the message to standard error.
    pub(crate) fn print(&self) {
        // A closed standard error leaves nowhere to report to.
        let _ = writeln!(std::io::stderr(), "quire: {self}");
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for CommandError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}
