//! What those who govern see and decide, and that nobody else meets a word of it.

use quire_domain::DocumentId;
use quire_testkit::browser::Tab;
use serde_json::json;

use super::login::{key, log_in};
use crate::program::Server;
use crate::reviewing::{edit, field, post, review, understood};
use crate::scene::Scene;

/// Documents on which two people add the same key, and one takes away a key that is critical and one that is not.
pub(super) async fn suggested(scene: &Scene, server: &Server) -> DocumentId {
    let mut first = None;
    for number in 0..2 {
        let (id, run) = understood(scene, server).await;
        let mut changes = vec![json!({ "op": "ADD", "key": "blood_group", "value": "A" })];
        if number == 0 {
            let shown = review(server, id);
            let of = |key| field(&shown["active_interpretation"]["data"], key)["field_id"].clone();
            changes.extend(["notes", "pet_name"].map(|key| json!({ "op": "DELETE", "field_id": of(key) })));
            first = Some(id);
        }
        let made = edit(server, &run, 1, &json!(changes));
        assert_eq!(made.status, 201, "{}", made.body);
    }
    first.unwrap()
}

/// The candidate about that key, as a selector.
fn about(tab: &mut Tab, key: &str) -> String {
    tab.until_text(".candidate h2", key);
    let id = tab.eval(&format!(
        "[...document.querySelectorAll('.candidate')].find((one) => one.querySelector('h2').textContent.includes('{key}')).id"
    ));
    format!("#{}", id.as_str().unwrap())
}

fn heading(tab: &mut Tab) -> String {
    tab.text(".candidate h2")
}

/// Proves R127, R128, R129, R130.
#[tokio::test(flavor = "multi_thread")]
async fn what_edits_suggest_is_approved_with_a_reason_and_the_schema_has_a_new_version() {
    let scene = Scene::on_sqlite(&[]);
    let server = scene.quire.serve();
    let document = suggested(&scene, &server).await;
    drop(server);
    let vera = key(&scene, "vera", "govern");
    let server = scene.quire.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app");
    log_in(&mut tab, &vera);
    tab.click("nav a[href='/app/governance']");
    tab.until_text("h1", "Governance");
    assert_eq!((tab.count(".candidate"), heading(&mut tab)), (3, "blood_group would be added".to_owned()));
    tab.until_text(".candidate:first-of-type", "2 edits");
    let notes = about(&mut tab, "notes");
    tab.until_text(&format!("{notes} .samples q"), "Notas: vuelve dentro");
    let leads = tab.eval(&format!("document.querySelector('{notes} .samples a').getAttribute('href')"));
    assert_eq!(leads, format!("/app/documents/{document}#page-1"));
    tab.go("/app/governance?status=&change_type=KEY_DEPRECATION");
    assert_eq!(tab.count(".candidate"), 2);
    assert_eq!(tab.eval("document.querySelector('[name=change_type]').value"), "KEY_DEPRECATION");
    tab.go("/app/governance?status=REJECTED");
    tab.until_text(".empty", "Nothing of this kind");

    tab.go("/app/governance");
    let group = about(&mut tab, "blood_group");
    tab.click(&format!("{group} [data-decision=APPROVE]"));
    tab.until_text("#decide [data-what]", "blood_group would be added");
    tab.until("document.activeElement.name === 'reason'");
    tab.type_text("seen often");
    tab.press("Enter");
    assert_eq!(tab.eval("document.getElementById('decide').open"), true, "not by one key");
    tab.click("#decide [data-submit]");
    tab.until_text("#toasts", "the schema has a new version");
    tab.until_text(&format!("{group} [data-shown-status]"), "Approved");
    assert_eq!(tab.count(&format!("{group} [data-decision]")), 0, "that is final");
    tab.until(&format!("document.activeElement.matches('{group}')"));

    tab.click(".sheets a[href='/app/governance/schemas']");
    tab.until_text("#keys tbody", "blood_group");
    tab.until_text("#keys-title", "Version 2");
    assert_eq!(tab.count("#versions tbody tr"), 2);
    tab.until_text("#versions tbody tr:first-child", "added blood_group");
    tab.until_text("#versions tbody tr:first-child", "vera");
    tab.click("#versions tbody tr:last-child a");
    tab.until_text("#keys-title", "Version 1");
    tab.until_text(".caution", "not the newest");
    assert_eq!(tab.eval("document.getElementById('keys').textContent.includes('blood_group')"), false);

    tab.click(".sheets a[href='/app/governance/trail']");
    for text in
        ["vera", "Approve", "blood_group would be added", "Pending → Approved", "Version 2", "seen often"]
    {
        tab.until_text("#trail tbody tr:first-child", text);
    }
    assert_eq!(tab.count("#trail tbody tr"), 1);
}

