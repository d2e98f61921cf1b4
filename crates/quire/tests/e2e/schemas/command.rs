//! `quire schema`.

use serde_json::json;

use super::{ticket_schema, write_schema};
use crate::program::Cli;
use crate::test_env::{TestEnv, on_both_stores};

const GUIDE: &str = include_str!("../../../../../docs/guide/schemas.md");

on_both_stores! {
    schemas_are_listed_and_shown_while_a_server_runs,
}

async fn schemas_are_listed_and_shown_while_a_server_runs(env: &TestEnv) {
    write_schema(env, "ticket.toml", &ticket_schema(7, "Matrícula"));
    let _server = env.cli.serve();
    write_schema(env, "later.toml", &ticket_schema(1, "a").replace("parking-ticket", "later"));
    let listed = env.cli.run_ok(&["schema", "list"]);
    let rows: Vec<Vec<&str>> = listed
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    assert_eq!(rows[0], ["NAME", "VERSION", "KEYS", "TITLE", "SOURCE"]);
    let names: Vec<&str> = rows[1..].iter().map(|row| row[0]).collect();
    assert_eq!(
        names,
        [
            "auto",
            "delivery-note",
            "invoice",
            "laboratory-report",
            "later",
            "parking-ticket",
            "receipt",
            "veterinary-record"
        ]
    );
    assert_eq!(rows[3][..2], ["invoice", "1"]);
    assert_eq!(rows[5], ["later", "-", "3", "Parking ticket", "./quire-data/schemas/later.toml"]);
    assert_eq!(rows[6], ["parking-ticket", "1", "3", "Parking ticket", "./quire-data/schemas/ticket.toml"]);
    assert_eq!(rows[8], ["veterinary-record", "1", "40", "Veterinary record", "built in"]);
    let all = env.cli.run_json(&["schema", "list", "--json"]);
    assert_eq!((&all[4]["version"], &all[7]["keys"]), (&json!(null), &json!(40)));

    let shown = env.cli.run_ok(&["schema", "show", "parking-ticket"]);
    assert!(shown.starts_with("parking-ticket, version 1: Parking ticket\nKEY "), "{shown}");
    assert!(shown.ends_with("3 keys, no visits\n"), "{shown}");
    let json = env.cli.run_json(&["schema", "show", "invoice", "--json"]);
    assert_eq!((&json["version_number"], &json["schema_definition"]["name"]), (&json!(1), &json!("invoice")));
    // A printed schema file can be added under another name.
    let file = env.cli.run_ok(&["schema", "show", "veterinary-record", "--version", "1", "--toml"]);
    env.cli.write("mine.toml", &file.replace("\"veterinary-record\"", "\"mine\""));
    let checked = env.cli.run_ok(&["schema", "check", "mine.toml"]);
    assert!(checked.contains("40 keys, visits by visit_date"), "{checked}");

    let none = env.cli.run_err(&["schema", "show", "invoices"]);
    assert!(
        none.starts_with("quire: there is no schema invoices; there are: auto, delivery-note, invoice, "),
        "{none}"
    );
    let none = env.cli.run_err(&["schema", "show", "invoice", "--version", "2"]);
    assert!(none.starts_with("quire: there is no version 2 of schema invoice; "), "{none}");
}

#[test]
fn schemas_are_listed_and_shown_without_a_database_and_none_is_created() {
    let cli = Cli::new();
    std::fs::create_dir(cli.path("own")).unwrap();
    cli.write("own/ticket.toml", &ticket_schema(7, "Matrícula"));
    cli.write("quire.toml", "[schemas]\nfolder = \"own\"\n");
    let listed = cli.run_json(&["schema", "list", "--json"]);
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names[4], "parking-ticket");
    assert_eq!((&listed[4]["version"], &listed[4]["source"]), (&json!(null), &json!("own/ticket.toml")));
    let shown = cli.run_ok(&["schema", "show", "parking-ticket"]);
    assert!(shown.starts_with("parking-ticket, version 7 of its file, not stored yet: Parking"), "{shown}");
    let json = cli.run_json(&["schema", "show", "invoice", "--json"]);
    assert_eq!(
        (&json["version_number"], &json["schema_definition"]["name"]),
        (&json!(null), &json!("invoice"))
    );
    cli.write("copy.toml", &cli.run_ok(&["schema", "show", "invoice", "--toml"]));
    cli.run_ok(&["schema", "check", "copy.toml"]);
    let none = cli.run_err(&["schema", "show", "invoices"]);
    assert!(
        none.starts_with("quire: there is no schema invoices; there are: auto, delivery-note, "),
        "{none}"
    );
    let none = cli.run_err(&["schema", "show", "invoice", "--version", "1"]);
    assert!(none.contains("leave out --version"), "{none}");
    assert!(!cli.path("quire-data").exists());
}

