//! What stands around every page.

use quire_testkit::browser::Tab;

use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn the_root_leads_to_the_documents_in_the_language_of_the_browser() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/");
    assert_eq!(tab.eval("location.pathname"), "/app");
    assert_eq!(tab.eval("document.documentElement.lang"), "en");
    assert_eq!(tab.text("h1"), "Documents");
    tab.speak("es-ES,es;q=0.9,en;q=0.5");
    tab.go("/app");
    assert_eq!(tab.eval("document.documentElement.lang"), "es");
    assert_eq!(tab.text("h1"), "Documentos");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_language_and_the_colours_that_somebody_chose_stay() {
    let scene = TestEnv::on_sqlite(&[("QUIRE_SERVER_LANGUAGE", "es")]);
    let server = scene.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app");
    assert_eq!(tab.text("h1"), "Documentos", "the setting comes before the browser");
    tab.click("button[value=en]");
    tab.until("document.documentElement.lang === 'en'");
    tab.click("button[name=theme]");
    tab.until("document.documentElement.dataset.theme === 'dark'");
    let mut another = tab.another();
    another.go("/app");
    assert_eq!(
        another.eval("[document.documentElement.lang, document.documentElement.dataset.theme].join()"),
        "en,dark"
    );
    assert_eq!(another.eval("getComputedStyle(document.body).colorScheme"), "dark");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_is_not_there_says_so_on_a_page() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/assets/0/nothing.js");
    tab.until_text("h1", "Nothing here");
    tab.click("main a[href='/errors/NOT_FOUND']");
    tab.until_text("h1", "NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_says_when_the_server_is_away_and_when_it_is_back() {
    let scene = TestEnv::on_sqlite(&[]);
    let server = scene.cli.serve();
    let address = server.address.clone();
    let mut tab = Tab::open(&address);
    tab.go("/app");
    server.signal("-KILL");
    server.wait();
    tab.until_text("#live", "does not answer");
    let _server = scene.cli.serve_on(&address);
    tab.until("document.getElementById('live').hidden");
}
