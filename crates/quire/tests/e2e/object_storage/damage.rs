//! A bit changes in the service's own storage.

use quire_testkit::documents::clinical_record;
use quire_testkit::object_services::AzuriteServer;

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