/// Proves R128.
#[tokio::test(flavor = "multi_thread")]
async fn about_what_is_critical_somebody_is_asked_explicitly() {
    let scene = Scene::on_sqlite(&[("QUIRE_SERVER_LANGUAGE", "es")]);
    let server = scene.quire.serve();
    suggested(&scene, &server).await;
    let mut tab = Tab::open(&server.address);
    tab.go("/app/governance");
    let name = about(&mut tab, "pet_name");
    tab.until_text(&format!("{name} .critical"), "Crítico");
    assert_eq!(tab.count(&format!("{name} [data-decision=FLAG_CRITICAL]")), 0, "it is so already");
    tab.click(&format!("{name} [data-decision=REJECT]"));
    tab.until_text("#decide [data-caution]", "clave crítica");
    tab.type_text("se usa siempre");
    tab.click("#decide [data-submit]");
    assert_eq!(tab.eval("document.querySelector('#decide form').checkValidity()"), false);
    assert_eq!(tab.eval("document.getElementById('decide').open"), true);
    tab.click("#decide [name=sure]");
    tab.click("#decide [data-submit]");
    tab.until_text(&format!("{name} [data-shown-status]"), "Rechazado");

    // What is not critical is made so, and asks from then on.
    let group = about(&mut tab, "blood_group");
    tab.click(&format!("{group} [data-decision=FLAG_CRITICAL]"));
    tab.until("!document.querySelector('#decide [data-caution]').checkVisibility()");
    tab.click("#decide [data-submit]");
    tab.until_text(&format!("{group} .critical"), "Crítico");
    tab.click(&format!("{group} [data-decision=APPROVE]"));
    tab.until_text("#decide [data-caution]", "clave crítica");
    tab.press("Escape");
    tab.until("!document.getElementById('decide').open");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_decides_about_what_somebody_else_has_decided_is_told_so() {
    let scene = Scene::on_sqlite(&[]);
    let server = scene.quire.serve();
    suggested(&scene, &server).await;
    let mut slow = Tab::open(&server.address);
    slow.go("/app/governance");
    let notes = about(&mut slow, "notes");
    slow.click(&format!("{notes} [data-decision=DEFER]"));
    slow.until("document.activeElement.name === 'reason'");
    slow.type_text("perhaps later");
    let mut quick = slow.another();
    quick.go("/app/governance");
    quick.click(&format!("{notes} [data-decision=REJECT]"));
    quick.click("#decide [data-submit]");
    quick.until_text(&format!("{notes} [data-shown-status]"), "Rejected");
    slow.click("#decide [data-submit]");
    slow.until_text("#decide [data-conflict]", "It stands now as: Rejected");
    assert_eq!(slow.eval("document.querySelector('#decide [data-submit]').disabled"), true);
    assert_eq!(slow.eval("document.querySelector('#decide textarea').value"), "perhaps later");

    slow.click("#decide [data-cancel]");

    // Nobody approves as harmless what somebody else has flagged.
    let group = about(&mut slow, "blood_group");
    slow.click(&format!("{group} [data-decision=APPROVE]"));
    quick.click(&format!("{group} [data-decision=FLAG_CRITICAL]"));
    quick.click("#decide [data-submit]");
    quick.until_seen(&format!("{group} .critical"));
    slow.click("#decide [data-submit]");
    slow.until_text("#decide [data-conflict]", "It stands now as: Pending, Critical");
    quick.go("/app/governance/trail");
    assert_eq!(quick.count("#trail tbody tr"), 2, "nothing else was decided");
}

/// Proves R126: those who correct documents meet none of it.
#[tokio::test(flavor = "multi_thread")]
async fn those_who_correct_documents_meet_no_word_of_it() {
    let scene = Scene::on_sqlite(&[]);
    let server = scene.quire.serve();
    let document = suggested(&scene, &server).await;
    drop(server);
    let alma = key(&scene, "alma", "review,operate");
    let server = scene.quire.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app");
    log_in(&mut tab, &alma);
    tab.until_text(".who span", "alma");
    for language in ["en", "es"] {
        tab.remember("quire_language", language);
        for page in [
            "/app".to_owned(),
            format!("/app/documents/{document}"),
            format!("/app/documents/{document}/runs"),
            "/app/operations".to_owned(),
        ] {
            let html = tab.eval(&format!(
                "fetch('{page}', {{ headers: {{ Accept: 'text/html' }} }}).then((answer) => answer.text())"
            ));
            let html = html.as_str().unwrap().to_lowercase();
            assert!(html.contains(&format!("lang=\"{language}\"")), "{page}: {html}");
            for word in ["governance", "gobernanza", "pending_review", "reviewer"] {
                assert!(!html.contains(word), "{word} on {page} in {language}");
            }
        }
    }
    tab.remember("quire_language", "en");
    for page in ["", "/schemas", "/trail", "/reliability", "/candidates"] {
        tab.go(&format!("/app/governance{page}"));
        tab.until_text("h1", "This is not possible");
        tab.until_text("main", "FORBIDDEN");
        assert_eq!(tab.count("nav a[href^='/app/governance']"), 0);
    }
}

/// Proves R113, R116.
#[tokio::test(flavor = "multi_thread")]
async fn reviews_draw_the_curve_of_what_they_taught() {
    let scene = Scene::on_sqlite(&[]);
    let server = scene.quire.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app/governance/reliability");
    tab.until_text(".empty", "No review has taught anything");
    for number in 0..4 {
        let (id, run) = understood(&scene, &server).await;
        if number == 3 {
            let shown = review(&server, id);
            let name = field(&shown["active_interpretation"]["data"], "pet_name")["field_id"].clone();
            let made =
                edit(&server, &run, 1, &json!([{ "op": "UPDATE", "field_id": name, "value": "Lola" }]));
            assert_eq!(made.status, 201, "{}", made.body);
        }
        assert_eq!(post(&server, &format!("/documents/{id}/reviewed"), &json!({})).status, 200);
    }
    tab.go("/app/governance/reliability?field_key=pet_name");
    assert_eq!(tab.count(".reliability"), 1);
    for text in ["4 reviews", "75 % accepted", "es"] {
        tab.until_text(".reliability header", text);
    }
    let told = tab.text(".reliability .way dl").split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(told, "Accepted 3 Changed 1 Share accepted 75 % Points from now on +5.0");
    assert!(tab.count(".curve circle") >= 1 && tab.count(".curve .diagonal") == 1);
    let said = tab.eval("document.querySelector('.curve').getAttribute('aria-label')");
    assert!(said.as_str().unwrap().starts_with("Share accepted by confidence: shown with "), "{said}");
    tab.click(".way summary");
    tab.until_text(".way tbody tr td", "3");
    tab.go("/app/governance/reliability");
    assert!(tab.count(".reliability") > 3);
}
