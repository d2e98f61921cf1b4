//! Interpretation by a language model. A fake model server checks every request against the published API description.

mod calls;
mod fallback;
pub(crate) mod lanes;
mod real_server;
mod redaction;

use quire_domain::DocumentId;
use quire_testkit::model_server::MODEL;
use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use crate::program::TestServer;
use crate::record::{field, review, upload_lines};
use crate::test_env::{TestEnv, on_both_stores};

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

/// Configures the next server to use this model.
fn use_model(env: &TestEnv, model: &ModelServer, settings: &str) {
    let url = &model.url;
    let file = format!(
        "[interpreter]\nkind = \"model\"\n[model]\nurl = \"{url}\"\nname = \"any\"\napi_key = \"{KEY}\"\n{settings}\n"
    );
    env.cli.write("quire.toml", &file);
}

/// Uploads the record and waits until its run has ended.
async fn upload_and_wait(env: &TestEnv, server: &TestServer) -> (DocumentId, &'static str) {
    let id = upload_lines(server, &RECORD);
    (id, env.wait_for_latest_run(id).await.state.as_str())
}

/// Processes the record and returns its active interpretation.
async fn interpretation(env: &TestEnv, server: &TestServer) -> Value {
    let (id, state) = upload_and_wait(env, server).await;
    assert_eq!(state, "COMPLETED");
    review(server, id)["active_interpretation"].take()
}

/// A reply with the values of the record, and with members that nobody asked for.
fn valid_reply() -> ModelReply {
    ModelReply::Completion(valid_text())
}

fn valid_text() -> String {
    let reply = json!({
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
    reply.to_string()
}

on_both_stores! {
    /// Proves R090, and R087 for a model: a value that is not in the text is no value.
    values_of_a_model_that_are_in_the_text_become_fields_with_evidence,
    an_invented_value_becomes_only_a_suggestion,
}

async fn values_of_a_model_that_are_in_the_text_become_fields_with_evidence(env: &TestEnv) {
    let model = ModelServer::start(KEY, vec![valid_reply()]);
    use_model(env, &model, "price_per_million_in = 2.0\nprice_per_million_out = 10.0");
    let server = env.cli.serve();
    let (id, state) = upload_and_wait(env, &server).await;
    assert_eq!(state, "COMPLETED");
    let shown = review(&server, id);
    let active = &shown["active_interpretation"];
    let made_by = &active["made_by"];
    assert_eq!((&made_by["interpreter"], &made_by["model"]), (&json!("model"), &json!(MODEL)));
    assert_eq!((&made_by["tokens_in"], &made_by["tokens_out"]), (&json!(700), &json!(50)));
    assert_eq!((&made_by["cost"], &made_by["prompt_version"]), (&json!(0.0019), &json!("2")));
    assert_eq!(made_by["fallback_reason"], json!(null));
    assert!(made_by["milliseconds"].is_u64());

    let luna = field(&active["data"], "pet_name");
    assert_eq!((&luna["value"], &luna["mapping_id"]), (&json!("Luna"), &json!("model::pet_name")));
    assert_eq!(
        (&luna["evidence"]["page"], &luna["evidence"]["snippet"]),
        (&json!(1), &json!("Paciente: Luna"))
    );
    assert_eq!(luna["evidence"]["boxes"].as_array().unwrap().len(), 1);
    assert_eq!(luna["is_critical"], true, "the schema decides, not the model");
    assert_eq!(field(&active["data"], "notes")["is_critical"], false);
    assert_eq!(field(&active["data"], "species")["value"], "canino");
    let keys: Vec<_> =
        active["data"]["fields"].as_array().unwrap().iter().map(|field| &field["key"]).collect();
    assert!(!keys.contains(&&json!("blood_group")), "it is not in the schema");

    let grouped = server.json(&format!("/documents/{id}/review?view=visits"));
    let visit = &grouped["active_interpretation"]["data"]["visits"][0];
    assert_eq!((&visit["visit_date"], &visit["visit_id"]), (&json!("2024-02-01"), &json!("visit-001")));
    assert_eq!(visit["reason_for_visit"], "revisión anual de la mascota");
    assert_eq!(field(visit, "diagnosis")["value"], "otitis externa");

    let run = shown["latest_completed_run"]["run_id"].as_str().unwrap().to_owned();
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
    let log = server.stop().stderr;
    for hidden in [KEY, "Luna", "otitis", "941000012345678"] {
        assert!(!log.contains(hidden), "{hidden} is in the log");
    }
    let printed = env.cli.run_ok(&["config"]);
    assert!(printed.contains("api_key = \"***\"") && !printed.contains(KEY), "{printed}");
}

async fn an_invented_value_becomes_only_a_suggestion(env: &TestEnv) {
    let invented = json!({
        "document": { "pet_name": "Luna", "breed": "Siamés", "microchip_id": null },
        "visits": [{ "visit_date": "2024-02-01", "diagnosis": ["otitis externa", "fractura de fémur"] }],
    });
    let model = ModelServer::start(KEY, vec![ModelReply::Completion(invented.to_string())]);
    use_model(env, &model, "");
    let server = env.cli.serve();
    let active = interpretation(env, &server).await;
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
