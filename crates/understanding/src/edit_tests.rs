//! Batches of edits, valid and invalid.

use proptest::prelude::*;

use super::*;
use crate::{Evidence, NEUTRAL_CONFIDENCE};

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn field(key: &str, value: &str) -> Field {
    Field {
        confidence: 0.7,
        review_history_adjustment: 4.0,
        is_critical: true,
        evidence: Some(Evidence::new(1, value, Vec::new())),
        mapping_id: Some("label::x".to_owned()),
        ..Field::new(key, Value::Text(value.to_owned()), ValueType::String, Origin::Machine, 0.66)
    }
}

fn update(field: &Field, value: Value) -> EditOperation {
    EditOperation::Update { field: field.field_id, value: Some(value), value_type: None, visit_id: None }
}

fn add(key: &str, value: Value) -> EditOperation {
    EditOperation::Add { key: key.to_owned(), value, value_type: None, visit_id: None }
}

fn edited(before: &[Field], batch: &[EditOperation]) -> EditOutcome {
    apply_edits(before, RestorableFields::default(), &Schema::built_in_default(), NEUTRAL_CONFIDENCE, batch)
        .unwrap()
}

fn refused(before: &[Field], batch: &[EditOperation]) -> (usize, &'static str) {
    let refused = apply_edits(
        before,
        RestorableFields::default(),
        &Schema::built_in_default(),
        NEUTRAL_CONFIDENCE,
        batch,
    )
    .unwrap_err();
    (refused.index, refused.member)
}

/// Proves R123, R124: a changed field is human and logged once; other fields stay.
#[test]
fn a_changed_field_has_human_origin_and_other_fields_stay() {
    let before = [field("pet_name", "Luna"), field("notes", "x")];
    let after = edited(&before, &[update(&before[0], text("Lola")), add("species", text("felino"))]);
    assert_eq!(after.fields.len(), 3);
    let [luna, notes, species] = &after.fields[..] else { panic!() };
    assert_eq!((luna.origin, luna.confidence, luna.review_history_adjustment), (Origin::Human, 0.66, 0.0));
    assert_eq!((notes.origin, notes.confidence), (Origin::Machine, 0.7));
    assert_eq!((species.origin, species.confidence), (Origin::Human, NEUTRAL_CONFIDENCE));
    let changes: Vec<_> =
        after.changes.iter().map(|change| (change.change_type, change.field_path.as_str())).collect();
    let (one, two) =
        (format!("fields.{}.value", luna.field_id), format!("fields.{}.value", species.field_id));
    assert_eq!(changes, [(ChangeType::Update, one.as_str()), (ChangeType::Add, two.as_str())]);
    assert_eq!((&after.changes[0].old_value, &after.changes[0].new_value), (&text("Luna"), &text("Lola")));
    assert!(after.structural_edits.is_empty());
}

/// Proves R123: a correction that is undone leaves the field as it was found.
#[test]
fn a_field_that_gets_back_its_value_and_visit_is_as_it_was_found() {
    let found = [field("pet_name", "Luna"), Field { visit_id: Some("v1".to_owned()), ..field("notes", "x") }];
    let schema = Schema::built_in_default();
    let edit = |before: &[Field], batch: &[EditOperation]| {
        let earlier = RestorableFields { found: &found, ..RestorableFields::default() };
        apply_edits(before, earlier, &schema, NEUTRAL_CONFIDENCE, batch).unwrap()
    };
    let moved = |visit_id| EditOperation::Update {
        field: found[1].field_id,
        value: None,
        value_type: None,
        visit_id: Some(visit_id),
    };
    let changed = edit(&found, &[update(&found[0], text("Lola")), moved(VisitAssignment::None)]);
    assert!(changed.fields.iter().all(|field| field.origin == Origin::Human), "{:?}", changed.fields);
    let other = Field { visit_id: Some("v1".to_owned()), ..field("visit_date", "2026-03-01") };
    let before = [changed.fields, vec![other]].concat();
    let back = VisitAssignment::To("v1".to_owned());
    let undone = edit(&before, &[update(&found[0], text("Luna ")), moved(back)]);
    assert_eq!(undone.changes.len(), 2, "both are logged");
    let critical = |field: &Field| Field { is_critical: schema.is_critical(&field.key), ..field.clone() };
    assert_eq!(undone.fields[..2], found.each_ref().map(critical));
}

