//! Uploading documents.

use super::{inbox, is_same_page, names, record};
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn dropped_files_are_uploaded_and_become_ready() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    std::fs::create_dir_all(env.cli.path("folder/inner")).unwrap();
    for (name, patient) in
        [("one.pdf", "Luna"), ("folder/two.pdf", "Nube"), ("folder/inner/three.pdf", "Sol")]
    {
        std::fs::write(env.cli.path(name), record(patient)).unwrap();
    }
    env.cli.write("folder/.hidden", "hidden");
    let mut tab = inbox(&server, "/app");
    tab.until_text("#no-documents", "No documents yet");
    tab.until("!!document.querySelector('script[src*=inbox]') && window.isSamePage");
    let (one, folder) = (env.cli.path("one.pdf"), env.cli.path("folder"));
    tab.drop_files("main", &[&one, &folder]);
    tab.until_text("#uploads-summary", "3 of 3 uploaded");
    assert!(tab.text("#uploads-summary").contains("1 hidden file skipped"));
    tab.until("document.querySelectorAll('#rows .chip.ready').length === 3");
    let mut shown = names(&mut tab);
    shown.sort();
    assert_eq!(shown, ["one.pdf", "three.pdf", "two.pdf"]);
    assert_eq!(tab.text("#total"), "3 documents");
    assert!(is_same_page(&mut tab), "the page was not reloaded");
    assert_eq!(env.documents().await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_upload_shows_the_reason_and_can_be_retried() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    env.cli.write("empty.pdf", "");
    env.cli.write("picture.gif", "GIF89a");
    let mut tab = inbox(&server, "/app");
    let (empty, gif) = (env.cli.path("empty.pdf"), env.cli.path("picture.gif"));
    tab.until_seen("#dropzone");
    tab.choose_files("#files", &[&empty, &gif]);
    tab.until("document.querySelectorAll('#uploads li.refused').length === 2");
    assert!(tab.text("#uploads-summary").contains("0 of 2 uploaded · 2 refused"));
    let codes =
        tab.eval("[...document.querySelectorAll('#uploads li a.code')].map((a) => a.pathname).sort().join()");
    assert!(codes.as_str().unwrap().contains("/errors/UNSUPPORTED_MEDIA_TYPE"), "{codes}");
    assert!(!tab.text("#uploads li.refused .outcome").is_empty());
    tab.click("#uploads li.refused .retry");
    tab.until("document.querySelectorAll('#uploads li.refused').length === 2");
    tab.click("#uploads-close");
    tab.until("document.getElementById('uploads').hidden");
    assert!(env.documents().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_sample_can_be_uploaded_from_an_empty_inbox() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let mut tab = inbox(&server, "/app");
    tab.click("#try-sample");
    tab.until("document.querySelector('#rows tr .chip.ready') !== null");
    assert_eq!(names(&mut tab), ["historia-luna.pdf"]);
    tab.until("document.getElementById('no-documents').hidden");
    // Search for a value of the sample.
    tab.press("/");
    tab.type_text("900123456789012");
    tab.until("location.search === '?q=900123456789012'");
    tab.until_text("#total", "1 document");
    assert_eq!(names(&mut tab), ["historia-luna.pdf"]);
}
