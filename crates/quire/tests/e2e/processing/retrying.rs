//! What failed is tried again when somebody says so.

use quire_domain::EventType;
use serde_json::json;

use super::{by_file, happened, quire, value};
use crate::reading::scans::scan;

#[tokio::test]
async fn what_failed_stays_failed_until_it_is_to_be_tried_again() {
    let quire = quire();
    std::fs::write(quire.path("scan.pdf"), scan()).unwrap();
    let process = |recognises: bool, arguments: &[&str]| {
        let mut command =
            quire.command(&[&["process", "scan.pdf", "--out", "r.jsonl"][..], arguments].concat());
        if !recognises {
            command.env("QUIRE_READING_OCR_PROGRAM", "/nonexistent/tesseract");
        }
        let said = crate::program::said(&mut command);
        let results = by_file(&std::fs::read_to_string(quire.path("r.jsonl")).unwrap());
        assert_eq!(results.len(), 1, "one line for one document");
        (said, results["scan.pdf"].clone())
    };
    let (said, result) = process(false, &[]);
    assert_eq!((said.status.code(), &result["error_code"]), (Some(1), &json!("OCR_NOT_AVAILABLE")));
    assert!(
        said.err.contains("tesseract") && said.err.contains("1 OCR_NOT_AVAILABLE: scan.pdf"),
        "{}",
        said.err
    );
    let (said, result) = process(true, &[]);
    assert_eq!((said.status.code(), &result["status"]), (Some(1), &json!("FAILED")), "nobody said so");
    let (said, result) = process(true, &["--retry-failed"]);
    assert_eq!((said.status.code(), &result["status"]), (Some(0), &json!("COMPLETED")), "{}", said.err);
    assert_eq!(value(&result, "pet_name"), "Luna");
    assert!(result.get("error_code").is_none(), "{result}");
    let (_, again) = process(true, &["--retry-failed"]);
    assert_eq!(again, result, "what did not fail is not tried again");
    assert_eq!(happened(quire.path(".quire"), EventType::RunCreated).await, 2);
}
