//! The inbox during a restart of the server.

use super::{inbox, is_same_page, record, until_names};
use crate::test_env::TestEnv;
use crate::uploads::form::Form;

#[tokio::test(flavor = "multi_thread")]
async fn the_list_keeps_updating_after_a_server_restart() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let address = server.address.clone();
    let mut tab = inbox(&server, "/app");
    tab.until_seen("#no-documents");
    server.signal("-KILL");
    server.wait();
    tab.until_text("#offline", "not responding");
    let server = env.cli.serve_on(&address);
    let id = Form::file("later.pdf", &record("Luna")).send(&server, "/documents/upload").document_id();
    env.wait_for_latest_run(id).await;
    until_names(&mut tab, &["later.pdf"]);
    tab.until_seen("#rows .chip.ready");
    assert!(is_same_page(&mut tab));
}
