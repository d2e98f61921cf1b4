//! What was typed is kept, and what was said to be saved is saved, whatever happens to the server.

use super::{document, opened, pick, shown, stored, type_into, until_saved, value};
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_while_the_server_is_killed_is_saved_once_it_is_back() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let address = server.address.clone();
    let document = document(&scene, &server).await;
    let mut tab = opened(&server, document);
    type_into(&mut tab, "breed", "Rex");
    tab.press("Enter");
    until_saved(&mut tab, 2);
    type_into(&mut tab, "pet_name", "Nube");
    server.signal("-KILL");
    server.wait();
    tab.press("Enter");
    tab.until_text("#said", "Not saved");
    assert_eq!(tab.eval("document.querySelector('.editor input').value"), "Nube", "the text stays");
    let server = scene.cli.serve_on(&address);
    until_saved(&mut tab, 3);
    let stored = stored(&server, document);
    assert_eq!((value(&stored, "pet_name"), value(&stored, "breed")), ("Nube".into(), "Rex".into()));
    assert_eq!(stored["version_number"], 3, "once");
    assert_eq!(shown(&mut tab, "pet_name"), "Nube");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_save_whose_answer_is_lost_is_not_made_twice() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let document = document(&scene, &server).await;
    let mut tab = opened(&server, document);
    tab.eval(
        "(() => { const real = window.fetch; let isLost = false; window.fetch = async (address, options) => { \
         const answer = await real(address, options); \
         if (options?.method === 'POST' && !isLost) { isLost = true; throw new TypeError('lost') } return answer } })()",
    );
    type_into(&mut tab, "notes", "una vez");
    tab.press("Enter");
    until_saved(&mut tab, 2);
    let stored = stored(&server, document);
    assert_eq!((value(&stored, "notes"), &stored["version_number"]), ("una vez".into(), &2.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_leaves_what_they_typed_without_being_asked() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let document = document(&scene, &server).await;
    let mut tab = opened(&server, document);
    type_into(&mut tab, "breed", "Rex");
    tab.click("[data-key=pet_name] .pick");
    tab.until_text("#ask-dialog", "has not been saved");
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
