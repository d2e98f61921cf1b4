//! `[limits]`

use serde::{Deserialize, Deserializer};

/// `[limits]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Limits {
    pub uploads_per_minute: PerMinute,
    pub downloads_per_minute: PerMinute,
}

/// How many a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerMinute {
    /// As where the server listens suggests.
    Default,
    /// So many; 0 is any number.
    Of(u32),
}

impl PerMinute {
    /// So many, or that many where nothing was said.
    pub fn or(self, usual: u32) -> u32 {
        match self {
            Self::Default => usual,
            Self::Of(number) => number,
        }
    }

    /// What was said, if anything was.
    pub(super) fn number(self) -> u32 {
        self.or(0)
    }
}

impl<'de> Deserialize<'de> for PerMinute {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.trim() {
            "default" => Ok(Self::Default),
            number => number.parse().map(Self::Of).map_err(|_| {
                serde::de::Error::custom("must be \"default\" or a whole number, of which 0 is no limit")
            }),
        }
    }
}
