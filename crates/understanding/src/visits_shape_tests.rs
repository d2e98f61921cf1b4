//! The members of the flat and of the visit-grouped view.

use serde_json::{Value as Json, json};

use super::*;
use crate::ValueType;

/// Grouped under the default policy.
fn grouped_as(interpretation: &Interpretation, schema: &Schema) -> VisitGroupedView {
    group_by_visit(interpretation, schema, &ConfidencePolicy::default())
}

fn field(key: &str, value: &str, visit_id: Option<&str>) -> Field {
    let field = Field::new(key, Value::Text(value.to_owned()), ValueType::String, Origin::Machine, 0.66);
    Field { visit_id: visit_id.map(str::to_owned), ..field }
}

fn of(fields: Vec<Field>) -> Interpretation {
    Interpretation {
        context_key: None,
        policy_version: None,
        schema_version: Interpretation::V0.to_owned(),
        document_id: DocumentId::new(),
        processing_run_id: RunId::new(),
        created_at: Timestamp::UNIX_EPOCH,
        fields,
    }
}

fn members(json: &Json) -> Vec<&str> {
    json.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Proves R091.
#[test]
fn an_interpretation_is_stored_as_a_flat_list() {
    let stored = of(vec![field("pet_name", "Luna", None), field("diagnosis", "otitis", Some("visit-001"))]);
    let json = serde_json::to_value(&stored).unwrap();
    let mut names = members(&json);
    names.sort_unstable();
    assert_eq!(names, ["created_at", "document_id", "fields", "processing_run_id", "schema_version"]);
    assert_eq!(json["schema_version"], "v0");
    assert_eq!(json["fields"].as_array().unwrap().len(), 2, "also what belongs to a visit");
    assert_eq!(json["fields"][1]["visit_id"], "visit-001");
    assert_eq!(serde_json::from_value::<Interpretation>(json).unwrap(), stored);
}

/// Proves R094: the members of the view, and its seventeen slots of the document.
#[test]
fn the_visit_view_has_the_documented_members_and_slots() {
    let grouped = grouped_as(&of(vec![field("pet_name", "Luna", None)]), &Schema::built_in_default());
    let json = serde_json::to_value(&grouped).unwrap();
    let mut names = members(&json);
    names.sort_unstable();
    let expected = [
        "created_at",
        "document_id",
        "fields",
        "medical_record_view",
        "other_fields",
        "processing_run_id",
        "schema_contract",
        "visits",
    ];
    assert_eq!(names, expected, "and no schema_version");
    assert_eq!(json["schema_contract"], "visit-grouped-canonical");
    let view = &json["medical_record_view"];
    assert_eq!(view["version"], "mvp-1");
    let sections = ["clinic", "patient", "owner", "visits", "notes", "other", "report_info"];
    assert_eq!(view["sections"], json!(sections));
    let slots = view["field_slots"].as_array().unwrap();
    let of_document = slots.iter().filter(|slot| slot["scope"] == "document");
    let mut places: Vec<(&str, &str)> = of_document
        .map(|slot| (slot["section"].as_str().unwrap(), slot["canonical_key"].as_str().unwrap()))
        .collect();
    places.sort_by_key(|(section, _)| sections.iter().position(|one| one == section));
    let expected = [
        ("clinic", "clinic_name"),
        ("clinic", "clinic_address"),
        ("clinic", "vet_name"),
        ("clinic", "nhc"),
        ("patient", "pet_name"),
        ("patient", "species"),
        ("patient", "breed"),
        ("patient", "sex"),
        ("patient", "age"),
        ("patient", "dob"),
        ("patient", "microchip_id"),
        ("patient", "weight"),
        ("patient", "reproductive_status"),
        ("owner", "owner_name"),
        ("owner", "owner_address"),
        ("notes", "notes"),
        ("report_info", "language"),
    ];
    assert_eq!((places.len(), &places[..]), (17, &expected[..]));
    let others = slots.iter().filter(|slot| slot["scope"] != "document");
    assert!(others.clone().count() > 0 && others.clone().all(|slot| slot["section"] == "visits"));
    let renamed: Vec<_> = slots.iter().filter(|slot| slot.get("aliases").is_some()).collect();
    let aliases: Vec<_> =
        renamed.iter().map(|slot| (slot["canonical_key"].as_str().unwrap(), &slot["aliases"])).collect();
    assert_eq!(
        aliases,
        [("nhc", &json!(["medical_record_number"])), ("reproductive_status", &json!(["repro_status"]))]
    );
    // The identity number of a person has no slot.
    assert!(slots.iter().all(|slot| slot["canonical_key"] != "owner_id"));
}

/// Proves R101: values under an alias are shown under the key.
#[test]
fn aliases_are_shown_under_their_key() {
    let fields = vec![field("medical_record_number", "H-1", None), field("repro_status", "entero", None)];
    let grouped = grouped_as(&of(fields), &Schema::built_in_default());
    let keys: Vec<_> = grouped.fields.iter().map(|field| field.view.field.key.as_str()).collect();
    assert_eq!((keys, grouped.other_fields.len()), (vec!["nhc", "reproductive_status"], 0));
    let unknown = Schema { keys: Vec::new(), ..Schema::built_in_default() };
    let grouped = grouped_as(&of(vec![field("repro_status", "entero", None)]), &unknown);
    assert_eq!(
        grouped.other_fields[0].view.field.key, "repro_status",
        "a schema without the key has no other name for it"
    );
}

/// Proves R095 for every key of the schema, with and without a visit.
#[test]
fn fields_of_visits_are_never_at_the_top_level() {
    let schema = Schema::built_in_default();
    let all = schema.keys.iter();
    let fields =
        all.flat_map(|key| [field(&key.key, "2024-01-01", Some("a")), field(&key.key, "2024-02-02", None)]);
    let grouped = grouped_as(&of(fields.collect()), &schema);
    let metadata = ["visit_date", "admission_date", "discharge_date", "reason_for_visit"];
    assert!(grouped.fields.iter().all(|field| schema.scope(&field.view.field.key) == Scope::Document));
    for visit in &grouped.visits {
        assert!(visit.fields.iter().all(|field| !metadata.contains(&field.view.field.key.as_str())));
        let metadata =
            [&visit.visit_date, &visit.admission_date, &visit.discharge_date, &visit.reason_for_visit];
        let expected =
            if visit.visit_id == UNASSIGNED { Value::Null } else { Value::Text("2024-01-01".into()) };
        assert!(metadata.into_iter().all(|value| *value == expected), "{visit:?}");
    }
    let ids: Vec<_> = grouped.visits.iter().map(|visit| visit.visit_id.as_str()).collect();
    assert_eq!(ids, ["a", UNASSIGNED]);
    for key in ["symptoms", "diagnosis", "procedure", "medication", "treatment_plan", "allergies"] {
        assert_eq!(schema.scope(key), Scope::Visit, "{key}");
    }
    for key in ["vaccinations", "lab_result", "imaging", "observations", "actions"] {
        assert_eq!(schema.scope(key), Scope::Visit, "{key}");
    }
}

/// Proves R093 and R108 for the view: a derived date is only shown, and only if no date was found.
#[test]
fn a_document_without_a_date_shows_the_date_of_its_latest_visit() {
    let schema = Schema::built_in_default();
    let visits =
        [field("visit_date", "2024-02-01", Some("b")), field("visit_date", "2024-01-01", Some("a"))].to_vec();
    let interpretation = of(visits.clone());
    let grouped = grouped_as(&interpretation, &schema);
    let [derived] = &grouped.fields[..] else { panic!("{:?}", grouped.fields) };
    let derived = &derived.view.field;
    assert_eq!((derived.key.as_str(), derived.origin), ("document_date", Origin::Derived));
    assert_eq!((&derived.value, derived.value_type), (&Value::Text("2024-02-01".into()), ValueType::Date));
    assert!(interpretation.fields.iter().all(|field| field.field_id != derived.field_id));
    assert_eq!(grouped_as(&interpretation, &schema), grouped, "the same whenever it is looked at");
    assert!(interpretation.fields.iter().all(|field| field.key != "document_date"), "not stored");

    let mut dated = visits.clone();
    dated.push(field("document_date", "2023-12-31", None));
    let grouped = grouped_as(&of(dated), &schema);
    assert_eq!(grouped.fields.len(), 1);
    assert_eq!(grouped.fields[0].view.field.value, Value::Text("2023-12-31".into()), "what was found stands");
    assert!(grouped_as(&of(Vec::new()), &schema).fields.is_empty());
}

/// Visits are in the order of their dates, then of their ids. Visits without a date follow.
#[test]
fn visits_are_in_the_order_of_their_dates() {
    let fields = vec![
        field("diagnosis", "d", None),
        field("diagnosis", "c", Some("undated")),
        field("visit_date", "2024-02-01", Some("visit-002")),
        field("visit_date", "2024-01-01", Some("visit-003")),
        field("visit_date", "2024-02-01", Some("visit-001")),
    ];
    let grouped = grouped_as(&of(fields), &Schema::built_in_default());
    let ids: Vec<_> = grouped.visits.iter().map(|visit| visit.visit_id.as_str()).collect();
    assert_eq!(ids, ["visit-003", "visit-001", "visit-002", "undated", UNASSIGNED]);
}
