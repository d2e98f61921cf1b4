//! Unknown settings and invalid values stop the start.

use quire_ports::RunFilter;
use quire_sqlite::{SqliteOptions, SqliteStore};

use crate::program::{Cli, error_of};
use crate::record::{RECORD, upload_lines};
use crate::test_env::wait_until;

#[test]
fn an_unknown_key_in_the_file_stops_the_start() {
    let cli = Cli::new();
    cli.write("quire.toml", "[engine]\nslotz = 4\n");
    let refused = cli.run_err(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(refused.contains("engine.slotz") && refused.contains("did you mean engine.slots?"), "{refused}");
    assert!(!cli.path("quire-data").exists());
}

#[test]
fn an_unknown_variable_stops_the_start() {
    let cli = Cli::new();
    let refused = error_of(cli.command(&["serve"]).env("QUIRE_ENGINE_SLOTZ", "4"));
    assert!(refused.contains("QUIRE_ENGINE_SLOTZ") && refused.contains("QUIRE_ENGINE_SLOTS?"), "{refused}");
}

#[test]
fn an_invalid_value_stops_the_start() {
    let cli = Cli::new();
    let refused = error_of(cli.command(&["serve"]).env("QUIRE_ENGINE_HEARTBEAT", "1h"));
    assert!(refused.contains("engine.heartbeat") && refused.contains("engine.lease"), "{refused}");
    let refused = cli.run_err(&["queue", "--log-format", "xml"]);
    assert!(refused.contains("log.format") && refused.contains("--log-format"), "{refused}");
}

/// Proves R200, R049, R050: the folder of the files and the database file, each alone and both together.
#[tokio::test(flavor = "multi_thread")]
async fn the_variables_of_files_and_database_name_the_paths_of_both() {
    let (files, database) = (("VET_RECORDS_STORAGE_PATH", "files"), ("VET_RECORDS_DB_PATH", "db/records.db"));
    for (variables, folder, file) in [
        (&[files][..], "files", "quire-data/quire.db"),
        (&[database][..], "quire-data/documents", "db/records.db"),
        (&[files, database][..], "files", "db/records.db"),
    ] {
        let cli = Cli::new().with_all(variables).with("QUIRE_READING_MEMORY_MB", "512");
        let server = cli.serve();
        let store = SqliteStore::open(&cli.path(file), SqliteOptions::default()).unwrap().into_store();
        let document = upload_lines(&server, &RECORD);
        let filter = RunFilter { subject: Some(document.into()), limit: 1, ..RunFilter::default() };
        let run = store.run_reader.runs(&filter).await.unwrap().remove(0).id;
        wait_until(async || store.run_reader.run(run).await.unwrap().state.is_terminal()).await;
        let folder = cli.path(folder).join(document.to_string());
        assert!(folder.join("original.pdf").is_file(), "{variables:?}");
        let text = std::fs::read_to_string(folder.join(format!("runs/{run}/raw-text.txt"))).unwrap();
        assert!(text.contains("otitis externa"), "{variables:?}: {text}");
        assert_eq!(server.stop().status.code(), Some(0));
    }
}

#[test]
fn a_configuration_file_that_is_named_must_exist() {
    let cli = Cli::new();
    let refused = cli.run_err(&["config", "--config", "missing.toml"]);
    assert!(refused.contains("missing.toml"), "{refused}");
}

#[test]
fn settings_are_printed_with_their_origin_and_without_passwords() {
    let cli = Cli::new();
    cli.write("other.toml", "[engine]\ntick = '3s'\n");
    let printed = cli.run_ok(&[
        "config",
        "--config",
        "other.toml",
        "--database",
        "postgres://quire:hunter2@db.internal/quire",
    ]);
    assert!(printed.contains("tick = \"3s\"  # from other.toml\n"), "{printed}");
    assert!(
        printed.contains("database = \"postgres://quire:***@db.internal/quire\"  # from --database\n"),
        "{printed}"
    );
    assert!(!printed.contains("hunter2"), "{printed}");
}

#[test]
fn a_worker_needs_postgresql() {
    let cli = Cli::new();
    let refused = cli.run_err(&["worker"]);
    assert!(refused.contains("quire serve") && refused.contains("postgres://"), "{refused}");
}
