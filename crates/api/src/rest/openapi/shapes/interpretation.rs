//! What was understood of a document.

use jiff::Timestamp;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{FieldValue, Rect};
use crate::rest::openapi::names;

/// What was understood of a document, as a flat list.
#[derive(ToSchema)]
pub(crate) struct Interpretation {
    /// The generation of this shape.
    #[schema(example = "v0")]
    schema_version: String,
    document_id: Uuid,
    processing_run_id: Uuid,
    created_at: Timestamp,
    /// The surroundings in which it was understood; what reviews teach holds for them alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_key: Option<String>,
    /// The policy by which its confidences were composed.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy_version: Option<String>,
    /// In no promised order. What was not found is not here.
    fields: Vec<Field>,
}

/// One value of one key. A key that has several values has several fields.
#[derive(ToSchema)]
pub(crate) struct Field {
    /// This instance of the key.
    field_id: Uuid,
    /// What it is a value of.
    #[schema(example = "pet_name")]
    key: String,
    value: FieldValue,
    value_type: names::ValueType,
    /// How sure it is.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f64,
    /// How sure it was when it was found.
    #[schema(minimum = 0, maximum = 1)]
    candidate_confidence: f64,
    /// By how many points reviews have moved it.
    review_history_adjustment: f64,
    /// Whether a mistake in it is worse than others.
    is_critical: bool,
    origin: names::Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    /// The visit that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    visit_id: Option<String>,
    /// What found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    mapping_id: Option<String>,
    /// What else it might be, the likeliest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidate_suggestions: Vec<Suggestion>,
    /// In a review: where the confidence lies by the policy in effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    band: Option<names::Band>,
    /// By visits: `candidate_confidence`.
    #[serde(skip_serializing_if = "Option::is_none")]
    field_candidate_confidence: Option<f64>,
    /// By visits: `confidence`.
    #[serde(skip_serializing_if = "Option::is_none")]
    field_mapping_confidence: Option<f64>,
    /// By visits: `review_history_adjustment`.
    #[serde(skip_serializing_if = "Option::is_none")]
    field_review_history_adjustment: Option<f64>,
    /// By visits: that of the interpretation.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_key: Option<String>,
    /// By visits: that of the interpretation.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy_version: Option<String>,
}

/// Where a value stands in the document.
#[derive(ToSchema)]
pub(crate) struct Evidence {
    /// The page, from 1.
    page: u32,
    /// The words around it, cut short.
    snippet: String,
    /// The rectangles of its words on that page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    boxes: Vec<Rect>,
}

/// Another value that a field might have.
#[derive(ToSchema)]
pub(crate) struct Suggestion {
    value: FieldValue,
    /// How sure it is.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
}
