//! The calibration of one key and mapping: review counts, and how a review changes them.

use serde::{Deserialize, Serialize};

use super::{ConfidencePolicy, FieldSignal, Standing, adjustment_points, field_signals};
use crate::Interpretation;

/// How often reviewers accepted and edited values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewCounts {
    /// Reviews that left the value as it was found.
    pub accepts: u32,
    /// Reviews in which a person changed or added the value.
    pub edits: u32,
}

impl ReviewCounts {
    /// The number of signals.
    pub fn volume(self) -> u32 {
        self.accepts.saturating_add(self.edits)
    }

    /// The share of accepts, if there are signals.
    pub fn share(self) -> Option<f64> {
        (self.volume() > 0).then(|| f64::from(self.accepts) / f64::from(self.volume()))
    }

    /// The points by which these counts adjust a confidence.
    pub fn adjustment(self) -> f64 {
        adjustment_points(self.accepts, self.edits)
    }

    /// The counts after one signal more or less. Counts stop at 0, so a missing count never blocks a reviewer.
    #[must_use]
    pub fn after_signal(mut self, edited: bool, direction: SignalDirection) -> Self {
        let count = if edited { &mut self.edits } else { &mut self.accepts };
        *count = match direction {
            SignalDirection::Add => count.saturating_add(1),
            SignalDirection::Remove => count.saturating_sub(1),
        };
        self
    }
}

/// Whether the signals of a review are added or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalDirection {
    /// A document was marked as reviewed.
    Add,
    /// A reviewed document was reopened.
    Remove,
}

/// The calibration of one key that one mapping finds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CalibrationEntry {
    /// The signals so far.
    pub counts: ReviewCounts,
    /// What follows from the counts and from the standing before.
    pub standing: Standing,
}

impl CalibrationEntry {
    /// The entry after one signal was added or removed.
    #[must_use]
    pub fn after(self, signal: &FieldSignal, direction: SignalDirection, policy: &ConfidencePolicy) -> Self {
        let counts = self.counts.after_signal(signal.edited, direction);
        Self { counts, standing: policy.standing_after(self.standing, counts.accepts, counts.edits) }
    }
}

/// The signals of one reviewed document. They are stored, so that reopening the document removes exactly these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewSignals {
    /// The context that the signals count for.
    pub context_key: String,
    /// The policy in effect when the document was marked as reviewed.
    pub policy_version: String,
    /// One signal for each key and mapping, in the order of the keys.
    pub signals: Vec<FieldSignal>,
}

impl ReviewSignals {
    /// The signals of this version. None if it has no context or no signals.
    pub fn of(version: &Interpretation, policy: &ConfidencePolicy) -> Option<Self> {
        let signals = field_signals(&version.fields);
        let context_key = version.context_key.clone()?;
        (!signals.is_empty()).then(|| Self { context_key, policy_version: policy.version.clone(), signals })
    }
}
