//! Edits of an old version: done, free, or in conflict.

use proptest::prelude::*;

use super::*;
use crate::edit::{RestorableFields, VisitAssignment, apply_edits};
use crate::{NEUTRAL_CONFIDENCE, Origin, ValueType};

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn field(key: &str, value: &str) -> Field {
    Field::new(key, text(value), ValueType::String, Origin::Machine, 0.66)
}

fn at(visit: &str, field: Field) -> Field {
    Field { visit_id: Some(visit.to_owned()), ..field }
}

/// The date of a visit.
fn visit(id: &str, date: &str) -> Field {
    at(id, Field { value_type: ValueType::Date, ..field("visit_date", date) })
}

fn with_value(field: &Field, value: &str) -> Field {
    Field { value: text(value), ..field.clone() }
}

fn add(key: &str, value: &str) -> EditOperation {
    EditOperation::Add { key: key.to_owned(), value: text(value), value_type: None, visit_id: None }
}

fn add_at(visit: &str, key: &str, value: &str) -> EditOperation {
    let visit_id = Some(visit.to_owned());
    EditOperation::Add { key: key.to_owned(), value: text(value), value_type: None, visit_id }
}

fn update(field: &Field, value: &str) -> EditOperation {
    EditOperation::Update {
        field: field.field_id,
        value: Some(text(value)),
        value_type: None,
        visit_id: None,
    }
}

fn move_to(field: &Field, visit: &str) -> EditOperation {
    let visit_id = Some(VisitAssignment::To(visit.to_owned()));
    EditOperation::Update { field: field.field_id, value: None, value_type: None, visit_id }
}

fn delete(field: &Field) -> EditOperation {
    EditOperation::Delete { field: field.field_id }
}

fn in_same_run(base: &[Field], active: &[Field], edits: &[EditOperation]) -> ConflictReport {
    find_conflicts(base, active, true, &Schema::built_in_default(), edits)
}

fn in_newer_run(base: &[Field], active: &[Field], edits: &[EditOperation]) -> ConflictReport {
    find_conflicts(base, active, false, &Schema::built_in_default(), edits)
}

/// The only edit of a report.
fn only(report: ConflictReport) -> CheckedEdit {
    let [edit] = report.edits.try_into().unwrap();
    edit
}

fn applied(before: &[Field], edits: &[EditOperation]) -> Vec<Field> {
    apply_edits(before, RestorableFields::default(), &Schema::built_in_default(), NEUTRAL_CONFIDENCE, edits)
        .unwrap()
        .fields
}

#[test]
fn an_update_of_an_id_that_no_visit_can_have_is_not_sent_again() {
    let base = [visit("visit-001", "2024-02-01")];
    let metadata = vec![("visit_date".to_owned(), text("2024-02-02"))];
    let edit = EditOperation::UpdateVisit { visit_id: String::new(), metadata };
    let checked = only(in_same_run(&base, &base, &[edit]));
    assert_eq!((checked.status, checked.retry), (EditStatus::Conflict, None));
}

#[test]
fn a_field_that_somebody_else_changed_is_in_conflict() {
    let base = [field("breed", "Belier"), field("notes", "x")];
    let active = [with_value(&base[0], "Rex"), with_value(&base[1], "y")];
    let report = in_same_run(&base, &active, &[update(&base[0], "Angora")]);
    assert_eq!(report.other_changes, 1);
    let breed = only(report);
    assert_eq!((breed.status, breed.key.as_deref()), (EditStatus::Conflict, Some("breed")));
    assert_eq!((breed.was, breed.theirs, breed.requested), (text("Belier"), text("Rex"), text("Angora")));
    assert_eq!(breed.retry, Some(update(&base[0], "Angora")));
    assert!(!breed.theirs_deleted);
}

#[test]
fn a_field_that_nobody_else_touched_is_free() {
    let base = [field("breed", "Belier"), field("notes", "x")];
    let active = [base[0].clone(), with_value(&base[1], "y")];
    let report = in_same_run(
        &base,
        &active,
        &[update(&base[0], "Angora"), delete(&base[0]), add("species", "canino")],
    );
    let statuses: Vec<_> = report.edits.iter().map(|edit| edit.status).collect();
    // The update is overwritten by the deletion behind it.
    assert_eq!(statuses, [EditStatus::Done, EditStatus::Free, EditStatus::Free]);
    assert_eq!(report.edits[2].retry, Some(add("species", "canino")));
    assert_eq!(report.other_changes, 1);
}

