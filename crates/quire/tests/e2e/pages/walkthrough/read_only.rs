//! A key with the role `read`: pages show no controls that change anything, and requests of scripts are refused.

use quire_testkit::browser::Tab;
use quire_testkit::documents::case_history;
use serde_json::json;

use crate::pages::login::{key, log_in};
use crate::pages::review::{pick, row, show};
use crate::test_env::TestEnv;
use crate::uploads::upload_document;

/// Controls of the inbox, the review page and the processing history that change something.
const CONTROLS: [(&str, &[&str]); 3] = [
    (
        "",
        &[
            "#choose-files",
            "#choose-folder",
            "#dropzone",
            "input[type=file]",
            "#try-sample",
            "#reprocess-all",
            "#rows input",
        ],
    ),
    (
        "/documents/ID",
        &["#mark", "#add", "#add-visit", "[data-add-to]", "[data-delete-visit]", "[data-reprocess]"],
    ),
    ("/documents/ID/runs", &["#reprocess", "[data-withdraw]", "[data-cancel]"]),
];

/// Sends every request that changes something, with the token of the page, and returns the status and code of each response.
const FORBIDDEN_REQUESTS: &str = "(async () => {
  const { csrf } = JSON.parse(document.getElementById('page-data').textContent)
  const edit = { base_version_number: 1, changes: [{ op: 'ADD', key: 'notes', value: 'x', value_type: 'string' }] }
  const form = new FormData()
  form.append('file', new File(['Paciente: Luna'], 'luna.txt'))
  const results = []
  for (const [method, address, body] of [
    ['POST', '/documents/upload', form], ['POST', '/documents/DOCUMENT/reprocess'], ['PATCH', '/documents/DOCUMENT/language', '{}'],
    ['POST', '/runs/RUN/interpretations', JSON.stringify(edit)], ['POST', '/runs/RUN/withdraw'], ['POST', '/runs/RUN/cancel'],
    ['POST', '/documents/DOCUMENT/reviewed'], ['DELETE', '/documents/DOCUMENT/reviewed'],
  ]) {
    const headers = { 'X-CSRF-Token': csrf, ...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}) }
    const response = await fetch(address, { method, body, headers })
    results.push(`${response.status} ${(await response.json()).error_code}`)
  }
  return results
})()";

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_sees_no_controls_and_every_change_is_refused() {
    let env = TestEnv::on_sqlite(&[]);
    let (reader, admin) = (key(&env, "reader", "read"), env.create_key("admin", "admin"));
    let server = env.cli.serve();
    let document = upload_document(&server, &case_history(), &admin);
    let run = env.wait_for_latest_run(document).await;
    let seen = || server.send(&format!("GET /documents/{document}/review"), &admin, "").json();
    let before = seen();

    let mut tab = Tab::open(&server.address);
    tab.go("/app");
    log_in(&mut tab, &reader);
    tab.until_text(".account span", "reader");
    for (page, offers) in CONTROLS {
        tab.go(&format!("/app{page}").replace("ID", &document.to_string()));
        tab.until_text("h1", "");
        for offer in offers {
            assert_eq!(tab.count(offer), 0, "{page}: {offer}");
        }
    }

    show(&mut tab, document);
    pick(&mut tab, "species");
    tab.until_seen(&format!("{} .snippet", row("species")));
    assert_eq!(
        tab.count("[data-action]:not([hidden], [data-action=history])"),
        0,
        "only its history can be seen"
    );
    for key in ["1", "e", "Enter", "r", "Delete", "a", "v", "m"] {
        tab.press(key);
        assert_eq!(tab.count(".editor, dialog[open]"), 0, "{key}");
    }
    tab.press("?");
    tab.until_seen("#help-dialog");
    assert!(!tab.text("#help-dialog").contains("candidate"), "no key is named that does nothing");

    let tries =
        FORBIDDEN_REQUESTS.replace("DOCUMENT", &document.to_string()).replace("RUN", &run.id.to_string());
    assert_eq!(tab.eval(&tries), json!(vec!["403 FORBIDDEN"; 8]));
    assert_eq!(seen(), before);
    assert_eq!((env.documents().await.len(), env.runs_of(document).await.len()), (1, 1));
}
