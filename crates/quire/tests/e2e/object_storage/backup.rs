//! The database and the container are destroyed, and a backup brings both back.

use quire_ports::BlobStore as _;
use quire_testkit::documents::clinical_record;
use quire_testkit::object_services::azure_container;

use super::{ObjectEnv, assert_everything_is_served, record_of};
use crate::uploads::upload;

#[tokio::test(flavor = "multi_thread")]
async fn an_encrypted_backup_brings_back_a_destroyed_database_and_its_container() {
    let container = azure_container().await;
    let object_env = ObjectEnv::on_azure(&container, &container.endpoint).await;
    let ObjectEnv { env, objects } = &object_env;
    let cli = &env.cli;
    let server = cli.serve();
    // The larger one is sent in parts.
    let files = [clinical_record(2), record_of((9 << 20) + 1)];
    let mut documents = Vec::new();
    for file in &files {
        let (_, _, id) = upload(&server, "/documents", "record.pdf", file);
        env.wait_until_completed(id).await;
        documents.push(id);
    }
    cli.write("backup.key", &"3f".repeat(32));
    cli.write("other.key", &"3e".repeat(32));
    cli.run_ok(&["backup", "one.tar", "--key-file", "backup.key"]);
    assert_eq!(server.stop().status.code(), Some(0));

    let wrong = cli.run_err(&["restore", "one.tar", "--key-file", "other.key", "--replace"]);
    assert!(wrong.contains("the key does not fit") && !wrong.contains("3e3e"), "{wrong}");
    assert_eq!(env.documents().await.len(), 2, "a wrong key changes nothing");

    cli.run_ok(&["migrate", "down", "--to", "0", "--yes"]);
    for folder in object_env.stored().await {
        objects.remove_folder(&folder).await.unwrap();
    }
    for name in ["installation-id", "installation-id.pending"] {
        objects.remove(name).await.unwrap();
    }

    cli.run_ok(&["restore", "one.tar", "--key-file", "backup.key"]);
    let server = cli.serve();
    for (id, file) in documents.into_iter().zip(&files) {
        assert_everything_is_served(&object_env, &server, id, file).await;
    }
    object_env.assert_nothing_is_half_stored().await;
    assert_eq!(cli.run_json(&["verify", "--json"])["fault_count"], 0);
}
