//! The flat view of an interpretation: the stored fields with the band of their confidence.

use jiff::Timestamp;
use serde::Serialize;

use super::calibration::ConfidencePolicy;
use super::{Field, Interpretation};
use quire_domain::ids::{DocumentId, RunId};

/// The flat list of fields.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)] // See [`Interpretation`].
pub struct FlatView {
    pub schema_version: String,
    pub document_id: DocumentId,
    pub processing_run_id: RunId,
    pub created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_version: Option<String>,
    pub fields: Vec<FieldView>,
}

/// A field and the band of its confidence, so that clients need not know the limits.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldView {
    #[serde(flatten)]
    /// The stored field.
    pub field: Field,
    /// `low`, `mid` or `high`.
    pub band: &'static str,
}

impl FieldView {
    /// A field under that policy.
    pub fn of(field: Field, policy: &ConfidencePolicy) -> Self {
        let band = policy.band(field.confidence).as_str();
        Self { field, band }
    }
}

impl FlatView {
    /// An interpretation under that policy.
    pub fn of(shown: Interpretation, policy: &ConfidencePolicy) -> Self {
        Self {
            schema_version: shown.schema_version,
            document_id: shown.document_id,
            processing_run_id: shown.processing_run_id,
            created_at: shown.created_at,
            context_key: shown.context_key,
            policy_version: shown.policy_version,
            fields: shown.fields.into_iter().map(|field| FieldView::of(field, policy)).collect(),
        }
    }
}
