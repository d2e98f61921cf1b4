//! Installations that move between Azure Blob Storage, S3 and folders, and what `quire doctor` says about their storage.

use quire_postgres::testing::{TestSchema, url};
use quire_testkit::documents::clinical_record;
use quire_testkit::object_services::{TestContainer, azure_container, s3_bucket};
use serde_json::Value;

use super::PREFIX;
use crate::program::Cli;
use crate::test_env::TestEnv;
use crate::uploads::upload;

/// Settings for PostgreSQL and a container of Azurite.
fn write_azure_settings(cli: &Cli, name: &str, schema: &TestSchema, container: &TestContainer) {
    let settings = format!(
        "[storage]\ndata = \"{name}-data\"\ndatabase = \"{}\"\nblobs = \"az://{}/{PREFIX}\"\n[storage.azure]\n\
         connection_string = \"{}\"\n[database]\nschema = \"{}\"\n",
        url(),
        container.name,
        container.connection_string(),
        schema.schema
    );
    cli.write(&format!("{name}.toml"), &settings);
}

/// Settings for SQLite and a bucket of moto.
fn write_s3_settings(cli: &Cli, name: &str, bucket: &TestContainer) {
    let settings = format!(
        "[storage]\ndata = \"{name}-data\"\nblobs = \"s3://{}/{PREFIX}\"\n[storage.s3]\nendpoint = \"{}\"\n\
         access_key_id = \"test\"\nsecret_access_key = \"test\"\n",
        bucket.name, bucket.endpoint
    );
    cli.write(&format!("{name}.toml"), &settings);
}

fn storage_line(cli: &Cli, config: &str) -> Value {
    let output = cli.run(&["doctor", "--json", "--config", config]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap().clone();
    checks.into_iter().find(|check| check["name"] == "storage").unwrap()
}

/// A laptop moves to Azure, from there to S3, and back to a folder; nothing is lost on the way.
#[tokio::test(flavor = "multi_thread")]
async fn an_installation_moves_from_a_folder_to_azure_to_s3_and_back() {
    let laptop = TestEnv::on_sqlite(&[]);
    let cli = &laptop.cli;
    let server = cli.serve();
    let file = clinical_record(1);
    let (_, _, document) = upload(&server, "/documents", "record.pdf", &file);
    laptop.wait_until_completed(document).await;
    assert_eq!(server.stop().status.code(), Some(0));
    let (schema, container, bucket) = (TestSchema::empty().await, azure_container().await, s3_bucket().await);
    write_azure_settings(cli, "azure", &schema, &container);
    write_s3_settings(cli, "s3", &bucket);
    for (from, to) in [("quire-data", "azure.toml"), ("azure.toml", "s3.toml"), ("s3.toml", "back")] {
        let copied = cli.run_ok(&["store", "copy", "--from", from, "--to", to]);
        assert!(copied.contains("The copy is complete"), "{copied}");
    }
    for (config, place) in [("azure.toml", "az://"), ("s3.toml", "s3://")] {
        assert_eq!(cli.run_json(&["verify", "--json", "--config", config])["fault_count"], 0);
        let line = storage_line(cli, config);
        assert_eq!(line["status"], "ok", "{line}");
        assert!(line["message"].as_str().unwrap().starts_with(place), "{line}");
    }
    let back = cli.serve_in("back");
    assert!(back.get_bytes(&format!("/documents/{document}/download")).body == file);

    // What is wrong with a container is told, with what to check.
    let another = TestContainer { name: "does-not-exist".to_owned(), ..container.clone() };
    write_azure_settings(cli, "missing", &schema, &another);
    let line = storage_line(cli, "missing.toml");
    assert_eq!(line["status"], "error", "{line}");
    assert!(line["remedy"].as_str().unwrap().contains("storage.blobs"), "{line}");
    assert!(!line.to_string().contains("AccountKey"), "{line}");
    let empty = azure_container().await;
    write_azure_settings(cli, "empty", &schema, &empty);
    let line = storage_line(cli, "empty.toml");
    assert!(line["message"].as_str().unwrap().contains("has no installation id"), "{line}");
}
