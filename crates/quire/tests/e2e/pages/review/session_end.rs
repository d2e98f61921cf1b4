//! A session that ends while somebody works.

use super::{document, show, shown, type_into, until_saved, value};
use crate::pages::login::{key, log_in};
use crate::test_env::{TestEnv, wait_until};

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_ends_during_an_edit_loses_nothing() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let (alma, bruno) = (key(&env, "alma", "review"), key(&env, "bruno", "review"));
    wait_until(async || server.get("/documents").status == 401).await;
    let mut tab = quire_testkit::browser::Tab::open(&server.address);
    tab.go("/app");
    log_in(&mut tab, &alma);
    tab.until_text(".account span", "alma");
    show(&mut tab, document);
    type_into(&mut tab, "breed", "Rex");

    env.sql.execute("DELETE FROM sessions").await.unwrap();
    tab.press("Enter");
    tab.until_text("#login-dialog", "Log in again as alma");
    let typed = |tab: &mut quire_testkit::browser::Tab, text: &str| {
        tab.until("document.activeElement.id === 'login-dialog-key'");
        tab.type_text(text);
        tab.press("Enter");
    };
    typed(&mut tab, &alma[..alma.len() - 1]);
    tab.until_text("#login-dialog-error", "wrong");
    typed(&mut tab, &bruno);
    tab.until_text("#login-dialog-error", "another person");
    typed(&mut tab, &alma);
    until_saved(&mut tab, 2);
    assert_eq!((shown(&mut tab, "breed").as_str(), tab.count("#login-dialog")), ("Rex", 0));
    let bearer = format!("Authorization: Bearer {bruno}\r\n");
    let review = server.request_json(&format!("GET /documents/{document}/review"), &bearer, "").body;
    assert_eq!(value(&review["active_interpretation"], "breed"), "Rex");

    // The stream of events goes on as well: another person's edit appears.
    type_into(&mut tab, "pet_name", "Nube");
    tab.press("Enter");
    until_saved(&mut tab, 3);
}
