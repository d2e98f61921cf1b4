//! What a command says when it cannot do what was asked.

use std::fmt;
use std::io::Write;

/// One message for a person: what is wrong, and what to do.
#[derive(Debug)]
pub struct Trouble(String);

impl Trouble {
    /// Trouble with that message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Writes it where errors go.
    pub(crate) fn tell(&self) {
        // If nobody listens on standard error, there is nobody left to tell.
        let _ = writeln!(std::io::stderr(), "quire: {self}");
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for Trouble {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}
