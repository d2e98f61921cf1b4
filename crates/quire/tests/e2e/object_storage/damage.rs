//! A bit changes in the service's own storage.

use quire_ports::BlobStore as _;
use quire_testkit::documents::clinical_record;
use quire_testkit::object_services::{AzuriteServer, azure_container};

use super::ObjectEnv;
use crate::test_env::wait_until;
use crate::uploads::upload;

/// Proves R201 for damage at rest: neither a download nor a run takes the file for the one that was uploaded.
#[tokio::test(flavor = "multi_thread")]
async fn a_bit_that_changes_at_rest_is_noticed_by_downloads_runs_and_verify() {
    let mut azurite = AzuriteServer::start().await;
    let container = azurite.container().await;
    let object_env = ObjectEnv::on_azure(&container, &container.endpoint).await;
    let env = &object_env.env;
    let server = env.cli.serve();
    let file = clinical_record(1);
    let (_, _, document) = upload(&server, "/documents", "record.pdf", &file);
    env.wait_until_completed(document).await;
    azurite.stop();
    azurite.damage(&file);
    azurite.resume().await;

    wait_until(async || server.get("/health/ready").status == 200).await;
    let download = server.get(&format!("/documents/{document}/download"));
    assert_eq!(download.status, 500, "{}", download.body);
    let again = server.post(&format!("/documents/{document}/reprocess"));
    assert_eq!(again.status, 201, "{}", again.body);
    let run = again.json()["run_id"].as_str().unwrap().to_owned();
    wait_until(async || server.json(&format!("/runs/{run}"))["state"] == "FAILED").await;
    let failed = server.json(&format!("/runs/{run}")).to_string();
    assert!(failed.contains("FILE_DAMAGED"), "{failed}");
    let verified = env.cli.run(&["verify"]);
    assert_eq!(verified.status.code(), Some(1));
    assert!(verified.stdout.contains("the original of document"), "{}", verified.stdout);
}

/// A page is read without the rest of its file, and compared all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_not_what_was_stored_is_not_shown() {
    let container = azure_container().await;
    let ObjectEnv { env, objects } = ObjectEnv::on_azure(&container, &container.endpoint).await;
    let server = env.cli.serve();
    let (_, _, document) = upload(&server, "/documents", "record.pdf", &clinical_record(2));
    let run = env.wait_until_completed(document).await;
    let files = objects.files(&format!("{document}/runs/{}", run.id)).await.unwrap();
    let pages = files.iter().find(|file| file.name.contains("pages.")).unwrap();
    let stored = objects.get(&pages.name, pages.bytes).await.unwrap();
    let first = format!("/documents/{document}/pages/1");
    assert_eq!(server.get(&first).status, 200);
    // Another text of the same length, in the first line alone.
    let changed = String::from_utf8(stored).unwrap().replacen("Luna", "Lana", 1);
    assert!(changed.lines().next().unwrap().contains("Lana"));
    objects.put(&pages.name, changed.into_bytes()).await.unwrap();
    let damaged = server.get(&first);
    assert!(damaged.status == 500 && !damaged.body.contains("Lana"), "{}", damaged.body);
    assert_eq!(server.get(&format!("/documents/{document}/pages/2")).status, 200, "it is as it was");
}
