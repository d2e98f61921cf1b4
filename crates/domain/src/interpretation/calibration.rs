//! What reviews teach about confidence.
//!
//! When a document is marked as reviewed, every field in it says something: one that a machine found and nobody changed
//! was right, one that a person put in was not. Counted by key and by what found it, that moves the confidence of the
//! next one a little. It guides attention and nothing else: no value is hidden, blocked or changed by it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Field, Origin};
use crate::hex;

/// Signals below which nothing is learnt yet.
const MIN_VOLUME: u32 = 3;
/// Points by which reviews move a confidence at most.
const MOST_POINTS: f64 = 15.0;
/// Bins of the curve of reliability, each a tenth of confidence wide.
pub const BINS: u8 = 10;

/// In what surroundings something was learnt: what holds for Spanish records need not hold for English ones.
pub fn context_key(document_type: &str, language: Option<&str>) -> String {
    let language = language.unwrap_or("unknown").to_lowercase();
    let document_type = document_type.to_lowercase();
    // Compact JSON with sorted keys; both values are names without anything to escape.
    let context = format!(
        "{{\"context_version\":\"v1\",\"document_type\":\"{document_type}\",\"language\":\"{language}\"}}"
    );
    format!("ctx_v1:{}", hex(&Sha256::digest(context.as_bytes())))
}

/// By how many points so many accepts and edits move a confidence.
pub fn adjustment(accepts: u32, edits: u32) -> f64 {
    if accepts.saturating_add(edits) < MIN_VOLUME {
        return 0.0;
    }
    let rate = (f64::from(accepts) + 1.0) / (f64::from(accepts) + f64::from(edits) + 2.0);
    let points = ((rate - 0.5) * 2.0).clamp(-1.0, 1.0) * MOST_POINTS;
    (points * 10.0).round() / 10.0
}

/// The confidence of a field: that of its candidate, moved by what reviews have taught.
pub fn compose(candidate: f64, adjustment: f64) -> f64 {
    (candidate + adjustment / 100.0).clamp(0.0, 1.0)
}

/// What one key, found one way, says after a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    /// The key.
    pub field_key: String,
    /// What found it, if anything did.
    pub mapping_id: Option<String>,
    /// Whether a person changed it or put it in.
    pub edited: bool,
    /// The bin of the confidence with which it was shown.
    pub bin: u8,
}

/// What the fields of a reviewed document say. Each key counts once for each way of finding it; a person's word beats
/// a machine's; what is empty says nothing.
pub fn signals(fields: &[Field]) -> Vec<Signal> {
    let mut told: BTreeMap<(&str, Option<&str>), Signal> = BTreeMap::new();
    for field in fields.iter().filter(|field| !field.value.is_empty() && field.origin != Origin::Derived) {
        let edited = field.origin == Origin::Human;
        let signal = Signal {
            field_key: field.key.clone(),
            mapping_id: field.mapping_id.clone(),
            edited,
            bin: bin(field.confidence),
        };
        let known = told.entry((&field.key, field.mapping_id.as_deref())).or_insert_with(|| signal.clone());
        if edited && !known.edited {
            *known = signal;
        }
    }
    told.into_values().collect()
}

/// The tenth in which a confidence lies.
fn bin(confidence: f64) -> u8 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It is between 0 and 10.
    let bin = (confidence.clamp(0.0, 1.0) * f64::from(BINS)) as u8;
    bin.min(BINS - 1)
}

/// How sure is sure, and when is a way of finding things known to be good or bad.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConfidencePolicy {
    /// Its name. What was learnt under one is not used under another.
    pub version: String,
    /// Below this, confidence is low;
    pub low_max: f64,
    /// below this, middling; else high.
    pub mid_max: f64,
    /// The share of accepts at which a way of finding things becomes boosted,
    pub boosted_enter: f64,
    /// and below which it is not any more.
    pub boosted_exit: f64,
    /// The share of accepts at which it becomes demoted,
    pub demoted_enter: f64,
    /// and above which it is not any more.
    pub demoted_exit: f64,
    /// Signals below which neither happens.
    pub min_volume: u32,
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
        }
    }
}

/// How sure something is, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Band {
    Low,
    Mid,
    High,
}

impl Band {
    /// The shown form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Mid => "mid",
            Self::High => "high",
        }
    }
}

/// What is known of a way of finding things.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Standing {
    /// Nothing in particular.
    #[default]
    Neutral,
    /// It is nearly always right.
    Boosted,
    /// It is mostly wrong.
    Demoted,
}

impl Standing {
    /// The stored and shown form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Neutral => "neutral",
            Self::Boosted => "boosted",
            Self::Demoted => "demoted",
        }
    }

    /// The one of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Neutral, Self::Boosted, Self::Demoted].into_iter().find(|one| one.as_str() == name)
    }
}

impl ConfidencePolicy {
    /// What is wrong with it, if anything is: which setting, and what it must be.
    pub fn check(&self) -> Result<(), (&'static str, &'static str)> {
        let shares = [
            ("low_max", self.low_max),
            ("mid_max", self.mid_max),
            ("boosted_enter", self.boosted_enter),
            ("boosted_exit", self.boosted_exit),
            ("demoted_enter", self.demoted_enter),
            ("demoted_exit", self.demoted_exit),
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
            return Err(("demoted_exit", "must be below boosted_exit, so that nothing is both good and bad"));
        }
        Ok(())
    }

    /// How sure that is.
    pub fn band(&self, confidence: f64) -> Band {
        if confidence < self.low_max {
            Band::Low
        } else if confidence < self.mid_max {
            Band::Mid
        } else {
            Band::High
        }
    }

