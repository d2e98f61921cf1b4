//! Whoever is faster than the server: all that was pressed is done, one after the other.

use quire_domain::DocumentId;
use quire_testkit::browser::Tab;
use serde_json::json;

use super::{document, opened, pick, row, shown, stored, type_into, until_saved, value};
use crate::program::TestServer;
use crate::record::review;
use crate::test_env::TestEnv;

/// Holds back what is asked of addresses that contain a text, until `letGo()`.
fn hold_back(tab: &mut Tab, part: &str) {
    tab.eval(&format!(
        "(() => {{ const real = window.fetch; const free = new Promise((go) => {{ window.letGo = go }}); \
         window.fetch = async (address, options) => {{ \
         if (!address.includes('{part}')) return real(address, options); \
         if ('{part}' !== '/work') await free; \
         const answer = await real(address, options); window.isHeld = true; await free; return answer }} }})()"
    ));
}

/// Takes the first candidate of a key with its key.
fn take(tab: &mut Tab, key: &str) -> String {
    pick(tab, key);
    let candidate = tab.text(&format!("{} .candidate span", row(key)));
    tab.press("1");
    candidate
}

fn status(server: &TestServer, document: DocumentId) -> String {
    review(server, document)["review_status"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_pressed_while_something_is_being_saved_is_saved_too() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let document = document(&scene, &server).await;
    let mut tab = opened(&server, document);
    type_into(&mut tab, "breed", "Rex");
    tab.press("Enter");
    until_saved(&mut tab, 2);
    hold_back(&mut tab, "/interpretations");
    let species = take(&mut tab, "species");
    pick(&mut tab, "breed");
    tab.press("r");
    // What is pressed twice is done once.
    pick(&mut tab, "age");
    tab.press("Delete");
    tab.press("Delete");
    tab.eval("letGo()");
    until_saved(&mut tab, 5);
    let stored = stored(&server, document);
    assert_eq!(value(&stored, "species"), json!(species));
    assert_eq!((value(&stored, "breed"), value(&stored, "age")), (json!("Belier"), json!(null)));
    assert_eq!(stored["version_number"], 5);
    assert_eq!(tab.count("#toasts .error"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_chosen_and_marked_at_once_is_stored_and_stays_marked() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let document = document(&scene, &server).await;
    let mut tab = opened(&server, document);
    hold_back(&mut tab, "/interpretations");
    let species = take(&mut tab, "species");
    tab.press("m");
    assert_eq!(status(&server, document), "IN_REVIEW", "what was chosen before is not saved yet");
    tab.eval("letGo()");
    tab.until_text(".chip.reviewed", "Reviewed");
    assert_eq!(status(&server, document), "REVIEWED");
    assert_eq!(value(&stored(&server, document), "species"), json!(species));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_else_changes_while_something_is_being_saved_appears() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let document = document(&scene, &server).await;
    let (mut mine, mut theirs) = (opened(&server, document), opened(&server, document));
    // The panel as it was before they have changed anything comes late.
    hold_back(&mut mine, "/work");
    type_into(&mut mine, "breed", "Rex");
    mine.press("Enter");
    mine.until("window.isHeld");
    theirs.until("document.querySelector('[data-key=breed] .value').textContent === 'Rex'");
    type_into(&mut theirs, "pet_name", "Nube");
    theirs.press("Enter");
    until_saved(&mut theirs, 3);
    mine.eval("letGo()");
    mine.until("document.querySelector('[data-key=pet_name] .value').textContent === 'Nube'");
    assert_eq!(shown(&mut mine, "breed"), "Rex");
}