#[test]
fn schema_files_are_checked_without_a_database() {
    let cli = Cli::new();
    cli.write("good.toml", &ticket_schema(7, "Matrícula"));
    cli.write("bad.toml", &ticket_schema(0, "a").replace("\"number\"", "\"money\""));
    let printed = cli.run_ok(&["schema", "check", "good.toml"]);
    assert!(
        printed.starts_with("good.toml is valid.\nparking-ticket, version 7: Parking ticket\n"),
        "{printed}"
    );
    let output = cli.run(&["schema", "check", "bad.toml", "good.toml", "none.toml", "notes.txt"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.starts_with("good.toml is valid."), "{}", output.stdout);
    let lines: Vec<&str> = output.stderr.lines().collect();
    assert_eq!(lines[0], "quire: bad.toml: 2 problems");
    assert!(lines[1].starts_with("  version must be a whole number from 1"), "{}", output.stderr);
    assert!(lines[2].starts_with("  keys.fine.value_type is unknown: \"money\""), "{}", output.stderr);
    assert!(lines[3].starts_with("quire: none.toml: "), "{}", output.stderr);
    assert_eq!(lines[4], "quire: notes.txt: the name of a schema file must end with .toml or .json");
    assert!(!cli.path("quire-data").exists());
}

#[test]
fn a_file_with_panels_is_checked_with_a_warning() {
    let cli = Cli::new();
    cli.write("old.toml", &ticket_schema(7, "Matrícula").replace("[[sections]]", "[[panels]]"));
    let output = cli.run_ok(&["schema", "check", "old.toml"]);
    let warning = "old.toml is valid.\nwarning: old.toml: uses the old names \"panels\" and \"panel\"";
    assert!(output.starts_with(warning), "{output}");
}

#[test]
fn a_schema_is_proposed_from_a_folder_of_examples() {
    let cli = Cli::new();
    std::fs::create_dir(cli.path("notes")).unwrap();
    for (number, customer) in [(7, "Panadería Luz"), (8, "Bar Central"), (9, "Hotel Sol")] {
        let note = format!(
            "Número: N-{number}\nFecha: 0{number}/03/2024\nCliente: {customer}\nTotal: {number},50 €\n"
        );
        cli.write(&format!("notes/{number}.txt"), &format!("NOTA DE SERVICIO\n{note}"));
    }
    let drafted = cli.run_ok(&["schema", "draft", "notes", "--name", "service-note", "--language", "es"]);
    cli.write("service-note.toml", &drafted);
    let checked = cli.run_ok(&["schema", "check", "service-note.toml"]);
    assert!(
        checked.contains("service-note, version 1") && checked.contains("4 keys, no visits"),
        "{checked}"
    );
    let fecha = checked.lines().find(|line| line.starts_with("fecha")).unwrap();
    assert!(fecha.contains("date"), "{checked}");
    std::fs::create_dir(cli.path("prose")).unwrap();
    cli.write("prose/a.txt", "Un texto sin etiquetas y sin nada que se repita.");
    let none = cli.run_err(&["schema", "draft", "prose"]);
    assert!(none.contains("quire: no label recurs in the 1 documents of prose"), "{none}");
}

#[test]
fn the_example_of_the_guide_is_a_valid_schema() {
    let cli = Cli::new();
    let examples: Vec<&str> = GUIDE
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```"))
        .map(|(block, _)| block)
        .filter(|block| block.starts_with("name = "))
        .collect();
    assert_eq!(examples.len(), 1);
    cli.write("delivery-note.toml", examples[0]);
    let printed = cli.run_ok(&["schema", "check", "delivery-note.toml"]);
    assert!(printed.contains("my-note, version 1: Delivery note"), "{printed}");
}
