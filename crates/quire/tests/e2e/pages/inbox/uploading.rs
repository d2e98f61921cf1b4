//! Bringing documents in, and seeing what becomes of them.

use super::{inbox, is_same_page, names, record};
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_dropped_is_taken_in_and_seen_until_it_is_ready() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    std::fs::create_dir_all(scene.cli.path("folder/inner")).unwrap();
    for (name, patient) in
        [("one.pdf", "Luna"), ("folder/two.pdf", "Nube"), ("folder/inner/three.pdf", "Sol")]
    {
        std::fs::write(scene.cli.path(name), record(patient)).unwrap();
    }
    scene.cli.write("folder/.hidden", "nothing for anybody");
    let mut tab = inbox(&server, "/app");
    tab.until_text("#nothing-yet", "No documents yet");
    tab.until("!!document.querySelector('script[src*=inbox]') && window.isSame");
    let (one, folder) = (scene.cli.path("one.pdf"), scene.cli.path("folder"));
    tab.drop_files("main", &[&one, &folder]);
    tab.until_text("#uploads-summary", "3 of 3 taken in");
    assert!(tab.text("#uploads-summary").contains("1 hidden file left out"));
    tab.until("document.querySelectorAll('#rows .chip.ready').length === 3");
    let mut shown = names(&mut tab);
    shown.sort();
    assert_eq!(shown, ["one.pdf", "three.pdf", "two.pdf"]);
    assert_eq!(tab.text("#total"), "3 documents");
    assert!(is_same_page(&mut tab), "nobody had to load it again");
    assert_eq!(scene.documents().await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_refused_says_why_and_can_be_tried_again_once() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    scene.cli.write("empty.pdf", "");
    scene.cli.write("picture.gif", "GIF89a");
    let mut tab = inbox(&server, "/app");
    let (empty, gif) = (scene.cli.path("empty.pdf"), scene.cli.path("picture.gif"));
    tab.until_seen("#dropzone");
    tab.choose_files("#files", &[&empty, &gif]);
    tab.until("document.querySelectorAll('#uploads li.refused').length === 2");
    assert!(tab.text("#uploads-summary").contains("0 of 2 taken in · 2 refused"));
    let codes =
        tab.eval("[...document.querySelectorAll('#uploads li a.code')].map((a) => a.pathname).sort().join()");
    assert!(codes.as_str().unwrap().contains("/errors/UNSUPPORTED_MEDIA_TYPE"), "{codes}");
    assert!(!tab.text("#uploads li.refused .outcome").is_empty());
    tab.click("#uploads li.refused .retry");
    tab.until("document.querySelectorAll('#uploads li.refused').length === 2");
    tab.click("#uploads-close");
    tab.until("document.getElementById('uploads').hidden");
    assert!(scene.documents().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_has_no_document_tries_the_sample() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let mut tab = inbox(&server, "/app");
    tab.click("#try-sample");
    tab.until("document.querySelector('#rows tr .chip.ready') !== null");
    assert_eq!(names(&mut tab), ["historia-luna.pdf"]);
    tab.until("document.getElementById('nothing-yet').hidden");
    // By a value that no other document has.
    tab.press("/");
    tab.type_text("900123456789012");
    tab.until("location.search === '?q=900123456789012'");
    tab.until_text("#total", "1 document");
    assert_eq!(names(&mut tab), ["historia-luna.pdf"]);
}
