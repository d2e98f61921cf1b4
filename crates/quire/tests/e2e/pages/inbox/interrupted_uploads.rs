//! Uploads that are cancelled or lose their connection.

use serde_json::json;

use super::{inbox, is_same_page, names, record};
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn leaving_during_an_upload_asks_first_and_an_upload_can_be_cancelled() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let mut large = record("Luna");
    large.extend(std::iter::repeat_n(b'\n', 4_000_000));
    std::fs::write(env.cli.path("large.pdf"), large).unwrap();
    let mut tab = inbox(&server, "/app");
    let slow =
        json!({ "offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 10_000 });
    tab.command("Network.emulateNetworkConditions", slow);
    tab.click("h1");
    tab.choose_files("#files", &[&env.cli.path("large.pdf")]);
    tab.until_seen("#uploads li.sending");
    tab.eval("setTimeout(() => location.assign('/app/operations'), 0); true");
    tab.answer_dialog(false);
    assert!(is_same_page(&mut tab));
    tab.click("#uploads li .cancel");
    tab.until_text("#uploads li.cancelled", "Cancelled");
    tab.until_text("#uploads-summary", "0 of 1 uploaded");
    assert!(env.documents().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_got_no_response_is_retried_and_stored_once() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let address = server.address.clone();
    std::fs::write(env.cli.path("luna.pdf"), record("Luna")).unwrap();
    let mut tab = inbox(&server, "/app");
    tab.until_seen("#dropzone");
    server.signal("-KILL");
    server.wait();
    tab.choose_files("#files", &[&env.cli.path("luna.pdf")]);
    tab.until_text("#uploads li.refused", "not responding");
    let _server = env.cli.serve_on(&address);
    tab.until("document.getElementById('offline').hidden");
    tab.click("#uploads li .retry");
    tab.until("document.querySelectorAll('#rows .chip.ready').length === 1");
    assert_eq!(names(&mut tab), ["luna.pdf"]);
    assert_eq!(env.documents().await.len(), 1);
}
