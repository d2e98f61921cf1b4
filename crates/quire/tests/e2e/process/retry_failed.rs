//! `--retry-failed`.

use quire_domain::EventType;
use serde_json::json;

use super::{by_file, count_events, small_cli, value};
use crate::reading::ocr::{mixed, scan};

#[tokio::test]
async fn failed_documents_are_processed_again_only_with_retry_failed() {
    let cli = small_cli();
    std::fs::write(cli.path("scan.pdf"), scan()).unwrap();
    let process = |with_ocr: bool, arguments: &[&str]| {
        let mut command =
            cli.command(&[&["process", "scan.pdf", "--out", "r.jsonl"][..], arguments].concat());
        if !with_ocr {
            command.env("QUIRE_READING_OCR_PROGRAM", "/nonexistent/tesseract");
        }
        let output = crate::program::output_of(&mut command);
        let results = by_file(&std::fs::read_to_string(cli.path("r.jsonl")).unwrap());
        assert_eq!(results.len(), 1, "one line for one document");
        (output, results["scan.pdf"].clone())
    };
    let (output, result) = process(false, &[]);
    assert_eq!((output.status.code(), &result["error_code"]), (Some(1), &json!("OCR_NOT_AVAILABLE")));
    assert!(
        output.stderr.contains("tesseract") && output.stderr.contains("1 OCR_NOT_AVAILABLE: scan.pdf"),
        "{}",
        output.stderr
    );
    let (output, result) = process(true, &[]);
    assert_eq!(
        (output.status.code(), &result["status"]),
        (Some(1), &json!("FAILED")),
        "without --retry-failed"
    );
    let (output, result) = process(true, &["--retry-failed"]);
    assert_eq!(
        (output.status.code(), &result["status"]),
        (Some(0), &json!("COMPLETED")),
        "{}",
        output.stderr
    );
    assert_eq!(value(&result, "pet_name"), "Luna");
    assert!(result.get("error_code").is_none(), "{result}");
    let (_, again) = process(true, &["--retry-failed"]);
    assert_eq!(again, result, "a completed document is not processed again");
    assert_eq!(count_events(cli.path(".quire"), EventType::RunCreated).await, 2);
}

/// A page that could not be read is named in the result, and can be read later.
#[test]
fn documents_with_unread_pages_are_processed_again_with_retry_failed() {
    let cli = small_cli();
    std::fs::write(cli.path("mixed.pdf"), mixed()).unwrap();
    let process = |program: &str, arguments: &[&str]| {
        let mut command =
            cli.command(&[&["process", "mixed.pdf", "--out", "r.jsonl"][..], arguments].concat());
        let output = crate::program::output_of(command.env("QUIRE_READING_OCR_PROGRAM", program));
        assert!(output.status.success(), "{}", output.stderr);
        let results = by_file(&std::fs::read_to_string(cli.path("r.jsonl")).unwrap());
        results["mixed.pdf"].clone()
    };
    let without = process("/nonexistent/tesseract", &[]);
    assert_eq!((&without["status"], &without["pages"]), (&json!("COMPLETED"), &json!(2)));
    let notices = without["page_notices"].as_array().unwrap();
    assert_eq!((notices.len(), &notices[0]["page"]), (1, &json!(2)), "{without}");
    assert_eq!(notices[0]["unread"]["error_code"], "OCR_NOT_AVAILABLE");
    assert_eq!(process("tesseract", &[]), without, "without --retry-failed");
    let whole = process("tesseract", &["--retry-failed"]);
    assert!(whole.get("page_notices").is_none(), "{whole}");
    assert_eq!(value(&whole, "pet_name"), "Luna", "from the scanned page");
    assert_eq!(
        process("tesseract", &["--retry-failed"]),
        whole,
        "a complete document is not processed again"
    );
}