#[test]
fn a_value_that_reads_the_same_is_done() {
    let base = [field("breed", "Belier")];
    let active = [with_value(&base[0], " Enano  holandés ")];
    let done = only(in_same_run(&base, &active, &[update(&base[0], "Enano holandés")]));
    assert_eq!((done.status, done.retry), (EditStatus::Done, None));
}

#[test]
fn a_deleted_field_is_added_again_by_insisting() {
    let base = [visit("one", "2024-02-01"), at("one", field("diagnosis", "otitis"))];
    let gone = only(in_same_run(&base, &base[..1], &[update(&base[1], "rinitis")]));
    assert_eq!((gone.status, gone.theirs_deleted, gone.theirs), (EditStatus::Conflict, true, Value::Null));
    let retry = gone.retry.clone().unwrap();
    assert!(
        matches!(&retry, EditOperation::Add { key, visit_id: Some(visit), .. } if key == "diagnosis" && visit == "one")
    );
    assert_eq!(applied(&base[..1], &[retry])[1].value, text("rinitis"));
    // After that, it is done.
    let again = applied(&base[..1], gone.retry.as_slice());
    assert_eq!(only(in_same_run(&base, &again, &[update(&base[1], "rinitis")])).status, EditStatus::Done);
    // With the visit gone as well, the field belongs to none.
    let gone = only(in_same_run(&base, &[], &[update(&base[1], "rinitis")]));
    assert!(matches!(gone.retry, Some(EditOperation::Add { visit_id: None, .. })));
    // Deleting or emptying a deleted field changes nothing.
    for edit in [delete(&base[1]), update(&base[1], "")] {
        let done = only(in_same_run(&base, &base[..1], &[edit]));
        assert_eq!((done.status, done.retry), (EditStatus::Done, None));
    }
}

#[test]
fn deleting_a_field_with_a_new_value_is_in_conflict() {
    let base = [field("breed", "Belier")];
    let changed = only(in_same_run(&base, &[with_value(&base[0], "Rex")], &[delete(&base[0])]));
    assert_eq!(
        (changed.status, changed.requested, changed.retry),
        (EditStatus::Conflict, Value::Null, Some(delete(&base[0])))
    );
}

#[test]
fn adding_a_key_that_somebody_else_added_updates_theirs() {
    let theirs = field("breed", "Rex");
    let both = only(in_same_run(&[], std::slice::from_ref(&theirs), &[add("breed", "Angora")]));
    assert_eq!((both.status, both.theirs), (EditStatus::Conflict, text("Rex")));
    let retried = applied(std::slice::from_ref(&theirs), &[both.retry.unwrap()]);
    assert_eq!(retried.iter().map(|field| &field.value).collect::<Vec<_>>(), [&text("Angora")]);
    // The same value is no conflict, nor is another value of a key that has several.
    let same = only(in_same_run(&[], &[theirs], &[add("breed", "Rex")]));
    assert_eq!((same.status, same.retry), (EditStatus::Done, None));
    let several = [visit("one", "2024-02-01"), at("one", field("medication", "a"))];
    let added = only(in_same_run(&several[..1], &several, &[add_at("one", "medication", "b")]));
    assert_eq!(added.status, EditStatus::Free);
}

#[test]
fn adding_to_a_deleted_visit_is_in_conflict() {
    let base = [visit("one", "2024-02-01")];
    let homeless = only(in_same_run(&base, &[], &[add_at("one", "diagnosis", "otitis")]));
    assert_eq!((homeless.status, homeless.theirs_deleted), (EditStatus::Conflict, true));
    assert_eq!(homeless.retry, Some(add("diagnosis", "otitis")));
    // A visit that the same request adds is not deleted.
    let new = EditOperation::AddVisit {
        visit_id: Some("two".to_owned()),
        metadata: vec![("visit_date".to_owned(), text("2024-03-01"))],
    };
    let report = in_same_run(&base, &base, &[new, add_at("two", "diagnosis", "otitis")]);
    assert!(report.edits.iter().all(|edit| edit.status == EditStatus::Free));
}

