//! Hiding a document on its page, and restoring it there and in the inbox, with the keyboard alone.

use quire_testkit::browser::Tab;

use super::{document, open_review, show};
use crate::pages::accessibility::assert_accessible;
use crate::pages::inbox::until_names;
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_hidden_after_a_question_and_restored() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let id = document(&env, &server).await;
    let mut tab = open_review(&server, id);
    // Another browser: in a tab behind another one, dialogs are not told that they are closed.
    let mut list = Tab::open(&server.address);
    list.go("/app");
    until_names(&mut list, &["luna.pdf"]);

    // The question can be left without an answer.
    tab.press("x");
    tab.until_text("#ask-dialog[open]", "Nothing is deleted");
    tab.press("Escape");
    tab.until("document.querySelector('#ask-dialog[open]') === null");
    assert_eq!(tab.eval("document.getElementById('hidden-notice').hidden"), true);
    tab.press("x");
    tab.until_seen("#ask-dialog[open]");
    tab.press("Enter");
    tab.until_text("#hidden-notice", "Hidden by local");
    assert_eq!(tab.eval("document.getElementById('hide').hidden"), true);
    list.until_seen("#no-documents");
    list.until_text("#total", "0 documents");

    // The filter lists it, without an export, and Restore takes it out again.
    list.click("label.hidden-only");
    until_names(&mut list, &["luna.pdf"]);
    assert_eq!(list.eval("location.search"), "?hidden=only");
    list.until_text("#rows", "hidden by local");
    assert_eq!(list.eval("document.querySelector('.tools').hidden"), true);
    list.eval("document.querySelector('[data-restore]').focus(); true");
    list.press("Enter");
    list.until_seen("#no-results");
    tab.until("document.getElementById('hidden-notice').hidden && !document.getElementById('hide').hidden");
    list.click("#clear-filters");
    until_names(&mut list, &["luna.pdf"]);

    // A page that is opened later shows the notice, and Restore there has a key as well.
    tab.press("x");
    tab.until_seen("#ask-dialog[open]");
    tab.press("Enter");
    tab.until_text("#hidden-notice", "Hidden by local");
    show(&mut tab, id);
    tab.until_text("#hidden-notice", "Hidden by local");
    tab.press("x");
    tab.until("document.getElementById('hidden-notice').hidden");
    until_names(&mut list, &["luna.pdf"]);
    assert_eq!(tab.page_errors(), Vec::<String>::new());
    assert_eq!(list.page_errors(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_of_hidden_documents_are_accessible_and_speak_spanish() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let id = document(&env, &server).await;
    assert_eq!(server.request(&format!("POST /documents/{id}/hide"), "").status, 200);
    let mut tab = open_review(&server, id);
    tab.set_language("es");
    show(&mut tab, id);
    tab.until_text("#hidden-notice", "Oculto por local");
    tab.go("/app?hidden=only");
    tab.until_text("#rows", "Restaurar");
    let document = format!("/app/documents/{id}");
    assert_accessible(&mut tab, &[("/app?hidden=only", "[data-restore]"), (&document, "#restore")]);
}
