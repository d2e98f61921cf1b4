//! The inbox with the keyboard only.

use super::{inbox, understood, until_names};
use crate::test_env::{TestEnv, wait_until};

#[tokio::test(flavor = "multi_thread")]
async fn the_inbox_works_with_the_keyboard_only() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let ids = understood(&env, &server, &["Luna", "Nube", "Sol"]).await;
    let mut tab = inbox(&server, "/app");
    until_names(&mut tab, &["Sol.pdf", "Nube.pdf", "Luna.pdf"]);
    tab.press("?");
    tab.until("document.getElementById('shortcuts').open");
    tab.press("Escape");
    tab.until("!document.getElementById('shortcuts').open");
    tab.press("j");
    tab.until("document.activeElement.textContent === 'Sol.pdf'");
    tab.press("x");
    tab.press("Shift+ArrowDown");
    tab.until_text("#selected", "2 selected");
    tab.until("document.activeElement.textContent === 'Nube.pdf'");
    tab.press("a");
    tab.until_text("#selected", "3 selected");
    tab.press("Escape");
    tab.until("document.getElementById('selection').hidden");
    tab.press("x");
    tab.press("r");
    tab.until_text("#reprocess-text", "1 document will be processed again");
    assert_eq!(env.runs_of(ids[1]).await.len(), 1, "nothing happens before it is confirmed");
    tab.press("Enter");
    wait_until(async || env.runs_of(ids[1]).await.len() == 2).await;
    tab.until("document.getElementById('reprocess-cancel').textContent === 'Close'");
    tab.press("Escape");
    tab.until("!document.getElementById('reprocess').open");
    env.wait_for_all_runs(ids[1]).await;
    tab.press("k");
    tab.press("Enter");
    tab.until("location.pathname.startsWith('/app/documents/')");
}