#[test]
fn visits_are_done_or_free() {
    let base = [visit("one", "2024-02-01")];
    let both = [base[0].clone(), visit("two", "2024-03-01")];
    let metadata = |date: &str| vec![("visit_date".to_owned(), text(date))];
    let new = |id: Option<&str>| EditOperation::AddVisit {
        visit_id: id.map(str::to_owned),
        metadata: metadata("2024-03-01"),
    };
    for edit in [new(Some("two")), new(None)] {
        let report = in_same_run(&base, &both, std::slice::from_ref(&edit));
        assert_eq!(report.other_changes, 0);
        assert_eq!(only(report).status, EditStatus::Done, "{edit:?}");
        assert_eq!(only(in_same_run(&base, &base, &[edit])).status, EditStatus::Free);
    }
    let gone = EditOperation::DeleteVisit { visit_id: "two".to_owned() };
    assert_eq!(only(in_same_run(&both, &base, std::slice::from_ref(&gone))).status, EditStatus::Done);
    assert_eq!(only(in_same_run(&both, &both, &[gone])).status, EditStatus::Free);

    let later =
        |date: &str| EditOperation::UpdateVisit { visit_id: "one".to_owned(), metadata: metadata(date) };
    let moved = [visit("one", "2024-02-09")];
    let theirs = only(in_same_run(&base, &moved, &[later("2024-02-05")]));
    assert_eq!(
        (theirs.status, theirs.theirs, theirs.key.as_deref()),
        (EditStatus::Conflict, text("2024-02-09"), Some("visit_date"))
    );
    assert_eq!(only(in_same_run(&base, &moved, &[later("2024-02-09")])).status, EditStatus::Done);
    assert_eq!(only(in_same_run(&base, &base, &[later("2024-02-09")])).status, EditStatus::Free);
    let deleted = only(in_same_run(&base, &[], &[later("2024-02-09")]));
    assert_eq!((deleted.status, deleted.theirs_deleted), (EditStatus::Conflict, true));
    assert_eq!(applied(&[], &[deleted.retry.unwrap()])[0].value, text("2024-02-09"));
}

#[test]
fn a_move_is_done_free_or_of_a_deleted_field() {
    let base =
        [visit("one", "2024-02-01"), visit("two", "2024-03-01"), at("one", field("diagnosis", "otitis"))];
    let moved = [base[0].clone(), base[1].clone(), at("two", base[2].clone())];
    let edit = move_to(&base[2], "two");
    assert_eq!(only(in_same_run(&base, &moved, std::slice::from_ref(&edit))).status, EditStatus::Done);
    assert_eq!(only(in_same_run(&base, &base, std::slice::from_ref(&edit))).status, EditStatus::Free);
    let gone = only(in_same_run(&base, &base[..2], &[edit]));
    assert_eq!((gone.status, gone.requested.clone()), (EditStatus::Conflict, text("otitis")));
    assert_eq!(applied(&base[..2], &[gone.retry.unwrap()])[2].visit_id.as_deref(), Some("two"));
}

/// Another run has other ids, and counts its visits anew.
#[test]
fn a_newer_run_is_recognised_by_key_visit_and_value() {
    let base = [
        field("breed", "Belier"),
        visit("visit-001", "2024-02-12"),
        at("visit-001", field("medication", "metoclopramida")),
        at("visit-001", field("medication", "meloxicam")),
    ];
    let newer = [
        field("breed", "Belier"),
        visit("visit-001", "2024-01-05"),
        visit("visit-002", "2024-02-12"),
        at("visit-002", field("medication", "metoclopramida")),
    ];
    let free = only(in_newer_run(&base, &newer, &[update(&base[0], "Rex")]));
    assert_eq!((free.status, free.retry), (EditStatus::Free, Some(update(&newer[0], "Rex"))));
    // The other medication is not taken for this one.
    let gone = only(in_newer_run(&base, &newer, &[update(&base[3], "meloxicam diario")]));
    assert_eq!((gone.status, gone.theirs_deleted), (EditStatus::Conflict, true));
    let Some(EditOperation::Add { visit_id, .. }) = gone.retry else { panic!("{:?}", gone.retry) };
    assert_eq!(visit_id.as_deref(), Some("visit-002"), "the same visit has another id there");
    let same = only(in_newer_run(&base, &newer, &[delete(&base[2])]));
    assert_eq!((same.status, same.retry), (EditStatus::Free, Some(delete(&newer[3]))));
    let read = only(in_newer_run(&base, &newer, &[update(&base[3], "metoclopramida")]));
    assert_eq!((read.status, read.retry), (EditStatus::Done, None), "the newer run has read that value");
    let other = [field("breed", "Rex")];
    let report = in_newer_run(&base[..1], &other, &[update(&base[0], "Angora")]);
    assert_eq!((report.edits[0].status, report.other_changes), (EditStatus::Conflict, 0));
    let visit = EditOperation::DeleteVisit { visit_id: "visit-001".to_owned() };
    let retry = only(in_newer_run(&base, &newer, &[visit])).retry;
    assert_eq!(retry, Some(EditOperation::DeleteVisit { visit_id: "visit-002".to_owned() }));
}

