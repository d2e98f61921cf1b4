//! The sections and empty rows of the review form.

use super::*;
use crate::{Origin, SchemaFile, ValueType};

fn field(key: &str, value: &str, visit: Option<&str>) -> Field {
    let field = Field::new(key, Value::Text(value.to_owned()), ValueType::String, Origin::Machine, 0.66);
    Field { visit_id: visit.map(str::to_owned), ..field }
}

/// The sections of the form, each with the keys of its rows.
fn form(schema: &Schema, fields: &[Field]) -> Vec<(String, Vec<String>)> {
    let keys = |section: &SectionLayout| {
        let rows = section.groups.iter().flat_map(|group| &group.rows);
        rows.map(|row| row.key().to_owned()).collect()
    };
    let sections = FormLayout::of(schema, fields).sections;
    sections.iter().map(|section| (section.id.to_owned(), keys(section))).collect()
}

/// The keys that the schema wants shown in each section, in the order of the schema.
fn wanted(schema: &Schema, without_section: &str) -> Vec<(String, Vec<String>)> {
    let mut ids: Vec<&str> = schema.sections.iter().map(|section| section.id.as_str()).collect();
    if !ids.contains(&OTHER_SECTION) {
        ids.push(OTHER_SECTION);
    }
    let of = |id: &str| {
        let keys = schema.keys.iter().filter(|key| !key.hidden);
        let keys = keys.filter(|key| key.section.as_deref().unwrap_or(without_section) == id);
        keys.map(|key| key.key.clone()).collect()
    };
    ids.into_iter().map(|id| (id.to_owned(), of(id))).collect()
}

/// Proves R218: the form of a document without fields has a slot for every key.
#[test]
fn every_key_of_a_schema_has_its_slot_in_the_order_of_the_schema() {
    let [veterinary, invoice, ..] = SchemaFile::built_in();
    assert_eq!(form(&veterinary.schema, &[]), wanted(&veterinary.schema, REPORT_SECTION));
    assert_eq!(form(&invoice.schema, &[]), wanted(&invoice.schema, OTHER_SECTION));
    let bare = Schema { sections: Vec::new(), ..invoice.schema.clone() };
    let keys: Vec<String> = bare.keys.iter().map(|key| key.key.clone()).collect();
    assert_eq!(form(&bare, &[]), [(OTHER_SECTION.to_owned(), keys)], "also without sections");
}

/// Proves R218 for a document in which some keys were found.
#[test]
fn keys_without_a_value_have_their_slot_among_those_with_one() {
    let schema = Schema::built_in_default();
    let fields = [
        field("breed", "Beagle", None),
        field("visit_date", "2024-02-01", Some("b")),
        field("visit_date", "2024-01-01", Some("a")),
        field("imaging", "RX", Some("a")),
        field("claim_id", "7", None),
        field("owner_id", "12345678Z", None),
    ];
    let shown = form(&schema, &fields);
    for key in schema.keys.iter().filter(|key| !key.hidden) {
        assert!(shown.iter().any(|(_, keys)| keys.contains(&key.key)), "{}", key.key);
    }
    assert!(shown.iter().all(|(_, keys)| !keys.contains(&"owner_id".to_owned())), "a hidden key");
    let visits = &shown.iter().find(|(name, _)| name == VISITS_SECTION).unwrap().1;
    let usual = ["visit_date", "reason_for_visit", "diagnosis", "procedure", "medication"];
    assert_eq!(visits[..6], [&usual[..], &["imaging"]].concat(), "the older visit");
    let newest = schema.keys.iter().filter(|key| key.scope != Scope::Document && key.key != "imaging");
    let newest: Vec<&str> = newest.map(|key| key.key.as_str()).collect();
    assert_eq!(visits[6..], newest, "the newest has the slots of all that no visit has");
}

#[test]
fn the_section_of_the_visits_is_that_of_their_date() {
    let mut schema = Schema::built_in_default();
    for key in schema.keys.iter_mut().filter(|key| key.section.as_deref() == Some(VISITS_SECTION)) {
        key.section = Some(if key.key == VISIT_DATE { "episodes" } else { "clinical" }.to_owned());
    }
    for section in &mut schema.sections {
        if section.id == VISITS_SECTION {
            section.id = "episodes".to_owned();
        }
    }
    let names: Vec<String> = form(&schema, &[]).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["clinic", "patient", "owner", "episodes", "notes", "other", "report_info"]);
    let shown = form(&schema, &[field("diagnosis", "otitis", None)]);
    let episodes = &shown.iter().find(|(name, _)| name == "episodes").unwrap().1;
    assert!(episodes.contains(&"diagnosis".to_owned()), "a value of an unknown visit is shown: {episodes:?}");
}

/// Proves R218 whatever was found: every key is shown, and the rows of a section are in the order of the schema.
#[test]
fn every_subset_of_found_keys_keeps_the_order_of_the_schema() {
    for schema in SchemaFile::built_in().map(|file| file.schema.clone()) {
        let place = |key: &String| schema.keys.iter().position(|one| one.key == *key).unwrap();
        let of_document: Vec<&SchemaKey> =
            schema.keys.iter().filter(|key| key.scope == Scope::Document && !key.hidden).collect();
        for step in 1..=of_document.len() {
            // In the opposite order, so that the order of the fields cannot be the reason.
            let found = of_document.iter().rev().step_by(step).map(|key| field(&key.key, "x", None));
            let shown = form(&schema, &found.collect::<Vec<_>>());
            for key in &of_document {
                let times =
                    shown.iter().flat_map(|(_, keys)| keys).filter(|shown| **shown == key.key).count();
                assert_eq!(times, 1, "{} with every {step}th key", key.key);
            }
            for (section, keys) in shown.iter().filter(|(name, _)| name != VISITS_SECTION) {
                assert!(keys.is_sorted_by_key(place), "{section}: {keys:?}");
            }
        }
    }
}

#[test]
fn a_form_without_findings_says_what_it_lacks() {
    let schema = Schema::built_in_default();
    let lacking = |fields: &[Field]| -> Vec<_> {
        let sections = FormLayout::of(&schema, fields).sections;
        sections
            .iter()
            .filter_map(|section| section.lacks.map(|lacks| (section.id.to_owned(), lacks)))
            .collect()
    };
    let visits = (VISITS_SECTION.to_owned(), Lacking::Visits);
    let other = (OTHER_SECTION.to_owned(), Lacking::OtherFields);
    assert_eq!(lacking(&[]), [visits, other.clone()]);
    assert_eq!(lacking(&[field("visit_date", "2024-02-01", Some("a"))]), [other]);
}

#[test]
fn visits_are_in_the_order_of_their_dates_and_unknown_ones_come_last() {
    let schema = Schema::built_in_default();
    let fields = [
        field("diagnosis", "otitis", Some("c")),
        field("visit_date", "2024-02-01", Some("b")),
        field("visit_date", "2024-01-01", Some("a")),
        field("diagnosis", "fever", Some(UNASSIGNED)),
    ];
    let layout = FormLayout::of(&schema, &fields);
    let dates = [("a", Some("2024-01-01")), ("b", Some("2024-02-01")), ("c", None)];
    assert_eq!(layout.visits, dates.map(|(id, date)| VisitLayout { id, date }));
    let section = layout.sections.iter().find(|section| section.id == VISITS_SECTION).unwrap();
    let last = section.groups.last().unwrap();
    assert_eq!((last.head, last.fields), (GroupHead::UnknownVisit, 1));
}
