//! Commands that query the database, with and without a running server.

use serde_json::json;

use crate::program::Cli;

const UNKNOWN_ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

fn migrated_cli() -> Cli {
    let cli = Cli::new();
    cli.run_ok(&["migrate", "up"]);
    cli
}

#[test]
fn a_missing_database_is_reported_and_not_created() {
    let cli = Cli::new();
    for arguments in [
        &["queue"][..],
        &["queue", "--json"],
        &["calibration"],
        &["runs", "list"],
        &["runs", "show", UNKNOWN_ID],
        &["runs", "retry", UNKNOWN_ID],
        &["purge", UNKNOWN_ID, "--yes"],
        &["migrate", "status"],
        &["migrate", "down", "--to", "0", "--yes"],
    ] {
        let refused = cli.run_err(arguments);
        assert!(refused.contains("no database at ./quire-data/quire.db"), "{arguments:?}: {refused}");
        assert!(!cli.path("quire-data").exists(), "{arguments:?}");
    }
}

#[test]
fn migrations_are_applied_reverted_and_listed() {
    let cli = Cli::new();
    assert!(cli.run_ok(&["migrate", "up", "--to", "2"]).contains("The database is at version 2."));
    let status = cli.run_json(&["migrate", "status", "--json"]);
    let newest = status["newest"].as_u64().unwrap();
    assert_eq!(status["version"], 2);
    assert!(status["migrations"][1]["applied_at"].is_string());
    assert!(status["migrations"][2]["applied_at"].is_null());
    assert!(cli.run_ok(&["migrate", "status"]).contains("not yet"));

    let older = cli.run_err(&["queue"]);
    assert!(older.contains("version 2") && older.contains("quire migrate up"), "{older}");

    assert!(cli.run_ok(&["migrate", "up"]).starts_with("Applied 0003_"));
    assert!(cli.run_ok(&["migrate", "up"]).starts_with("Nothing to apply"));
    let down = cli.run_ok(&["migrate", "down", "--to", "1", "--yes"]);
    assert!(down.starts_with("Reverted 00") && down.contains("at version 1"), "{down}");
    assert!(cli.run_ok(&["migrate", "down", "--to", "1", "--yes"]).starts_with("Nothing to revert"));
    let beyond = cli.run_err(&["migrate", "up", "--to", "999"]);
    assert!(beyond.contains(&format!("the newest is {newest}")), "{beyond}");
}

#[test]
fn migrations_are_refused_while_a_server_runs() {
    let cli = Cli::new();
    let server = cli.serve();
    for arguments in [&["migrate", "down", "--to", "0", "--yes"][..], &["migrate", "up"]] {
        let refused = cli.run_err(arguments);
        assert!(refused.contains(&format!("process {}", server.id())), "{refused}");
    }
    let status = cli.run_json(&["migrate", "status", "--json"]);
    assert_eq!(status["version"], status["newest"]);
}

#[test]
fn an_empty_database_has_an_empty_queue() {
    let cli = migrated_cli();
    let queue = cli.run_json(&["queue", "--json"]);
    for list in ["queue", "completed_last_24h", "failures_by_step", "workers"] {
        assert_eq!(queue[list], json!([]), "{list}");
    }
    assert!(cli.run_ok(&["queue"]).contains("Queued: no runs"));
    assert_eq!(cli.run_json(&["runs", "list", "--json"]), json!([]));
    assert_eq!(cli.run_ok(&["runs", "list"]), "No runs.\n");
}

#[test]
fn commands_work_while_a_server_runs() {
    let cli = Cli::new();
    let server = cli.serve();
    let queue = cli.run_json(&["queue", "--json"]);
    let worker = &queue["workers"][0];
    assert_eq!(worker["lease"], "exclusive");
    assert!(worker["name"].as_str().unwrap().ends_with(&format!(":{}", server.id())), "{worker}");
    assert!(cli.run_ok(&["queue"]).contains("holds the database file"));
    assert_eq!(cli.run_json(&["runs", "list", "--json"]), json!([]));
    assert!(server.stop().status.success());
    let queue = cli.run_json(&["queue", "--json"]);
    assert_eq!(queue["workers"][0]["lease"], "ended");
}

#[test]
fn an_unknown_id_is_not_found() {
    let cli = migrated_cli();
    for arguments in
        [&["runs", "show", UNKNOWN_ID][..], &["runs", "retry", UNKNOWN_ID], &["purge", UNKNOWN_ID, "--yes"]]
    {
        let refused = cli.run_err(arguments);
        assert!(
            refused.contains(UNKNOWN_ID) && refused.contains("was not found"),
            "{arguments:?}: {refused}"
        );
    }
}

#[test]
fn a_purge_needs_confirmation() {
    let cli = migrated_cli();
    assert!(cli.run_err(&["purge", UNKNOWN_ID]).contains("--yes"));
}

#[test]
fn help_and_version_are_printed() {
    let cli = Cli::new();
    assert_eq!(cli.run_ok(&["--version"]), format!("quire {}\n", env!("CARGO_PKG_VERSION")));
    let help = cli.run_ok(&["--help"]);
    for verb in ["serve", "worker", "migrate", "runs", "queue", "purge", "config", "Examples:"] {
        assert!(help.contains(verb), "{verb} is not in:\n{help}");
    }
    let wrong = cli.run(&["runs", "list", "--state", "LOST"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(wrong.stderr.contains("TIMED_OUT"), "{}", wrong.stderr);
}
