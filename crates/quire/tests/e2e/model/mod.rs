//! A language model understands documents, over HTTP with the real program and a server that plays the model. That server
//! holds every request against the published description of the endpoint.

mod hiding;
mod missing;

use quire_domain::DocumentId;
use quire_testkit::documents::{Pdf, text_page};
use quire_testkit::model_server::MODEL;
use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use crate::program::Server;
use crate::reviewing::{field, review};
use crate::scene::{Scene, on_both_stores};
use crate::uploading::form::Form;

const KEY: &str = "sk-a-key-that-nobody-may-see";

const RECORD: [&str; 10] = [
    "Historia clínica del paciente atendido en la consulta",
    "Paciente: Luna",
    "Especie: Canina",
    "Propietaria: Nombre Apellido, tel. 600 123 456",
    "Microchip: 941000012345678",
    "Visita: 01/02/2024",
    "Motivo: revisión anual de la mascota",
    "Diagnóstico: otitis externa",
    "Medicación: gotas óticas cada doce horas",
    "Notas: vuelve dentro de dos semanas",
];

/// Sets the scene for a server that asks this model.
fn choose(scene: &Scene, model: &ModelServer, settings: &str) {
    let url = &model.url;
    let file = format!(
        "[interpreter]\nkind = \"model\"\n[model]\nurl = \"{url}\"\nname = \"any\"\napi_key = \"{KEY}\"\n{settings}\n"
    );
    scene.quire.write("quire.toml", &file);
}

/// Uploads the record and waits until its run has ended.
async fn processed(scene: &Scene, server: &Server) -> (DocumentId, &'static str) {
    let file = Pdf::of_pages(&[text_page(&RECORD)]).file();
    let id = Form::file("record.pdf", &file).send(server, "/documents/upload").document();
    (id, scene.ended(id).await.state.as_str())
}

/// What was understood of a record that was.
async fn understood(scene: &Scene, server: &Server) -> Value {
    let (id, state) = processed(scene, server).await;
    assert_eq!(state, "COMPLETED");
    review(server, id)["active_interpretation"].take()
}

/// An answer with what the record says, whatever the model adds on its own.
fn right() -> ModelReply {
    ModelReply::Completion(right_words())
}

fn right_words() -> String {
    let answer = json!({
        "document": {
            "pet_name": "LUNA",
            "species": "perro",
            "notes": "vuelve dentro de dos semanas",
            "is_critical": { "pet_name": false, "notes": true },
            "blood_group": "A",
        },
        "visits": [{
            "visit_date": "2024-02-01",
            "reason_for_visit": "revisión anual de la mascota",
            "diagnosis": ["otitis externa"],
            "medication": ["gotas óticas cada doce horas"],
        }],
        "is_critical": true,
    });
    answer.to_string()
}

on_both_stores! {
    /// Proves R090 and the model's part of R087: what it says is found in the text or is no value.
    what_a_model_says_and_the_text_has_becomes_fields_with_their_places,
    what_a_model_invents_is_only_something_that_a_field_might_be,
}

async fn what_a_model_says_and_the_text_has_becomes_fields_with_their_places(scene: &Scene) {
    let model = ModelServer::start(KEY, vec![right()]);
    choose(scene, &model, "price_per_million_in = 2.0\nprice_per_million_out = 10.0");
    let server = scene.quire.serve();
    let (id, state) = processed(scene, &server).await;
    assert_eq!(state, "COMPLETED");
    let seen = review(&server, id);
    let active = &seen["active_interpretation"];
    let made_by = &active["made_by"];
    assert_eq!((&made_by["interpreter"], &made_by["model"]), (&json!("model"), &json!(MODEL)));
    assert_eq!((&made_by["tokens_in"], &made_by["tokens_out"]), (&json!(700), &json!(50)));
    assert_eq!((&made_by["cost"], &made_by["prompt_version"]), (&json!(0.0019), &json!("1")));
    assert_eq!(made_by["fallback_reason"], json!(null));
    assert!(made_by["milliseconds"].is_u64());

    let luna = field(&active["data"], "pet_name");
    assert_eq!((&luna["value"], &luna["mapping_id"]), (&json!("Luna"), &json!("model::pet_name")));
    assert_eq!(
        (&luna["evidence"]["page"], &luna["evidence"]["snippet"]),
        (&json!(1), &json!("Paciente: Luna"))
    );
    assert_eq!(luna["evidence"]["boxes"].as_array().unwrap().len(), 1);
    assert_eq!(luna["is_critical"], true, "the schema says so, whatever a model does");
    assert_eq!(field(&active["data"], "notes")["is_critical"], false);
    assert_eq!(field(&active["data"], "species")["value"], "canino");
    let keys: Vec<_> =
        active["data"]["fields"].as_array().unwrap().iter().map(|field| &field["key"]).collect();
    assert!(!keys.contains(&&json!("blood_group")), "nobody asked for that");

    let grouped = server.json(&format!("/documents/{id}/review?view=visits"));
    let visit = &grouped["active_interpretation"]["data"]["visits"][0];
    assert_eq!((&visit["visit_date"], &visit["visit_id"]), (&json!("2024-02-01"), &json!("visit-001")));
    assert_eq!(visit["reason_for_visit"], "revisión anual de la mascota");
    assert_eq!(field(visit, "diagnosis")["value"], "otitis externa");

    let run = seen["latest_completed_run"]["run_id"].as_str().unwrap().to_owned();
    let versions = server.json(&format!("/runs/{run}/interpretations"));
    assert_eq!(&versions["versions"][0]["made_by"], made_by);
    let metrics = server.get("/metrics").body;
    for line in [
        "quire_model_calls_total{outcome=\"OK\"} 1",
        "quire_model_tokens_total{direction=\"in\"} 700",
        "quire_model_tokens_total{direction=\"out\"} 50",
    ] {
        assert!(metrics.contains(line), "{line} is not in {metrics}");
    }
    assert_eq!(model.requests().len(), 1);
    let log = server.stop().err;
    for hidden in [KEY, "Luna", "otitis", "941000012345678"] {
        assert!(!log.contains(hidden), "{hidden} is in the log");
    }
    let shown = scene.quire.says(&["config"]);
    assert!(shown.contains("api_key = \"***\"") && !shown.contains(KEY), "{shown}");
}

async fn what_a_model_invents_is_only_something_that_a_field_might_be(scene: &Scene) {
    let invented = json!({
        "document": { "pet_name": "Luna", "breed": "Siamés", "microchip_id": null },
        "visits": [{ "visit_date": "2024-02-01", "diagnosis": ["otitis externa", "fractura de fémur"] }],
    });
    let model = ModelServer::start(KEY, vec![ModelReply::Completion(invented.to_string())]);
    choose(scene, &model, "");
    let server = scene.quire.serve();
    let active = understood(scene, &server).await;
    assert_eq!(active["made_by"]["interpreter"], "model");
    let breed = field(&active["data"], "breed");
    assert_eq!((&breed["value"], &breed["evidence"]), (&json!(null), &json!(null)));
    assert_eq!(breed["candidate_suggestions"], json!([{ "value": "Siamés", "confidence": 0.15 }]));
    assert!(breed["confidence"].as_f64().unwrap() < 0.2 && breed["is_critical"] == true);
    let fields = active["data"]["fields"].as_array().unwrap();
    let values: Vec<_> =
        fields.iter().filter(|field| field["key"] == "diagnosis").map(|field| &field["value"]).collect();
    assert_eq!(values, [&json!("otitis externa"), &json!(null)]);
}
