//! The confidence of what was found, moved by what reviews have taught.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use quire_ports::{Calibration, CalibrationQuery, PortResult};
use quire_understanding::calibration::{
    ConfidencePolicy, calibrated_confidence, calibration_mapping, context_key,
};
use quire_understanding::{Field, Interpretation, Origin};

/// Composes confidences by a policy.
#[derive(Clone)]
pub struct ConfidenceCalibrator {
    /// What was learnt.
    pub calibration: Arc<dyn Calibration>,
    /// The policy in effect.
    pub policy: Arc<ConfidencePolicy>,
}

impl ConfidenceCalibrator {
    /// Moves the confidence of each field that a machine found, and notes in which surroundings and by which policy. What
    /// was learnt in other surroundings, of other ways of finding it or under another policy counts for nothing.
    pub async fn apply(
        &self,
        understood: &mut Interpretation,
        schema: &str,
        language: Option<&str>,
    ) -> PortResult<()> {
        let context_key = context_key(schema, language);
        understood.context_key = Some(context_key.clone());
        understood.policy_version = Some(self.policy.version.clone());
        let found = understood.fields.iter().filter(|field| field.origin == Origin::Machine);
        let wanted: BTreeSet<_> = found.map(of).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let policy_version = self.policy.version.clone();
        let wanted = CalibrationQuery { context_key, policy_version, found: wanted.into_iter().collect() };
        let learnt: HashMap<_, _> = self.calibration.learnt(wanted).await?.into_iter().collect();
        for field in understood.fields.iter_mut().filter(|field| field.origin == Origin::Machine) {
            let points = learnt.get(&of(field)).map_or(0.0, |counts| counts.adjustment());
            field.review_history_adjustment = points;
            field.confidence = calibrated_confidence(field.candidate_confidence, points);
        }
        Ok(())
    }
}

/// A key and what found it.
fn of(field: &Field) -> (String, Option<String>) {
    (field.key.clone(), calibration_mapping(field.mapping_id.as_deref()))
}
