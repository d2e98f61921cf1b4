//! Two people at the same document.

use serde_json::{Value, json};

use super::{document, opened, shown, stored, type_into, until_saved, value};
use crate::record::{edit, review};
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn of_two_edits_of_one_field_the_second_chooses_and_nothing_typed_is_lost() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let document = document(&scene, &server).await;
    let (mut mine, mut theirs) = (opened(&server, document), opened(&server, document));
    type_into(&mut mine, "breed", "Angora");
    type_into(&mut theirs, "breed", "Rex");
    theirs.press("Enter");
    until_saved(&mut theirs, 2);
    mine.until_text("#said", "newer version");
    mine.press("Enter");
    mine.until_seen("#conflict-dialog");
    let row = mine.text("#conflict-dialog tbody");
    for said in ["Breed", "Belier", "Angora", "Rex"] {
        assert!(row.contains(said), "{said}: {row}");
    }
    // Back to the editor: what was typed is still there.
    mine.press("Escape");
    mine.until("!document.querySelector('#conflict-dialog').open");
    assert_eq!(mine.eval("document.querySelector('.editor input').value"), "Angora");
    assert_eq!(value(&stored(&server, document), "breed"), "Rex");
    mine.press("Enter");
    mine.until_seen("#conflict-dialog");
    mine.click("#conflict-dialog [data-save]");
    until_saved(&mut mine, 3);
    assert_eq!(value(&stored(&server, document), "breed"), "Angora");
    theirs.until("document.querySelector('[data-key=breed] .value').textContent === 'Angora'");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_takes_theirs_changes_nothing() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let document = document(&scene, &server).await;
    let (mut mine, mut theirs) = (opened(&server, document), opened(&server, document));
    type_into(&mut mine, "breed", "Angora");
    type_into(&mut theirs, "breed", "Rex");
    theirs.press("Enter");
    until_saved(&mut theirs, 2);
    mine.press("Enter");
    mine.until_seen("#conflict-dialog");
    mine.press("ArrowRight");
    mine.press("Enter");
    mine.until_text("#said", "was kept");
    assert_eq!(shown(&mut mine, "breed"), "Rex");
    assert_eq!(stored(&server, document)["version_number"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_of_different_fields_are_both_kept() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let document = document(&scene, &server).await;
    let (mut mine, mut theirs) = (opened(&server, document), opened(&server, document));
    type_into(&mut mine, "breed", "Angora");
    type_into(&mut theirs, "pet_name", "Nube");
    theirs.press("Enter");
    until_saved(&mut theirs, 2);
    mine.press("Enter");
    mine.until_text("#said", "version 3. Somebody else has changed other fields");
    let stored = stored(&server, document);
    assert_eq!((value(&stored, "breed"), value(&stored, "pet_name")), ("Angora".into(), "Nube".into()));
    assert_eq!(shown(&mut mine, "pet_name"), "Nube");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_several_is_not_taken_for_another_that_a_newer_run_has_found() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let document = document(&scene, &server).await;
    let run = review(&server, document)["latest_completed_run"]["run_id"].as_str().unwrap().to_owned();
    let second = json!([{ "op": "ADD", "key": "medication", "value": "meloxicam", "visit_id": "visit-001" }]);
    assert_eq!(edit(&server, &run, 1, &second).status, 201);
    let mut tab = opened(&server, document);
    let row = "[...document.querySelectorAll('[data-key=medication]')].find((row) => row.dataset.value === '\"meloxicam\"')";
    tab.eval(&format!("{row}.querySelector('.pick').click()"));
    tab.press("e");
    tab.until_seen(".editor");
    tab.press("Control+a");
    tab.type_text("meloxicam diario");
    server.send(&format!("POST /documents/{document}/reprocess"), "", "");
    scene.wait_for_all_runs(document).await;
    tab.until_text("#said", "newer version");
    tab.click(".editor [data-save]");
    tab.until_seen("#conflict-dialog");
    assert!(!tab.text("#conflict-dialog tbody").contains("metoclopramida"), "that is another one");
    tab.click("#conflict-dialog [data-save]");
    until_saved(&mut tab, 2);
    let stored = stored(&server, document);
    let fields = stored["data"]["fields"].as_array().unwrap();
    let found: Vec<&Value> =
        fields.iter().filter(|field| field["key"] == "medication").map(|field| &field["value"]).collect();
    assert!(found.len() == 2 && found.contains(&&json!("meloxicam diario")), "{found:?}");
}
