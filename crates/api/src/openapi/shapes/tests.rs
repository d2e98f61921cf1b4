//! What the domain writes fits what the description says, member by member.

use quire_domain::reading::{Line, Page, Rect, Word};
use quire_domain::{DocumentId, FieldId, RunId};
use quire_understanding::calibration::ConfidencePolicy;
use quire_understanding::view::FlatView;
use quire_understanding::visits::group_by_visit;
use quire_understanding::{
    Evidence, Field, Interpretation, Origin, Schema, SchemaFile, Suggestion, Value as FieldValue, ValueType,
};
use serde_json::{Value, json};

use crate::openapi::DOCUMENT;

/// Holds what is written against a schema; a member that is not described does not fit.
fn fits(value: &Value, schema: &Value) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let schema = DOCUMENT.pointer(&reference[1..]).ok_or(reference)?;
        return fits(value, schema).map_err(|why| format!("{reference}: {why}"));
    }
    if let Some(any) = schema["oneOf"].as_array() {
        let fitting = any.iter().filter(|one| fits(value, one).is_ok()).count();
        return if fitting == 1 { Ok(()) } else { Err(format!("{value} fits {fitting} of {any:?}")) };
    }
    if schema["enum"].as_array().is_some_and(|names| !names.contains(value)) {
        return Err(format!("{value} is not listed"));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_it = |told: &Value| told == kind || (told == "integer" && value.is_u64());
    let kinds = &schema["type"];
    if !is_it(kinds) && !kinds.as_array().is_some_and(|all| all.iter().any(is_it)) {
        return Err(format!("{value} is not of {kinds}"));
    }
    for item in value.as_array().into_iter().flatten() {
        fits(item, &schema["items"])?;
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        let any = schema.get("additionalProperties");
        let described = schema["properties"].get(name).or(any).ok_or(format!("{name} is not described"))?;
        fits(member, described).map_err(|why| format!("{name}: {why}"))?;
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        value.get(name).ok_or(format!("{name} is missing"))?;
    }
    Ok(())
}

fn named(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn rect() -> Rect {
    Rect { x0: 1.0, y0: 2.0, x1: 3.5, y1: 4.0 }
}

/// With all that can be there, or with only what must.
fn interpretation(full: bool) -> Interpretation {
    let evidence = full.then(|| Evidence::new(1, "Luna", vec![rect()]));
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
            field("never_heard_of", FieldValue::Null, None),
            field("diagnosis", FieldValue::Bool(true), Some("visit-1")),
        ],
    }
}

#[test]
fn interpretations_are_as_described_both_ways() {
    for full in [true, false] {
        let written = interpretation(full);
        fits(&serde_json::to_value(&written).unwrap(), &named("Interpretation")).unwrap();
        let policy = ConfidencePolicy::default();
        let flat = FlatView::of(written.clone(), &policy);
        fits(&serde_json::to_value(flat).unwrap(), &named("Interpretation")).unwrap();
        let grouped = group_by_visit(&written, &Schema::built_in_default(), &policy);
        fits(&serde_json::to_value(&grouped).unwrap(), &named("InterpretationByVisit")).unwrap();
        fits(&serde_json::to_value(&grouped).unwrap(), &named("InterpretationData")).unwrap();
    }
}

#[test]
fn the_schema_of_records_is_as_described() {
    for file in SchemaFile::built_in() {
        fits(&serde_json::to_value(&file.schema).unwrap(), &named("SchemaDefinition")).unwrap();
    }
}

#[test]
fn a_page_is_as_described() {
    let word = Word { text: "Luna".to_owned(), rect: rect() };
    let line = Line { words: vec![word], opens_paragraph: true };
    let page = Page { width: 595.0, height: 842.0, lines: vec![line], recognised: false };
    fits(&serde_json::to_value(page).unwrap(), &named("PageContent")).unwrap();
}

#[test]
fn what_is_not_described_does_not_fit() {
    let page = json!({ "width": 1.0, "height": 1.0, "lines": [], "recognised": true, "colour": "red" });
    assert!(fits(&page, &named("PageContent")).unwrap_err().contains("colour"));
    assert!(fits(&json!({ "width": 1.0 }), &named("PageContent")).unwrap_err().contains("missing"));
    assert!(fits(&json!("red"), &named("Origin")).is_err());
}
