//! The review page before a document is processed, after a failure, and after reprocessing.

use quire_testkit::browser::Tab;
use quire_testkit::documents::{case_history, clinical_record};

use super::{document, open_review, show, shown};
use crate::test_env::{TestEnv, wait_until};
use crate::uploads::upload;

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_page_turns_into_the_review_when_processing_completes() {
    let env = TestEnv::on_sqlite(&[("QUIRE_UPLOADS_PROCESSING", "false")]);
    let server = env.cli.serve();
    let address = server.address.clone();
    let (_, _, document) = upload(&server, "/documents/upload", "luna.pdf", &case_history());
    let mut tab = Tab::open(&address);
    show(&mut tab, document);
    tab.until_text("#form-head .chip", "Processing has not started");
    assert_eq!(tab.count("[data-reprocess]"), 0, "processing is switched off");
    assert!(server.stop().status.success());
    let env = env.with("QUIRE_UPLOADS_PROCESSING", "true");
    let server = env.cli.serve_on(&address);
    let asked = server.send(&format!("POST /documents/{document}/reprocess"), "", "");
    assert_eq!(asked.status, 201);
    tab.until_seen("[data-key=pet_name]");
    tab.until("document.querySelectorAll('.page').length === 2");
    assert_eq!(shown(&mut tab, "pet_name"), "Luna");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_document_shows_the_reason_and_can_be_reprocessed() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let (_, _, document) = upload(&server, "/documents/upload", "vacío.pdf", &clinical_record(0));
    env.wait_for_latest_run(document).await;
    let mut tab = open_review(&server, document);
    tab.until_text("#form-head .chip", "Processing failed");
    let code = tab.text(".notice code");
    tab.click("[data-reprocess]");
    wait_until(async || env.runs_of(document).await.len() == 2).await;
    let second = env.wait_for_latest_run(document).await;
    tab.until_text(&format!("#form-head[data-run='{}'] .chip", second.id), "Processing failed");
    tab.click(".notice a");
    tab.until_text("h1", &code);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reprocessed_document_shows_the_newest_run() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    super::type_into(&mut tab, "breed", "Rex");
    tab.press("Enter");
    super::until_saved(&mut tab, 2);
    server.send(&format!("POST /documents/{document}/reprocess"), "", "");
    env.wait_for_all_runs(document).await;
    tab.until("document.querySelector('[data-key=breed] .value').textContent === 'Belier'");
}
