//! Files that stop the start, and those that only change it.

use super::{put, ticket};
use crate::scene::{Scene, on_both_stores};

on_both_stores! {
    a_file_that_is_wrong_stops_the_start_with_all_that_is_wrong,
    a_file_that_changes_without_a_word_stops_the_start,
    a_name_that_is_taken_stops_the_start,
    a_default_that_there_is_not_stops_the_start with [("QUIRE_SCHEMAS_DEFAULT", "invoices")],
    a_folder_that_is_named_must_be_there with [("QUIRE_SCHEMAS_FOLDER", "my/schemas")],
}

async fn a_file_that_is_wrong_stops_the_start_with_all_that_is_wrong(scene: &Scene) {
    put(scene, "one.toml", &ticket(1, "a").replace("critical = true", "critical = 1\ncolour = 2"));
    put(scene, "two.json", "{");
    let said = scene.quire.refuses(&["serve"]);
    let wanted = "quire: ./quire-data/schemas/one.toml: 2 problems\n  \
                  keys.plate.critical must be true or false\n  \
                  keys.plate.colour is unknown; use one of: ";
    assert!(said.starts_with(wanted), "{said}");
    assert!(said.contains("\n./quire-data/schemas/two.json: is not valid JSON: "), "{said}");
    assert_eq!(scene.store.governance.schema_names().await.unwrap(), [""; 0], "nothing was begun");
}

async fn a_file_that_changes_without_a_word_stops_the_start(scene: &Scene) {
    put(scene, "ticket.toml", &ticket(3, "Matrícula"));
    drop(scene.quire.serve());
    put(scene, "ticket.toml", &ticket(3, "Placa"));
    let said = scene.quire.refuses(&["serve"]);
    let wanted = "quire: ./quire-data/schemas/ticket.toml: the schema parking-ticket says something else than its \
                  version 3 did; raise its version to 4";
    assert!(said.contains(wanted), "{said}");
    // The same with comments is the same, and a file that goes takes nothing with it.
    put(scene, "ticket.toml", &format!("# A word.\n{}", ticket(3, "Matrícula")));
    drop(scene.quire.serve());
    std::fs::remove_file(scene.quire.path("quire-data/schemas/ticket.toml")).unwrap();
    drop(scene.quire.serve());
    assert_eq!(scene.store.governance.current_schema("parking-ticket").await.unwrap().number, 1);
}

async fn a_name_that_is_taken_stops_the_start(scene: &Scene) {
    put(scene, "a.toml", &ticket(1, "a").replace("parking-ticket", "invoice"));
    put(scene, "b.toml", &ticket(1, "a"));
    put(scene, "c.toml", &ticket(1, "a"));
    let said = scene.quire.refuses(&["serve"]);
    assert!(
        said.contains("a.toml: its name invoice is that of a schema that comes with the program"),
        "{said}"
    );
    assert!(
        said.contains("c.toml: its name parking-ticket is that of ./quire-data/schemas/b.toml"),
        "{said}"
    );
}

async fn a_default_that_there_is_not_stops_the_start(scene: &Scene) {
    let said = scene.quire.refuses(&["serve"]);
    let wanted = "schemas.default is \"invoices\", and there is no such schema; choose one of: invoice, veterinary-record";
    assert!(said.contains(wanted), "{said}");
}

async fn a_folder_that_is_named_must_be_there(scene: &Scene) {
    let said = scene.quire.refuses(&["serve"]);
    assert!(said.contains("the folder of schemas my/schemas: "), "{said}");
    std::fs::create_dir_all(scene.quire.path("my/schemas")).unwrap();
    std::fs::write(scene.quire.path("my/schemas/ticket.toml"), ticket(1, "a")).unwrap();
    drop(scene.quire.serve());
    let names = scene.store.governance.schema_names().await.unwrap();
    assert_eq!(names, ["invoice", "parking-ticket", "veterinary-record"]);
}
