//! PostgreSQL, Azure Blob Storage and Document Intelligence together, with a server and workers.

use quire_ports::BlobStore as _;
use quire_testkit::DocumentIntelligenceServer;
use quire_testkit::document_intelligence_server::photographed_invoice;
use quire_testkit::documents::clinical_record;
use quire_testkit::object_services::azure_container;
use serde_json::json;

use super::ObjectEnv;
use crate::program::TestServer;
use crate::record::{active_data, field};
use crate::uploads::form::Form;

const KEY: &str = "di-a-key-of-the-whole";

/// Proves R201, R202 and R205 together.
#[tokio::test(flavor = "multi_thread")]
async fn a_document_in_azure_is_read_by_document_intelligence_for_a_server_without_workers() {
    let container = azure_container().await;
    let ObjectEnv { env, objects } = ObjectEnv::on_azure(&container, &container.endpoint).await;
    let service = DocumentIntelligenceServer::start(KEY, photographed_invoice());
    service.run_for(2, None);
    let settings = format!(
        "[document_intelligence]\nurl = \"{}\"\napi_key = \"{KEY}\"\nprice_per_1000_pages = 10.0\n\
         poll_interval = \"100ms\"\n",
        service.url
    );
    env.cli.write("quire.toml", &settings);
    let server = TestServer::ready(env.cli.command(&["serve", "--no-workers", "--listen", "127.0.0.1:0"]));
    let _workers = [env.cli.start(&["worker"]), env.cli.start(&["worker"])];
    let file = clinical_record(1);
    let form = Form::new().text("extractor", "document_intelligence").field("file", "invoice.pdf", &file);
    let document = form.end().send(&server, "/documents?schema=invoice").document_id();
    let run = env.wait_until_completed(document).await;

    let data = active_data(&server, document);
    assert_eq!(field(&data, "invoice_number")["value"], "2026-0417");
    assert_eq!(field(&data, "line_items")["value"].as_array().map(Vec::len), Some(3), "{data}");
    let rows = format!("SELECT count(*) FROM document_fields WHERE run_id = {}", env.sql.id(run.id.0));
    assert!(env.sql.number(&rows).await >= 2);
    let usage = server.json(&format!("/runs/{}", run.id))["model_usage"].clone();
    assert_eq!(usage["cost"], json!(0.01), "{usage}");
    let files = objects.files(&format!("{document}/runs/{}", run.id)).await.unwrap();
    let has = |part: &str| files.iter().any(|file| file.name.contains(part));
    assert!(has("pages.") && has("analysis.") && has("raw-text"), "{files:?}");
    assert_eq!(service.submitted(), [file], "it is sent once");
    assert_eq!(env.cli.run_json(&["verify", "--json"])["fault_count"], 0);
}
