//! From the inbox to a reviewed document without a mouse: only keys are pressed, all else here looks.

use quire_testkit::browser::Tab;
use quire_testkit::documents::case_history;
use serde_json::json;

use super::{Day, Language};
use crate::pages::review::{row, stands_on_its_words, value};
use crate::record::review;

/// Whether one can see where the keyboard is.
const IS_SEEN: &str = "(() => { const e = document.activeElement, s = getComputedStyle(e); \
    return e.checkVisibility() && (s.outlineStyle !== 'none' || s.boxShadow !== 'none') })()";

/// Presses Tab until the focus is there; wherever it is on the way, it can be seen.
fn tab_to(tab: &mut Tab, selector: &str) {
    for _ in 0..40 {
        tab.press("Tab");
        assert_eq!(tab.eval(IS_SEEN), true, "{}", tab.eval("document.activeElement.outerHTML"));
        if tab.eval(&format!("document.activeElement.matches({})", json!(selector))) == true {
            return;
        }
    }
    panic!("the keyboard does not lead to {selector}");
}

/// Goes down the fields to that one.
fn go_down_to(tab: &mut Tab, key: &str) {
    for _ in 0..60 {
        tab.press("j");
        if tab.count(&format!("{}.selected", row(key))) > 0 {
            return;
        }
    }
    panic!("the keyboard does not lead to {key}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_brought_in_corrected_and_signed_off_with_the_keyboard_alone() {
    let mut day = Day::begin(Language::English);
    let file = day.scene.cli.path("luna.pdf");
    std::fs::write(&file, case_history()).unwrap();
    day.tab.go("/app");
    tab_to(&mut day.tab, "#dropzone");
    day.tab.press("Enter");
    day.tab.answer_chooser(&[&file]);
    day.tab.until_text("#rows .chip.ready", "Ready");
    day.tab.press("j");
    day.tab.press("Enter");
    day.tab
        .until("location.pathname.startsWith('/app/documents/') && document.documentElement.dataset.ready");
    let document = day.scene.documents().await.pop_first().unwrap();

    let detected = day.stored(document);
    go_down_to(&mut day.tab, "vet_name");
    stands_on_its_words(&mut day.tab, &detected, "vet_name", 2);
    go_down_to(&mut day.tab, "species");
    day.tab.press("1");
    day.is_told_of_version(2);
    go_down_to(&mut day.tab, "breed");
    day.tab.press("Enter");
    day.tab.until_seen(".editor");
    day.tab.press("Control+a");
    day.tab.type_text("Angora");
    day.tab.press("Enter");
    day.is_told_of_version(3);
    tab_to(&mut day.tab, "[data-do=history]");
    day.tab.press("Enter");
    day.tab.until_text("#history-dialog ins", "Angora");
    day.tab.press("Escape");
    day.tab.until("!document.querySelector('#history-dialog').open");
    day.tab.press("m");
    day.tab.until_text("#panel-head .chip.reviewed", "Reviewed");

    assert_eq!(value(&day.stored(document), "breed"), "Angora");
    assert_eq!(review(&day.server, document)["review_status"], "REVIEWED");
}
