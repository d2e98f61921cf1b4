//! `quire verify` and `quire store copy` on whole installations.

use jiff::Timestamp;
use quire_domain::{Document, DocumentId};
use quire_postgres::testing::{TestSchema, url};
use quire_testkit::documents::clinical_record;
use quire_testkit::fixture::document_run;
use serde_json::{Value, json};

use crate::program::{Cli, TestServer};
use crate::test_env::{TestEnv, on_both_stores, wait_until};
use crate::uploads::send_file;

on_both_stores! {
    a_sound_installation_verifies_beside_a_server_and_damage_is_named,
    a_lost_original_is_named_by_backup_and_copy_and_their_exit_code_is_1,
}

async fn a_sound_installation_verifies_beside_a_server_and_damage_is_named(env: &TestEnv) {
    let server = env.cli.serve();
    let document = send_file(&server, "record.pdf", &clinical_record(1), "").document_id();
    env.wait_until_completed(document).await;
    let report = env.cli.run_json(&["verify", "--json"]);
    assert_eq!((&report["documents"], &report["fault_count"]), (&json!(1), &json!(0)), "{report}");
    assert!(
        report["artifacts"].as_u64().unwrap() >= 2 && report["bytes"].as_u64().unwrap() > 1000,
        "{report}"
    );
    assert!(env.cli.run_ok(&["verify"]).ends_with("No faults.\n"));

    let original = env.documents_folder().join(format!("{document}/original.pdf"));
    let mut content = std::fs::read(&original).unwrap();
    content[100] ^= 1;
    std::fs::write(&original, content).unwrap();
    let output = env.cli.run(&["verify"]);
    assert_eq!(output.status.code(), Some(1), "{}", output.stderr);
    let fault = format!("the original of document {document} has another content than it had");
    assert!(output.stdout.contains(&fault), "{}", output.stdout);

    let (pages, mut content) = pages_file(env, document);
    content[10] ^= 1;
    std::fs::write(&pages, content).unwrap();
    let report = env.cli.run(&["verify", "--json"]);
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    assert_eq!((&report["fault_count"], &report["files_without_hash"]), (&json!(2), &json!(0)), "{report}");
    assert!(report.to_string().contains("the artifact PAGES of run"), "{report}");
}

/// The file with the pages of a document, and its content.
fn pages_file(env: &TestEnv, document: DocumentId) -> (std::path::PathBuf, Vec<u8>) {
    let runs = env.documents_folder().join(format!("{document}/runs"));
    let run = std::fs::read_dir(runs).unwrap().next().unwrap().unwrap().path();
    let mut files = std::fs::read_dir(run).unwrap().map(|entry| entry.unwrap().path());
    let path = files.find(|path| path.extension().is_some_and(|extension| extension == "jsonl")).unwrap();
    let content = std::fs::read(&path).unwrap();
    (path, content)
}

/// A configuration file for PostgreSQL and a folder of files.
pub fn write_server_settings(cli: &Cli, schema: &TestSchema) {
    cli.write(
        "server.toml",
        &format!(
            "[storage]\ndata = \"server-data\"\ndatabase = \"{}\"\n[database]\nschema = \"{}\"\n",
            url(),
            schema.schema
        ),
    );
}

/// The keys and values of a document.
fn fields(server: &TestServer, document: DocumentId) -> Vec<[Value; 2]> {
    let review = server.json(&format!("/documents/{document}/review"));
    let fields = review["active_interpretation"]["data"]["fields"].as_array().unwrap().clone();
    fields.into_iter().map(|field| [field["key"].clone(), field["value"].clone()]).collect()
}

