//! The page of a document that is still being processed, or whose processing failed.

use quire_testkit::browser::Tab;
use quire_testkit::documents::{case_history, clinical_record};

use super::{document, opened, show, shown};
use crate::test_env::{TestEnv, wait_until};
use crate::uploads::upload;

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_waits_turns_into_its_review_when_it_was_understood() {
    let scene = TestEnv::on_sqlite(&[("QUIRE_UPLOADS_PROCESSING", "false")]);
    let server = scene.cli.serve();
    let address = server.address.clone();
    let (_, _, document) = upload(&server, "/documents/upload", "luna.pdf", &case_history());
    let mut tab = Tab::open(&address);
    show(&mut tab, document);
    tab.until_text("#panel-head .chip", "Processing has not started");
    assert_eq!(tab.count("[data-reprocess]"), 0, "nobody would do it");
    assert!(server.stop().status.success());
    let scene = scene.with("QUIRE_UPLOADS_PROCESSING", "true");
    let server = scene.cli.serve_on(&address);
    let asked = server.send(&format!("POST /documents/{document}/reprocess"), "", "");
    assert_eq!(asked.status, 201);
    tab.until_seen("[data-key=pet_name]");
    tab.until("document.querySelectorAll('.sheet').length === 2");
    assert_eq!(shown(&mut tab, "pet_name"), "Luna");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_document_says_why_and_can_be_processed_again() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let (_, _, document) = upload(&server, "/documents/upload", "vacío.pdf", &clinical_record(0));
    scene.wait_for_latest_run(document).await;
    let mut tab = opened(&server, document);
    tab.until_text("#panel-head .chip", "Processing failed");
    let code = tab.text(".notice code");
    tab.click("[data-reprocess]");
    wait_until(async || scene.runs_of(document).await.len() == 2).await;
    scene.wait_for_all_runs(document).await;
    tab.until_text("#panel-head .chip", "Processing failed");
    tab.click(".notice a");
    tab.until_text("h1", &code);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_processed_again_shows_what_the_newest_run_found() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let document = document(&scene, &server).await;
    let mut tab = opened(&server, document);
    super::type_into(&mut tab, "breed", "Rex");
    tab.press("Enter");
    super::until_saved(&mut tab, 2);
    server.send(&format!("POST /documents/{document}/reprocess"), "", "");
    scene.wait_for_all_runs(document).await;
    tab.until("document.querySelector('[data-key=breed] .value').textContent === 'Belier'");
}
