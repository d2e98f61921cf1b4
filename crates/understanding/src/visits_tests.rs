//! Grouping by visit.

use super::*;
use crate::{Origin, ValueType};

fn field(key: &str, value: &str, visit_id: Option<&str>) -> Field {
    let field = Field::new(key, Value::Text(value.to_owned()), ValueType::String, Origin::Machine, 0.66);
    Field { visit_id: visit_id.map(str::to_owned), ..field }
}

#[test]
fn every_field_is_shown_once_where_it_belongs() {
    let interpretation = Interpretation {
        schema_version: Interpretation::V0.to_owned(),
        document_id: DocumentId::new(),
        processing_run_id: RunId::new(),
        created_at: Timestamp::UNIX_EPOCH,
        context_key: Some("ctx_v1:x".to_owned()),
        policy_version: Some("v1".to_owned()),
        fields: vec![
            field("pet_name", "Luna", None),
            field("allergies", "polen", None),
            field("visit_date", "2024-02-01", Some("b")),
            field("diagnosis", "otitis", Some("b")),
            field("visit_date", "2024-01-01", Some("a")),
            field("reason_for_visit", "control", Some("a")),
            field("never_heard_of", "x", None),
            field("reason_for_visit", "whose?", None),
            field("visit_date", "2024-02-02", Some("b")),
        ],
    };
    let grouped = group_by_visit(&interpretation, &Schema::built_in_default(), &ConfidencePolicy::default());
    let keys =
        |fields: &[GroupedField]| fields.iter().map(|shown| shown.view.field.key.clone()).collect::<Vec<_>>();
    assert_eq!(keys(&grouped.fields), ["pet_name", "document_date"]);
    let others = ["never_heard_of", "reason_for_visit", "visit_date"];
    assert_eq!(keys(&grouped.other_fields), others, "nothing is left out");
    let visits: Vec<_> =
        grouped.visits.iter().map(|visit| (visit.visit_id.as_str(), keys(&visit.fields))).collect();
    assert_eq!(
        visits,
        [("a", vec![]), ("b", vec!["diagnosis".to_owned()]), ("unassigned", vec!["allergies".to_owned()])]
    );
    assert_eq!(grouped.visits[1].visit_date, Value::Text("2024-02-01".into()));
    assert_eq!(grouped.visits[0].reason_for_visit, Value::Text("control".into()));
    assert_eq!(grouped.visits[2].visit_date, Value::Null);
    assert_eq!(grouped.medical_record_view.field_slots[0].canonical_key, "clinic_name");
    let luna = serde_json::to_value(&grouped.fields[0]).unwrap();
    assert_eq!((&luna["field_mapping_confidence"], &luna["band"]), (&luna["confidence"], &"mid".into()));
    assert_eq!(luna["field_candidate_confidence"], luna["candidate_confidence"]);
    assert_eq!((&luna["context_key"], &luna["policy_version"]), (&"ctx_v1:x".into(), &"v1".into()));
}
