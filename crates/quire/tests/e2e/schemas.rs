//! Built-in and own schemas, from the file to the fields.

mod automatic;
mod command;
mod duckdb;
mod rolling_restart;
mod startup;
mod tables;

use quire_domain::DocumentId;
use serde_json::{Value, json};

use crate::program::TestServer;
use crate::record::{active_data, field, pdf};
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::form::Form;

on_both_stores! {
    /// Proves R090 for a schema other than the veterinary one, end to end.
    an_invoice_is_interpreted_with_its_schema,
    a_file_in_the_schema_folder_is_a_schema,
    an_unknown_schema_is_refused_and_nothing_changes,
    /// Proves R026 for uploads that differ in their schema alone.
    the_same_file_with_another_schema_is_another_upload,
    the_configured_schema_applies_to_documents_that_name_none with [("QUIRE_SCHEMAS_DEFAULT", "invoice")],
}

const INVOICE: [&str; 14] = [
    "Factura de servicios prestados durante el mes de marzo",
    "Número de factura: F-2024/117",
    "Fecha: 03/04/2024",
    "Vencimiento: 3 de mayo de 2024",
    "Emisor: Talleres del Sol",
    "NIF del emisor: B12345678",
    "Cliente: Bicicletas Norte",
    "Concepto: Cambio de aceite y revisión de frenos",
    "Moneda: euros",
    "Base imponible: 1.234,50 EUR",
    "IVA (21%): 259,25 EUR",
    "Total a pagar: 1.493,75 EUR",
    "IBAN: ES91 2100 0418 4502 0005 1332",
    "Gracias por su confianza y hasta la próxima visita al taller",
];

/// A schema file with this version and this label.
fn ticket_schema(version: u32, label: &str) -> String {
    format!(
        r#"
name = "parking-ticket"
version = {version}
title = {{ es = "Multa", en = "Parking ticket" }}

[[sections]]
id = "ticket"

[[keys]]
key = "plate"
section = "ticket"
normaliser = "identifier"
critical = true
labels.es = ["{label}"]
validators.pattern = "0000AAA"

[[keys]]
key = "fine"
section = "ticket"
value_type = "number"
normaliser = "sum"
labels = {{ es = ["multa"], en = ["fine"] }}

[[keys]]
key = "seen_on"
section = "ticket"
value_type = "date"
labels = {{ es = ["fecha"], en = ["date"] }}
"#
    )
}

const TICKET: [&str; 5] = [
    "Ayuntamiento de la ciudad, servicio de estacionamiento",
    "Matrícula: 1234BCD",
    "Fecha: 7 de enero de 2025",
    "Multa: 60,50 EUR",
    "Puede pagar en el plazo de veinte días con descuento",
];

/// Writes a file to the schema folder.
pub fn write_schema(env: &TestEnv, name: &str, text: &str) {
    std::fs::create_dir_all(env.cli.path("quire-data/schemas")).unwrap();
    std::fs::write(env.cli.path("quire-data/schemas").join(name), text).unwrap();
}

/// Uploads a ticket with these lines.
fn upload_ticket(server: &TestServer, lines: &[&str]) -> DocumentId {
    Form::file("ticket.pdf", &pdf(lines))
        .send(server, "/documents/upload?schema=parking-ticket")
        .document_id()
}

/// Waits until a document is processed, and returns its data.
async fn processed_data(env: &TestEnv, server: &TestServer, id: DocumentId) -> Value {
    env.wait_until_completed(id).await;
    active_data(server, id)
}

async fn an_invoice_is_interpreted_with_its_schema(env: &TestEnv) {
    let server = env.cli.serve();
    let response = Form::file("march.pdf", &pdf(&INVOICE)).send(&server, "/documents/upload?schema=invoice");
    assert_eq!(response.status, 201, "{}", response.body);
    let id = response.document_id();
    let data = processed_data(env, &server, id).await;
    let expected = [
        ("invoice_number", json!("F-2024/117"), "string", true),
        ("issue_date", json!("2024-04-03"), "date", true),
        ("due_date", json!("2024-05-03"), "date", false),
        ("supplier_name", json!("Talleres del Sol"), "string", true),
        ("supplier_tax_id", json!("B12345678"), "string", false),
        ("customer_name", json!("Bicicletas Norte"), "string", false),
        ("line_item", json!("Cambio de aceite y revisión de frenos"), "string", false),
        ("currency", json!("EUR"), "string", false),
        ("net_amount", json!(1234.5), "number", false),
        ("tax_amount", json!(259.25), "number", false),
        ("total_amount", json!(1493.75), "number", true),
        ("iban", json!("ES9121000418450200051332"), "string", false),
    ];
    for (key, value, value_type, is_critical) in &expected {
        let found = field(&data, key);
        assert_eq!((&found["value"], &found["value_type"]), (value, &json!(value_type)), "{key}");
        assert_eq!(found["is_critical"], *is_critical, "{key}");
        assert_eq!(found["evidence"]["page"], 1, "{key}");
        assert!(!found["evidence"]["boxes"].as_array().unwrap().is_empty(), "{key}");
    }
    assert_eq!(data["fields"].as_array().unwrap().len(), expected.len(), "{data}");
    let total = field(&data, "total_amount");
    assert_eq!(total["evidence"]["snippet"], "Total a pagar: 1.493,75 EUR");

    assert_eq!(server.json(&format!("/documents/{id}"))["schema_name"], "invoice");
    assert_eq!(server.json("/documents")["items"][0]["schema_name"], "invoice");
    let again = server.send(&format!("POST /documents/{id}/reprocess"), "", "");
    assert!(again.status < 300, "{}", again.status);
    processed_data(env, &server, id).await;
    let bound: Vec<_> = env.runs_of(id).await.into_iter().filter_map(|run| run.schema).collect();
    assert!(bound.len() == 2 && bound.iter().all(|schema| schema.name == "invoice"), "{bound:?}");
}