    /// What is known after so many accepts and edits, given what was known before: leaving takes more than not entering.
    pub fn standing(&self, before: Standing, accepts: u32, edits: u32) -> Standing {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interpretation::{Value, ValueType};

    /// The formula of R114: the table of checked values, one by one.
    #[test]
    fn the_adjustment_follows_its_table() {
        for (accepts, edits, points) in [
            (2, 0, 0.0),
            (1, 1, 0.0),
            (3, 0, 9.0),
            (0, 3, -9.0),
            (2, 1, 3.0),
            (9, 1, 10.0),
            (1, 9, -10.0),
            (4, 3, 1.7),
            (10, 0, 12.5),
            (1000, 0, 15.0),
            (u32::MAX, u32::MAX, 0.0),
        ] {
            let found = adjustment(accepts, edits);
            assert!((found - points).abs() < 1e-9, "{accepts} accepts, {edits} edits: {found}");
        }
    }

    #[test]
    fn a_context_has_the_same_name_everywhere() {
        for (language, part) in
            [(Some("es"), "c4ce3ff3c128"), (Some("EN"), "2a820c962a39"), (None, "23b30c931088")]
        {
            let key = context_key("veterinary_record", language);
            assert!(key.starts_with("ctx_v1:") && key.contains(part), "{language:?}: {key}");
        }
    }

    /// The composition of R113.
    #[test]
    fn confidence_is_the_candidates_moved_by_points_and_stays_within_bounds() {
        for (candidate, points, expected) in
            [(0.66, 9.0, 0.75), (0.66, -9.0, 0.57), (0.95, 15.0, 1.0), (0.1, -15.0, 0.0)]
        {
            assert!((compose(candidate, points) - expected).abs() < 1e-9, "{candidate} {points}");
        }
    }

    fn field(key: &str, value: &str, origin: Origin, mapping_id: Option<&str>) -> Field {
        let field = Field::new(key, Value::Text(value.to_owned()), ValueType::String, origin, 0.66);
        Field { mapping_id: mapping_id.map(str::to_owned), ..field }
    }

    /// What R115 counts.
    #[test]
    fn each_key_and_way_of_finding_it_counts_once_and_a_person_wins() {
        let told = signals(&[
            field("pet_name", "Luna", Origin::Machine, Some("label::paciente")),
            field("diagnosis", "otitis", Origin::Machine, Some("label::diagnostico")),
            field("diagnosis", "gingivitis", Origin::Human, Some("label::diagnostico")),
            field("breed", "Beagle", Origin::Human, None),
            field("age", "4", Origin::Derived, None),
            field("notes", "  ", Origin::Machine, None),
        ]);
        let told: Vec<_> = told.iter().map(|one| (one.field_key.as_str(), one.edited, one.bin)).collect();
        assert_eq!(told, [("breed", true, 6), ("diagnosis", true, 6), ("pet_name", false, 6)]);
    }

    /// The bands of R117.
    #[test]
    fn bands_are_cut_where_the_policy_says_and_a_policy_that_overlaps_is_refused() {
        let policy = ConfidencePolicy::default();
        assert_eq!(policy.check(), Ok(()));
        let bands = [0.0, 0.49, 0.5, 0.74, 0.75, 1.0].map(|confidence| policy.band(confidence).as_str());
        assert_eq!(bands, ["low", "low", "mid", "mid", "high", "high"]);
        for (broken, name) in [
            (ConfidencePolicy { low_max: 0.75, ..policy.clone() }, "low_max"),
            (ConfidencePolicy { mid_max: 1.5, ..policy.clone() }, "mid_max"),
            (ConfidencePolicy { low_max: f64::NAN, ..policy.clone() }, "low_max"),
            (ConfidencePolicy { boosted_exit: 0.9, ..policy.clone() }, "boosted_exit"),
            (ConfidencePolicy { demoted_exit: 0.3, ..policy.clone() }, "demoted_exit"),
            (ConfidencePolicy { demoted_exit: 0.74, ..policy.clone() }, "demoted_exit"),
        ] {
            assert_eq!(broken.check().unwrap_err().0, name);
        }
    }

    #[test]
    fn what_is_known_changes_with_enough_signals_and_is_not_left_as_easily_as_entered() {
        let policy = ConfidencePolicy::default();
        let after = |before, accepts, edits| policy.standing(before, accepts, edits);
        assert_eq!(after(Standing::Neutral, 4, 0), Standing::Neutral, "too few");
        assert_eq!(after(Standing::Neutral, 5, 0), Standing::Boosted);
        assert_eq!(after(Standing::Neutral, 8, 2), Standing::Neutral, "0.80 does not enter");
        assert_eq!(after(Standing::Boosted, 8, 2), Standing::Boosted, "and does not leave");
        assert_eq!(after(Standing::Boosted, 7, 3), Standing::Neutral);
        assert_eq!(after(Standing::Neutral, 1, 4), Standing::Demoted);
        assert_eq!(after(Standing::Demoted, 4, 5), Standing::Demoted);
        assert_eq!(after(Standing::Demoted, 5, 5), Standing::Neutral);
        assert_eq!(after(Standing::Boosted, 0, 2), Standing::Neutral, "what was taken back is too few again");
    }

    proptest! {
        #[test]
        fn more_accepts_never_lower_it_and_more_edits_never_raise_it(accepts in 0u32..5000, edits in 0u32..5000) {
            let here = adjustment(accepts, edits);
            prop_assert!((-15.0..=15.0).contains(&here));
            if accepts + edits >= MIN_VOLUME {
                prop_assert!(adjustment(accepts + 1, edits) >= here);
                prop_assert!(adjustment(accepts, edits + 1) <= here);
            }
        }
    }
}
