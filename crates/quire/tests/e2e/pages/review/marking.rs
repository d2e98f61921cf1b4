//! What the page says before a review begins or ends: empty critical fields, edits that reopen, versions that nobody saw.

use serde_json::json;

use super::{document, open_review, shown, stored, type_into, until_marked, until_saved, value};
use crate::record::{edit, mark_reviewed, review};
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn empty_critical_fields_are_named_before_a_document_is_marked() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    tab.click("#mark");
    tab.until_text("#ask-dialog", "These critical fields have no value");
    tab.until_text("#ask-dialog", "Species");
    assert!(!tab.text("#ask-dialog").contains("Breed"), "it has a value");
    tab.press("Escape");
    tab.until("!document.querySelector('#ask-dialog').open");
    assert_eq!(review(&server, document)["review_status"], "IN_REVIEW");
    tab.click("#mark");
    until_marked(&mut tab);
    let marked = mark_reviewed(&server, document).body;
    assert!(marked["empty_critical_keys"].as_array().unwrap().contains(&json!("species")), "{marked}");
}

/// Proves R034: the page asks before an edit reopens a reviewed document.
#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_a_reviewed_document_asks_before_it_reopens_it() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    assert_eq!(mark_reviewed(&server, document).status, 200);
    let mut tab = open_review(&server, document);
    type_into(&mut tab, "breed", "Rex");
    tab.press("Enter");
    tab.until_text("#ask-dialog", "Saving a change reopens it");
    tab.press("Escape");
    tab.until("!document.querySelector('#ask-dialog').open");
    assert_eq!(tab.eval("document.querySelector('.editor input').value"), "Rex", "the text stays");
    assert_eq!(review(&server, document)["review_status"], "REVIEWED");
    assert_eq!(value(&stored(&server, document), "breed"), "Belier");
    tab.press("Enter");
    tab.click("#ask-dialog .primary");
    until_saved(&mut tab, 2);
    tab.until_text("#form-head .chip.ready", "Ready");
    assert_eq!(shown(&mut tab, "breed"), "Rex");
    assert_eq!(review(&server, document)["review_status"], "IN_REVIEW");
}

/// A version that the person has not seen is not marked.
#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_nobody_saw_is_not_marked() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    let run = review(&server, document)["latest_completed_run"]["run_id"].as_str().unwrap().to_owned();
    assert_eq!(edit(&server, &run, 1, &json!([{ "op": "ADD", "key": "notes", "value": "x" }])).status, 201);
    tab.until("document.getElementById('form-head').dataset.version === '2'");
    // As if the event of the other edit were still on its way.
    tab.eval("document.getElementById('form-head').dataset.version = '1'");
    tab.click("#mark");
    tab.click("#ask-dialog .primary");
    tab.until_text("#save-status", "the document has changed since you looked at it");
    tab.until("document.getElementById('form-head').dataset.version === '2'");
    assert_eq!(review(&server, document)["review_status"], "IN_REVIEW");
    tab.click("#mark");
    until_marked(&mut tab);
    assert_eq!(review(&server, document)["review_status"], "REVIEWED");
}
