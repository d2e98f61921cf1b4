//! What is not a setting, or not a value, stops the start by its name.

use crate::program::{Quire, refusal};

#[test]
fn an_unknown_key_in_the_file_stops_the_start() {
    let quire = Quire::new();
    quire.write("quire.toml", "[engine]\nslotz = 4\n");
    let refused = quire.refuses(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(refused.contains("engine.slotz") && refused.contains("did you mean engine.slots?"), "{refused}");
    assert!(!quire.path("quire-data").exists());
}

#[test]
fn an_unknown_variable_stops_the_start() {
    let quire = Quire::new();
    let refused = refusal(quire.command(&["serve"]).env("QUIRE_ENGINE_SLOTZ", "4"));
    assert!(refused.contains("QUIRE_ENGINE_SLOTZ") && refused.contains("QUIRE_ENGINE_SLOTS?"), "{refused}");
}

#[test]
fn a_bad_value_stops_the_start() {
    let quire = Quire::new();
    let refused = refusal(quire.command(&["serve"]).env("QUIRE_ENGINE_HEARTBEAT", "1h"));
    assert!(refused.contains("engine.heartbeat") && refused.contains("engine.lease"), "{refused}");
    let refused = quire.refuses(&["queue", "--log-format", "xml"]);
    assert!(refused.contains("log.format") && refused.contains("--log-format"), "{refused}");
}

#[test]
fn a_file_that_was_named_must_be_there() {
    let quire = Quire::new();
    let refused = quire.refuses(&["config", "--config", "missing.toml"]);
    assert!(refused.contains("missing.toml"), "{refused}");
}

#[test]
fn the_settings_in_effect_are_shown_with_their_origin_and_without_passwords() {
    let quire = Quire::new();
    quire.write("other.toml", "[engine]\ntick = '3s'\n");
    let shown = quire.says(&[
        "config",
        "--config",
        "other.toml",
        "--database",
        "postgres://quire:hunter2@db.internal/quire",
    ]);
    assert!(shown.contains("tick = \"3s\"  # from other.toml\n"), "{shown}");
    assert!(
        shown.contains("database = \"postgres://quire:***@db.internal/quire\"  # from --database\n"),
        "{shown}"
    );
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[test]
fn a_worker_needs_postgresql() {
    let quire = Quire::new();
    let refused = quire.refuses(&["worker"]);
    assert!(refused.contains("quire serve") && refused.contains("postgres://"), "{refused}");
}
