//! Filters of the fields and keyboard shortcuts.

use super::{document, open_review, pick, row};
use crate::test_env::TestEnv;

const SHOWN: &str = "[...document.querySelectorAll('.field')].filter((e) => e.checkVisibility()).map((e) => e.dataset.key).join()";

#[tokio::test(flavor = "multi_thread")]
async fn filters_show_only_fields_that_match_all_of_them() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    tab.press("/");
    tab.type_text("CARMEN");
    tab.until_text("#filter-count", "1 field");
    assert_eq!(tab.eval(SHOWN), "owner_name");
    assert_eq!(tab.count(".section:not([hidden])"), 1, "empty sections are hidden");
    tab.press("Escape");
    tab.until("document.getElementById('filter-count').textContent === ''");
    tab.click("[data-only=critical]");
    tab.click("[data-only=empty]");
    tab.until_text("#filter-count", "fields");
    let shown = tab.eval(SHOWN).as_str().unwrap().to_owned();
    assert!(shown.contains("species") && !shown.contains("pet_name") && !shown.contains("notes"), "{shown}");
    tab.click("[data-only=empty]");
    let band = tab.eval(&format!("document.querySelector('{}').dataset.band", row("pet_name")));
    tab.click(&format!("[data-band={}]", band.as_str().unwrap()));
    let shown = tab.eval(SHOWN).as_str().unwrap().to_owned();
    assert!(shown.contains("pet_name") && !shown.contains("species"), "{shown}");
    tab.press("Escape");
    tab.press("/");
    tab.type_text("no field has this");
    tab.until_seen("#no-matches");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_field_is_reachable_by_keyboard() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let document = document(&env, &server).await;
    let mut tab = open_review(&server, document);
    let selected = "document.querySelector('.field.selected')?.dataset.key";
    tab.press("j");
    assert_eq!(tab.eval(selected), "clinic_name");
    tab.press("ArrowDown");
    assert_eq!(tab.eval(selected), "clinic_address");
    tab.press("k");
    assert_eq!(tab.eval(selected), "clinic_name");
    tab.press("Enter");
    tab.until_seen(".editor");
    tab.press("Escape");
    tab.until("!document.querySelector('.editor')");
    tab.press("Escape");
    tab.until("!document.querySelector('.field.selected')");
    tab.press("?");
    tab.until_seen("#help-dialog");
    tab.click("#single-keys");
    tab.press("Escape");
    tab.press("j");
    assert_eq!(tab.count(".field.selected"), 0, "single keys are off");
    tab.press("ArrowDown");
    assert_eq!(tab.count(".field.selected"), 1, "others are not");
    pick(&mut tab, "breed");
    assert_eq!(tab.count(&format!("{} .actions button", row("breed"))), 5);
}
