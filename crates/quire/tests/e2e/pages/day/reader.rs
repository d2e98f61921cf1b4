//! Somebody who may only look: nothing else is offered, and whatever a script tries is refused.

use quire_testkit::browser::Tab;
use quire_testkit::documents::case_history;
use serde_json::json;

use crate::pages::login::{key, log_in};
use crate::pages::review::{pick, row, show};
use crate::test_env::TestEnv;
use crate::uploads::upload_document;

/// What the inbox, a review and a timeline offer to those who may change something.
const OFFERS: [(&str, &[&str]); 3] = [
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
    ("/documents/ID/runs", &["#again", "[data-withdraw]"]),
];

/// Goes through what can be asked for, as a script of the page would with its token; what each answer said.
const TRIES: &str = "(async () => {
  const { csrf } = JSON.parse(document.getElementById('page').textContent)
  const edit = { base_version_number: 1, changes: [{ op: 'ADD', key: 'notes', value: 'x', value_type: 'string' }] }
  const form = new FormData()
  form.append('file', new File(['Paciente: Luna'], 'luna.txt'))
  const said = []
  for (const [method, address, body] of [
    ['POST', '/documents/upload', form], ['POST', '/documents/DOCUMENT/reprocess'], ['PATCH', '/documents/DOCUMENT/language', '{}'],
    ['POST', '/runs/RUN/interpretations', JSON.stringify(edit)], ['POST', '/runs/RUN/withdraw'],
    ['POST', '/documents/DOCUMENT/reviewed'], ['DELETE', '/documents/DOCUMENT/reviewed'],
  ]) {
    const headers = { 'X-CSRF-Token': csrf, ...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}) }
    const answer = await fetch(address, { method, body, headers })
    said.push(`${answer.status} ${(await answer.json()).error_code}`)
  }
  return said
})()";

#[tokio::test(flavor = "multi_thread")]
async fn whoever_may_only_read_is_offered_nothing_to_change_and_refused_if_they_try() {
    let scene = TestEnv::on_sqlite(&[]);
    let (reader, admin) = (key(&scene, "reader", "read"), scene.create_key("admin", "admin"));
    let server = scene.cli.serve();
    let document = upload_document(&server, &case_history(), &admin);
    let run = scene.wait_for_latest_run(document).await;
    let seen = || server.send(&format!("GET /documents/{document}/review"), &admin, "").json();
    let before = seen();

    let mut tab = Tab::open(&server.address);
    tab.go("/app");
    log_in(&mut tab, &reader);
    tab.until_text(".who span", "reader");
    for (page, offers) in OFFERS {
        tab.go(&format!("/app{page}").replace("ID", &document.to_string()));
        tab.until_text("h1", "");
        for offer in offers {
            assert_eq!(tab.count(offer), 0, "{page}: {offer}");
        }
    }

    show(&mut tab, document);
    pick(&mut tab, "species");
    tab.until_seen(&format!("{} .snippet", row("species")));
    assert_eq!(tab.count("[data-do]:not([hidden], [data-do=history])"), 0, "only its history can be seen");
    for key in ["1", "e", "Enter", "r", "Delete", "a", "v", "m"] {
        tab.press(key);
        assert_eq!(tab.count(".editor, dialog[open]"), 0, "{key}");
    }
    tab.press("?");
    tab.until_seen("#help-dialog");
    assert!(!tab.text("#help-dialog").contains("candidate"), "no key is named that does nothing");

    let tries = TRIES.replace("DOCUMENT", &document.to_string()).replace("RUN", &run.id.to_string());
    assert_eq!(tab.eval(&tries), json!(vec!["403 FORBIDDEN"; 7]));
    assert_eq!(seen(), before);
    assert_eq!((scene.documents().await.len(), scene.runs_of(document).await.len()), (1, 1));
}
