//! Search and filters.

use serde_json::json;

use super::{inbox, is_same_page, names, understood, until_names};
use crate::record::mark_reviewed;
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn search_finds_names_and_values_and_is_in_the_address() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    understood(&env, &server, &["Luna", "Nube", "Truenó"]).await;
    let mut tab = inbox(&server, "/app");
    until_names(&mut tab, &["Truenó.pdf", "Nube.pdf", "Luna.pdf"]);
    tab.press("/");
    tab.type_text("TRUENO");
    until_names(&mut tab, &["Truenó.pdf"]);
    assert_eq!(tab.eval("location.search"), "?q=TRUENO");
    tab.eval("document.getElementById('q').select(); true");
    tab.type_text("otitis");
    until_names(&mut tab, &["Truenó.pdf", "Nube.pdf", "Luna.pdf"]);
    tab.eval("document.getElementById('q').select(); true");
    tab.type_text("nobody");
    tab.until_text("#no-results", "No documents found");
    tab.click("#clear-filters");
    until_names(&mut tab, &["Truenó.pdf", "Nube.pdf", "Luna.pdf"]);
    assert_eq!(tab.eval("location.pathname + location.search"), "/app");
    tab.eval("history.back(); true");
    tab.until_text("#no-results", "No documents found");
    assert_eq!(tab.eval("document.getElementById('q').value"), "nobody");
    assert!(is_same_page(&mut tab));
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_are_in_the_address_and_the_list_updates_live() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let ids = understood(&env, &server, &["Luna", "Nube"]).await;
    let mut tab = inbox(&server, "/app?review_status=IN_REVIEW");
    until_names(&mut tab, &["Nube.pdf", "Luna.pdf"]);
    assert_eq!(mark_reviewed(&server, ids[0]).status, 200);
    until_names(&mut tab, &["Nube.pdf"]);
    tab.until_text("#total", "1 document");
    tab.eval("document.querySelector('[name=review_status][value=REVIEWED]').click(); true");
    until_names(&mut tab, &["Luna.pdf"]);
    assert_eq!(tab.eval("location.search"), "?review_status=REVIEWED");
    assert_eq!(
        tab.eval("document.querySelector('[data-export=csv]').search"),
        "?review_status=REVIEWED&format=csv"
    );
    tab.until_text("#rows .chip.reviewed", "Reviewed");
    assert!(is_same_page(&mut tab));
    // The filters work without scripts too.
    tab.command("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    tab.go("/app?review_status=REVIEWED&q=luna&status=");
    tab.command("Emulation.setScriptExecutionDisabled", json!({ "value": false }));
    assert_eq!(names(&mut tab), ["Luna.pdf"]);
}
