//! Commands that ask, beside a server or without one.

use serde_json::{Value, json};

use crate::program::Quire;

const NOBODY: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

fn migrated() -> Quire {
    let quire = Quire::new();
    quire.says(&["migrate", "up"]);
    quire
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| panic!("not JSON: {text}"))
}

#[test]
fn a_missing_database_is_said_to_be_missing_and_not_created() {
    let quire = Quire::new();
    for arguments in [
        &["queue"][..],
        &["queue", "--json"],
        &["calibration"],
        &["runs", "list"],
        &["runs", "show", NOBODY],
        &["runs", "retry", NOBODY],
        &["purge", NOBODY, "--yes"],
        &["migrate", "status"],
        &["migrate", "down", "--to", "0"],
    ] {
        let refused = quire.refuses(arguments);
        assert!(refused.contains("no database at ./quire-data/quire.db"), "{arguments:?}: {refused}");
        assert!(!quire.path("quire-data").exists(), "{arguments:?}");
    }
}

#[test]
fn the_schema_goes_up_and_down_and_says_where_it_is() {
    let quire = Quire::new();
    assert!(quire.says(&["migrate", "up", "--to", "2"]).contains("The database is at version 2."));
    let status = parsed(&quire.says(&["migrate", "status", "--json"]));
    let newest = status["newest"].as_u64().unwrap();
    assert_eq!(status["version"], 2);
    assert!(status["migrations"][1]["applied_at"].is_string());
    assert!(status["migrations"][2]["applied_at"].is_null());
    assert!(quire.says(&["migrate", "status"]).contains("not yet"));

    let older = quire.refuses(&["queue"]);
    assert!(older.contains("version 2") && older.contains("quire migrate up"), "{older}");

    assert!(quire.says(&["migrate", "up"]).starts_with("Applied 0003_"));
    assert!(quire.says(&["migrate", "up"]).starts_with("Nothing to apply"));
    let down = quire.says(&["migrate", "down", "--to", "1"]);
    assert!(down.starts_with("Reverted 00") && down.contains("at version 1"), "{down}");
    assert!(quire.says(&["migrate", "down", "--to", "1"]).starts_with("Nothing to revert"));
    let beyond = quire.refuses(&["migrate", "up", "--to", "999"]);
    assert!(beyond.contains(&format!("the newest is {newest}")), "{beyond}");
}

#[test]
fn the_schema_stays_as_it_is_while_a_server_uses_it() {
    let quire = Quire::new();
    let server = quire.serve();
    for arguments in [&["migrate", "down", "--to", "0"][..], &["migrate", "up"]] {
        let refused = quire.refuses(arguments);
        assert!(refused.contains(&format!("process {}", server.id())), "{refused}");
    }
    let status = parsed(&quire.says(&["migrate", "status", "--json"]));
    assert_eq!(status["version"], status["newest"]);
}

#[test]
fn an_empty_database_has_an_empty_queue() {
    let quire = migrated();
    let queue = parsed(&quire.says(&["queue", "--json"]));
    for list in ["queue", "completed_last_24h", "failures_by_step", "workers"] {
        assert_eq!(queue[list], json!([]), "{list}");
    }
    assert!(quire.says(&["queue"]).contains("Queued: no runs"));
    assert_eq!(parsed(&quire.says(&["runs", "list", "--json"])), json!([]));
    assert_eq!(quire.says(&["runs", "list"]), "No runs.\n");
}

#[test]
fn commands_work_beside_a_server() {
    let quire = Quire::new();
    let server = quire.serve();
    let queue = parsed(&quire.says(&["queue", "--json"]));
    let worker = &queue["workers"][0];
    assert_eq!(worker["lease"], "exclusive");
    assert!(worker["name"].as_str().unwrap().ends_with(&format!(":{}", server.id())), "{worker}");
    assert!(quire.says(&["queue"]).contains("holds the database file"));
    assert_eq!(parsed(&quire.says(&["runs", "list", "--json"])), json!([]));
    assert!(server.stop().status.success());
    let queue = parsed(&quire.says(&["queue", "--json"]));
    assert_eq!(queue["workers"][0]["lease"], "ended");
}

#[test]
fn what_is_not_there_is_not_found() {
    let quire = migrated();
    for arguments in [&["runs", "show", NOBODY][..], &["runs", "retry", NOBODY], &["purge", NOBODY, "--yes"]]
    {
        let refused = quire.refuses(arguments);
        assert!(refused.contains(NOBODY) && refused.contains("was not found"), "{arguments:?}: {refused}");
    }
}

#[test]
fn a_purge_wants_to_be_meant() {
    let quire = migrated();
    assert!(quire.refuses(&["purge", NOBODY]).contains("--yes"));
}

#[test]
fn the_command_line_helps_and_says_its_version() {
    let quire = Quire::new();
    assert_eq!(quire.says(&["--version"]), format!("quire {}\n", env!("CARGO_PKG_VERSION")));
    let help = quire.says(&["--help"]);
    for verb in ["serve", "worker", "migrate", "runs", "queue", "purge", "config", "Examples:"] {
        assert!(help.contains(verb), "{verb} is not in:\n{help}");
    }
    let wrong = quire.run(&["runs", "list", "--state", "LOST"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(wrong.err.contains("TIMED_OUT"), "{}", wrong.err);
}
