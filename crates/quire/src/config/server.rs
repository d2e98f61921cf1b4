//! `[server]`

use std::fmt;

use serde::Deserialize;

/// `[server]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Server {
    pub listen: String,
    pub auth_token: Secret,
}

/// Text that is not shown.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// What was given, if anything but blanks was.
    pub fn given(&self) -> Option<&str> {
        Some(self.0.trim()).filter(|text| !text.is_empty())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.given().is_some() { "***" } else { "none" })
    }
}
