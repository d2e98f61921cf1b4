//! The two shapes in which what was understood is shown: the flat list that is stored, and the same grouped by visits.

use quire_testkit::documents::{Pdf, text_page};
use serde_json::{Value, json};

use super::{edit, field, get, review};
use crate::scene::{Scene, on_both_stores};
use crate::uploading::form::Form;

on_both_stores! {
    /// Proves R091, R093, R094, R095, R096, R100, R101, R108.
    a_record_is_shown_flat_as_it_is_stored_and_grouped_by_its_visits,
    /// Proves R218 on the page.
    a_form_shows_every_key_of_its_schema_found_or_not,
}

/// Two visits, a day of birth without an age, no date of its own.
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

/// The names of an object's members.
fn members(of: &Value) -> Vec<&str> {
    let mut names: Vec<_> = of.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

fn keys(fields: &Value) -> Vec<&str> {
    fields.as_array().unwrap().iter().map(|field| field["key"].as_str().unwrap()).collect()
}

async fn a_record_is_shown_flat_as_it_is_stored_and_grouped_by_its_visits(scene: &Scene) {
    let server = scene.quire.serve();
    let file = Pdf::of_pages(&[text_page(&RECORD)]).file();
    let id = Form::file("record.pdf", &file).send(&server, "/documents/upload").document();
    let run = scene.ended(id).await;
    assert_eq!(run.state.as_str(), "COMPLETED", "{:?}", run.state);
    // Somebody puts in what belongs to no visit, and one key under another of its names.
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

    let mut flat = review(&server, id)["active_interpretation"]["data"].clone();
    // What stands beside a field for people follows from the settings of the moment.
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
    let stored = scene.store.reviews.version(run.id, None).await.unwrap().unwrap();
    let stored: Value = serde_json::from_str(&serde_json::to_string(&stored.data).unwrap()).unwrap();
    assert_eq!(stored, flat, "as it is stored");
    assert!(!keys(&flat["fields"]).contains(&"document_date"), "what was not found is not stored");

    let grouped = get(&server, &format!("/documents/{id}/review?view=visits")).body;
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
    for of_visits in ["visit_date", "reason_for_visit", "diagnosis", "medication", "allergies"] {
        assert!(!top.contains(&of_visits), "{top:?}");
    }
    assert_eq!(field(grouped, "nhc")["value"], "H-1234");
    assert_eq!(field(grouped, "reproductive_status")["value"], "entera");
    assert_eq!(keys(&grouped["other_fields"]), ["blood_group"]);
    // The day before the fourth birthday: three whole years at the latest visit, which also dates the document.
    let age = field(grouped, "age");
    assert_eq!((&age["value"], &age["origin"]), (&json!("3"), &json!("derived")));
    let written = field(grouped, "document_date");
    assert_eq!((&written["value"], &written["origin"]), (&json!("2024-03-09"), &json!("derived")));

    let visits = grouped["visits"].as_array().unwrap();
    let told: Vec<_> = visits
        .iter()
        .map(|visit| (&visit["visit_date"], &visit["reason_for_visit"], keys(&visit["fields"])))
        .collect();
    assert_eq!(
        told,
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

async fn a_form_shows_every_key_of_its_schema_found_or_not(scene: &Scene) {
    let server = scene.quire.serve();
    let file = Pdf::of_pages(&[text_page(&RECORD)]).file();
    let id = Form::file("record.pdf", &file).send(&server, "/documents/upload").document();
    let run = scene.ended(id).await;
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
