//! Logging in and out, and working with a role that may not do everything.

use quire_testkit::browser::Tab;

use crate::test_env::TestEnv;

/// What pages offer to those who may operate, and to nobody else.
const FOR_OPERATORS: [(&str, &str); 1] = [("/app/documents/ID/runs", "#again")];

pub(super) fn key(scene: &TestEnv, name: &str, roles: &str) -> String {
    scene.cli.run_ok(&["keys", "create", "--name", name, "--role", roles]).trim_end().to_owned()
}

pub(super) fn log_in(tab: &mut Tab, key: &str) {
    tab.until_seen("input[name=key]");
    tab.until("document.activeElement.name === 'key'");
    tab.type_text(key);
    tab.press("Enter");
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_logs_in_with_the_keyboard_and_out_again() {
    let scene = TestEnv::on_sqlite(&[("QUIRE_UPLOADS_PROCESSING", "false")]);
    let alma = key(&scene, "alma", "review,operate");
    let server = scene.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app?q=luna");
    assert_eq!(tab.text("h1"), "Log in");
    log_in(&mut tab, &alma[..alma.len() - 1]);
    tab.until_text("[role=alert]", "not known here");
    assert_eq!(tab.eval("document.getElementById('key').value"), "", "what was wrong is not kept");
    log_in(&mut tab, &alma);
    tab.until_text(".who span", "alma");
    assert_eq!(tab.eval("location.pathname + location.search"), "/app?q=luna");
    assert_eq!(tab.eval("document.cookie.includes('quire_session')"), false, "no script reads it");
    assert_eq!(upload(&mut tab), "201", "scripts say the session's token");

    let mut another = tab.another();
    another.go("/app");
    assert_eq!(another.text(".who span"), "alma", "the whole browser is logged in");
    tab.click(".who button");
    tab.until_text("h1", "Log in");
    assert_eq!(
        tab.eval(
            "fetch('/app', { redirect: 'manual', headers: { Accept: 'text/html' } }).then((a) => a.type)"
        ),
        "opaqueredirect"
    );
    assert_eq!(upload(&mut another), "401 UNAUTHORIZED");
    another.eval("import('/assets/0/scripts/ask.js').then(({ ask }) => { ask('/version').catch(() => {}) })");
    another.until("location.pathname + location.search === '/app/login?next=%2Fapp'");
}

/// What a script of the page gets when it uploads a file.
fn upload(tab: &mut Tab) -> String {
    let said = tab.eval(
        "(async () => { \
           const { csrf } = JSON.parse(document.getElementById('page').textContent); \
           const form = new FormData(); \
           form.append('file', new File(['Paciente: Luna, una gata que come bien.'], 'luna.txt')); \
           const answer = await fetch('/documents/upload', { method: 'POST', body: form, headers: { 'X-CSRF-Token': csrf } }); \
           return [answer.status, (await answer.json()).error_code].join(' ').trim() })()",
    );
    said.as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_may_only_read_is_offered_nothing_else() {
    let scene = TestEnv::on_sqlite(&[]);
    let (reader, operator) = (key(&scene, "reader", "read"), key(&scene, "operator", "read,operate"));
    let server = scene.cli.serve();
    let mut working = Tab::open(&server.address);
    working.go("/app");
    log_in(&mut working, &operator);
    working.until_text(".who span", "operator");
    assert_eq!(upload(&mut working), "201");

    let mut looking = Tab::open(&server.address);
    looking.go("/app");
    log_in(&mut looking, &reader);
    looking.until_text("main", "luna.txt");
    for (tab, may) in [(&mut working, true), (&mut looking, false)] {
        let told = tab.eval("JSON.parse(document.getElementById('page').textContent).may");
        assert_eq!((&told["operate"], &told["review"]), (&may.into(), &false.into()));
    }
    let document = scene.documents().await.pop_first().unwrap();
    scene.wait_for_latest_run(document).await;
    for (page, offer) in FOR_OPERATORS {
        let page = page.replace("ID", &document.to_string());
        working.go(&page);
        working.until_seen(offer);
        looking.go(&page);
        looking.until(&format!("location.pathname === '{page}' && document.readyState === 'complete'"));
        assert_eq!((looking.count("h1"), looking.count(offer)), (1, 0), "{page}: {offer}");
    }
    assert_eq!(upload(&mut looking), "403 FORBIDDEN", "nor does it work by other ways");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_revoked_leads_to_the_login_with_the_next_thing_one_does() {
    let scene = TestEnv::on_sqlite(&[("QUIRE_UPLOADS_PROCESSING", "false")]);
    let alma = key(&scene, "alma", "read");
    let server = scene.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.speak("es-ES");
    tab.go("/app");
    assert_eq!(tab.text("h1"), "Iniciar sesión");
    log_in(&mut tab, &alma);
    tab.until_text("h1", "Documentos");
    scene.cli.run_ok(&["keys", "revoke", "alma"]);
    tab.click(".brand");
    tab.until("location.pathname === '/app/login'");
    log_in(&mut tab, &alma);
    tab.until_text("[role=alert]", "revocada");
}