/// A laptop moves to PostgreSQL, works there, and moves back: documents are read and edited, and a run that waits goes on.
#[tokio::test(flavor = "multi_thread")]
async fn a_moved_installation_goes_on_working_in_both_directions() {
    let laptop = TestEnv::on_sqlite(&[]);
    let cli = &laptop.cli;
    let server = cli.serve();
    let document = send_file(&server, "record.pdf", &clinical_record(1), "").document_id();
    laptop.wait_until_completed(document).await;
    let found = fields(&server, document);
    let refused = cli.run_err(&["store", "copy", "--from", "quire-data", "--to", "elsewhere"]);
    assert!(refused.contains(&format!("process {}", server.id())), "{refused}");
    assert_eq!(server.stop().status.code(), Some(0));
    let waiting = document_run(document.into());
    let requested = Document::reprocess_requested(&waiting, "tester", Timestamp::now());
    let waiting = laptop.store.documents.reprocess(&waiting, requested).await.unwrap().id;

    let schema = TestSchema::empty().await;
    write_server_settings(cli, &schema);
    let copied = cli.run_ok(&["store", "copy", "--from", "quire-data", "--to", "server.toml"]);
    assert!(copied.contains("The copy is complete") && copied.contains("documents"), "{copied}");
    assert!(!copied.contains("password"), "{copied}");
    let again = cli.run_err(&["store", "copy", "--from", "quire-data", "--to", "server.toml"]);
    assert!(again.contains("not empty"), "{again}");

    let on_postgresql =
        TestServer::ready(cli.command(&["serve", "--listen", "127.0.0.1:0", "--config", "server.toml"]));
    let state = |server: &TestServer, run| server.json(&format!("/runs/{run}"))["state"].clone();
    wait_until(async || state(&on_postgresql, waiting) == "COMPLETED").await;
    assert_eq!(fields(&on_postgresql, document), found);
    let review = on_postgresql.json(&format!("/documents/{document}/review"));
    let interpretation = &review["active_interpretation"];
    let run = review["latest_completed_run"]["run_id"].as_str().unwrap().to_owned();
    let edited = on_postgresql.post_json(
        &format!("/runs/{run}/interpretations"),
        &json!({
            "base_version_number": interpretation["version_number"],
            "changes": [{ "op": "ADD", "key": "pet_name", "value": "Nube", "value_type": "string" }],
        }),
    );
    assert_eq!(edited.status, 201, "{:?}", edited.body);
    let with_edit = fields(&on_postgresql, document);
    let running = cli.run_err(&["store", "copy", "--from", "server.toml", "--to", "back"]);
    assert!(running.contains("stop all servers and workers"), "{running}");
    assert_eq!(on_postgresql.stop().status.code(), Some(0));
    assert_eq!(cli.run_json(&["verify", "--json", "--config", "server.toml"])["fault_count"], 0);

    cli.run_ok(&["store", "copy", "--from", "server.toml", "--to", "back"]);
    let back = cli.serve_in("back");
    assert_eq!(fields(&back, document), with_edit);
    assert!(with_edit.contains(&[json!("pet_name"), json!("Nube")]), "{with_edit:?}");
    assert_eq!(state(&back, waiting), "COMPLETED");
    let text = back.json(&format!("/runs/{waiting}/artifacts/raw-text"));
    assert!(text["text"].as_str().unwrap().len() > 100, "{text}");
    let new = send_file(&back, "record.pdf", &clinical_record(3), "").document_id();
    wait_until(async || back.json(&format!("/documents/{new}"))["status"] == "COMPLETED").await;
}

/// Nothing is served from a half copy, and the same command finishes it.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_was_killed_blocks_its_target_until_it_is_finished() {
    let laptop = TestEnv::on_sqlite(&[]);
    let cli = &laptop.cli;
    let server = cli.serve();
    let document = send_file(&server, "record.pdf", &clinical_record(1), "").document_id();
    assert_eq!(server.stop().status.code(), Some(0));
    let schema = TestSchema::empty().await;
    write_server_settings(cli, &schema);
    // A file that cannot be read stops the copy after its rows, as a kill would.
    let original = cli.path(&format!("quire-data/documents/{document}/original.pdf"));
    let content = std::fs::read(&original).unwrap();
    std::fs::remove_file(&original).unwrap();
    std::os::unix::net::UnixListener::bind(&original).unwrap();
    let stopped = cli.run(&["store", "copy", "--from", "quire-data", "--to", "server.toml"]);
    assert_eq!(stopped.status.code(), Some(1), "{}", stopped.stdout);
    for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["worker"], &["queue"], &["migrate", "up"]] {
        let refused = cli.run_err(&[command, &["--config", "server.toml"]].concat());
        assert!(refused.contains("not finished"), "{command:?}: {refused}");
    }
    std::fs::remove_file(&original).unwrap();
    std::fs::write(&original, content).unwrap();
    cli.run_ok(&["store", "copy", "--from", "quire-data", "--to", "server.toml"]);
    assert_eq!(cli.run_json(&["verify", "--json", "--config", "server.toml"])["documents"], 1);
}

