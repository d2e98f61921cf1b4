//! A clinical record, and what many tests do with it: upload it, wait for its run, review and edit it.

use quire_domain::DocumentId;
use quire_testkit::documents::{Pdf, text_page};
use serde_json::{Value, json};

use crate::http::Response;
use crate::program::TestServer;
use crate::test_env::TestEnv;
use crate::uploads::form::Form;

/// A record with labels of the built-in schema.
pub const RECORD: [&str; 9] = [
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

/// A PDF with one page of these lines.
pub fn pdf(lines: &[&str]) -> Vec<u8> {
    Pdf::of_pages(&[text_page(lines)]).file()
}

/// Uploads a PDF with these lines.
pub fn upload_lines(server: &TestServer, lines: &[&str]) -> DocumentId {
    Form::file("record.pdf", &pdf(lines)).send(server, "/documents/upload").document_id()
}

/// Uploads the record and waits until its run has completed. Returns the ids of document and run.
pub async fn process_record(env: &TestEnv, server: &TestServer) -> (DocumentId, String) {
    let id = upload_lines(server, &RECORD);
    (id, env.wait_until_completed(id).await.id.to_string())
}

/// The review of a document.
pub fn review(server: &TestServer, id: DocumentId) -> Value {
    let response = server.get_json(&format!("/documents/{id}/review"));
    assert_eq!(response.status, 200, "{}", response.body);
    response.body
}

/// The data of the active interpretation of a document.
pub fn active_data(server: &TestServer, id: DocumentId) -> Value {
    review(server, id)["active_interpretation"]["data"].take()
}

/// The field with this key.
pub fn field<'v>(data: &'v Value, key: &str) -> &'v Value {
    let fields = data["fields"].as_array().unwrap();
    fields.iter().find(|field| field["key"] == key).unwrap_or_else(|| panic!("no {key} in {data}"))
}

/// The id of the field with this key.
pub fn field_id(data: &Value, key: &str) -> String {
    field(data, key)["field_id"].as_str().unwrap().to_owned()
}

/// Marks a document as reviewed, as its review shows it now.
pub fn mark_reviewed(server: &TestServer, id: DocumentId) -> Response<Value> {
    let shown = review(server, id);
    let request = json!({
        "run_id": shown["latest_completed_run"]["run_id"],
        "version_number": shown["active_interpretation"]["version_number"],
    });
    server.post_json(&format!("/documents/{id}/reviewed"), &request)
}

/// Edits the active version of a run.
pub fn edit(server: &TestServer, run: &str, base: u64, changes: &Value) -> Response<Value> {
    let request = json!({ "base_version_number": base, "changes": changes });
    server.post_json(&format!("/runs/{run}/interpretations"), &request)
}
