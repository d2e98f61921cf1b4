//! The pages of links.

use quire_testkit::browser::Tab;

use crate::links::{ARTICLE, ended, send, site};
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn pasted_links_are_watched_read_found_and_retried() {
    let env = TestEnv::on_sqlite(&[]);
    let site = site(&env);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app");
    tab.click("nav a[href='/app/links']");
    tab.until_text("h1", "Links");
    let links = format!("{} {}", site.url("/umbrellas"), site.url("/missing"));
    tab.eval(&format!("document.getElementById('urls').value = {links:?}"));
    tab.click("#send button");
    tab.until("document.querySelectorAll('#links .chip.reviewed').length === 1");
    tab.until("document.querySelectorAll('#links .chip.error').length === 1");
    tab.until_text("#links .failure", "WEB_PAGE_REFUSED");

    site.set_article("/missing", "Found again", ARTICLE);
    tab.click("#links [data-retry]");
    tab.until("document.querySelectorAll('#links .chip.reviewed').length === 2");

    tab.go("/app/links?q=SHARED");
    assert_eq!(tab.count("#links article"), 1);
    tab.click("#links h2 a");
    tab.until_text("h1", "Shared umbrellas");
    tab.until("document.querySelectorAll('.source mark').length > 0");
    let marked = tab.text(".source mark");
    let whole = tab.text(".source");
    assert!(whole.contains(marked.trim()), "{marked}");
    tab.click("#read");
    tab.until_text("#read", "Mark as unread");
    tab.click("#delete");
    tab.until_text("h1", "Links");
    tab.go("/app/links?q=SHARED");
    tab.until_text("#links", "No summary found");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_of_links_are_accessible() {
    let env = TestEnv::on_sqlite(&[]);
    let site = site(&env);
    let server = env.cli.serve();
    let done = send(&server, &site.url("/umbrellas"));
    let failed = send(&server, &site.url("/missing"));
    ended(&env, &server, done).await;
    ended(&env, &server, failed).await;
    let mut tab = Tab::open(&server.address);
    let (summary, failure) = (format!("/app/links/{done}"), format!("/app/links/{failed}"));
    super::accessibility::assert_accessible(
        &mut tab,
        &[("/app/links", "#links article"), (&summary, ".source mark"), (&failure, ".failure")],
    );
}