async fn a_lost_original_is_named_by_backup_and_copy_and_their_exit_code_is_1(env: &TestEnv) {
    let server = env.cli.serve();
    let document = send_file(&server, "record.pdf", &clinical_record(1), "").document_id();
    env.wait_until_completed(document).await;
    assert_eq!(server.stop().status.code(), Some(0));
    std::fs::remove_file(env.documents_folder().join(format!("{document}/original.pdf"))).unwrap();
    let sentence = format!("the original of document {document} is missing");
    let backup = env.cli.run(&["backup", "one.tar"]);
    let copy = env.cli.run(&["store", "copy", "--to", "elsewhere"]);
    for output in [&backup, &copy] {
        assert_eq!(output.status.code(), Some(1), "{}{}", output.stdout, output.stderr);
        assert!(output.stdout.contains(&sentence), "{}", output.stdout);
    }
    assert!(env.cli.path("one.tar").is_file(), "everything else is in the backup");
    assert!(copy.stdout.contains("The copy is complete"), "{}", copy.stdout);
}

/// Two databases on one storage would remove each other's files.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_to_the_same_storage_is_refused() {
    let laptop = TestEnv::on_sqlite(&[]);
    let cli = &laptop.cli;
    let schema = TestSchema::empty().await;
    let settings = format!(
        "[storage]\ndata = \"server-data\"\ndocuments = \"quire-data/documents\"\ndatabase = \"{}\"\n\
         [database]\nschema = \"{}\"\n",
        url(),
        schema.schema
    );
    cli.write("server.toml", &settings);
    let refused = cli.run_err(&["store", "copy", "--from", "quire-data", "--to", "server.toml"]);
    assert!(refused.contains("the same storage") && refused.contains("storage.blobs"), "{refused}");
    assert_eq!(cli.run_json(&["verify", "--json"])["fault_count"], 0, "the source is as it was");
}

/// The way out when the source of a copy is gone.
#[tokio::test(flavor = "multi_thread")]
async fn an_unfinished_copy_whose_source_is_gone_can_be_given_up() {
    let laptop = TestEnv::on_sqlite(&[]);
    let cli = &laptop.cli;
    let server = cli.serve();
    let document = send_file(&server, "record.pdf", &clinical_record(1), "").document_id();
    assert_eq!(server.stop().status.code(), Some(0));
    let schema = TestSchema::empty().await;
    write_server_settings(cli, &schema);
    cli.run_ok(&["migrate", "up", "--config", "server.toml"]);
    let original = cli.path(&format!("quire-data/documents/{document}/original.pdf"));
    std::fs::remove_file(&original).unwrap();
    std::os::unix::net::UnixListener::bind(&original).unwrap();
    cli.run_err(&["store", "copy", "--from", "quire-data", "--to", "server.toml"]);
    let refused = cli.run_err(&["queue", "--config", "server.toml"]);
    assert!(
        refused.contains("not finished") && refused.contains("quire migrate down --to 0 --yes"),
        "{refused}"
    );
    cli.run_ok(&["migrate", "down", "--to", "0", "--yes", "--config", "server.toml"]);
    cli.run_ok(&["migrate", "up", "--config", "server.toml"]);
    cli.run_ok(&["queue", "--config", "server.toml"]);
}