async fn a_file_in_the_schema_folder_is_a_schema(env: &TestEnv) {
    write_schema(env, "ticket.toml", &ticket_schema(1, "Matrícula"));
    write_schema(env, "notes.txt", "not a schema");
    let server = env.cli.serve();
    std::fs::write(env.cli.path("ticket.pdf"), pdf(&TICKET)).unwrap();
    let output = env.cli.run(&["upload", "--schema", "parking-ticket", "ticket.pdf"]);
    assert_eq!(output.status.code(), Some(0), "{}", output.stderr);
    let id: DocumentId = output.stdout.split_whitespace().next().unwrap().parse().unwrap();
    let data = processed_data(env, &server, id).await;
    let values: Vec<_> =
        data["fields"].as_array().unwrap().iter().map(|field| (&field["key"], &field["value"])).collect();
    let expected = [("plate", json!("1234BCD")), ("fine", json!(60.5)), ("seen_on", json!("2025-01-07"))];
    let expected = expected.map(|(key, value)| (json!(key), value));
    assert_eq!(values, expected.iter().map(|(key, value)| (key, value)).collect::<Vec<_>>());
    assert_eq!(field(&data, "plate")["is_critical"], true);

    // After the file changes, later documents use the next version.
    drop(server);
    write_schema(env, "ticket.toml", &ticket_schema(2, "Placa"));
    let server = env.cli.serve();
    let lines = TICKET.map(|line| line.replace("Matrícula", "Placa"));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let response = Form::file("b.pdf", &pdf(&lines)).send(&server, "/documents/upload?schema=parking-ticket");
    let later = response.document_id();
    assert_eq!(field(&processed_data(env, &server, later).await, "plate")["value"], "1234BCD");
    let version = |id| async move { env.runs_of(id).await.remove(0).schema.map(|schema| schema.version) };
    assert_eq!((version(id).await, version(later).await), (Some(1), Some(2)));
}

async fn an_unknown_schema_is_refused_and_nothing_changes(env: &TestEnv) {
    let server = env.cli.serve();
    let before = env.events().await.len();
    for path in ["/documents/upload?schema=invoices", "/documents?schema=%C3%B1%00%0A"] {
        let refused = Form::file("a.pdf", &pdf(&INVOICE)).send(&server, path);
        assert_eq!(
            (refused.status, refused.error_code().as_str()),
            (400, "UNKNOWN_SCHEMA"),
            "{}",
            refused.body
        );
        let body = refused.json();
        assert_eq!(
            body["details"]["known"],
            json!(["auto", "delivery-note", "invoice", "laboratory-report", "receipt", "veterinary-record"])
        );
        assert!(
            body["message"].as_str().unwrap().ends_with("laboratory-report, receipt, veterinary-record"),
            "{body}"
        );
    }
    std::fs::write(env.cli.path("a.pdf"), pdf(&INVOICE)).unwrap();
    let error = env.cli.run_err(&["upload", "--schema", "invoices", "a.pdf"]);
    assert_eq!(
        error,
        "quire: there is no schema invoices; choose one of: auto, delivery-note, invoice, laboratory-report, receipt, veterinary-record\n"
    );
    assert_eq!(env.events().await.len(), before);
    assert_eq!(env.stored_files().0.len(), 0);
}

async fn the_same_file_with_another_schema_is_another_upload(env: &TestEnv) {
    let server = env.cli.serve();
    let send =
        |path: &str| Form::file("a.pdf", &pdf(&INVOICE)).send_with(&server, path, "Idempotency-Key: k\r\n");
    let first = send("/documents/upload?schema=invoice");
    assert_eq!(first.json(), send("/documents/upload?schema=invoice").json());
    for other in ["/documents/upload", "/documents/upload?schema=veterinary-record"] {
        let refused = send(other);
        assert_eq!(
            (refused.status, &refused.json()["details"]["reason"]),
            (409, &json!("IDEMPOTENCY_KEY_REUSED"))
        );
    }
    assert_eq!(env.documents().await.len(), 1);
}

async fn the_configured_schema_applies_to_documents_that_name_none(env: &TestEnv) {
    let server = env.cli.serve();
    let id = Form::file("a.pdf", &pdf(&INVOICE)).send(&server, "/documents/upload").document_id();
    let data = processed_data(env, &server, id).await;
    assert_eq!(field(&data, "total_amount")["value"], 1493.75);
    assert_eq!(server.json("/reviewer/schema/current")["schema_name"], "invoice");
}
