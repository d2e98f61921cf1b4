//! E-invoices from the upload to the review: inside a PDF, alone, and broken.

use quire_domain::DocumentId;
use quire_testkit::documents::{EInvoice, Syntax, pdf_with_file};
use serde_json::json;

use crate::program::TestServer;
use crate::record::{active_data, field, review};
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::form::Form;

on_both_stores! {
    the_data_of_an_e_invoice_is_the_value_and_the_page_is_a_suggestion,
    a_broken_e_invoice_is_read_from_its_page_with_a_warning,
}

const PAGE: [&str; 3] = ["Rechnung Nr. 999-A", "Datum: 01.01.2020", "Gesamtbetrag: 1,00 EUR"];

async fn process(env: &TestEnv, server: &TestServer, name: &str, file: &[u8]) -> DocumentId {
    let form = Form::new().text("schema", "invoice").field("file", name, file).end();
    let id = form.send(server, "/documents/upload").document_id();
    env.wait_until_completed(id).await;
    id
}

async fn the_data_of_an_e_invoice_is_the_value_and_the_page_is_a_suggestion(env: &TestEnv) {
    let server = env.cli.serve();
    let invoice = EInvoice::sample(1);
    let id = process(env, &server, "invoice.pdf", &invoice.pdf(Syntax::Cii, false, &PAGE)).await;
    let data = active_data(&server, id);
    let issued = field(&data, "issue_date");
    assert_eq!((&issued["value"], &issued["origin"]), (&json!("2024-02-02"), &json!("embedded")), "{issued}");
    assert_eq!(issued["candidate_suggestions"][0]["value"], "2020-01-01", "what the page shows: {issued}");
    let snippet = issued["evidence"]["snippet"].as_str().unwrap();
    assert!(
        snippet.contains("factur-x.xml /CrossIndustryInvoice/ExchangedDocument/IssueDateTime"),
        "{snippet}"
    );

    let xml = invoice.xml(Syntax::UblCreditNote);
    let id = process(env, &server, "invoice.xml", xml.as_bytes()).await;
    let number = field(&active_data(&server, id), "invoice_number").clone();
    assert_eq!(number["value"], invoice.number);
    assert!(
        !number["evidence"]["boxes"].as_array().unwrap().is_empty(),
        "its place in the rendering: {number}"
    );
    drop(server);
}

async fn a_broken_e_invoice_is_read_from_its_page_with_a_warning(env: &TestEnv) {
    let server = env.cli.serve();
    let file = pdf_with_file(&PAGE, "factur-x.xml", b"no XML at all", false);
    let id = process(env, &server, "invoice.pdf", &file).await;
    assert_eq!(field(&active_data(&server, id), "issue_date")["value"], "2020-01-01");
    let problem = review(&server, id)["page_notices"][0]["data_problem"].take();
    assert!(problem.as_str().unwrap().contains("not well-formed"), "{problem}");
    assert!(server.get(&format!("/app/documents/{id}")).body.contains("data-data-problem"));
    let bad = Form::file("x.xml", b"<?xml version=\"1.0\"?><html/>").send(&server, "/documents/upload");
    assert_eq!(bad.status, 415, "{}", bad.body);
    drop(server);
}
