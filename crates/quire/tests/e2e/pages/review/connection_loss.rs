//! Typed text survives a server that stops, a lost response, and leaving the page.

use super::{document, open_review, pick, shown, stored, type_into, until_saved, value};
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_saved_after_the_server_restarts() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let address = server.address.clone();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    type_into(&mut tab, "breed", "Rex");
    tab.press("Enter");
    until_saved(&mut tab, 2);
    type_into(&mut tab, "pet_name", "Nube");
    server.signal("-KILL");
    server.wait();
    tab.press("Enter");
    tab.until_text("#save-status", "Not saved");
    assert_eq!(tab.eval("document.querySelector('.editor input').value"), "Nube", "the text stays");
    let server = env.cli.serve_on(&address);
    until_saved(&mut tab, 3);
    let stored = stored(&server, document);
    assert_eq!((value(&stored, "pet_name"), value(&stored, "breed")), ("Nube".into(), "Rex".into()));
    assert_eq!(stored["version_number"], 3, "once");
    assert_eq!(shown(&mut tab, "pet_name"), "Nube");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_whose_response_is_lost_is_stored_once() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    tab.eval(
        "(() => { const real = window.fetch; let isLost = false; window.fetch = async (address, options) => { \
         const response = await real(address, options); \
         if (options?.method === 'POST' && !isLost) { isLost = true; throw new TypeError('lost') } return response } })()",
    );
    type_into(&mut tab, "notes", "una vez");
    tab.press("Enter");
    until_saved(&mut tab, 2);
    let stored = stored(&server, document);
    assert_eq!((value(&stored, "notes"), &stored["version_number"]), ("una vez".into(), &2.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn leaving_typed_text_asks_first() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    type_into(&mut tab, "breed", "Rex");
    tab.click("[data-key=pet_name] .pick");
    tab.until_text("#ask-dialog", "You have not saved");
    tab.press("Escape");
    tab.until("!document.querySelector('#ask-dialog').open");
    assert_eq!(tab.eval("document.querySelector('.editor input').value"), "Rex");
    tab.eval("setTimeout(() => location.assign('/app'), 0), null");
    tab.answer_dialog(false);
    assert_eq!(tab.eval("document.querySelector('.editor input').value"), "Rex", "the page was not left");
    tab.click("[data-key=pet_name] .pick");
    tab.click("#ask-dialog .primary");
    until_saved(&mut tab, 2);
    tab.until("document.querySelector('.field.selected').dataset.key === 'pet_name'");
    assert_eq!(value(&stored(&server, document), "breed"), "Rex");
    pick(&mut tab, "breed");
}
