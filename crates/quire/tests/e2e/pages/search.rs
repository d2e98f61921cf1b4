//! The search in the browser: results as you type, facets, saved searches, and the found words boxed on the page.

use quire_testkit::browser::Tab;
use quire_testkit::{ModelReply, ModelServer};
use serde_json::json;

use super::accessibility::assert_accessible;
use super::inbox::understood;
use crate::test_env::TestEnv;

fn names(tab: &mut Tab) -> Vec<String> {
    let names = tab.eval("[...document.querySelectorAll('#results a.name')].map((link) => link.textContent)");
    serde_json::from_value(names).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_found_while_typing_and_opened_with_its_words_boxed() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let ids = understood(&env, &server, &["Luna", "Nube"]).await;
    let mut tab = Tab::open(&server.address);
    tab.go("/app");
    tab.click("nav a[href='/app/search']");
    tab.until("document.documentElement.dataset.ready === 'yes' && document.activeElement.id === 'q'");
    tab.eval("window.isSamePage = true; true");
    tab.type_text("oti lun");
    tab.until_text("#total", "1 document found");
    assert_eq!(names(&mut tab), ["Luna.pdf"]);
    assert_eq!(tab.eval("location.search"), "?q=oti+lun");
    tab.eval("document.getElementById('q').select(); true");
    tab.type_text("externa");
    tab.until_text("#total", "2 documents found");
    tab.until_text("#results mark", "externa");
    tab.until_text(".facets", "canin");
    tab.until_text(".facets", "Species");
    assert_eq!(tab.eval("window.isSamePage"), true);

    // The keys of the inbox: down to the first result, and back to the box.
    tab.press("ArrowDown");
    tab.until("document.activeElement.matches('#results a.name')");
    tab.press("/");
    tab.until("document.activeElement.id === 'q'");

    // A facet narrows the search down, and a saved search comes back.
    tab.click("#save-search");
    tab.until_text("#saved a", "externa");
    tab.eval("[...document.querySelectorAll('.facets a')].find((link) => link.href.includes('pet_name')) === undefined");
    tab.eval(
        "[...document.querySelectorAll('.facets a')].find((link) => link.href.includes('reviewed')).click()",
    );
    tab.until("new URLSearchParams(location.search).get('q') === 'externa reviewed:no'");
    tab.until_seen(".facets a[aria-current]");
    tab.click("#saved a");
    tab.until("location.search === '?q=externa'");
    tab.until_seen("#results a.name");

    // The result opens with every found word boxed, and hides them again.
    let luna = tab.eval("[...document.querySelectorAll('#results a.name')].findIndex((link) => link.textContent === 'Luna.pdf')");
    tab.eval(&format!("document.querySelectorAll('#results a.name')[{luna}].click()"));
    tab.until(&format!("location.pathname === '/app/documents/{}'", ids[0]));
    tab.until_text("#hit-count", "1");
    tab.until_seen("#page-1 .found.current");
    tab.press("g");
    tab.until_text("#hit-count", "1");
    tab.click("#hits-close");
    tab.until("document.querySelector('.found') === null && location.search === ''");
    assert_eq!(tab.page_errors(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_search_page_is_accessible_and_speaks_spanish() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let ids = understood(&env, &server, &["Luna", "Nube"]).await;
    let mut tab = Tab::open(&server.address);
    tab.set_language("es");
    tab.go("/app/search?q=externo");
    tab.until_text("#total", "2 documentos encontrados");
    tab.go("/app/search?q=status:rara");
    tab.until_text("[data-refused]", "No se entiende el filtro status");
    let document = format!("/app/documents/{}?q=externa&page=1", ids[0]);
    assert_accessible(
        &mut tab,
        &[
            ("/app/search", "h1"),
            ("/app/search?q=otitis", "#results mark"),
            ("/app/search?q=otitiss+zanahoria", "[data-relaxed], [data-correction]"),
            (&document, ".found.current"),
        ],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_with_links_to_the_boxed_words() {
    let evidence = json!([{ "passage": "p1", "quote": "otitis externa" }]);
    let sentences = json!([
        { "text": "Luna had an ear infection.", "evidence": evidence },
        { "text": "Luna had a fracture.", "evidence": [{ "passage": "p1", "quote": "fractura" }] },
    ]);
    let reply =
        |sentences: &serde_json::Value| ModelReply::Completion(json!({ "sentences": sentences }).to_string());
    let model = ModelServer::start("sk-key", vec![reply(&sentences), reply(&json!([]))]);
    let env = TestEnv::on_sqlite(&[]);
    let file = format!("[model]\nurl = \"{}\"\nname = \"any\"\napi_key = \"sk-key\"\n", model.url);
    env.cli.write("quire.toml", &file);
    let server = env.cli.serve();
    let ids = understood(&env, &server, &["Luna"]).await;
    let mut tab = Tab::open(&server.address);
    tab.go("/app/search");
    tab.until("document.documentElement.dataset.ready === 'yes'");
    assert_accessible(&mut tab, &[("/app/search", "#ask")]);
    tab.click("#question");
    tab.type_text("What did Luna have? otitis");
    tab.press("Enter");
    tab.until_text("#answer", "Luna had an ear infection.");
    tab.until_text("#answer", "1 sentence was left out");
    assert!(!tab.text("#answer").contains("fracture"));
    tab.click("#answer a");
    tab.until(&format!("location.pathname === '/app/documents/{}'", ids[0]));
    tab.until_seen("#page-1 .found.current");

    // Without an answer the passages are shown alone, in the language of the page.
    let mut tab = Tab::open(&server.address);
    tab.set_language("es");
    tab.go("/app/search");
    tab.until("document.documentElement.dataset.ready === 'yes'");
    tab.click("#question");
    tab.type_text("¿Qué come Luna?");
    tab.press("Enter");
    tab.until_text("#answer", "Los documentos no responden a la pregunta");
    tab.until_text("#answer", "otitis externa");
    assert_eq!(tab.page_errors(), Vec::<String>::new());
}
