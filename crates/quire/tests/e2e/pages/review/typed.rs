//! Numbers and other values as people type them.

use serde_json::json;

use super::{open_review, shown, stored, type_into, until_saved, value};
use crate::review::typed::{METER, process_meter};
use crate::schemas::write_schema;
use crate::test_env::TestEnv;

/// What was seen before: the page stored a typed `1.234` and a typed `1,234` both as 1.234, refused `1.234,56`, and took
/// `0x10` for 16.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_shows_how_a_number_was_understood_and_asks_when_two_readings_fit() {
    let env = TestEnv::on_sqlite(&[]);
    write_schema(&env, "meter.toml", METER);
    let server = env.cli.serve();
    let (document, _) = process_meter(&env, &server).await;
    let mut tab = open_review(&server, document);
    type_into(&mut tab, "reading", "1.234,56");
    tab.press("Enter");
    until_saved(&mut tab, 2);
    tab.until_text("#save-status", "Read as 1234.56");
    assert_eq!(value(&stored(&server, document), "reading"), json!(1234.56));

    type_into(&mut tab, "reading", "1.234");
    tab.press("Enter");
    tab.until_text("#ask-dialog", "can be read in two ways");
    tab.press("Escape");
    tab.until("!document.querySelector('#ask-dialog').open");
    assert_eq!(tab.eval("document.querySelector('.editor input').value"), "1.234", "the text stays");
    assert_eq!(value(&stored(&server, document), "reading"), json!(1234.56), "nothing is stored unasked");
    tab.press("Enter");
    tab.until_text("#ask-dialog", "1,234");
    tab.click("#ask-dialog button:last-child");
    until_saved(&mut tab, 3);
    assert_eq!(value(&stored(&server, document), "reading"), json!(1234));

    type_into(&mut tab, "reading", "0x10");
    tab.press("Enter");
    tab.until_text("#ask-dialog", "does not look like a value of this field");
    tab.click("#ask-dialog .primary");
    until_saved(&mut tab, 4);
    assert_eq!(value(&stored(&server, document), "reading"), json!("0x10"));
    assert_eq!(shown(&mut tab, "reading"), "0x10");
}
