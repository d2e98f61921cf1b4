//! The frame of every page: language, colours, error pages, the offline notice.

use quire_testkit::browser::Tab;

use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn the_root_redirects_to_the_documents_in_the_language_of_the_browser() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/");
    assert_eq!(tab.eval("location.pathname"), "/app");
    assert_eq!(tab.eval("document.documentElement.lang"), "en");
    assert_eq!(tab.text("h1"), "Documents");
    tab.set_language("es-ES,es;q=0.9,en;q=0.5");
    tab.go("/app");
    assert_eq!(tab.eval("document.documentElement.lang"), "es");
    assert_eq!(tab.text("h1"), "Documentos");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_chosen_language_and_colours_are_remembered() {
    let env = TestEnv::on_sqlite(&[("QUIRE_SERVER_LANGUAGE", "es")]);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app");
    assert_eq!(tab.text("h1"), "Documentos", "the setting overrides the browser");
    tab.click("button[value=en]");
    tab.until("document.documentElement.lang === 'en'");
    tab.click("button[name=theme]");
    tab.until("document.documentElement.dataset.theme === 'dark'");
    let mut another = tab.open_another();
    another.go("/app");
    assert_eq!(
        another.eval("[document.documentElement.lang, document.documentElement.dataset.theme].join()"),
        "en,dark"
    );
    assert_eq!(another.eval("getComputedStyle(document.body).colorScheme"), "dark");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_address_shows_an_error_page() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/assets/0/nothing.js");
    tab.until_text("h1", "Page not found");
    tab.click("main a[href='/errors/NOT_FOUND']");
    tab.until_text("h1", "NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_shows_while_the_server_does_not_respond() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let address = server.address.clone();
    let mut tab = Tab::open(&address);
    tab.go("/app");
    server.signal("-KILL");
    server.wait();
    tab.until_text("#offline", "not responding");
    let _server = env.cli.serve_on(&address);
    tab.until("document.getElementById('offline').hidden");
}
