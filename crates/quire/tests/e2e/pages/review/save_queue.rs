//! Edits that are made while another one is being saved: they are saved one after the other.

use quire_domain::DocumentId;
use quire_testkit::browser::Tab;
use serde_json::json;

use super::{document, open_review, pick, row, shown, stored, type_into, until_marked, until_saved, value};
use crate::program::TestServer;
use crate::record::review;
use crate::test_env::TestEnv;

/// Delays requests to addresses that contain a text until `releaseRequests()`. Of `/work`, only the responses are delayed.
fn delay_requests(tab: &mut Tab, part: &str) {
    tab.eval(&format!(
        "(() => {{ const real = window.fetch; const free = new Promise((go) => {{ window.releaseRequests = go }}); \
         window.fetch = async (address, options) => {{ \
         if (!address.includes('{part}')) return real(address, options); \
         if ('{part}' !== '/work') await free; \
         const response = await real(address, options); window.isDelayed = true; await free; return response }} }})()"
    ));
}

/// Uses the first candidate of a field with the key 1.
fn use_candidate(tab: &mut Tab, key: &str) -> String {
    pick(tab, key);
    let candidate = tab.text(&format!("{} .candidate span", row(key)));
    tab.press("1");
    candidate
}

fn status(server: &TestServer, document: DocumentId) -> String {
    review(server, document)["review_status"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_made_during_a_save_are_saved_too() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    type_into(&mut tab, "breed", "Rex");
    tab.press("Enter");
    until_saved(&mut tab, 2);
    delay_requests(&mut tab, "/interpretations");
    let species = use_candidate(&mut tab, "species");
    pick(&mut tab, "breed");
    tab.press("r");
    // Delete is pressed twice and deletes once.
    pick(&mut tab, "age");
    tab.press("Delete");
    tab.press("Delete");
    tab.eval("releaseRequests()");
    until_saved(&mut tab, 5);
    let stored = stored(&server, document);
    assert_eq!(value(&stored, "species"), json!(species));
    assert_eq!((value(&stored, "breed"), value(&stored, "age")), (json!("Belier"), json!(null)));
    assert_eq!(stored["version_number"], 5);
    assert_eq!(tab.count("#toasts .error"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn marking_as_reviewed_waits_for_pending_edits() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    delay_requests(&mut tab, "/interpretations");
    let species = use_candidate(&mut tab, "species");
    tab.press("m");
    assert_eq!(status(&server, document), "IN_REVIEW", "the candidate is not saved yet");
    tab.eval("releaseRequests()");
    until_marked(&mut tab);
    assert_eq!(status(&server, document), "REVIEWED");
    assert_eq!(value(&stored(&server, document), "species"), json!(species));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_persons_edit_during_a_save_appears() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let (mut mine, mut theirs) = (open_review(&server, document), open_review(&server, document));
    // The response with the form of version 2 arrives after the other person has saved version 3.
    delay_requests(&mut mine, "/work");
    type_into(&mut mine, "breed", "Rex");
    mine.press("Enter");
    mine.until("window.isDelayed");
    theirs.until("document.querySelector('[data-key=breed] .value').textContent === 'Rex'");
    type_into(&mut theirs, "pet_name", "Nube");
    theirs.press("Enter");
    until_saved(&mut theirs, 3);
    mine.eval("releaseRequests()");
    mine.until("document.querySelector('[data-key=pet_name] .value').textContent === 'Nube'");
    assert_eq!(shown(&mut mine, "breed"), "Rex");
}
