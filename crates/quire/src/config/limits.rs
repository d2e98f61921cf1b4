//! `[limits]`

use jiff::SignedDuration;
use serde::{Deserialize, Deserializer};

/// `[limits]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct LimitsSection {
    pub uploads_per_minute: PerMinute,
    pub downloads_per_minute: PerMinute,
    pub megabytes_per_minute: PerMinute,
    pub drawings_per_minute: PerMinute,
    pub connections: usize,
    pub connections_per_client: usize,
    #[serde(deserialize_with = "super::duration")]
    pub client_timeout: SignedDuration,
}

/// A rate limit per client and minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerMinute {
    /// Depends on the address that the server listens on.
    Default,
    /// This number of requests; 0 is no limit.
    Of(u32),
}

impl PerMinute {
    /// The limit, or `default` if none is set.
    pub fn or(self, default: u32) -> u32 {
        match self {
            Self::Default => default,
            Self::Of(number) => number,
        }
    }

    /// The limit that is set, or 0.
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
                serde::de::Error::custom("must be \"default\" or a whole number; 0 is no limit")
            }),
        }
    }
}
