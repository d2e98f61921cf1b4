//! The confidence policy: the limits of the bands, and of the calibration states.

use serde::{Deserialize, Serialize};

use crate::NEUTRAL_CONFIDENCE;

/// The longest name of a policy, in characters.
const MAX_VERSION_CHARS: usize = 64;

/// The limits of the confidence bands and of the calibration states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfidencePolicy {
    /// The name of the policy. Signals counted under one policy do not count under another.
    #[serde(rename = "policy_version")]
    pub version: String,
    /// Confidence below this is low.
    pub low_max: f64,
    /// Confidence below this, and not low, is mid. All other confidence is high.
    pub mid_max: f64,
    /// A mapping becomes boosted at this share of accepts.
    pub boosted_enter: f64,
    /// A boosted mapping becomes neutral below this share of accepts.
    pub boosted_exit: f64,
    /// A mapping becomes demoted at this share of accepts.
    pub demoted_enter: f64,
    /// A demoted mapping becomes neutral above this share of accepts.
    pub demoted_exit: f64,
    /// The number of signals below which a mapping stays neutral.
    pub min_volume: u32,
    /// The confidence of a value that a person added where nothing was found.
    pub human_edit_neutral: f64,
}

impl Default for ConfidencePolicy {
    fn default() -> Self {
        Self {
            version: "v1".to_owned(),
            low_max: 0.50,
            mid_max: 0.75,
            boosted_enter: 0.82,
            boosted_exit: 0.74,
            demoted_enter: 0.38,
            demoted_exit: 0.46,
            min_volume: 5,
            human_edit_neutral: NEUTRAL_CONFIDENCE,
        }
    }
}

/// The range that a confidence lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Band {
    Low,
    Mid,
    High,
}

impl Band {
    /// All bands.
    pub const ALL: [Self; 3] = [Self::Low, Self::Mid, Self::High];

    /// The name that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Mid => "mid",
            Self::High => "high",
        }
    }
}

/// How reliable a mapping has been.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// Neither boosted nor demoted.
    #[default]
    Neutral,
    /// It is nearly always right.
    Boosted,
    /// It is mostly wrong.
    Demoted,
}

impl Standing {
    /// All states.
    pub const ALL: [Self; 3] = [Self::Neutral, Self::Boosted, Self::Demoted];

    /// The name that is stored and that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Boosted => "boosted",
            Self::Demoted => "demoted",
        }
    }

    /// The state of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == name)
    }
}

impl ConfidencePolicy {
    /// Checks the limits. An error has the name of the setting and what it must be.
    pub fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let sound = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !(1..=MAX_VERSION_CHARS).contains(&self.version.len()) || !self.version.chars().all(sound) {
            return Err(("policy_version", "must be 1 to 64 letters, digits, -, _ or ."));
        }
        let shares = [
            ("low_max", self.low_max),
            ("mid_max", self.mid_max),
            ("boosted_enter", self.boosted_enter),
            ("boosted_exit", self.boosted_exit),
            ("demoted_enter", self.demoted_enter),
            ("demoted_exit", self.demoted_exit),
            ("human_edit_neutral", self.human_edit_neutral),
        ];
        if let Some((name, _)) = shares.iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
            return Err((name, "must be between 0 and 1"));
        }
        if self.low_max >= self.mid_max {
            return Err(("low_max", "must be below mid_max"));
        }
        if self.boosted_exit > self.boosted_enter {
            return Err(("boosted_exit", "must not be above boosted_enter"));
        }
        if self.demoted_exit < self.demoted_enter {
            return Err(("demoted_exit", "must not be below demoted_enter"));
        }
        if self.demoted_exit >= self.boosted_exit {
            return Err(("demoted_exit", "must be below boosted_exit"));
        }
        Ok(())
    }

    /// The band of a confidence.
    pub fn band(&self, confidence: f64) -> Band {
        if confidence < self.low_max {
            Band::Low
        } else if confidence < self.mid_max {
            Band::Mid
        } else {
            Band::High
        }
    }

    /// The state after so many accepts and edits. A state is left later than it is entered, so that it does not flap.
    pub fn standing_after(&self, before: Standing, accepts: u32, edits: u32) -> Standing {
        let volume = accepts.saturating_add(edits);
        if volume < self.min_volume.max(1) {
            return Standing::Neutral;
        }
        let share = f64::from(accepts) / f64::from(volume);
        match before {
            Standing::Boosted if share >= self.boosted_exit => Standing::Boosted,
            Standing::Demoted if share <= self.demoted_exit => Standing::Demoted,
            _ if share >= self.boosted_enter => Standing::Boosted,
            _ if share <= self.demoted_enter => Standing::Demoted,
            _ => Standing::Neutral,
        }
    }
}
