//! The two views of an interpretation: the stored flat list, and the fields grouped by visits.

use serde_json::{Value, json};

use crate::record::{active_data, edit, field, upload_lines};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R091, R093, R094, R095, R096, R100, R101, R108.
    a_record_is_shown_flat_as_stored_and_grouped_by_visits,
    /// Proves R218 on the page.
    a_form_shows_every_key_of_its_schema_found_or_not,
}

/// Two visits and a date of birth, but neither an age nor a document date.
const RECORD: [&str; 12] = [
    "Historia clínica del paciente atendido en la consulta",
    "Paciente: Luna",
    "Especie: Canina",
    "Fecha de nacimiento: 10/03/2020",
    "NHC: H-1234",
    "Visita: 09/03/2024",
    "Motivo: control anual",
    "Diagnóstico: otitis externa",
    "Visita: 01/02/2023",
    "Motivo: cojera",
    "Diagnóstico: esguince",
    "Medicación: reposo y antiinflamatorio",
];

/// The sorted member names of an object.
fn members(object: &Value) -> Vec<&str> {
    let mut names: Vec<_> = object.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

fn keys(fields: &Value) -> Vec<&str> {
    fields.as_array().unwrap().iter().map(|field| field["key"].as_str().unwrap()).collect()
}

async fn a_record_is_shown_flat_as_stored_and_grouped_by_visits(env: &TestEnv) {
    let server = env.cli.serve();
    let id = upload_lines(&server, &RECORD);
    let run = env.wait_until_completed(id).await;
    // A person adds fields that belong to no visit, one of them under an alias of its key.
    let added = edit(
        &server,
        &run.id.to_string(),
        1,
        &json!([
            { "op": "ADD", "key": "allergies", "value": "polen" },
            { "op": "ADD", "key": "repro_status", "value": "entera" },
            { "op": "ADD", "key": "blood_group", "value": "DEA 1" },
        ]),
    );
    assert_eq!(added.status, 201, "{}", added.body);

    let mut flat = active_data(&server, id);
    // The band depends on the current settings and is not stored.
    for field in flat["fields"].as_array_mut().unwrap() {
        assert!(field.as_object_mut().unwrap().remove("band").is_some(), "{field}");
    }
    let expected = [
        "context_key",
        "created_at",
        "document_id",
        "fields",
        "policy_version",
        "processing_run_id",
        "schema_version",
    ];
    assert_eq!(members(&flat), expected);
    assert_eq!((&flat["schema_version"], &flat["document_id"]), (&json!("v0"), &json!(id)));
    assert_eq!(flat["processing_run_id"], json!(run.id));
    let stored = env.store.reviews.version(run.id, None).await.unwrap().unwrap();
    let stored: Value = serde_json::from_str(&serde_json::to_string(&stored.data).unwrap()).unwrap();
    assert_eq!(stored, flat, "as stored");
    assert!(!keys(&flat["fields"]).contains(&"document_date"), "keys without a value are not stored");

    let grouped = server.get_json(&format!("/documents/{id}/review?view=visits")).body;
    let grouped = &grouped["active_interpretation"]["data"];
    let expected = [
        "context_key",
        "created_at",
        "document_id",
        "fields",
        "medical_record_view",
        "other_fields",
        "processing_run_id",
        "schema_contract",
        "visits",
    ];
    assert_eq!(members(grouped), expected);
    assert_eq!(grouped["schema_contract"], "visit-grouped-canonical");
    let view = &grouped["medical_record_view"];
    assert_eq!(view["version"], "mvp-1");
    let sections = ["clinic", "patient", "owner", "visits", "notes", "other", "report_info"];
    assert_eq!(view["sections"], json!(sections));
    let slots = view["field_slots"].as_array().unwrap();
    assert_eq!(slots.iter().filter(|slot| slot["scope"] == "document").count(), 17);
    let nhc = slots.iter().find(|slot| slot["canonical_key"] == "nhc").unwrap();
    assert_eq!(nhc["aliases"], json!(["medical_record_number"]));

    let top = keys(&grouped["fields"]);
    for visit_key in ["visit_date", "reason_for_visit", "diagnosis", "medication", "allergies"] {
        assert!(!top.contains(&visit_key), "{top:?}");
    }
    assert_eq!(field(grouped, "nhc")["value"], "H-1234");
    assert_eq!(field(grouped, "reproductive_status")["value"], "entera");
    assert_eq!(keys(&grouped["other_fields"]), ["blood_group"]);
    // The latest visit is the day before the fourth birthday, so the age is 3. It is also the document date.
    let age = field(grouped, "age");
    assert_eq!((&age["value"], &age["origin"]), (&json!("3"), &json!("derived")));
    let document_date = field(grouped, "document_date");
    assert_eq!(
        (&document_date["value"], &document_date["origin"]),
        (&json!("2024-03-09"), &json!("derived"))
    );

    let visits = grouped["visits"].as_array().unwrap();
    let shown: Vec<_> = visits
        .iter()
        .map(|visit| (&visit["visit_date"], &visit["reason_for_visit"], keys(&visit["fields"])))
        .collect();
    assert_eq!(
        shown,
        [
            (&json!("2023-02-01"), &json!("cojera"), vec!["diagnosis", "medication"]),
            (&json!("2024-03-09"), &json!("control anual"), vec!["diagnosis"]),
            (&json!(null), &json!(null), vec!["allergies"]),
        ]
    );
    assert_eq!(visits[2]["visit_id"], "unassigned");
    let expected =
        ["admission_date", "discharge_date", "fields", "reason_for_visit", "visit_date", "visit_id"];
    assert_eq!(members(&visits[0]), expected);
}

/// The sections of a form with the keys of their rows, as the page has them.
fn form(page: &str) -> Vec<(&str, Vec<&str>)> {
    fn section(text: &str) -> (&str, Vec<&str>) {
        let (name, rows) = text.split_once('"').unwrap();
        let keys = rows.split("data-key=\"").skip(1).map(|row| row.split_once('"').unwrap().0);
        (name, keys.collect())
    }
    page.split("data-section=\"").skip(1).map(section).collect()
}

async fn a_form_shows_every_key_of_its_schema_found_or_not(env: &TestEnv) {
    let server = env.cli.serve();
    let id = upload_lines(&server, &RECORD);
    let run = env.wait_for_latest_run(id).await;
    assert_eq!(run.state.as_str(), "COMPLETED", "{:?}", run.state);
    let page = server.get(&format!("/app/documents/{id}"));
    let shown = form(&page.body);
    let schema = server.json("/reviewer/schema/current")["schema_definition"].clone();
    let keys: Vec<&Value> =
        schema["keys"].as_array().unwrap().iter().filter(|key| key["hidden"] != true).collect();
    let sections = schema["sections"].as_array().unwrap();
    let ids: Vec<&str> = sections.iter().map(|section| section["id"].as_str().unwrap()).collect();
    let names: Vec<&str> = shown.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ids, "in the order of the schema");
    for (section, shown) in &shown {
        let wanted: Vec<&str> = keys
            .iter()
            .filter(|key| key["section"].as_str().unwrap_or("report_info") == *section)
            .map(|key| key["key"].as_str().unwrap())
            .collect();
        // Each visit repeats the keys that every visit has.
        if *section == "visits" {
            assert!(wanted.iter().all(|key| shown.contains(key)), "{shown:?}");
        } else {
            assert_eq!(*shown, wanted, "{section}");
        }
    }
}
