//! `quire schema`.

use serde_json::{Value, json};

use super::{put, ticket};
use crate::program::Quire;
use crate::scene::{Scene, on_both_stores};

const GUIDE: &str = include_str!("../../../../../docs/guide/schemas.md");

on_both_stores! {
    schemas_are_listed_and_shown_beside_a_server,
}

async fn schemas_are_listed_and_shown_beside_a_server(scene: &Scene) {
    put(scene, "ticket.toml", &ticket(7, "Matrícula"));
    let _server = scene.quire.serve();
    put(scene, "later.toml", &ticket(1, "a").replace("parking-ticket", "later"));
    let listed = scene.quire.says(&["schema", "list"]);
    let rows: Vec<Vec<&str>> = listed
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    assert_eq!(rows[0], ["NAME", "VERSION", "KEYS", "TITLE", "SOURCE"]);
    assert_eq!(rows[1], ["invoice", "1", "13", "Invoice", "built in"]);
    assert_eq!(rows[2], ["later", "-", "3", "Parking ticket", "./quire-data/schemas/later.toml"]);
    assert_eq!(rows[3], ["parking-ticket", "1", "3", "Parking ticket", "./quire-data/schemas/ticket.toml"]);
    assert_eq!(rows[4], ["veterinary-record", "1", "39", "Veterinary record", "built in"]);
    let all: Value = serde_json::from_str(&scene.quire.says(&["schema", "list", "--json"])).unwrap();
    assert_eq!((&all[1]["version"], &all[3]["keys"]), (&json!(null), &json!(39)));

    let shown = scene.quire.says(&["schema", "show", "parking-ticket"]);
    assert!(shown.starts_with("parking-ticket, version 1: Parking ticket\nKEY "), "{shown}");
    assert!(shown.ends_with("3 keys, no visits\n"), "{shown}");
    let json: Value =
        serde_json::from_str(&scene.quire.says(&["schema", "show", "invoice", "--json"])).unwrap();
    assert_eq!((&json["version_number"], &json["schema_definition"]["name"]), (&json!(1), &json!("invoice")));
    // What is shown as a file can be added under another name.
    let file = scene.quire.says(&["schema", "show", "veterinary-record", "--version", "1", "--toml"]);
    scene.quire.write("mine.toml", &file.replace("\"veterinary-record\"", "\"mine\""));
    let checked = scene.quire.says(&["schema", "check", "mine.toml"]);
    assert!(checked.contains("39 keys, visits by visit_date"), "{checked}");

    let none = scene.quire.refuses(&["schema", "show", "invoices"]);
    assert!(none.starts_with("quire: there is no schema invoices; there are: invoice, "), "{none}");
    let none = scene.quire.refuses(&["schema", "show", "invoice", "--version", "2"]);
    assert!(none.starts_with("quire: there is no version 2 of schema invoice; "), "{none}");
}

#[test]
fn files_are_checked_without_a_database() {
    let quire = Quire::new();
    quire.write("good.toml", &ticket(7, "Matrícula"));
    quire.write("bad.toml", &ticket(0, "a").replace("\"number\"", "\"money\""));
    let said = quire.says(&["schema", "check", "good.toml"]);
    assert!(said.starts_with("good.toml is well.\nparking-ticket, version 7: Parking ticket\n"), "{said}");
    let said = quire.run(&["schema", "check", "bad.toml", "good.toml", "none.toml", "notes.txt"]);
    assert_eq!(said.status.code(), Some(1));
    assert!(said.out.starts_with("good.toml is well."), "{}", said.out);
    let lines: Vec<&str> = said.err.lines().collect();
    assert_eq!(lines[0], "quire: bad.toml: 2 problems");
    assert!(lines[1].starts_with("  version must be a whole number from 1"), "{}", said.err);
    assert!(lines[2].starts_with("  keys.fine.value_type is unknown: \"money\""), "{}", said.err);
    assert!(lines[3].starts_with("quire: none.toml: "), "{}", said.err);
    assert_eq!(lines[4], "quire: notes.txt: the name of a schema's file ends with .toml or .json");
    assert!(!quire.path("quire-data").exists());
}

#[test]
fn a_file_with_panels_is_checked_with_a_warning() {
    let quire = Quire::new();
    quire.write("old.toml", &ticket(7, "Matrícula").replace("[[sections]]", "[[panels]]"));
    let said = quire.says(&["schema", "check", "old.toml"]);
    let warning = "old.toml is well.\nwarning: old.toml: uses the old names \"panels\" and \"panel\"";
    assert!(said.starts_with(warning), "{said}");
}

/// What the guide shows is what the program takes.
#[test]
fn the_example_of_the_guide_is_a_schema() {
    let quire = Quire::new();
    let examples: Vec<&str> = GUIDE
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split_once("```"))
        .map(|(block, _)| block)
        .filter(|block| block.starts_with("name = "))
        .collect();
    assert_eq!(examples.len(), 1);
    quire.write("delivery-note.toml", examples[0]);
    let said = quire.says(&["schema", "check", "delivery-note.toml"]);
    assert!(said.contains("delivery-note, version 1: Delivery note"), "{said}");
}
