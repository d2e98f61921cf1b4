//! A field of an interpretation as JSON.

use quire_domain::FieldId;
use quire_understanding::view::FieldView;
use quire_understanding::visits::GroupedField;
use quire_understanding::{Evidence, Field, Reason, Suggestion};
use serde::Serialize;
use utoipa::ToSchema;

use crate::rest::documents::page_content::RectResponse;
use crate::rest::openapi::names;
use crate::rest::value::FieldValue;

/// One value of one key. A key that has several values has several fields.
#[derive(Serialize, ToSchema)]
#[schema(as = Field)]
pub(crate) struct FieldResponse {
    /// The id of this value.
    #[schema(value_type = Uuid)]
    field_id: FieldId,
    /// The key that it is a value of.
    #[schema(example = "pet_name")]
    key: String,
    value: FieldValue,
    #[schema(value_type = names::ValueType)]
    value_type: &'static str,
    /// The confidence in the value.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f64,
    /// The confidence when the value was extracted, before reviews moved it.
    #[schema(minimum = 0, maximum = 1)]
    candidate_confidence: f64,
    /// By how many points reviews moved the confidence.
    review_history_adjustment: f64,
    /// Whether the schema marks the key as critical.
    is_critical: bool,
    #[schema(value_type = names::Origin)]
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<EvidenceResponse>,
    /// The visit that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    visit_id: Option<String>,
    /// The rule or label that found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    mapping_id: Option<String>,
    /// Other values that it might have, the most likely first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidate_suggestions: Vec<SuggestionResponse>,
    /// In a review: the band of the confidence by the policy in effect.
    #[schema(value_type = Option<names::Band>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    band: Option<&'static str>,
    /// By visits: `candidate_confidence`.
    #[serde(skip_serializing_if = "Option::is_none")]
    field_candidate_confidence: Option<f64>,
    /// By visits: `confidence`.
    #[serde(skip_serializing_if = "Option::is_none")]
    field_mapping_confidence: Option<f64>,
    /// By visits: `review_history_adjustment`.
    #[serde(skip_serializing_if = "Option::is_none")]
    field_review_history_adjustment: Option<f64>,
    /// By visits: the `context_key` of the interpretation.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_key: Option<String>,
    /// By visits: the `policy_version` of the interpretation.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy_version: Option<String>,
}

/// Where a value stands in the document.
#[derive(Serialize, ToSchema)]
#[schema(as = Evidence)]
pub(crate) struct EvidenceResponse {
    /// The page, from 1.
    page: u32,
    /// The words around the value, shortened.
    snippet: String,
    /// The rectangles of its words on that page.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    boxes: Vec<RectResponse>,
    /// Why the value has its confidence, the heaviest reason first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reasons: Vec<ReasonResponse>,
    /// The share of the page that was read well.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1)]
    text_reliability: Option<f64>,
}

/// A property of a value that raises or lowers its confidence.
#[derive(Serialize, ToSchema)]
#[schema(as = ConfidenceReason)]
pub(crate) struct ReasonResponse {
    /// Its name; the guide to confidence lists all names.
    #[schema(example = "check_digits")]
    feature: String,
    /// Whether it raises the confidence.
    is_for: bool,
}

/// Another value that a field might have.
#[derive(Serialize, ToSchema)]
#[schema(as = Suggestion)]
pub(crate) struct SuggestionResponse {
    value: FieldValue,
    /// The confidence in this value.
    #[schema(minimum = 0, maximum = 1)]
    confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<EvidenceResponse>,
}

impl From<Field> for FieldResponse {
    fn from(field: Field) -> Self {
        Self {
            field_id: field.field_id,
            key: field.key,
            value: field.value.into(),
            value_type: field.value_type.as_str(),
            confidence: field.confidence,
            candidate_confidence: field.candidate_confidence,
            review_history_adjustment: field.review_history_adjustment,
            is_critical: field.is_critical,
            origin: field.origin.as_str(),
            evidence: field.evidence.map(EvidenceResponse::from),
            visit_id: field.visit_id,
            mapping_id: field.mapping_id,
            candidate_suggestions: field
                .candidate_suggestions
                .into_iter()
                .map(SuggestionResponse::from)
                .collect(),
            band: None,
            field_candidate_confidence: None,
            field_mapping_confidence: None,
            field_review_history_adjustment: None,
            context_key: None,
            policy_version: None,
        }
    }
}

impl From<FieldView> for FieldResponse {
    fn from(view: FieldView) -> Self {
        Self { band: Some(view.band), ..Self::from(view.field) }
    }
}

impl From<GroupedField> for FieldResponse {
    fn from(grouped: GroupedField) -> Self {
        Self {
            field_candidate_confidence: Some(grouped.field_candidate_confidence),
            field_mapping_confidence: Some(grouped.field_mapping_confidence),
            field_review_history_adjustment: Some(grouped.field_review_history_adjustment),
            context_key: grouped.context_key,
            policy_version: grouped.policy_version,
            ..Self::from(grouped.view)
        }
    }
}

impl From<Evidence> for EvidenceResponse {
    fn from(evidence: Evidence) -> Self {
        let Evidence { page, snippet, boxes, reasons, text_reliability } = evidence;
        let reason = |reason: Reason| ReasonResponse { feature: reason.feature, is_for: reason.is_for };
        Self {
            page,
            snippet,
            boxes: boxes.into_iter().map(RectResponse::from).collect(),
            reasons: reasons.into_iter().map(reason).collect(),
            text_reliability,
        }
    }
}

impl From<Suggestion> for SuggestionResponse {
    fn from(suggestion: Suggestion) -> Self {
        let Suggestion { value, confidence, evidence } = suggestion;
        Self { value: value.into(), confidence, evidence: evidence.map(EvidenceResponse::from) }
    }
}
