//! Links in the browser: paste them, watch them, read a summary beside its text, find, retry.

use quire_testkit::browser::Tab;

use super::accessibility::{assert_accessible, axe};
use super::login::{key, log_in};
use crate::links::{ARTICLE, ended, send, site};
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn pasted_links_are_watched_and_a_failed_one_is_retried() {
    let env = TestEnv::on_sqlite(&[]);
    let site = site(&env);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app");
    tab.click("nav a[href='/app/links']");
    tab.until_text(".empty", "No links yet");
    tab.click("#urls");
    let umbrellas = site.url("/umbrellas");
    tab.type_text(&format!("{umbrellas} {umbrellas}/#top ftp://example.com {}", site.url("/missing")));
    tab.press("Tab");
    tab.press("Enter");
    tab.until_text("#send [role=alert] li", "ftp://example.com");
    tab.until_text("#toasts", "2 links sent");
    tab.until_text("#toasts", "1 link had been sent before");
    assert_eq!(tab.eval("document.getElementById('urls').value"), "ftp://example.com");
    tab.until("document.querySelectorAll('#links .chip.reviewed').length === 1");
    tab.until("document.querySelectorAll('#links .chip.error').length === 1");
    tab.until_text("#links .failure", "WEB_PAGE_REFUSED");
    tab.until_text("#links .unread", "Shared umbrellas");

    site.set_article("/missing", "Found again", ARTICLE);
    tab.click("#links [data-retry]");
    tab.until_text("#toasts", "sent again");
    tab.until("document.querySelectorAll('#links .chip.reviewed').length === 2");
    tab.until_text("#links", "3 links");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_appears_live_beside_the_sentences_that_it_was_made_from() {
    let env = TestEnv::on_sqlite(&[]);
    let site = site(&env);
    site.hold();
    let server = env.cli.serve();
    let request = send(&server, &site.url("/umbrellas"));
    let mut tab = Tab::open(&server.address);
    tab.go(&format!("/app/links/{request}"));
    tab.until_text("#link", "The page is being read.");
    tab.eval("window.sameDocument = true");
    site.release();
    tab.until_text("h1", "Shared umbrellas");
    tab.until_text("#progress", "The summary is ready.");
    assert_eq!(tab.eval("window.sameDocument"), true);
    tab.until_text("#summary", "textrank");
    let quotes = tab.count("#summary .quotes a");
    assert!(quotes > 0);
    assert_eq!(tab.count(".source mark"), quotes, "each sentence is marked once");
    let marked = tab.eval("document.querySelector('.quotes a').hash").as_str().unwrap().to_owned();
    assert_eq!(tab.text("#summary .quotes a"), tab.text(&marked));
    // A late event of the run may draw the page anew and take the focus away.
    tab.until(&format!(
        "(document.querySelector('.quotes a').click(), document.activeElement === document.querySelector('.source mark{marked}'))"
    ));

    tab.click("#read");
    tab.until_text("#read", "Mark as unread");
    tab.go("/app/links?q=SHARED");
    assert_eq!((tab.count("#links article"), tab.count("#links .unread")), (1, 0));
    tab.go("/app/links?q=raincoats");
    tab.until_text(".empty", "No summaries found");
    tab.go(&format!("/app/links/{request}"));
    tab.click("#delete");
    tab.until_text("h1", "Links");
    tab.go("/app/links?q=SHARED");
    tab.until_text(".empty", "No summaries found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_link_says_why_in_spanish_and_a_reader_cannot_change_it() {
    let env = TestEnv::on_sqlite(&[]);
    let site = site(&env);
    let server = env.cli.serve();
    let failed = send(&server, &site.url("/missing"));
    ended(&env, &server, failed).await;
    let mut tab = Tab::open(&server.address);
    tab.set_language("es");
    tab.go(&format!("/app/links/{failed}"));
    tab.until_text("#link-status", "Fallido");
    tab.until_text("p.failure", "El sitio no entrega la página");
    site.set_article("/missing", "Paraguas", ARTICLE);
    tab.click("#retry");
    tab.until(&format!("!location.pathname.includes('{failed}')"));
    tab.until_text("h1", "Paraguas");
    tab.until_text("#link-status", "Resumido");
    drop(server);

    let reader = key(&env, "reader", "read");
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app/links");
    log_in(&mut tab, &reader);
    tab.until_text(".empty", "No links yet");
    assert_eq!(
        tab.count("#send, [data-retry]"),
        0,
        "a key sees its own links alone, and a reader sends none"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_of_links_are_accessible() {
    let env = TestEnv::on_sqlite(&[]);
    let site = site(&env);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    assert_accessible(&mut tab, &[("/app/links", ".empty")]);
    let done = send(&server, &site.url("/umbrellas"));
    let failed = send(&server, &site.url("/missing"));
    ended(&env, &server, done).await;
    ended(&env, &server, failed).await;
    let (summary, failure) = (format!("/app/links/{done}"), format!("/app/links/{failed}"));
    assert_accessible(
        &mut tab,
        &[
            ("/app/links", "#links article"),
            ("/app/links?q=shared", "#links article"),
            (&summary, ".source mark"),
            (&failure, ".failure"),
        ],
    );
    tab.go("/app/links");
    tab.click("#urls");
    tab.type_text("ftp://example.com");
    tab.click("#send button");
    tab.until_seen("#send [role=alert] li");
    tab.eval(&axe());
    let wrong = tab.eval("axe.run().then(({ violations }) => violations.map((rule) => rule.id))");
    assert_eq!(wrong, serde_json::json!([]), "also with a refused link");
}
