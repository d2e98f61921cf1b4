//! Looking at what was understood, correcting it and saying that it is checked, over HTTP with the real program.

mod calibrating;
mod comparing;
mod conflicts;
pub(crate) mod editing;
mod exporting;
mod finding;
mod governing;
mod marking;
mod ordering;
mod shapes;

use quire_domain::DocumentId;
use quire_testkit::documents::{Pdf, text_page};
use serde_json::{Value, json};

use crate::http::Answer;
use crate::program::Server;
use crate::scene::{Scene, on_both_stores};
use crate::uploading::form::Form;

/// A record with labels that the built-in schema knows.
const RECORD: [&str; 9] = [
    "Historia clínica del paciente atendido en la consulta",
    "Paciente: Luna",
    "Especie: Canina",
    "Propietaria: Nombre Apellido",
    "Visita: 01/02/2024",
    "Motivo: revisión anual de la mascota",
    "Diagnóstico: otitis externa",
    "Medicación: gotas óticas cada doce horas",
    "Notas: vuelve dentro de dos semanas",
];

/// Sends a request with a body in JSON and these further lines in its head.
fn ask(server: &Server, request: &str, head: &str, body: &str) -> Answer<Value> {
    let answer = server.send(request, head, body);
    let said = answer.json();
    answer.map(|_| said)
}

fn get(server: &Server, path: &str) -> Answer<Value> {
    ask(server, &format!("GET {path}"), "", "")
}

pub(crate) fn post(server: &Server, path: &str, body: &Value) -> Answer<Value> {
    ask(server, &format!("POST {path}"), "Content-Type: application/json\r\n", &body.to_string())
}

/// Uploads the record, and waits until it was read and understood.
pub(crate) async fn understood(scene: &Scene, server: &Server) -> (DocumentId, String) {
    let id = uploaded(server);
    let run = scene.ended(id).await;
    assert_eq!(run.state.as_str(), "COMPLETED", "{:?}", run.state);
    (id, run.id.to_string())
}

fn uploaded(server: &Server) -> DocumentId {
    let file = Pdf::of_pages(&[text_page(&RECORD)]).file();
    Form::file("record.pdf", &file).send(server, "/documents/upload").document()
}

/// The review of a document.
pub(crate) fn review(server: &Server, id: DocumentId) -> Value {
    let got = get(server, &format!("/documents/{id}/review"));
    assert_eq!(got.status, 200, "{}", got.body);
    got.body
}

/// The field of that key.
pub(crate) fn field<'v>(data: &'v Value, key: &str) -> &'v Value {
    let fields = data["fields"].as_array().unwrap();
    fields.iter().find(|field| field["key"] == key).unwrap_or_else(|| panic!("no {key} in {data}"))
}

/// Edits the active version; what was answered.
pub(crate) fn edit(server: &Server, run: &str, base: u64, changes: &Value) -> Answer<Value> {
    let wish = json!({ "base_version_number": base, "changes": changes });
    post(server, &format!("/runs/{run}/interpretations"), &wish)
}

/// The reason of a conflict.
fn reason(got: &Answer<Value>) -> (u16, &str) {
    (got.status, got.body["details"]["reason"].as_str().unwrap_or_default())
}

on_both_stores! {
    /// Proves R070, R071, R072, R088, R090, R093, R042, R046.
    a_review_shows_what_the_latest_completed_run_understood,
}

async fn a_review_shows_what_the_latest_completed_run_understood(scene: &Scene) {
    let server = scene.quire.serve();
    let unknown = get(&server, &format!("/documents/{}/review", DocumentId::new()));
    assert_eq!((unknown.status, &unknown.body["error_code"]), (404, &json!("NOT_FOUND")));

    // Nothing that could be read, so that its run fails in its first step.
    let blank = Form::file("blank.pdf", &Pdf::of_pages(&[text_page(&["x"])]).file());
    let blank = blank.send(&server, "/documents/upload").document();
    scene.ended(blank).await;
    let none = get(&server, &format!("/documents/{blank}/review"));
    assert_eq!(reason(&none), (409, "NO_COMPLETED_RUN"));
    assert_eq!(none.body["error_code"], "CONFLICT");
    let history = get(&server, &format!("/documents/{blank}/processing-history")).body;
    let run = &history["runs"][0];
    assert_eq!(run["failure_type"], "EXTRACTION_FAILED");
    assert_eq!(run["steps"].as_array().unwrap().last().unwrap()["step_status"], "FAILED");

    let (id, run) = understood(scene, &server).await;
    let got = get(&server, &format!("/documents/{id}/review"));
    assert!(got.head.contains("etag: \"v1\""), "{}", got.head);
    let seen = got.body;
    assert_eq!(seen["document_id"], json!(id));
    let latest = &seen["latest_completed_run"];
    assert_eq!((&latest["run_id"], &latest["state"]), (&json!(run), &json!("COMPLETED")));
    assert_eq!(seen["raw_text_artifact"], json!({ "run_id": run, "available": true }));
    assert_eq!((&seen["review_status"], &seen["reviewed_at"]), (&json!("IN_REVIEW"), &json!(null)));
    let active = &seen["active_interpretation"];
    assert_eq!(active["version_number"], 1);
    let data = &active["data"];
    assert_eq!((&data["schema_version"], &data["processing_run_id"]), (&json!("v0"), &json!(run)));
    let luna = field(data, "pet_name");
    assert_eq!(
        (&luna["value"], &luna["is_critical"], &luna["origin"]),
        (&json!("Luna"), &json!(true), &json!("machine"))
    );
    assert_eq!(luna["evidence"]["page"], 1);
    assert_eq!(luna["evidence"]["boxes"].as_array().unwrap().len(), 1);
    assert_eq!(field(data, "notes")["is_critical"], json!(false));
    let keys: Vec<_> =
        data["fields"].as_array().unwrap().iter().map(|field| field["key"].as_str().unwrap()).collect();
    assert!(!keys.contains(&"breed") && keys.len() == 9, "what was not found is not there: {keys:?}");
    assert!(!seen.to_string().contains("Historia clínica"), "never the whole text");

    let grouped = get(&server, &format!("/documents/{id}/review?view=visits")).body;
    let data = &grouped["active_interpretation"]["data"];
    assert_eq!(data["schema_contract"], "visit-grouped-canonical");
    let visit = &data["visits"][0];
    assert_eq!((&visit["visit_date"], &visit["visit_id"]), (&json!("2024-02-01"), &json!("visit-001")));
    assert_eq!(field(visit, "diagnosis")["value"], "otitis externa");
    let wrong = get(&server, &format!("/documents/{id}/review?view=rows"));
    assert_eq!((wrong.status, &wrong.body["details"]["parameter"]), (400, &json!("view")));

    // A newer run that fails does not hide it: its file is gone by then.
    std::fs::remove_file(scene.folder().join(format!("{id}/original.pdf"))).unwrap();
    let again = post(&server, &format!("/documents/{id}/reprocess"), &json!({}));
    assert_eq!(again.status, 201, "{}", again.body);
    assert_eq!(scene.ended(id).await.state.as_str(), "FAILED");
    let after = review(&server, id);
    assert_eq!(after["latest_completed_run"]["run_id"], json!(run));
    let text = scene.folder().join(format!("{id}/runs/{run}/raw-text.txt"));
    std::fs::remove_file(text).unwrap();
    assert_eq!(review(&server, id)["raw_text_artifact"]["available"], false);
}
