//! Calibration: reviews adjust the confidence of later values.
//!
//! When a document is marked as reviewed, its fields give one signal for each key and mapping ([`field_signals`]). A value
//! that a machine found and nobody changed was right; a value that a person changed or added was not. The signals are
//! counted by key and by mapping, and move the confidence of later values by some points. Confidence only guides attention:
//! no value is hidden, blocked or changed because of it.

mod entry;
mod policy;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Field, Origin};
use quire_domain::hex;

pub use entry::{CalibrationEntry, ReviewCounts, ReviewSignals, SignalDirection};
pub use policy::{Band, ConfidencePolicy, Standing};

/// The number of signals below which confidence is not adjusted.
const MIN_SIGNALS_TO_ADJUST: u32 = 3;
/// The most points by which reviews adjust a confidence.
const MAX_POINTS: f64 = 15.0;
/// The number of bins of the reliability curve, each 0.1 of confidence wide.
pub const BINS: u8 = 10;

/// The longest mapping id that is counted by, in characters.
const MAX_MAPPING_CHARS: usize = 200;

/// The context that signals count for: the document type and the language, because Spanish records may behave unlike
/// English ones. The document type is the schema's name with underscores: `veterinary-record` is `veterinary_record`.
pub fn context_key(schema: &str, language: Option<&str>) -> String {
    let language = language.unwrap_or("unknown").to_lowercase();
    let document_type = schema.to_lowercase().replace('-', "_");
    // Compact JSON with sorted keys. Neither value needs escaping.
    let context = format!(
        "{{\"context_version\":\"v1\",\"document_type\":\"{document_type}\",\"language\":\"{language}\"}}"
    );
    format!("ctx_v1:{}", hex(&Sha256::digest(context.as_bytes())))
}

/// The points by which so many accepts and edits adjust a confidence.
pub fn adjustment_points(accepts: u32, edits: u32) -> f64 {
    if accepts.saturating_add(edits) < MIN_SIGNALS_TO_ADJUST {
        return 0.0;
    }
    let rate = (f64::from(accepts) + 1.0) / (f64::from(accepts) + f64::from(edits) + 2.0);
    let points = ((rate - 0.5) * 2.0).clamp(-1.0, 1.0) * MAX_POINTS;
    (points * 10.0).round() / 10.0
}

/// The confidence of a field: the confidence of its candidate, adjusted by reviews.
pub fn calibrated_confidence(candidate: f64, adjustment: f64) -> f64 {
    let sum = (candidate + adjustment / 100.0).clamp(0.0, 1.0);
    // Rounding errors beyond the ninth decimal must not move a value into another band.
    (sum * 1e9).round() / 1e9
}

/// The mapping id that signals are counted by: not empty, and of limited length.
pub fn calibration_mapping(mapping_id: Option<&str>) -> Option<String> {
    let name: String = mapping_id?.chars().take(MAX_MAPPING_CHARS).collect();
    (!name.is_empty()).then_some(name)
}

/// The signal that one key and mapping give after a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldSignal {
    /// The key of the value.
    pub field_key: String,
    /// The rule or model that found the value.
    pub mapping_id: Option<String>,
    /// Whether a person changed or added the value.
    pub edited: bool,
    /// The bin of the confidence that the reviewer saw. None for a value that a person added.
    pub bin: Option<u8>,
}

impl FieldSignal {
    /// What the signal adds to the accepts and to the edits.
    pub fn delta(&self, direction: SignalDirection) -> (i32, i32) {
        let one = if direction == SignalDirection::Add { 1 } else { -1 };
        if self.edited { (0, one) } else { (one, 0) }
    }
}

/// The signals of a reviewed document, one for each key and mapping. An edit outweighs an accept of the same key and
/// mapping. Empty, derived and embedded fields give none: they say nothing about what was found on a page.
pub fn field_signals(fields: &[Field]) -> Vec<FieldSignal> {
    let mut signals: BTreeMap<(&str, Option<String>), FieldSignal> = BTreeMap::new();
    let is_found = |field: &&Field| !matches!(field.origin, Origin::Derived | Origin::Embedded);
    for field in fields.iter().filter(|field| !field.value.is_empty()).filter(is_found) {
        let edited = field.origin == Origin::Human;
        let mapping_id = calibration_mapping(field.mapping_id.as_deref());
        let is_added = edited && mapping_id.is_none() && field.evidence.is_none();
        let bin = (!is_added).then(|| confidence_bin(field.confidence));
        let signal =
            FieldSignal { field_key: field.key.clone(), mapping_id: mapping_id.clone(), edited, bin };
        let entry = signals.entry((&field.key, mapping_id)).or_insert_with(|| signal.clone());
        if edited && !entry.edited {
            *entry = signal;
        }
    }
    signals.into_values().collect()
}

/// The bin of a confidence.
fn confidence_bin(confidence: f64) -> u8 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // The value is between 0 and 10.
    let bin = (confidence.clamp(0.0, 1.0) * f64::from(BINS)) as u8;
    bin.min(BINS - 1)
}

#[cfg(test)]
mod tests;
