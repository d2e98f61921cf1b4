//! `schema=auto`: the program chooses the schema.

use serde_json::json;

use super::{INVOICE, TICKET, processed_data, ticket_schema, write_schema};
use crate::program::TestServer;
use crate::record::{field, pdf};
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::form::Form;

on_both_stores! {
    the_schema_that_fits_best_is_chosen_and_recorded_on_the_run,
    a_document_that_no_schema_fits_is_read_and_can_get_one with [("QUIRE_SCHEMAS_DEFAULT", "auto")],
}

const LETTER: [&str; 6] = [
    "Ayuntamiento de Villanueva de la Sierra",
    "Estimados vecinos y vecinas del municipio:",
    "Les informamos de que el sábado se celebrará la fiesta de la primavera en el parque",
    "con música, talleres para todas las edades y una comida popular al mediodía.",
    "Quien quiera ayudar puede pasar por la oficina de cultura durante esta semana.",
    "Reciban un cordial saludo de todo el equipo de cultura",
];

fn latest_run(server: &TestServer, id: quire_domain::DocumentId) -> serde_json::Value {
    server.get(&format!("/documents/{id}/review")).json()["latest_completed_run"].clone()
}

async fn the_schema_that_fits_best_is_chosen_and_recorded_on_the_run(env: &TestEnv) {
    write_schema(env, "ticket.toml", &ticket_schema(1, "Matrícula"));
    let server = env.cli.serve();
    let upload = |lines: &[&str]| {
        Form::file("a.pdf", &pdf(lines)).send(&server, "/documents/upload?schema=auto").document_id()
    };
    let (invoice, ticket) = (upload(&INVOICE), upload(&TICKET));
    let data = processed_data(env, &server, invoice).await;
    assert_eq!(field(&data, "invoice_number")["value"], json!("F-2024/117"));
    let run = latest_run(&server, invoice);
    assert_eq!((&run["schema_used"], &run["warnings"]), (&json!("invoice"), &json!([])));
    assert_eq!(server.get(&format!("/documents/{invoice}")).json()["schema_name"], json!("invoice"));
    let review = server.get(&format!("/documents/{invoice}/review")).json();
    assert_eq!(review["active_interpretation"]["made_by"]["schema_fits"][0]["schema"], json!("invoice"));
    let data = processed_data(env, &server, ticket).await;
    assert_eq!(field(&data, "plate")["value"], json!("1234BCD"));
    assert_eq!(latest_run(&server, ticket)["schema_used"], json!("parking-ticket"));
}

async fn a_document_that_no_schema_fits_is_read_and_can_get_one(env: &TestEnv) {
    let server = env.cli.serve();
    let letter = Form::file("a.pdf", &pdf(&LETTER)).send(&server, "/documents/upload").document_id();
    env.wait_until_completed(letter).await;
    let run = latest_run(&server, letter);
    assert_eq!((&run["schema_used"], &run["warnings"]), (&json!("auto"), &json!(["NO_SCHEMA_FITS"])));
    assert_eq!(run["state"], json!("COMPLETED"));
    let page = server.get(&format!("/app/documents/{letter}")).body;
    assert!(page.contains("data-schema") && page.contains("<option value=\"invoice\">Invoice<"), "{page}");
    assert!(!page.contains("value=\"auto\""), "nobody chooses the schema that none fits: {page}");

    let refused = server.post(&format!("/documents/{letter}/reprocess?schema=no"));
    assert_eq!((refused.status, &refused.json()["error_code"]), (400, &json!("UNKNOWN_SCHEMA")));
    let accepted = server.post(&format!("/documents/{letter}/reprocess?schema=receipt"));
    assert_eq!(accepted.status, 201, "{}", accepted.body);
    env.wait_until_completed(letter).await;
    let run = latest_run(&server, letter);
    assert_eq!((&run["schema_used"], &run["warnings"]), (&json!("receipt"), &json!([])));
    assert_eq!(server.get(&format!("/documents/{letter}")).json()["schema_name"], json!("receipt"));
}
