//! Unknown settings and invalid values stop the start.

use crate::program::{Cli, error_of};

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
