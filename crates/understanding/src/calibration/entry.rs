//! What is known after reviews, and what one more of them adds or takes back.

use serde::{Deserialize, Serialize};

use super::{CalibrationState, ConfidencePolicy, FieldSignal, adjustment_points, field_signals};
use crate::Interpretation;

/// How often people left something as it was found, and how often they did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReviewCounts {
    /// Reviews in which it stayed.
    pub accepts: u32,
    /// Reviews in which a person had changed it or put it in.
    pub edits: u32,
}

impl ReviewCounts {
    /// All signals.
    pub fn volume(self) -> u32 {
        self.accepts.saturating_add(self.edits)
    }

    /// The share of accepts, if there was anything.
    pub fn share(self) -> Option<f64> {
        (self.volume() > 0).then(|| f64::from(self.accepts) / f64::from(self.volume()))
    }

    /// By how many points they move a confidence.
    pub fn adjustment(self) -> f64 {
        adjustment_points(self.accepts, self.edits)
    }

    /// The same with one signal more, or one less. Nothing is less than none: a count never holds up a person's work.
    #[must_use]
    pub fn after_signal(mut self, edited: bool, way: LearningDirection) -> Self {
        let count = if edited { &mut self.edits } else { &mut self.accepts };
        *count = match way {
            LearningDirection::Apply => count.saturating_add(1),
            LearningDirection::Revert => count.saturating_sub(1),
        };
        self
    }
}

/// Whether a lesson is learnt or taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LearningDirection {
    /// A document was marked as reviewed.
    Apply,
    /// It was reopened.
    Revert,
}

/// What is known of a key that is found one way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CalibrationEntry {
    /// What reviews said.
    pub counts: ReviewCounts,
    /// What follows from that, given what followed before.
    pub state: CalibrationState,
}

impl CalibrationEntry {
    /// What is known after one more signal, or after one was taken back.
    #[must_use]
    pub fn after(self, signal: &FieldSignal, way: LearningDirection, policy: &ConfidencePolicy) -> Self {
        let counts = self.counts.after_signal(signal.edited, way);
        Self { counts, state: policy.state_after(self.state, counts.accepts, counts.edits) }
    }
}

/// All that one reviewed document teaches. It is kept as it was learnt, so that exactly this can be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewSignals {
    /// The surroundings.
    pub context_key: String,
    /// The policy in effect when the document was marked.
    pub policy_version: String,
    /// What its fields say, in the order of their keys, each key and way of finding it once.
    pub signals: Vec<FieldSignal>,
}

impl ReviewSignals {
    /// What this version teaches, if anything: one from before there were contexts says nothing.
    pub fn of(version: &Interpretation, policy: &ConfidencePolicy) -> Option<Self> {
        let signals = field_signals(&version.fields);
        let context_key = version.context_key.clone()?;
        (!signals.is_empty()).then(|| Self { context_key, policy_version: policy.version.clone(), signals })
    }
}