/// Proves R125.
#[test]
fn a_value_that_reads_the_same_changes_nothing() {
    let before = [field("pet_name", "Luna Bella")];
    let after = edited(&before, &[update(&before[0], text(" Luna   Bella "))]);
    assert!(after.changes.is_empty());
    assert_eq!(after.fields[0].origin, Origin::Machine);
    assert_eq!(after.fields[0].value, text("Luna Bella"));
    let typed = EditOperation::Update {
        field: before[0].field_id,
        value: Some(text("Luna Bella")),
        value_type: Some(ValueType::Unknown),
        visit_id: None,
    };
    assert_eq!(edited(&before, &[typed]).changes.len(), 1, "another type is a change");
}

/// Proves R122: the first invalid edit is named, and nothing is applied.
#[test]
fn an_invalid_edit_is_named_by_its_index_and_member() {
    let before = [field("pet_name", "Luna")];
    let good = add("notes", text("x"));
    let stranger = field("notes", "x");
    for (bad, member) in [
        (add("Pet Name", text("x")), "key"),
        (add("notes", Value::Number(4.0)), "value"),
        (add("visit_date", text("29/02/2024")), "value"),
        (add("notes", text("a\0b")), "value"),
        (add("notes", text(&"x".repeat(10_001))), "value"),
        (update(&stranger, text("x")), "field_id_not_found"),
        (EditOperation::Delete { field: stranger.field_id }, "field_id_not_found"),
        (EditOperation::DeleteVisit { visit_id: "visit-9".into() }, "visit_id_not_found"),
        (EditOperation::AddVisit { visit_id: Some("unassigned".into()), metadata: vec![] }, "visit_id"),
        (EditOperation::AddVisit { visit_id: None, metadata: vec![] }, "visit"),
        (EditOperation::AddVisit { visit_id: None, metadata: vec![("pet_name".into(), text("x"))] }, "visit"),
        (
            EditOperation::AddVisit { visit_id: None, metadata: vec![("visit_date".into(), text("soon"))] },
            "visit",
        ),
    ] {
        assert_eq!(refused(&before, &[good.clone(), bad.clone()]), (1, member), "{bad:?}");
    }
    let twice = [EditOperation::Delete { field: before[0].field_id }, update(&before[0], text("x"))];
    assert_eq!(refused(&before, &twice), (1, "field_id_not_found"), "what is gone cannot be changed");
}

/// Proves R090: a field cannot claim to be critical.
#[test]
fn whether_a_field_is_critical_depends_on_the_schema() {
    let before =
        [field("notes", "claims to be critical"), Field { is_critical: false, ..field("species", "canino") }];
    let after = edited(&before, &[add("breed", text("beagle"))]);
    let critical: Vec<_> = after.fields.iter().map(|field| (field.key.as_str(), field.is_critical)).collect();
    assert_eq!(critical, [("notes", false), ("species", true), ("breed", true)]);
}

