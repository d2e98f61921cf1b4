//! Logging in and out, and what pages show by role.

use quire_testkit::browser::Tab;

use crate::test_env::TestEnv;

/// Controls that only operators see.
const FOR_OPERATORS: [(&str, &str); 1] = [("/app/documents/ID/runs", "#reprocess")];

pub(super) fn key(env: &TestEnv, name: &str, roles: &str) -> String {
    env.cli.run_ok(&["keys", "create", "--name", name, "--role", roles]).trim_end().to_owned()
}

pub(super) fn log_in(tab: &mut Tab, key: &str) {
    tab.until_seen("input[name=key]");
    tab.until("document.activeElement.name === 'key'");
    tab.type_text(key);
    tab.press("Enter");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_logs_in_with_the_keyboard_and_logs_out() {
    let env = TestEnv::on_sqlite(&[("QUIRE_UPLOADS_PROCESSING", "false")]);
    let alma = key(&env, "alma", "review,operate");
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app?q=luna");
    assert_eq!(tab.text("h1"), "Log in");
    log_in(&mut tab, &alma[..alma.len() - 1]);
    tab.until_text("[role=alert]", "wrong or was revoked");
    assert_eq!(tab.eval("document.getElementById('key').value"), "", "the wrong key is cleared");
    log_in(&mut tab, &alma);
    tab.until_text(".account span", "alma");
    assert_eq!(tab.eval("location.pathname + location.search"), "/app?q=luna");
    assert_eq!(
        tab.eval("document.cookie.includes('quire_session')"),
        false,
        "scripts cannot read the session cookie"
    );
    assert_eq!(upload(&mut tab), "201", "scripts send the CSRF token");

    let mut another = tab.open_another();
    another.go("/app");
    assert_eq!(another.text(".account span"), "alma", "the session is shared by all tabs");
    tab.click(".account button");
    tab.until_text("h1", "Log in");
    assert_eq!(
        tab.eval(
            "fetch('/app', { redirect: 'manual', headers: { Accept: 'text/html' } }).then((a) => a.type)"
        ),
        "opaqueredirect"
    );
    assert_eq!(upload(&mut another), "401 UNAUTHORIZED");
    another.eval("import('/assets/0/scripts/http.js').then(({ requestJson }) => { requestJson('/version').catch(() => {}) })");
    another.until_text("#login-dialog", "Log in again as alma");
    assert_eq!(another.eval("location.pathname"), "/app", "the page stays");
}

/// Uploads a file from a script of the page; returns the status and error code.
fn upload(tab: &mut Tab) -> String {
    let result = tab.eval(
        "(async () => { \
           const { csrf } = JSON.parse(document.getElementById('page-data').textContent); \
           const form = new FormData(); \
           form.append('file', new File(['Paciente: Luna, una gata que come bien.'], 'luna.txt')); \
           const response = await fetch('/documents/upload', { method: 'POST', body: form, headers: { 'X-CSRF-Token': csrf } }); \
           return [response.status, (await response.json()).error_code].join(' ').trim() })()",
    );
    result.as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_gets_no_controls_of_operators_and_cannot_upload() {
    let env = TestEnv::on_sqlite(&[]);
    let (reader, operator) = (key(&env, "reader", "read"), key(&env, "operator", "read,operate"));
    let server = env.cli.serve();
    let mut working = Tab::open(&server.address);
    working.go("/app");
    log_in(&mut working, &operator);
    working.until_text(".account span", "operator");
    assert_eq!(upload(&mut working), "201");

    let mut looking = Tab::open(&server.address);
    looking.go("/app");
    log_in(&mut looking, &reader);
    looking.until_text("main", "luna.txt");
    for (tab, may) in [(&mut working, true), (&mut looking, false)] {
        let told = tab.eval("JSON.parse(document.getElementById('page-data').textContent).may");
        assert_eq!((&told["operate"], &told["review"]), (&may.into(), &false.into()));
    }
    let document = env.documents().await.pop_first().unwrap();
    env.wait_for_latest_run(document).await;
    for (page, control) in FOR_OPERATORS {
        let page = page.replace("ID", &document.to_string());
        working.go(&page);
        working.until_seen(control);
        looking.go(&page);
        looking.until(&format!("location.pathname === '{page}' && document.readyState === 'complete'"));
        assert_eq!((looking.count("h1"), looking.count(control)), (1, 0), "{page}: {control}");
    }
    assert_eq!(upload(&mut looking), "403 FORBIDDEN", "the API refuses it too");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_key_leads_to_the_login_page() {
    let env = TestEnv::on_sqlite(&[("QUIRE_UPLOADS_PROCESSING", "false")]);
    let alma = key(&env, "alma", "read");
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.set_language("es-ES");
    tab.go("/app");
    assert_eq!(tab.text("h1"), "Iniciar sesión");
    log_in(&mut tab, &alma);
    tab.until_text("h1", "Documentos");
    env.cli.run_ok(&["keys", "revoke", "alma"]);
    // Not by a click: the page may already ask for a login in place.
    tab.go("/app");
    tab.until("location.pathname === '/app/login'");
    log_in(&mut tab, &alma);
    tab.until_text("[role=alert]", "revocada");
}
