//! Document Intelligence as extractor, chosen by requests. A fake service checks every request against its contract.

use quire_testkit::DocumentIntelligenceServer;
use quire_testkit::document_intelligence_server::{LayoutLine, LayoutPage, analyze_result};
use quire_testkit::documents::clinical_record;
use serde_json::json;

use crate::record::{active_data, field};
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::form::Form;
use crate::uploads::upload;

on_both_stores! {
    /// Proves R202 for requests: a run is read by whom its request names.
    a_request_chooses_who_reads_a_document,
    pages_that_the_service_left_out_are_shown_as_unread,
    an_extractor_that_is_not_configured_or_unknown_is_refused,
}

const KEY: &str = "di-a-key-that-nobody-may-see";

fn service() -> DocumentIntelligenceServer {
    let line = |y: f64, text: &str| LayoutLine { x: 1.0, y, size: 0.1, text: text.to_owned() };
    let lines = vec![
        line(1.0, "Historia clínica de una paciente atendida en la consulta"),
        line(1.5, "Paciente: Nube"),
        line(2.0, "Acude por una revisión anual y se encuentra en buen estado general."),
    ];
    let page = LayoutPage { width: 8.5, height: 11.0, unit: "inch", angle: 0.0, lines };
    DocumentIntelligenceServer::start(KEY, analyze_result(&[page], &[]))
}

async fn a_request_chooses_who_reads_a_document(env: &TestEnv) {
    let service = service();
    let file = format!(
        "[document_intelligence]\nurl = \"{}\"\napi_key = \"{KEY}\"\nprice_per_1000_pages = 10.0\n",
        service.url
    );
    env.cli.write("quire.toml", &file);
    let server = env.cli.serve();
    let form = Form::new().text("extractor", "document_intelligence");
    let form = form.field("file", "record.pdf", &clinical_record(1)).end();
    let id = form.send(&server, "/documents/upload").document_id();
    let run = env.wait_until_completed(id).await;
    assert_eq!(field(&active_data(&server, id), "pet_name")["value"], "Nube");
    let usage = server.json(&format!("/runs/{}", run.id))["model_usage"].clone();
    assert_eq!(usage["cost"], json!(0.01), "{usage}");

    let again = server.post(&format!("/documents/{id}/reprocess?extractor=local"));
    assert_eq!(again.status, 201, "{}", again.body);
    env.wait_for_all_runs(id).await;
    assert_eq!(field(&active_data(&server, id), "pet_name")["value"], "Luna", "read on this machine");
    let (_, _, other) = upload(&server, "/documents", "a.pdf", &clinical_record(1));
    env.wait_until_completed(other).await;
    assert_eq!(service.submitted().len(), 1, "only what asks for it is sent");
    assert!(!env.cli.run_ok(&["config"]).contains(KEY));
}

/// The free tier of the service reads two pages of a document, and says nothing of the others.
async fn pages_that_the_service_left_out_are_shown_as_unread(env: &TestEnv) {
    let service = service();
    let file = format!("[document_intelligence]\nurl = \"{}\"\napi_key = \"{KEY}\"\n", service.url);
    env.cli.write("quire.toml", &file);
    let server = env.cli.serve();
    let form = Form::new().text("extractor", "document_intelligence");
    let form = form.field("file", "record.pdf", &clinical_record(3)).end();
    let id = form.send(&server, "/documents/upload").document_id();
    env.wait_until_completed(id).await;
    let pages = server.json(&format!("/documents/{id}/pages"));
    let missing = pages.to_string().matches("DOCUMENT_INTELLIGENCE_PAGE_MISSING").count();
    assert_eq!(missing, 2, "{pages}");
}

async fn an_extractor_that_is_not_configured_or_unknown_is_refused(env: &TestEnv) {
    let server = env.cli.serve();
    let file = clinical_record(1);
    let with_field =
        Form::new().text("extractor", "document_intelligence").field("file", "record.pdf", &file).end();
    for refused in [
        Form::file("record.pdf", &file).send(&server, "/documents?extractor=document_intelligence"),
        with_field.send(&server, "/documents/upload"),
    ] {
        let body = refused.json();
        assert_eq!((refused.status, &body["error_code"]), (503, &json!("PROVIDER_NOT_CONFIGURED")), "{body}");
        let settings = json!(["document_intelligence.url", "document_intelligence.api_key"]);
        assert_eq!(body["details"]["settings"], settings);
    }
    let unknown = Form::file("record.pdf", &file).send(&server, "/documents?extractor=magic");
    let body = unknown.json();
    assert_eq!((unknown.status, &body["details"]["parameter"]), (400, &json!("extractor")), "{body}");
    env.assert_nothing_was_stored().await;

    let (_, _, id) = upload(&server, "/documents", "a.pdf", &file);
    let again = server.post(&format!("/documents/{id}/reprocess?extractor=document_intelligence"));
    assert_eq!(again.status, 503, "{}", again.body);
    let refused = env.cli.run_err(&["upload", "--extractor", "document_intelligence", "quire.toml"]);
    assert!(refused.contains("document_intelligence.url"), "{refused}");
}
