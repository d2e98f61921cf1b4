//! The values that were detected before people changed them.

use jiff::Timestamp;
use quire_domain::InterpretationId;
use quire_understanding::ValueType;
use quire_understanding::edit::FieldChange;

use super::*;

fn change(field_id: FieldId, change_type: ChangeType, part: &str, old: &str) -> FieldChange {
    FieldChange {
        change_type,
        field_id,
        field_key: "breed".to_owned(),
        field_path: format!("fields.{field_id}.{part}"),
        value_type: ValueType::String,
        old_value: Value::Text(old.to_owned()),
        new_value: Value::Null,
        mapping_id: None,
    }
}

fn version(number: u32, changes: Vec<FieldChange>) -> VersionHistoryEntry {
    VersionHistoryEntry {
        id: InterpretationId::new(),
        number,
        is_active: false,
        created_at: Timestamp::UNIX_EPOCH,
        created_by: None,
        made_by: None,
        changes,
    }
}

#[test]
fn the_extracted_value_is_what_the_oldest_change_replaced() {
    let (edited, added, moved) = (FieldId::new(), FieldId::new(), FieldId::new());
    let records = [
        version(2, vec![change(edited, ChangeType::Update, "value", "Beagle")]),
        version(3, vec![change(added, ChangeType::Add, "value", "")]),
        version(4, vec![change(edited, ChangeType::Update, "value", "Boxer")]),
        version(5, vec![change(added, ChangeType::Update, "value", "Collie")]),
        version(6, vec![change(moved, ChangeType::Update, "visit_id", "visit-001")]),
    ];
    let detected = detected(&records);
    assert_eq!(detected.get(&edited), Some(&Value::Text("Beagle".to_owned())));
    assert_eq!(detected.len(), 1, "what a person added was not detected, and what moved kept its value");
}
