//! Many documents: reprocessing all that match, and loading page by page.

use quire_domain::{Document, DocumentId};
use quire_ports::NewDocument;
use quire_testkit::fixture::document;

use super::{inbox, understood, until_names};
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn all_documents_that_match_the_filters_are_reprocessed_after_a_confirmation() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let ids = understood(&env, &server, &["Luna", "Lunares", "Nube"]).await;
    let mut tab = inbox(&server, "/app?q=luna");
    until_names(&mut tab, &["Lunares.pdf", "Luna.pdf"]);
    tab.click("#reprocess-all");
    tab.until_text("#reprocess-text", "2 documents will be processed again");
    tab.click("#reprocess-start");
    tab.until_text("#reprocess-text", "2 documents will be processed again.");
    tab.until("document.getElementById('reprocess-cancel').textContent === 'Close'");
    tab.click("#reprocess-cancel");
    for (id, runs) in ids.iter().zip([2, 2, 1]) {
        env.wait_for_all_runs(*id).await;
        assert_eq!(env.runs_of(*id).await.len(), runs);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_list_is_loaded_page_by_page() {
    let env = TestEnv::on_sqlite(&[]);
    for number in 0..120 {
        let original_filename = format!("{number}.pdf");
        let document = Document { original_filename, ..document(DocumentId::new()) };
        env.store
            .documents
            .add(NewDocument::uploaded_by("tester", &document, None), document.created_at)
            .await
            .unwrap();
    }
    let server = env.cli.serve();
    let mut tab = inbox(&server, "/app");
    assert_eq!((tab.count("#rows tr"), tab.text("#total")), (50, "120 documents".to_owned()));
    let bytes = tab.eval(
        "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')] \
         .reduce((sum, entry) => sum + entry.transferSize, 0)",
    );
    assert!(bytes.as_u64().unwrap() < 150 * 1024, "{bytes} bytes to load the page");
    for expected in [100, 120] {
        tab.click("#more");
        tab.until(&format!("document.querySelectorAll('#rows tr').length === {expected}"));
    }
    tab.until("document.getElementById('more-place').hidden");
    let different =
        tab.eval("new Set([...document.querySelectorAll('#rows tr')].map((row) => row.dataset.id)).size");
    assert_eq!(different, 120);
}
