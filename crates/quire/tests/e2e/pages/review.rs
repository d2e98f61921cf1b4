//! The review page.

mod conflicts;
mod connection_loss;
mod editing;
mod filters;
mod hiding;
mod marking;
mod page_view;
mod processing;
mod save_queue;
mod session_end;
mod typed;

pub(super) use page_view::assert_box_covers_words;
use quire_domain::DocumentId;
use quire_testkit::browser::Tab;
use quire_testkit::documents::case_history;
use serde_json::Value;

use crate::program::TestServer;
use crate::record::review;
use crate::test_env::TestEnv;
use crate::uploads::upload;

/// Uploads a document and waits until it is processed.
async fn document(env: &TestEnv, server: &TestServer) -> DocumentId {
    let (_, _, document) = upload(server, "/documents/upload", "luna.pdf", &case_history());
    let run = env.wait_for_latest_run(document).await;
    assert_eq!(run.state.as_str(), "COMPLETED", "{:?}", run.state);
    document
}

/// Opens the review page of a document in a new browser.
fn open_review(server: &TestServer, document: DocumentId) -> Tab {
    let mut tab = Tab::open(&server.address);
    show(&mut tab, document);
    tab
}

pub(super) fn show(tab: &mut Tab, document: DocumentId) {
    tab.go(&format!("/app/documents/{document}"));
    tab.until("document.documentElement.dataset.ready");
}

/// The selector of the rows of a key.
pub(super) fn row(key: &str) -> String {
    format!(".field[data-key={key}]")
}

pub(super) fn pick(tab: &mut Tab, key: &str) {
    // Not with the mouse: an update of the form may move the row between looking and clicking.
    tab.eval(&format!("document.querySelector('{} .pick').click()", row(key)));
    tab.until(&format!("document.querySelector('{}.selected')", row(key)));
}

/// Opens the editor of a key and replaces its text.
pub(super) fn type_into(tab: &mut Tab, key: &str, text: &str) {
    pick(tab, key);
    tab.press("e");
    tab.until_seen(".editor");
    tab.press("Control+a");
    tab.type_text(text);
}

pub(super) fn shown(tab: &mut Tab, key: &str) -> String {
    tab.text(&format!("{} .value", row(key)))
}

/// Waits until the document is marked as reviewed, and confirms that although critical fields are empty.
pub(super) fn until_marked(tab: &mut Tab) {
    tab.until("document.querySelector('#ask-dialog[open], #form-head .chip.reviewed')");
    if tab.count("#ask-dialog[open]") > 0 {
        tab.press("Enter");
    }
    tab.until_seen("#form-head .chip.reviewed");
}

fn until_saved(tab: &mut Tab, version: u32) {
    tab.until_text("#save-status", &format!("version {version}"));
}

/// The active interpretation that the server has stored.
pub(super) fn stored(server: &TestServer, document: DocumentId) -> Value {
    review(server, document)["active_interpretation"].clone()
}

/// The value of a key, null if there is no such field.
pub(super) fn value(stored: &Value, key: &str) -> Value {
    let fields = stored["data"]["fields"].as_array().unwrap();
    fields.iter().find(|field| field["key"] == key).map_or(Value::Null, |field| field["value"].clone())
}
