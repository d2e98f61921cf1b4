//! Responses have the JSON of the understanding types, and fit the `OpenAPI` description.

use quire_domain::reading::Rect;
use quire_domain::{DocumentId, FieldId, RunId};
use quire_understanding::calibration::ConfidencePolicy;
use quire_understanding::visits::group_by_visit;
use quire_understanding::{
    Evidence, Field, Interpretation, Origin, Schema, Suggestion, Value as FieldValue, ValueType,
};

use super::*;
use crate::rest::openapi::conformance::require_fit;

/// An interpretation with every optional member, or with none.
fn interpretation(full: bool) -> Interpretation {
    let rect = Rect { x0: 1.0, y0: 2.0, x1: 3.5, y1: 4.0 };
    let evidence = full.then(|| Evidence::new(1, "Luna", vec![rect]));
    let suggestion =
        Suggestion { value: FieldValue::Number(4.5), confidence: 0.4, evidence: evidence.clone() };
    let field = |key: &str, value, visit: Option<&str>| Field {
        field_id: FieldId::new(),
        key: key.to_owned(),
        value,
        value_type: ValueType::String,
        confidence: 0.9,
        candidate_confidence: 0.8,
        review_history_adjustment: 0.0,
        is_critical: full,
        origin: Origin::Machine,
        evidence: evidence.clone(),
        visit_id: visit.map(str::to_owned),
        mapping_id: full.then(|| "label".to_owned()),
        candidate_suggestions: if full { vec![suggestion.clone()] } else { Vec::new() },
    };
    Interpretation {
        schema_version: Interpretation::V0.to_owned(),
        document_id: DocumentId::new(),
        processing_run_id: RunId::new(),
        created_at: jiff::Timestamp::UNIX_EPOCH,
        context_key: full.then(|| "ctx_v1:x".to_owned()),
        policy_version: full.then(|| "v1".to_owned()),
        fields: vec![
            field("pet_name", FieldValue::Text("Luna".to_owned()), None),
            field("visit_date", FieldValue::Text("2024-02-01".to_owned()), Some("visit-1")),
            field("not_in_the_schema", FieldValue::Null, None),
            field("diagnosis", FieldValue::Bool(true), Some("visit-1")),
        ],
    }
}

#[test]
fn both_views_of_an_interpretation_have_the_described_json() {
    let policy = ConfidencePolicy::default();
    for full in [true, false] {
        let stored = interpretation(full);
        let flat = FlatView::of(stored.clone(), &policy);
        let written = serde_json::to_value(&flat).unwrap();
        let response = serde_json::to_value(InterpretationResponse::from(flat)).unwrap();
        assert_eq!(response, written);
        require_fit(&response, "Interpretation");
        let grouped = group_by_visit(&stored, &Schema::built_in_default(), &policy);
        let written = serde_json::to_value(&grouped).unwrap();
        let response = serde_json::to_value(VisitGroupedResponse::from(grouped)).unwrap();
        assert_eq!(response, written);
        require_fit(&response, "InterpretationByVisit");
        require_fit(&response, "InterpretationData");
    }
}
