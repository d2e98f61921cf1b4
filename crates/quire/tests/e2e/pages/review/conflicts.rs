//! Two people edit the same document.

use quire_testkit::browser::Tab;
use serde_json::{Value, json};

use super::{document, open_review, show, shown, stored, type_into, until_saved, value};
use crate::pages::login::{key, log_in};
use crate::record::{edit, review};
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn the_second_edit_of_a_field_asks_which_value_to_keep() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let (mut mine, mut theirs) = (open_review(&server, document), open_review(&server, document));
    type_into(&mut mine, "breed", "Angora");
    type_into(&mut theirs, "breed", "Rex");
    theirs.press("Enter");
    until_saved(&mut theirs, 2);
    mine.until_text("#save-status", "newer version");
    mine.press("Enter");
    mine.until_seen("#conflict-dialog");
    let row = mine.text("#conflict-dialog tbody");
    for text in ["Breed", "Belier", "Angora", "Rex"] {
        assert!(row.contains(text), "{text}: {row}");
    }
    // Escape goes back to the editor with the typed text.
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

/// A person who logs in is named to others.
#[tokio::test(flavor = "multi_thread")]
async fn the_conflict_dialog_says_who_changed_the_field() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    drop(server);
    let keys = ["ana", "berta"].map(|name| key(&env, name, "review"));
    let server = env.cli.serve();
    let [mut ana, mut berta] = keys.map(|key| {
        let mut tab = Tab::open(&server.address);
        tab.go("/app");
        log_in(&mut tab, &key);
        tab.until_text("h1", "Documents");
        show(&mut tab, document);
        tab
    });
    type_into(&mut berta, "breed", "Angora");
    type_into(&mut ana, "breed", "Rex");
    ana.press("Enter");
    until_saved(&mut ana, 2);
    berta.press("Enter");
    berta.until_text("#conflict-dialog h2", "ana changed this field while you were editing");
    berta.click("#conflict-dialog [data-save]");
    until_saved(&mut berta, 3);
    ana.until("document.querySelector('[data-key=breed] .value').textContent === 'Angora'");
}

#[tokio::test(flavor = "multi_thread")]
async fn keeping_their_value_saves_nothing() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let (mut mine, mut theirs) = (open_review(&server, document), open_review(&server, document));
    type_into(&mut mine, "breed", "Angora");
    type_into(&mut theirs, "breed", "Rex");
    theirs.press("Enter");
    until_saved(&mut theirs, 2);
    mine.press("Enter");
    mine.until_seen("#conflict-dialog");
    mine.press("ArrowRight");
    mine.press("Enter");
    mine.until_text("#save-status", "was kept");
    assert_eq!(shown(&mut mine, "breed"), "Rex");
    assert_eq!(stored(&server, document)["version_number"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_of_different_fields_are_both_kept() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let (mut mine, mut theirs) = (open_review(&server, document), open_review(&server, document));
    type_into(&mut mine, "breed", "Angora");
    type_into(&mut theirs, "pet_name", "Nube");
    theirs.press("Enter");
    until_saved(&mut theirs, 2);
    mine.press("Enter");
    mine.until_text("#save-status", "version 3. Another person has changed other fields");
    let stored = stored(&server, document);
    assert_eq!((value(&stored, "breed"), value(&stored, "pet_name")), ("Angora".into(), "Nube".into()));
    assert_eq!(shown(&mut mine, "pet_name"), "Nube");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_value_is_not_confused_with_another_value_of_a_newer_run() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let run = review(&server, document)["latest_completed_run"]["run_id"].as_str().unwrap().to_owned();
    let second = json!([{ "op": "ADD", "key": "medication", "value": "meloxicam", "visit_id": "visit-001" }]);
    assert_eq!(edit(&server, &run, 1, &second).status, 201);
    let mut tab = open_review(&server, document);
    let row = "[...document.querySelectorAll('[data-key=medication]')].find((row) => row.dataset.value === '\"meloxicam\"')";
    tab.eval(&format!("{row}.querySelector('.pick').click()"));
    tab.press("e");
    tab.until_seen(".editor");
    tab.press("Control+a");
    tab.type_text("meloxicam diario");
    server.send(&format!("POST /documents/{document}/reprocess"), "", "");
    env.wait_for_all_runs(document).await;
    tab.until_text("#save-status", "newer version");
    tab.click(".editor [data-save]");
    tab.until_seen("#conflict-dialog");
    tab.until_text("#conflict-dialog h2", "The document was processed again");
    assert!(!tab.text("#conflict-dialog tbody").contains("metoclopramida"), "that is another value");
    tab.click("#conflict-dialog [data-save]");
    until_saved(&mut tab, 2);
    let stored = stored(&server, document);
    let fields = stored["data"]["fields"].as_array().unwrap();
    let found: Vec<&Value> =
        fields.iter().filter(|field| field["key"] == "medication").map(|field| &field["value"]).collect();
    assert!(found.len() == 2 && found.contains(&&json!("meloxicam diario")), "{found:?}");
}