#[test]
fn visits_are_added_changed_filled_and_deleted() {
    let before = [field("diagnosis", "otitis")];
    let date = |date: &str| vec![("visit_date".to_owned(), text(date))];
    let batch = [
        EditOperation::AddVisit { visit_id: Some("first".into()), metadata: date("2024-02-01") },
        EditOperation::Update {
            field: before[0].field_id,
            value: None,
            value_type: None,
            visit_id: Some(VisitAssignment::To("first".into())),
        },
        EditOperation::Add {
            key: "medication".into(),
            value: text("gotas"),
            value_type: None,
            visit_id: Some("first".into()),
        },
    ];
    let with_visit = edited(&before, &batch);
    assert!(with_visit.fields.iter().all(|field| field.visit_id.as_deref() == Some("first")));
    assert!(with_visit.changes.iter().any(|change| change.field_path.ends_with(".visit_id")));

    let twice = [EditOperation::AddVisit { visit_id: Some("first".into()), metadata: date("2024-02-02") }];
    assert_eq!(refused(&with_visit.fields, &twice), (0, "visit_id"));
    let moved = EditOperation::UpdateVisit { visit_id: "first".into(), metadata: date("2024-02-03") };
    let moved = edited(&with_visit.fields, &[moved]);
    assert_eq!(moved.changes.len(), 1);
    let cleared = EditOperation::UpdateVisit {
        visit_id: "first".into(),
        metadata: vec![("visit_date".into(), Value::Null), ("reason_for_visit".into(), text("control"))],
    };
    let cleared = edited(&moved.fields, &[cleared]);
    let keys: Vec<_> = cleared.fields.iter().map(|field| field.key.as_str()).collect();
    assert_eq!(keys, ["diagnosis", "medication", "reason_for_visit"]);
    let gone = edited(&cleared.fields, &[EditOperation::DeleteVisit { visit_id: "first".into() }]);
    assert!(gone.fields.is_empty());
    assert_eq!(gone.changes.len(), 3, "one change for each field");
}

fn any_edit_of(fields: Vec<FieldId>) -> impl Strategy<Value = EditOperation> {
    let field = prop::sample::select(fields);
    let key = prop::sample::select(vec!["pet_name", "notes", "new_key", "Bad Key"]);
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<f64>().prop_map(Value::Number),
        "[a-z ]{0,6}".prop_map(Value::Text),
    ];
    let value_type = prop::option::of(prop::sample::select(ValueType::ALL.to_vec()));
    prop_oneof![
        (key, value.clone(), value_type.clone()).prop_map(|(key, value, value_type)| EditOperation::Add {
            key: key.to_owned(),
            value,
            value_type,
            visit_id: None
        }),
        (field.clone(), value, value_type).prop_map(|(field, value, value_type)| EditOperation::Update {
            field,
            value: Some(value),
            value_type,
            visit_id: None
        }),
        field.prop_map(|field| EditOperation::Delete { field }),
    ]
}

fn any_batch() -> impl Strategy<Value = (Vec<Field>, Vec<EditOperation>)> {
    let before = vec![field("pet_name", "Luna"), field("notes", "x"), field("diagnosis", "otitis")];
    let ids = before.iter().map(|field| field.field_id).collect();
    (Just(before), prop::collection::vec(any_edit_of(ids), 1..6))
}

proptest! {
    /// Proves R122, R124: applying the logged changes to the old fields gives the new fields.
    #[test]
    fn the_changes_describe_every_difference((before, batch) in any_batch()) {
        let schema = Schema::built_in_default();
        let Ok(after) = apply_edits(&before, RestorableFields::default(), &schema, NEUTRAL_CONFIDENCE, &batch) else { return Ok(()) };
        let mut played: Vec<(FieldId, Value)> =
            before.iter().map(|field| (field.field_id, field.value.clone())).collect();
        for change in &after.changes {
            match change.change_type {
                ChangeType::Add => played.push((change.field_id, change.new_value.clone())),
                ChangeType::Delete => played.retain(|(id, _)| *id != change.field_id),
                ChangeType::Update => {
                    let place = played.iter().position(|(id, _)| *id == change.field_id).unwrap();
                    prop_assert_eq!(&played[place].1, &change.old_value);
                    played[place].1 = change.new_value.clone();
                }
            }
        }
        let now: Vec<(FieldId, Value)> =
            after.fields.iter().map(|field| (field.field_id, field.value.clone())).collect();
        prop_assert_eq!(played, now);
        for field in &after.fields {
            prop_assert_eq!(field.is_critical, schema.is_critical(&field.key));
        }
    }
}
