//! Options as fields of the form: `curl -F file=@a.pdf -F schema=invoice`.

use quire_domain::Priority;
use quire_testkit::documents::clinical_record;

use super::form::Form;
use crate::http::Response;
use crate::program::TestServer;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    options_may_be_fields_of_the_form with crate::uploads::NO_PROCESSING,
    unknown_repeated_and_late_fields_are_refused with crate::uploads::NO_PROCESSING,
    the_priority_may_be_a_field with [("QUIRE_ENGINE_SLOTS", "1")],
}

fn form() -> Form {
    Form::new()
}

fn with_file(form: Form) -> Form {
    form.field("file", "a.pdf", &clinical_record(1))
}

fn send(server: &TestServer, form: Form) -> Response {
    form.end().send(server, "/documents/upload")
}

async fn schema_of(env: &TestEnv, response: &Response) -> String {
    env.store.documents.find(response.document_id()).await.unwrap().schema
}

async fn options_may_be_fields_of_the_form(env: &TestEnv) {
    let server = env.cli.serve();
    let before = send(&server, with_file(form().text("schema", "invoice")));
    let after = send(&server, with_file(form()).text("schema", "invoice"));
    let empty = send(&server, with_file(form()).text("schema", "").text("priority", ""));
    for (response, schema) in [(before, "invoice"), (after, "invoice"), (empty, "veterinary-record")] {
        assert_eq!(response.status, 201, "{}", response.body);
        assert_eq!(schema_of(env, &response).await, schema);
    }
    let two = with_file(with_file(form()).text("schema", "invoice")).end().send(&server, "/documents/upload");
    assert_eq!(two.status, 201, "{}", two.body);
    for document in env.documents().await.into_iter().rev().take(2) {
        assert_eq!(env.store.documents.find(document).await.unwrap().schema, "invoice", "for all its files");
    }
}

async fn unknown_repeated_and_late_fields_are_refused(env: &TestEnv) {
    let server = env.cli.serve();
    let long = "x".repeat(10_000);
    for (form, parameter) in [
        (with_file(form().text("shcema", "invoice")), "shcema"),
        (with_file(form()).text("shcema", "invoice"), "shcema"),
        (with_file(form()).text("schema", "invoice").text("schema", "invoice"), "schema"),
        (with_file(form()).text("schema", &long), "schema"),
        (with_file(form()).text("priority", "urgent"), "priority"),
    ] {
        let refused = send(&server, form);
        assert_eq!((refused.status, refused.error_code().as_str()), (400, "INVALID_REQUEST"));
        assert_eq!(refused.json()["details"]["parameter"], parameter, "{}", refused.body);
    }
    let unknown = send(&server, with_file(form()).text("schema", "no-such-schema"));
    assert_eq!((unknown.status, unknown.error_code().as_str()), (400, "UNKNOWN_SCHEMA"));
    let both =
        with_file(form()).text("schema", "invoice").end().send(&server, "/documents/upload?schema=invoice");
    assert_eq!((both.status, both.json()["details"]["parameter"].as_str()), (400, Some("schema")));
    env.assert_nothing_was_stored().await;
    let late = send(&server, with_file(with_file(form())).text("schema", "invoice"));
    let files = late.json()["files"].clone();
    assert_eq!((late.status, files[1]["error_code"].as_str()), (207, Some("INVALID_REQUEST")), "{files}");
    assert!(files[0]["document_id"].is_string(), "the first file was stored before the field came: {files}");
}

async fn the_priority_may_be_a_field(env: &TestEnv) {
    let server = env.cli.serve();
    let sent = send(&server, with_file(form()).text("priority", "high"));
    assert_eq!(sent.status, 201, "{}", sent.body);
    let run = env.runs_of(sent.document_id()).await.remove(0);
    assert_eq!(run.priority, Priority::High);
}