#[test]
fn a_base_that_does_not_exist_makes_conflicts_of_everything_that_is_not_done() {
    let active = [field("breed", "Rex")];
    let edits = [update(&active[0], "Angora"), update(&active[0], "Rex"), delete(&field("notes", "x"))];
    for (edit, status) in edits.iter().zip([EditStatus::Conflict, EditStatus::Done, EditStatus::Done]) {
        assert_eq!(only(in_same_run(&[], &active, std::slice::from_ref(edit))).status, status, "{edit:?}");
    }
    let unknown = only(in_newer_run(&[], &active, &[update(&field("breed", "x"), "y")]));
    assert_eq!((unknown.status, unknown.key, unknown.retry), (EditStatus::Conflict, None, None));
}

const KEYS: [&str; 4] = ["breed", "notes", "medication", "t4_level"];

/// Fields of some of the keys.
fn any_fields() -> impl Strategy<Value = Vec<Field>> {
    let value = prop::sample::select(vec!["a", "b", "c", ""]);
    let one = (prop::sample::select(KEYS.to_vec()), value).prop_map(|(key, value)| field(key, value));
    prop::collection::vec(one, 0..6)
}

/// What to do: with which field or key, and to which value.
fn any_actions(most: usize) -> impl Strategy<Value = Vec<(u8, usize, &'static str)>> {
    prop::collection::vec((0..3_u8, 0..6_usize, prop::sample::select(vec!["a", "b", "c", "d"])), 0..most)
}

/// These actions as edits of these fields. A field that is deleted is not changed afterwards.
fn edits_of(fields: &[Field], actions: &[(u8, usize, &'static str)]) -> Vec<EditOperation> {
    let mut deleted = HashSet::new();
    let mut edits = Vec::new();
    for (action, number, value) in actions {
        let chosen = fields.get(*number).filter(|field| !deleted.contains(&field.field_id));
        edits.push(match (action, chosen) {
            (0, Some(field)) => update(field, value),
            (1, Some(field)) => {
                deleted.insert(field.field_id);
                delete(field)
            }
            _ => add(KEYS[number % KEYS.len()], value),
        });
    }
    edits
}

/// Keys and values, in no order.
fn contents(fields: &[Field]) -> Vec<(String, String)> {
    let mut all: Vec<_> =
        fields.iter().map(|field| (field.key.clone(), format!("{:?}", field.value))).collect();
    all.sort();
    all
}

proptest! {
    /// A client that sends a stored request again, because its response was lost, is told that it is done.
    #[test]
    fn a_stored_edit_is_done(base in any_fields(), actions in any_actions(5)) {
        let edits = edits_of(&base, &actions);
        let report = in_same_run(&base, &applied(&base, &edits), &edits);
        for edit in &report.edits {
            prop_assert_eq!((edit.status, &edit.retry), (EditStatus::Done, &None));
        }
        prop_assert_eq!(report.other_changes, 0);
    }

    #[test]
    fn without_other_changes_nothing_is_in_conflict_and_retrying_does_the_same(base in any_fields(), actions in any_actions(5)) {
        let edits = edits_of(&base, &actions);
        let report = in_same_run(&base, &base, &edits);
        prop_assert!(report.edits.iter().all(|edit| edit.status != EditStatus::Conflict));
        let retries: Vec<_> = report.edits.into_iter().filter_map(|edit| edit.retry).collect();
        prop_assert_eq!(contents(&applied(&base, &retries)), contents(&applied(&base, &edits)));
    }

    /// Insisting works, whatever others have done, in the same run and in a newer one.
    #[test]
    fn every_retry_can_be_applied(
        base in any_fields(), theirs in any_actions(5), mine in any_actions(2), is_same_run in any::<bool>(),
    ) {
        let mut active = applied(&base, &edits_of(&base, &theirs));
        if !is_same_run {
            for field in &mut active {
                field.field_id = FieldId::new();
            }
        }
        let edits = edits_of(&base, &mine);
        let report = find_conflicts(&base, &active, is_same_run, &Schema::built_in_default(), &edits);
        prop_assert_eq!(report.edits.len(), edits.len());
        for edit in &report.edits {
            prop_assert!(edit.status != EditStatus::Done || edit.retry.is_none());
            let done = applied(&active, edit.retry.as_slice());
            if !edit.requested.is_empty() && edit.retry.is_some() {
                let has_it = |field: &Field| Some(&field.key) == edit.key.as_ref() && field.value == edit.requested;
                prop_assert!(done.iter().any(has_it), "{edit:?}");
            }
        }
    }
}
