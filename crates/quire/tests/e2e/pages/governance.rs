//! Governance: candidates, decisions, schemas, audit trail, reliability.

use quire_domain::DocumentId;
use quire_testkit::browser::Tab;
use serde_json::json;

use super::login::{key, log_in};
use crate::program::TestServer;
use crate::record::{edit, field, mark_reviewed, process_record, review};
use crate::test_env::TestEnv;

/// Edits two documents so that there are three candidates: one new key, and two removed keys of which one is critical.
pub(super) async fn with_candidates(env: &TestEnv, server: &TestServer) -> DocumentId {
    let mut first = None;
    for number in 0..2 {
        let (id, run) = process_record(env, server).await;
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

/// The selector of the candidate for that key.
fn candidate_of(tab: &mut Tab, key: &str) -> String {
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
async fn approving_a_candidate_makes_a_new_schema_version() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = with_candidates(&env, &server).await;
    drop(server);
    let vera = key(&env, "vera", "govern");
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app");
    log_in(&mut tab, &vera);
    tab.click("nav a[href='/app/governance']");
    tab.until_text("h1", "Governance");
    assert_eq!((tab.count(".candidate"), heading(&mut tab)), (3, "Add blood_group".to_owned()));
    tab.until_text(".candidate:first-of-type", "2 edits");
    let notes = candidate_of(&mut tab, "notes");
    tab.until_text(&format!("{notes} .samples q"), "Notas: vuelve dentro");
    let leads = tab.eval(&format!("document.querySelector('{notes} .samples a').getAttribute('href')"));
    assert_eq!(leads, format!("/app/documents/{document}#page-1"));
    tab.go("/app/governance?status=&change_type=KEY_DEPRECATION");
    assert_eq!(tab.count(".candidate"), 2);
    assert_eq!(tab.eval("document.querySelector('[name=change_type]').value"), "KEY_DEPRECATION");
    tab.go("/app/governance?status=REJECTED");
    tab.until_text(".empty", "No candidates match");

    tab.go("/app/governance");
    let group = candidate_of(&mut tab, "blood_group");
    tab.click(&format!("{group} [data-decision=APPROVE]"));
    tab.until_text("#decide [data-what]", "Add blood_group");
    tab.until("document.activeElement.name === 'reason'");
    tab.type_text("seen often");
    tab.press("Enter");
    assert_eq!(tab.eval("document.getElementById('decide').open"), true, "Enter adds a line to the reason");
    tab.click("#decide [data-submit]");
    tab.until_text("#toasts", "The schema has a new version");
    tab.until_text(&format!("{group} [data-shown-status]"), "Approved");
    assert_eq!(tab.count(&format!("{group} [data-decision]")), 0, "an approval is final");
    tab.until(&format!("document.activeElement.matches('{group}')"));

    tab.click(".tabs a[href='/app/governance/schemas']");
    tab.until_text("#keys tbody", "blood_group");
    tab.until_text("#keys-title", "Version 2");
    assert_eq!(tab.count("#versions tbody tr"), 2);
    tab.until_text("#versions tbody tr:first-child", "added blood_group");
    tab.until_text("#versions tbody tr:first-child", "vera");
    tab.click("#versions tbody tr:last-child a");
    tab.until_text("#keys-title", "Version 1");
    tab.until_text(".caution", "not the newest");
    assert_eq!(tab.eval("document.getElementById('keys').textContent.includes('blood_group')"), false);

    tab.click(".tabs a[href='/app/governance/trail']");
    for text in ["vera", "Approve", "Add blood_group", "Pending → Approved", "Version 2", "seen often"] {
        tab.until_text("#trail tbody tr:first-child", text);
    }
    assert_eq!(tab.count("#trail tbody tr"), 1);
}

/// Proves R128.
#[tokio::test(flavor = "multi_thread")]
async fn decisions_on_critical_keys_need_a_confirmation_and_a_reason() {
    let env = TestEnv::on_sqlite(&[("QUIRE_SERVER_LANGUAGE", "es")]);
    let server = env.cli.serve();
    with_candidates(&env, &server).await;
    let mut tab = Tab::open(&server.address);
    tab.go("/app/governance");
    let name = candidate_of(&mut tab, "pet_name");
    tab.until_text(&format!("{name} .critical"), "Crítico");
    assert_eq!(tab.count(&format!("{name} [data-decision=FLAG_CRITICAL]")), 0, "the key is critical already");
    tab.click(&format!("{name} [data-decision=REJECT]"));
    tab.until_text("#decide [data-caution]", "clave crítica");
    tab.type_text("se usa siempre");
    tab.click("#decide [data-submit]");
    assert_eq!(tab.eval("document.querySelector('#decide form').checkValidity()"), false);
    assert_eq!(tab.eval("document.getElementById('decide').open"), true);
    tab.click("#decide [name=confirm]");
    tab.click("#decide [data-submit]");
    tab.until_text(&format!("{name} [data-shown-status]"), "Rechazado");

    // After a candidate is flagged as critical, its decisions need a confirmation too.
    let group = candidate_of(&mut tab, "blood_group");
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
async fn a_decision_is_refused_if_another_person_decided_first() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    with_candidates(&env, &server).await;
    let mut slow = Tab::open(&server.address);
    slow.go("/app/governance");
    let notes = candidate_of(&mut slow, "notes");
    slow.click(&format!("{notes} [data-decision=DEFER]"));
    slow.until("document.activeElement.name === 'reason'");
    slow.type_text("perhaps later");
    let mut quick = slow.open_another();
    quick.go("/app/governance");
    quick.click(&format!("{notes} [data-decision=REJECT]"));
    quick.click("#decide [data-submit]");
    quick.until_text(&format!("{notes} [data-shown-status]"), "Rejected");
    slow.click("#decide [data-submit]");
    slow.until_text("#decide [data-conflict]", "Its status is now: Rejected");
    assert_eq!(slow.eval("document.querySelector('#decide [data-submit]').disabled"), true);
    assert_eq!(slow.eval("document.querySelector('#decide textarea').value"), "perhaps later");

    slow.click("#decide [data-cancel]");

    // An approval is refused if another person has flagged the key as critical meanwhile.
    let group = candidate_of(&mut slow, "blood_group");
    slow.click(&format!("{group} [data-decision=APPROVE]"));
    quick.click(&format!("{group} [data-decision=FLAG_CRITICAL]"));
    quick.click("#decide [data-submit]");
    quick.until_seen(&format!("{group} .critical"));
    slow.click("#decide [data-submit]");
    slow.until_text("#decide [data-conflict]", "Its status is now: Pending, Critical");
    quick.go("/app/governance/trail");
    assert_eq!(quick.count("#trail tbody tr"), 2, "the refused decisions are not recorded");
}

/// Proves R126.
#[tokio::test(flavor = "multi_thread")]
async fn reviewers_see_nothing_of_governance() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = with_candidates(&env, &server).await;
    drop(server);
    let alma = key(&env, "alma", "review,operate");
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app");
    log_in(&mut tab, &alma);
    tab.until_text(".account span", "alma");
    for language in ["en", "es"] {
        tab.set_cookie("quire_language", language);
        for page in [
            "/app".to_owned(),
            format!("/app/documents/{document}"),
            format!("/app/documents/{document}/runs"),
            "/app/operations".to_owned(),
        ] {
            let html = tab.eval(&format!(
                "fetch('{page}', {{ headers: {{ Accept: 'text/html' }} }}).then((response) => response.text())"
            ));
            let html = html.as_str().unwrap().to_lowercase();
            assert!(html.contains(&format!("lang=\"{language}\"")), "{page}: {html}");
            for word in ["governance", "gobernanza", "pending_review", "reviewer"] {
                assert!(!html.contains(word), "{word} on {page} in {language}");
            }
        }
    }
    tab.set_cookie("quire_language", "en");
    for page in ["", "/schemas", "/trail", "/reliability", "/candidates"] {
        tab.go(&format!("/app/governance{page}"));
        tab.until_text("h1", "This page cannot be shown");
        tab.until_text("main", "FORBIDDEN");
        assert_eq!(tab.count("nav a[href^='/app/governance']"), 0);
    }
}

/// Proves R113, R116.
#[tokio::test(flavor = "multi_thread")]
async fn reviews_appear_in_the_reliability_curves() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app/governance/reliability");
    tab.until_text(".empty", "No reviews yet");
    for number in 0..4 {
        let (id, run) = process_record(&env, &server).await;
        if number == 3 {
            let shown = review(&server, id);
            let name = field(&shown["active_interpretation"]["data"], "pet_name")["field_id"].clone();
            let made =
                edit(&server, &run, 1, &json!([{ "op": "UPDATE", "field_id": name, "value": "Lola" }]));
            assert_eq!(made.status, 201, "{}", made.body);
        }
        assert_eq!(mark_reviewed(&server, id).status, 200);
    }
    tab.go("/app/governance/reliability?field_key=pet_name");
    assert_eq!(tab.count(".reliability"), 1);
    for text in ["4 reviews", "75 % accepted", "es"] {
        tab.until_text(".reliability header", text);
    }
    let numbers = tab.text(".reliability .mapping dl").split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(numbers, "Accepted 3 Corrected 1 Accepted share 75 % Confidence adjustment +5.0");
    assert!(tab.count(".curve circle") >= 1 && tab.count(".curve .diagonal") == 1);
    let label = tab.eval("document.querySelector('.curve').getAttribute('aria-label')");
    assert!(label.as_str().unwrap().starts_with("Accepted share by confidence: confidence "), "{label}");
    tab.click(".mapping summary");
    tab.until_text(".mapping tbody tr td", "3");
    tab.go("/app/governance/reliability");
    assert!(tab.count(".reliability") > 3);
}
