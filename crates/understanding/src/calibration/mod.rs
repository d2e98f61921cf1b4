//! What reviews teach about confidence.
//!
//! When a document is marked as reviewed, every field in it says something: one that a machine found and nobody changed
//! was right, one that a person put in was not. Counted by key and by what found it, that moves the confidence of the
//! next one a little. It guides attention and nothing else: no value is hidden, blocked or changed by it.

mod entry;
mod policy;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Field, Origin};
use quire_domain::hex;

pub use entry::{CalibrationEntry, LearningDirection, ReviewCounts, ReviewSignals};
pub use policy::{Band, CalibrationState, ConfidencePolicy};

/// Signals below which nothing is learnt yet.
const MIN_VOLUME: u32 = 3;
/// Points by which reviews move a confidence at most.
const MAX_POINTS: f64 = 15.0;
/// Bins of the curve of reliability, each a tenth of confidence wide.
pub const BINS: u8 = 10;

/// Characters of a mapping's name that tell it from others.
const MAX_MAPPING_CHARS: usize = 200;

/// In what surroundings something was learnt: what holds for Spanish records need not hold for English ones. The type of
/// a document is the name of its schema, written with underscores: `veterinary-record` is `veterinary_record`.
pub fn context_key(schema: &str, language: Option<&str>) -> String {
    let language = language.unwrap_or("unknown").to_lowercase();
    let document_type = schema.to_lowercase().replace('-', "_");
    // Compact JSON with sorted keys; both values are names without anything to escape.
    let context = format!(
        "{{\"context_version\":\"v1\",\"document_type\":\"{document_type}\",\"language\":\"{language}\"}}"
    );
    format!("ctx_v1:{}", hex(&Sha256::digest(context.as_bytes())))
}

/// By how many points so many accepts and edits move a confidence.
pub fn adjustment_points(accepts: u32, edits: u32) -> f64 {
    if accepts.saturating_add(edits) < MIN_VOLUME {
        return 0.0;
    }
    let rate = (f64::from(accepts) + 1.0) / (f64::from(accepts) + f64::from(edits) + 2.0);
    let points = ((rate - 0.5) * 2.0).clamp(-1.0, 1.0) * MAX_POINTS;
    (points * 10.0).round() / 10.0
}

/// The confidence of a field: that of its candidate, moved by what reviews have taught.
pub fn calibrated_confidence(candidate: f64, adjustment: f64) -> f64 {
    let sum = (candidate + adjustment / 100.0).clamp(0.0, 1.0);
    // What binary fractions add beyond the ninth decimal is no confidence, and could tip a value over a cut-off.
    (sum * 1e9).round() / 1e9
}

/// What found a field, as it is counted by: what nothing is known of has no name, and a name is not endless.
pub fn calibration_mapping(mapping_id: Option<&str>) -> Option<String> {
    let name: String = mapping_id?.chars().take(MAX_MAPPING_CHARS).collect();
    (!name.is_empty()).then_some(name)
}

/// What one key, found one way, says after a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldSignal {
    /// The key.
    pub field_key: String,
    /// What found it, if anything did.
    pub mapping_id: Option<String>,
    /// Whether a person changed it or put it in.
    pub edited: bool,
    /// The bin of the confidence with which it was shown. What a person added was never shown with any, and has none.
    pub bin: Option<u8>,
}

impl FieldSignal {
    /// What it adds to accepts and to edits.
    pub fn delta(&self, way: LearningDirection) -> (i32, i32) {
        let one = if way == LearningDirection::Apply { 1 } else { -1 };
        if self.edited { (0, one) } else { (one, 0) }
    }
}

/// What the fields of a reviewed document say. Each key counts once for each way of finding it; a person's word beats
/// a machine's; what is empty says nothing.
pub fn field_signals(fields: &[Field]) -> Vec<FieldSignal> {
    let mut told: BTreeMap<(&str, Option<String>), FieldSignal> = BTreeMap::new();
    for field in fields.iter().filter(|field| !field.value.is_empty() && field.origin != Origin::Derived) {
        let edited = field.origin == Origin::Human;
        let mapping_id = calibration_mapping(field.mapping_id.as_deref());
        let is_added = edited && mapping_id.is_none() && field.evidence.is_none();
        let bin = (!is_added).then(|| confidence_bin(field.confidence));
        let signal =
            FieldSignal { field_key: field.key.clone(), mapping_id: mapping_id.clone(), edited, bin };
        let known = told.entry((&field.key, mapping_id)).or_insert_with(|| signal.clone());
        if edited && !known.edited {
            *known = signal;
        }
    }
    told.into_values().collect()
}

/// The tenth in which a confidence lies.
fn confidence_bin(confidence: f64) -> u8 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // It is between 0 and 10.
    let bin = (confidence.clamp(0.0, 1.0) * f64::from(BINS)) as u8;
    bin.min(BINS - 1)
}

#[cfg(test)]
mod tests;
