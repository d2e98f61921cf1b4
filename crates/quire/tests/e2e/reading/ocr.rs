//! OCR of pages without text.

use quire_application::document::pages;
use quire_domain::DocumentId;
use quire_testkit::documents::{Pdf, clinical_record, text_page};
use serde_json::Value;

use super::failure;
use crate::program::Cli;
use crate::test_env::TestEnv;

/// An image of the first page of a record at 200 dpi.
fn page_image() -> Vec<u8> {
    let cli = Cli::new();
    std::fs::write(cli.path("record.pdf"), clinical_record(1)).unwrap();
    cli.run_ok(&["read", "--images", "pages", "--scale", "2.78", "record.pdf"]);
    std::fs::read(cli.path("pages/record-1.png")).unwrap()
}

/// A PDF of one scanned page.
pub fn scan() -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[]);
    pdf.scanned_page(&page_image());
    pdf.file()
}

/// A PDF with a page of text and a scanned page.
pub fn mixed() -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[text_page(&["El paciente come bien y duerme toda la noche en su casa."])]);
    pdf.scanned_page(&page_image());
    pdf.file()
}

fn read(cli: &Cli, file: &str) -> Value {
    cli.run_json(&["read", "--json", file])
}

fn words(page: &Value) -> Vec<&str> {
    let lines = page["lines"].as_array().unwrap().iter();
    let words = lines.flat_map(|line| line["words"].as_array().unwrap());
    words.map(|word| word["text"].as_str().unwrap()).collect()
}

/// The box of a word on its page.
fn word_box(page: &Value, text: &str) -> [f64; 4] {
    let lines = page["lines"].as_array().unwrap().iter();
    let word =
        lines.flat_map(|line| line["words"].as_array().unwrap()).find(|word| word["text"] == text).unwrap();
    [0, 1, 2, 3].map(|edge| word["box"][edge].as_f64().unwrap())
}

#[test]
fn a_scan_is_recognised_with_the_position_of_its_words() {
    let cli = Cli::new();
    std::fs::write(cli.path("scan.pdf"), scan()).unwrap();
    std::fs::write(cli.path("scan.png"), page_image()).unwrap();
    std::fs::write(cli.path("text.pdf"), clinical_record(1)).unwrap();
    let text = read(&cli, "text.pdf");
    for file in ["scan.pdf", "scan.png"] {
        let scan = read(&cli, file);
        let page = &scan["pages"][0];
        assert_eq!((&page["recognised"], &scan["language"]), (&true.into(), &"es".into()), "{file}");
        let found = words(page);
        for word in ["Paciente:", "Luna", "vómitos", "pastilla"] {
            assert!(found.contains(&word), "{word} is not among {found:?}");
            let (actual, expected) = (word_box(page, word), word_box(&text["pages"][0], word));
            // The image is one pixel off at most, and the boxes of tesseract are tight around the letters.
            let near = |edge: usize| (actual[edge] - expected[edge]).abs() < 4.0;
            assert!((0..4).all(near), "{file}: {word} at {actual:?} instead of {expected:?}");
        }
    }
}

#[test]
fn only_the_scanned_pages_of_a_mixed_document_are_recognised() {
    let cli = Cli::new();
    std::fs::write(cli.path("mixed.pdf"), mixed()).unwrap();
    let read = read(&cli, "mixed.pdf");
    let recognised: Vec<&Value> =
        read["pages"].as_array().unwrap().iter().map(|page| &page["recognised"]).collect();
    assert_eq!(recognised, [false, true]);
    assert!(words(&read["pages"][0]).contains(&"duerme") && words(&read["pages"][1]).contains(&"Luna"));
}

#[tokio::test]
async fn without_tesseract_a_scan_fails_and_says_what_to_install() {
    let env = TestEnv::on_sqlite(&[("QUIRE_READING_OCR_PROGRAM", "/nonexistent/tesseract")]);
    let server = env.cli.serve();
    let run = env.wait_for_run(env.add_document(Some(&scan()), None).await).await;
    assert_eq!(failure(&run), Some(("EXTRACTION_FAILED", "OCR_NOT_AVAILABLE".to_owned())));
    let message = &run.state.reason().unwrap().record.message;
    assert!(message.contains("apt-get install tesseract-ocr"), "{message}");
    let text = env.wait_for_run(env.add_document(Some(&clinical_record(1)), None).await).await;
    assert_eq!(failure(&text), None, "a document with text needs no tesseract");
    drop(server);
}

#[tokio::test]
async fn a_missing_tesseract_language_fails_and_says_what_to_install() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let run = env.wait_for_run(env.add_document(Some(&scan()), Some("vi")).await).await;
    assert_eq!(failure(&run), Some(("EXTRACTION_FAILED", "OCR_NOT_AVAILABLE".to_owned())));
    let message = &run.state.reason().unwrap().record.message;
    assert!(message.contains("tesseract-ocr-vie"), "{message}");
    drop(server);
}

/// A later run reuses the recognised text: it completes without tesseract.
#[tokio::test]
async fn a_page_is_recognised_once_for_all_runs() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let first = env.wait_for_run(env.add_document(Some(&scan()), None).await).await;
    assert_eq!(failure(&first), None);
    assert!(server.stop().status.success());

    let env = env.with("QUIRE_READING_OCR_PROGRAM", "/nonexistent/tesseract");
    let server = env.cli.serve();
    let again = quire_testkit::fixture::document_run(first.subject);
    env.store.queue.enqueue(&again, jiff::Timestamp::now()).await.unwrap();
    assert_eq!(failure(&env.wait_for_run(again.id).await), None);
    let document = DocumentId(first.subject.0);
    let page = pages::page_words(&env.store, &env.blobs, document, 1).await.unwrap();
    assert!(page.recognised && page.lines.len() > 5);
    drop(server);
}

#[tokio::test]
async fn a_hanging_tesseract_is_ended_after_its_time_limit() {
    let env = TestEnv::on_sqlite(&[("QUIRE_READING_OCR_TIME_LIMIT", "1s")]);
    let script =
        "#!/bin/sh\nif [ \"$1\" = --list-langs ]; then echo List; echo spa; exit 0; fi\nexec sleep 1000\n";
    env.cli.write("hanging", script);
    let program = env.cli.path("hanging");
    std::process::Command::new("chmod").args(["+x"]).arg(&program).status().unwrap();
    let env = env.with("QUIRE_READING_OCR_PROGRAM", &program.display().to_string());
    let server = env.cli.serve();
    let id = env.add_document(Some(&scan()), None).await;
    let run = env.wait_for_run(id).await;
    assert_eq!(failure(&run), Some(("EXTRACTION_FAILED", "OCR_FAILED".to_owned())));
    assert!(env.artifact(id, "DIAGNOSIS").await.unwrap().payload.contains("timed out"));
    assert!(pages::page_index(&env.store, DocumentId(run.subject.0)).await.is_err(), "no pages are stored");
    drop(server);
}
