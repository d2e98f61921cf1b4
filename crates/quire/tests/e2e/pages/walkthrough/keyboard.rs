//! From the upload to a reviewed document with the keyboard only.

use quire_testkit::browser::Tab;
use quire_testkit::documents::case_history;
use serde_json::json;

use super::{Language, Walkthrough};
use crate::pages::review::{assert_box_covers_words, row, until_marked, value};
use crate::record::review;

/// Whether the focused element has a visible focus mark.
const IS_FOCUS_VISIBLE: &str = "(() => { const e = document.activeElement, s = getComputedStyle(e); \
    return e.checkVisibility() && (s.outlineStyle !== 'none' || s.boxShadow !== 'none') })()";

/// Presses Tab until the element has the focus. Every element on the way must have a visible focus mark.
fn tab_to(tab: &mut Tab, selector: &str) {
    for _ in 0..40 {
        tab.press("Tab");
        assert_eq!(tab.eval(IS_FOCUS_VISIBLE), true, "{}", tab.eval("document.activeElement.outerHTML"));
        if tab.eval(&format!("document.activeElement.matches({})", json!(selector))) == true {
            return;
        }
    }
    panic!("Tab does not reach {selector}");
}

/// Presses j until the field of that key is selected.
fn select_with_j(tab: &mut Tab, key: &str) {
    for _ in 0..60 {
        tab.press("j");
        if tab.count(&format!("{}.selected", row(key))) > 0 {
            return;
        }
    }
    panic!("j does not reach {key}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_uploaded_corrected_and_reviewed_with_the_keyboard_only() {
    let mut walkthrough = Walkthrough::start(Language::English);
    let file = walkthrough.env.cli.path("luna.pdf");
    std::fs::write(&file, case_history()).unwrap();
    walkthrough.tab.go("/app");
    tab_to(&mut walkthrough.tab, "#dropzone");
    walkthrough.tab.press("Enter");
    walkthrough.tab.answer_file_chooser(&[&file]);
    walkthrough.tab.until_text("#rows .chip.ready", "Ready");
    walkthrough.tab.press("j");
    walkthrough.tab.press("Enter");
    walkthrough
        .tab
        .until("location.pathname.startsWith('/app/documents/') && document.documentElement.dataset.ready");
    let document = walkthrough.env.documents().await.pop_first().unwrap();

    let detected = walkthrough.stored(document);
    select_with_j(&mut walkthrough.tab, "vet_name");
    assert_box_covers_words(&mut walkthrough.tab, &detected, "vet_name", 2);
    select_with_j(&mut walkthrough.tab, "species");
    walkthrough.tab.press("1");
    walkthrough.until_saved(2);
    select_with_j(&mut walkthrough.tab, "breed");
    walkthrough.tab.press("Enter");
    walkthrough.tab.until_seen(".editor");
    walkthrough.tab.press("Control+a");
    walkthrough.tab.type_text("Angora");
    walkthrough.tab.press("Enter");
    walkthrough.until_saved(3);
    tab_to(&mut walkthrough.tab, "[data-action=history]");
    walkthrough.tab.press("Enter");
    walkthrough.tab.until_text("#history-dialog ins", "Angora");
    walkthrough.tab.press("Escape");
    walkthrough.tab.until("!document.querySelector('#history-dialog').open");
    walkthrough.tab.press("m");
    until_marked(&mut walkthrough.tab);

    assert_eq!(value(&walkthrough.stored(document), "breed"), "Angora");
    assert_eq!(review(&walkthrough.server, document)["review_status"], "REVIEWED");
}
