//! Adjusts the confidence of fields by the results of earlier reviews.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use quire_ports::{Calibration, CalibrationQuery, PortResult};
use quire_understanding::calibration::{
    ConfidencePolicy, calibrated_confidence, calibration_mapping, context_key,
};
use quire_understanding::{Field, Interpretation, Origin};

/// Adjusts confidences by a policy.
#[derive(Clone)]
pub struct ConfidenceCalibrator {
    /// The counts of earlier reviews.
    pub calibration: Arc<dyn Calibration>,
    /// The policy in effect.
    pub policy: Arc<ConfidencePolicy>,
}

impl ConfidenceCalibrator {
    /// Adjusts the confidence of each field that a machine found, and records the context and the policy. Only reviews of
    /// the same key and mapping, in the same context and under the same policy, count.
    pub async fn apply(
        &self,
        interpretation: &mut Interpretation,
        schema: &str,
        language: Option<&str>,
    ) -> PortResult<()> {
        let context_key = context_key(schema, language);
        interpretation.context_key = Some(context_key.clone());
        interpretation.policy_version = Some(self.policy.version.clone());
        let machine_fields = interpretation.fields.iter().filter(|field| field.origin == Origin::Machine);
        let keys: BTreeSet<_> = machine_fields.map(key_and_mapping).collect();
        if keys.is_empty() {
            return Ok(());
        }
        let policy_version = self.policy.version.clone();
        let query = CalibrationQuery { context_key, policy_version, found: keys.into_iter().collect() };
        let counts: HashMap<_, _> = self.calibration.review_counts(query).await?.into_iter().collect();
        for field in interpretation.fields.iter_mut().filter(|field| field.origin == Origin::Machine) {
            let points = counts.get(&key_and_mapping(field)).map_or(0.0, |counts| counts.adjustment());
            field.review_history_adjustment = points;
            field.confidence = calibrated_confidence(field.candidate_confidence, points);
        }
        Ok(())
    }
}

/// The key of a field and the mapping that found it.
fn key_and_mapping(field: &Field) -> (String, Option<String>) {
    (field.key.clone(), calibration_mapping(field.mapping_id.as_deref()))
}
