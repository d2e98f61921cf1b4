//! Candidates, edits, additions, deletions, history, and the review mark.

use serde_json::{Value, json};

use super::{
    document, open_review, pick, row, show, shown, stored, type_into, until_marked, until_saved, value,
};
use crate::test_env::TestEnv;

#[tokio::test(flavor = "multi_thread")]
async fn one_key_uses_a_candidate_and_another_resets_it() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    assert_eq!(value(&stored(&server, document), "species"), Value::Null);
    pick(&mut tab, "species");
    let candidate = tab.text(&format!("{} .candidate span", row("species")));
    tab.press("1");
    until_saved(&mut tab, 2);
    assert_eq!(value(&stored(&server, document), "species"), json!(candidate));
    assert_eq!(shown(&mut tab, "species"), candidate);
    tab.until_seen(&format!("{} .edited", row("species")));
    tab.press("r");
    until_saved(&mut tab, 3);
    assert_eq!(value(&stored(&server, document), "species"), Value::Null);
    assert_eq!(shown(&mut tab, "species"), "—");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_value_is_stored_and_its_history_shows_who_edited_it() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    type_into(&mut tab, "breed", "Enano");
    tab.press("Escape");
    tab.until("!document.querySelector('.editor')");
    assert_eq!(shown(&mut tab, "breed"), "Belier", "Escape changes nothing");
    type_into(&mut tab, "breed", "Enano holandés");
    tab.press("Enter");
    until_saved(&mut tab, 2);
    assert_eq!(value(&stored(&server, document), "breed"), "Enano holandés");
    assert_eq!(shown(&mut tab, "breed"), "Enano holandés");
    assert_eq!(tab.eval("document.activeElement.closest('.field').dataset.key"), "breed", "the focus stays");
    tab.press("h");
    tab.until_text("#history-dialog ins", "Enano holandés");
    tab.until_text("#history-dialog del", "Belier");
    tab.until_text("#history-dialog .versions", "local");
    tab.press("Escape");
    type_into(&mut tab, "dob", "");
    tab.eval("document.querySelector('.editor input').value = '2019-03-15'");
    tab.press("Enter");
    until_saved(&mut tab, 3);
    assert_eq!(value(&stored(&server, document), "dob"), "2019-03-15");
    assert_eq!(shown(&mut tab, "dob"), "15 Mar 2019");
}

#[tokio::test(flavor = "multi_thread")]
async fn fields_and_visits_are_added_deleted_and_restored() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    // Editing an empty row adds a field.
    type_into(&mut tab, "notes", "llamar el lunes");
    tab.press("Enter");
    until_saved(&mut tab, 2);
    assert_eq!(value(&stored(&server, document), "notes"), "llamar el lunes");
    tab.press("Delete");
    until_saved(&mut tab, 3);
    assert_eq!(value(&stored(&server, document), "notes"), Value::Null);
    tab.until_text("#save-status button", "Undo");
    tab.click("#versions");
    tab.click("#history-dialog [data-restore]");
    until_saved(&mut tab, 4);
    assert_eq!(value(&stored(&server, document), "notes"), "llamar el lunes");
    // Add a field with a key that the schema does not have.
    tab.click("#add");
    tab.until_seen("#add-dialog");
    tab.eval("(() => { const keys = document.querySelector('#add-dialog [name=key]'); keys.value = '+'; keys.dispatchEvent(new Event('change')) })()");
    tab.click("#add-dialog [name=other]");
    tab.type_text("Nivel T4");
    tab.click("#add-dialog [data-input] input");
    tab.type_text("alto");
    tab.press("Enter");
    until_saved(&mut tab, 5);
    assert_eq!(value(&stored(&server, document), "nivel_t4"), "alto");
    tab.until_text("[data-section=other] .label", "Nivel t4");
    // Add a visit, then delete it with its fields.
    tab.press("Escape");
    tab.press("v");
    tab.until_seen("#visit-dialog");
    tab.eval("document.querySelector('#visit-dialog [name=visit_date]').value = '2024-03-01'");
    tab.click("#visit-dialog [name=reason_for_visit]");
    tab.type_text("vacuna");
    tab.press("Enter");
    until_saved(&mut tab, 6);
    tab.until_text(".visit h3", "1 Mar 2024");
    assert_eq!(tab.count(".visit"), 3);
    tab.click(".visit:last-of-type [data-delete-visit]");
    tab.click("#ask-dialog .danger");
    until_saved(&mut tab, 7);
    assert_eq!(tab.count(".visit"), 2);
    tab.click("#save-status button");
    until_saved(&mut tab, 8);
    assert_eq!(tab.count(".visit"), 3, "the visit is back");
    tab.until_text(".visit h3", "1 Mar 2024");
}

