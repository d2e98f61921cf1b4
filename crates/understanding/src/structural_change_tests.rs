//! Edits that suggest a change of the schema, and decisions.

use super::super::edit::{EditOperation, RestorableFields, apply_edits};
use super::*;
use crate::{NEUTRAL_CONFIDENCE, Origin, Value};

fn field(key: &str, value: &str) -> Field {
    let field = Field::new(key, Value::Text(value.to_owned()), ValueType::String, Origin::Machine, 0.66);
    Field { evidence: Some(Evidence::new(2, value, Vec::new())), ..field }
}

fn add(key: &str, value: &str) -> EditOperation {
    EditOperation::Add {
        key: key.to_owned(),
        value: Value::Text(value.to_owned()),
        value_type: None,
        visit_id: None,
    }
}

fn delete(field: &Field) -> EditOperation {
    EditOperation::Delete { field: field.field_id }
}

fn structural_edits_of(
    before: &[Field],
    batch: &[EditOperation],
) -> Vec<(SchemaChangeType, Option<String>, String)> {
    let edited = apply_edits(
        before,
        RestorableFields::default(),
        &Schema::built_in_default(),
        NEUTRAL_CONFIDENCE,
        batch,
    )
    .unwrap();
    edited.structural_edits.into_iter().map(|edit| (edit.change, edit.source_key, edit.target_key)).collect()
}

/// Proves R126: which edits add or remove a key.
#[test]
fn adding_and_removing_keys_suggests_a_change_of_the_schema_and_correcting_values_does_not() {
    let before = [field("notes", "x"), field("diagnosis", "otitis"), field("diagnosis", "gingivitis")];
    assert_eq!(structural_edits_of(&before, &[add("breed", "beagle")]), [], "the schema has that key");
    assert_eq!(
        structural_edits_of(&before, &[add("blood_group", "A"), add("blood_group", "B")]),
        [(SchemaChangeType::NewKey, None, "blood_group".into())],
        "once for a batch"
    );
    assert_eq!(structural_edits_of(&before, &[delete(&before[1])]), [], "another value of that key is left");
    assert_eq!(
        structural_edits_of(&before, &[delete(&before[0])]),
        [(SchemaChangeType::KeyDeprecation, None, "notes".into())]
    );
    assert_eq!(
        structural_edits_of(&before, &[delete(&before[0]), add("remarks", " x ")]),
        [(SchemaChangeType::KeyRename, Some("notes".into()), "remarks".into())]
    );
    assert_eq!(
        structural_edits_of(&before, &[delete(&before[0]), add("allergies", "x")]),
        [(SchemaChangeType::KeyMapping, Some("notes".into()), "allergies".into())]
    );
    let edited = apply_edits(
        &before,
        RestorableFields::default(),
        &Schema::built_in_default(),
        NEUTRAL_CONFIDENCE,
        &[delete(&before[0])],
    )
    .unwrap();
    assert_eq!(edited.structural_edits[0].evidence.as_ref().unwrap().page, 2);
}

#[test]
fn an_approval_changes_the_schema() {
    let schema = Schema::built_in_default();
    let approval =
        |source_key, target_key, critical| Approval { source_key, target_key, critical, labels: Vec::new() };
    let (added, summary) =
        schema.with_approval(SchemaChangeType::NewKey, &approval(None, "blood_group", true));
    assert_eq!(added.keys.len(), schema.keys.len() + 1);
    assert!(added.is_critical("blood_group") && summary.contains("blood_group"));
    let (fewer, _) =
        added.with_approval(SchemaChangeType::KeyDeprecation, &approval(None, "blood_group", false));
    assert_eq!(fewer, schema);
    let (renamed, _) =
        schema.with_approval(SchemaChangeType::KeyRename, &approval(Some("notes"), "remarks", false));
    assert!(renamed.key("notes").is_none());
    assert_eq!(renamed.key("remarks").unwrap().labels, schema.key("notes").unwrap().labels);
    let (mapped, _) =
        schema.with_approval(SchemaChangeType::KeyMapping, &approval(Some("notes"), "allergies", false));
    assert!(mapped.key("notes").unwrap().labels.is_empty());
    assert!(mapped.key("allergies").unwrap().labels.contains(&"notas".to_owned()));
}

#[test]
fn an_approval_adds_the_labels_that_documents_have() {
    let schema = Schema::built_in_default();
    let labels = ["grupo sanguineo", "paciente", "telefono"].map(str::to_owned).to_vec();
    let approval = Approval { source_key: None, target_key: "blood_group", critical: false, labels };
    let (added, summary) = schema.with_approval(SchemaChangeType::NewKey, &approval);
    let key = added.key("blood_group").unwrap();
    assert_eq!(key.labels.to_vec(), ["blood group", "grupo sanguineo", "telefono"], "a label has one key");
    assert!(schema.other_labels.contains(&"telefono".to_owned()));
    assert!(!added.other_labels.contains(&"telefono".to_owned()), "it is for a key now");
    assert_eq!(added.other_labels.len() + 1, schema.other_labels.len());
    assert_eq!(summary, "added blood_group with the labels grupo sanguineo, telefono");
    let text = added.to_toml(2);
    assert!(crate::SchemaFile::parse("a.toml", &text, crate::SchemaFormat::Toml).is_ok());
}

/// Proves R128 for the statuses.
#[test]
fn a_decision_changes_the_status_and_an_approval_is_final() {
    use CandidateStatus::{Approved, Deferred, Pending, Rejected};
    for status in [Pending, Rejected, Deferred] {
        assert_eq!(status_after(status, DecisionType::Approve), Some(Approved));
        assert_eq!(status_after(status, DecisionType::Reject), Some(Rejected));
        assert_eq!(status_after(status, DecisionType::Defer), Some(Deferred));
        assert_eq!(status_after(status, DecisionType::FlagCritical), Some(Pending));
    }
    for decision in DecisionType::ALL {
        assert_eq!(status_after(Approved, *decision), None);
        assert_eq!(DecisionType::parse(decision.as_str()), Some(*decision));
    }
}
