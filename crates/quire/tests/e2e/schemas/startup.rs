//! Files that stop the start, and those that only change it.

use super::{ticket_schema, write_schema};
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    an_invalid_file_stops_the_start_with_all_its_problems,
    a_changed_file_without_a_new_version_stops_the_start,
    a_duplicate_name_stops_the_start,
    an_unknown_default_schema_stops_the_start with [("QUIRE_SCHEMAS_DEFAULT", "invoices")],
    a_configured_schema_folder_must_exist with [("QUIRE_SCHEMAS_FOLDER", "my/schemas")],
}

async fn an_invalid_file_stops_the_start_with_all_its_problems(env: &TestEnv) {
    write_schema(
        env,
        "one.toml",
        &ticket_schema(1, "a").replace("critical = true", "critical = 1\ncolour = 2"),
    );
    write_schema(env, "two.json", "{");
    let error = env.cli.run_err(&["serve"]);
    let expected = "quire: ./quire-data/schemas/one.toml: 2 problems\n  \
                  keys.plate.critical must be true or false\n  \
                  keys.plate.colour is unknown; use one of: ";
    assert!(error.starts_with(expected), "{error}");
    assert!(error.contains("\n./quire-data/schemas/two.json: is not valid JSON: "), "{error}");
    assert_eq!(env.store.governance.schema_names().await.unwrap(), [""; 0], "nothing was begun");
}

async fn a_changed_file_without_a_new_version_stops_the_start(env: &TestEnv) {
    write_schema(env, "ticket.toml", &ticket_schema(3, "Matrícula"));
    drop(env.cli.serve());
    write_schema(env, "ticket.toml", &ticket_schema(3, "Placa"));
    let error = env.cli.run_err(&["serve"]);
    let expected = "quire: ./quire-data/schemas/ticket.toml: the schema parking-ticket differs from its stored \
                  version 3; raise its version to 4";
    assert!(error.contains(expected), "{error}");
    // A comment is no change, and removing the file keeps the stored schema.
    write_schema(env, "ticket.toml", &format!("# A word.\n{}", ticket_schema(3, "Matrícula")));
    drop(env.cli.serve());
    std::fs::remove_file(env.cli.path("quire-data/schemas/ticket.toml")).unwrap();
    drop(env.cli.serve());
    assert_eq!(env.store.governance.current_schema("parking-ticket").await.unwrap().number, 1);
}

async fn a_duplicate_name_stops_the_start(env: &TestEnv) {
    write_schema(env, "a.toml", &ticket_schema(1, "a").replace("parking-ticket", "invoice"));
    write_schema(env, "b.toml", &ticket_schema(1, "a"));
    write_schema(env, "c.toml", &ticket_schema(1, "a"));
    // A file may replace a built-in schema that came later than such files.
    write_schema(env, "d.toml", &ticket_schema(1, "a").replace("parking-ticket", "delivery-note"));
    let error = env.cli.run_err(&["serve"]);
    assert!(error.contains("a.toml: the name invoice is already used by a built-in schema"), "{error}");
    assert!(
        error.contains("c.toml: the name parking-ticket is already used by ./quire-data/schemas/b.toml"),
        "{error}"
    );
    assert!(!error.contains("delivery-note"), "{error}");
}

async fn an_unknown_default_schema_stops_the_start(env: &TestEnv) {
    let error = env.cli.run_err(&["serve"]);
    let expected =
        "schemas.default = \"invoices\": no such schema; choose one of: auto, delivery-note, invoice, ";
    assert!(error.contains(expected), "{error}");
}

async fn a_configured_schema_folder_must_exist(env: &TestEnv) {
    let error = env.cli.run_err(&["serve"]);
    assert!(error.contains("cannot read the schema folder my/schemas: "), "{error}");
    std::fs::create_dir_all(env.cli.path("my/schemas")).unwrap();
    std::fs::write(env.cli.path("my/schemas/ticket.toml"), ticket_schema(1, "a")).unwrap();
    drop(env.cli.serve());
    let names = env.store.governance.schema_names().await.unwrap();
    assert!(names.contains(&"parking-ticket".to_owned()), "{names:?}");
}