/// A deletion that is undone leaves no trace in the values: the field is what the machine found, where it found it.
#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_is_undone_with_one_click() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    let breed = |stored: &Value| -> Value {
        let fields = stored["data"]["fields"].as_array().unwrap();
        fields.iter().find(|field| field["key"] == "breed").cloned().unwrap_or_default()
    };
    let before = breed(&stored(&server, document));
    assert_eq!((&before["origin"], &before["value"]), (&json!("machine"), &json!("Belier")));
    pick(&mut tab, "breed");
    tab.press("Delete");
    until_saved(&mut tab, 2);
    assert_eq!(breed(&stored(&server, document)), Value::Null);
    tab.click("#save-status button");
    until_saved(&mut tab, 3);
    assert_eq!(breed(&stored(&server, document)), before, "with its evidence and its confidence");
    assert_eq!(shown(&mut tab, "breed"), "Belier");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_field_returns_to_its_visit() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    let own = "(() => { const row = [...document.querySelectorAll('.visit .field:not([data-visit-metadata])')]\
               .find((row) => row.dataset.field && row.dataset.value !== 'null'); \
               row.querySelector('.pick').click(); return row.dataset.key + ' ' + row.dataset.visit + ' ' + row.dataset.value })()";
    let own = tab.eval(own);
    let ofs = "[...document.querySelectorAll('.field')].map(({ dataset: { key, visit, value } }) => \
               key + ' ' + visit + ' ' + value)";
    let is_there = format!("{ofs}.includes({own})");
    assert_eq!(tab.eval(&is_there), true);
    tab.press("Delete");
    until_saved(&mut tab, 2);
    assert_eq!(tab.eval(&is_there), false);
    tab.click("#versions");
    tab.click("#history-dialog [data-restore]");
    until_saved(&mut tab, 3);
    assert_eq!(tab.eval(&is_there), true, "{own}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_marked_as_reviewed_and_reopened_and_next_opens_the_next_one() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let (older, newer) = (document(&env, &server).await, document(&env, &server).await);
    let mut tab = open_review(&server, newer);
    tab.press("m");
    until_marked(&mut tab);
    tab.until_text(".chip.reviewed", "Reviewed");
    assert_eq!(crate::record::review(&server, newer)["review_status"], "REVIEWED");
    tab.press("n");
    tab.until(&format!("location.pathname === '/app/documents/{older}'"));
    // A document that was opened from the queue has a next link that stays in the queue.
    tab.go("/app?sort=least_certain");
    tab.click(&format!("tr[data-id='{older}'] .name"));
    tab.until("document.documentElement.dataset.ready");
    tab.until("document.getElementById('next').getAttribute('href').includes('?sort=least_certain&at=0.')");
    show(&mut tab, newer);
    tab.click("#mark");
    tab.until_text(".chip.ready", "Ready");
    assert_eq!(crate::record::review(&server, newer)["review_status"], "IN_REVIEW");
}

/// A correction raises the confidence of a document. The next link still leads to the document that followed it in the queue.
#[tokio::test(flavor = "multi_thread")]
async fn next_follows_the_queue_after_a_correction() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    for _ in 0..3 {
        document(&env, &server).await;
    }
    let mut tab = quire_testkit::browser::Tab::open(&server.address);
    tab.go("/app?sort=least_certain");
    let order = tab.eval("[...document.querySelectorAll('#rows tr')].map((row) => row.dataset.id)");
    let place = |place: usize| order[place].as_str().unwrap().to_owned();
    tab.click("#rows tr:nth-child(1) .name");
    tab.until("document.documentElement.dataset.ready");
    tab.until(&format!("location.pathname === '/app/documents/{}'", place(0)));
    type_into(&mut tab, "breed", "Rex");
    tab.press("Enter");
    until_saved(&mut tab, 2);
    for next in [1, 2] {
        tab.click("#next");
        tab.until(&format!("location.pathname === '/app/documents/{}'", place(next)));
        tab.until("document.documentElement.dataset.ready");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_and_runs_are_compared() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    let open = |tab: &mut quire_testkit::browser::Tab| {
        tab.click("#versions");
        tab.click("#history-dialog [data-compare]");
    };
    open(&mut tab);
    tab.until_text("#history-dialog", "no other version to compare with");
    tab.press("Escape");
    type_into(&mut tab, "breed", "Rex");
    tab.press("Enter");
    until_saved(&mut tab, 2);
    open(&mut tab);
    tab.until_text("#history-dialog del", "Belier");
    tab.until_text("#history-dialog ins", "Rex");
    tab.until_text("#history-dialog", "fields are the same");
    tab.press("Escape");
    server.send(&format!("POST /documents/{document}/reprocess"), "", "");
    env.wait_for_all_runs(document).await;
    tab.until("document.querySelector('[data-key=breed] .value').textContent === 'Belier'");
    open(&mut tab);
    tab.until_text("#history-dialog del", "Rex");
    tab.until_text("#history-dialog ins", "Belier");
    tab.eval(
        "(() => { const form = document.querySelector('.comparison'); form.elements.from.value = form.elements.to.value; \
         form.dispatchEvent(new Event('change')) })()",
    );
    tab.until_text("#history-dialog", "two versions are equal");
}
