//! Pages that are pictures: recognised where there is no text, and only there.

use quire_application::document::pages;
use quire_domain::DocumentId;
use quire_testkit::documents::{Pdf, clinical_record, text_page};
use serde_json::Value;

use super::failure;
use crate::program::Quire;
use crate::scene::Scene;

/// The first page of a record as a scanner would deliver it, at 200 dots per inch.
fn picture() -> Vec<u8> {
    let quire = Quire::new();
    std::fs::write(quire.path("record.pdf"), clinical_record(1)).unwrap();
    quire.says(&["read", "--images", "pages", "--scale", "2.78", "record.pdf"]);
    std::fs::read(quire.path("pages/record-1.png")).unwrap()
}

pub fn scan() -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[]);
    pdf.scanned_page(&picture());
    pdf.file()
}

/// A page of text, and one that is a picture.
fn mixed() -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[text_page(&["El paciente come bien y duerme toda la noche en su casa."])]);
    pdf.scanned_page(&picture());
    pdf.file()
}

fn read(quire: &Quire, file: &str) -> Value {
    serde_json::from_str(&quire.says(&["read", "--json", file])).unwrap()
}

fn words(page: &Value) -> Vec<&str> {
    let lines = page["lines"].as_array().unwrap().iter();
    let words = lines.flat_map(|line| line["words"].as_array().unwrap());
    words.map(|word| word["text"].as_str().unwrap()).collect()
}

/// Where a word of the record stands on its page, from the text itself.
fn place(page: &Value, text: &str) -> [f64; 4] {
    let lines = page["lines"].as_array().unwrap().iter();
    let word =
        lines.flat_map(|line| line["words"].as_array().unwrap()).find(|word| word["text"] == text).unwrap();
    [0, 1, 2, 3].map(|edge| word["box"][edge].as_f64().unwrap())
}

#[test]
fn a_scan_is_recognised_with_its_words_where_they_stand() {
    let quire = Quire::new();
    std::fs::write(quire.path("scan.pdf"), scan()).unwrap();
    std::fs::write(quire.path("scan.png"), picture()).unwrap();
    std::fs::write(quire.path("text.pdf"), clinical_record(1)).unwrap();
    let text = read(&quire, "text.pdf");
    for file in ["scan.pdf", "scan.png"] {
        let scan = read(&quire, file);
        let page = &scan["pages"][0];
        assert_eq!((&page["recognised"], &scan["language"]), (&true.into(), &"es".into()), "{file}");
        let found = words(page);
        for word in ["Paciente:", "Luna", "vómitos", "pastilla"] {
            assert!(found.contains(&word), "{word} is not among {found:?}");
            let (seen, set) = (place(page, word), place(&text["pages"][0], word));
            // The picture is of an A4 page, give or take a pixel, and tesseract's boxes hug the letters.
            let near = |edge: usize| (seen[edge] - set[edge]).abs() < 4.0;
            assert!((0..4).all(near), "{file}: {word} at {seen:?}, set at {set:?}");
        }
    }
}

#[test]
fn of_a_mixed_document_only_the_pictures_are_recognised() {
    let quire = Quire::new();
    std::fs::write(quire.path("mixed.pdf"), mixed()).unwrap();
    let read = read(&quire, "mixed.pdf");
    let recognised: Vec<&Value> =
        read["pages"].as_array().unwrap().iter().map(|page| &page["recognised"]).collect();
    assert_eq!(recognised, [false, true]);
    assert!(words(&read["pages"][0]).contains(&"duerme") && words(&read["pages"][1]).contains(&"Luna"));
}

#[tokio::test]
async fn a_scan_on_a_machine_without_tesseract_says_what_to_install() {
    let scene = Scene::on_sqlite(&[("QUIRE_READING_OCR_PROGRAM", "/nonexistent/tesseract")]);
    let server = scene.quire.serve();
    for file in [scan(), mixed()] {
        let run = scene.run_ended(scene.add(Some(&file), None).await).await;
        assert_eq!(failure(&run), Some(("EXTRACTION_FAILED", "OCR_NOT_AVAILABLE".to_owned())));
        let message = &run.state.reason().unwrap().record.message;
        assert!(message.contains("apt-get install tesseract-ocr"), "{message}");
    }
    let text = scene.run_ended(scene.add(Some(&clinical_record(1)), None).await).await;
    assert_eq!(failure(&text), None, "what has text needs no tesseract");
    drop(server);
}

#[tokio::test]
async fn a_language_that_tesseract_lacks_says_what_to_install() {
    let scene = Scene::on_sqlite(&[]);
    let server = scene.quire.serve();
    let run = scene.run_ended(scene.add(Some(&scan()), Some("vi")).await).await;
    assert_eq!(failure(&run), Some(("EXTRACTION_FAILED", "OCR_NOT_AVAILABLE".to_owned())));
    let message = &run.state.reason().unwrap().record.message;
    assert!(message.contains("tesseract-ocr-vie"), "{message}");
    drop(server);
}

/// A later run finds what an earlier one recognised: it completes although there is nothing to recognise with any more.
#[tokio::test]
async fn a_page_is_recognised_once_for_all_runs() {
    let scene = Scene::on_sqlite(&[]);
    let server = scene.quire.serve();
    let first = scene.run_ended(scene.add(Some(&scan()), None).await).await;
    assert_eq!(failure(&first), None);
    assert!(server.stop().status.success());

    let scene = scene.with("QUIRE_READING_OCR_PROGRAM", "/nonexistent/tesseract");
    let server = scene.quire.serve();
    let again = quire_testkit::fixture::document_run(first.subject);
    scene.store.queue.enqueue(&again, jiff::Timestamp::now()).await.unwrap();
    assert_eq!(failure(&scene.run_ended(again.id).await), None);
    let document = DocumentId(first.subject.0);
    let page = pages::page_words(&scene.store, &scene.blobs, document, 1).await.unwrap();
    assert!(page.recognised && page.lines.len() > 5);
    drop(server);
}

/// A tesseract that hangs is ended with its page's time, and the run says so.
#[tokio::test]
async fn a_tesseract_that_hangs_costs_its_time_and_no_more() {
    let scene = Scene::on_sqlite(&[("QUIRE_READING_OCR_TIME_LIMIT", "1s")]);
    let script =
        "#!/bin/sh\nif [ \"$1\" = --list-langs ]; then echo List; echo spa; exit 0; fi\nexec sleep 1000\n";
    scene.quire.write("hanging", script);
    let program = scene.quire.path("hanging");
    std::process::Command::new("chmod").args(["+x"]).arg(&program).status().unwrap();
    let scene = scene.with("QUIRE_READING_OCR_PROGRAM", &program.display().to_string());
    let server = scene.quire.serve();
    let id = scene.add(Some(&scan()), None).await;
    let run = scene.run_ended(id).await;
    assert_eq!(failure(&run), Some(("EXTRACTION_FAILED", "OCR_FAILED".to_owned())));
    assert!(scene.artifact(id, "DIAGNOSIS").await.unwrap().payload.contains("timed out"));
    assert!(pages::page_index(&scene.store, DocumentId(run.subject.0)).await.is_err(), "nothing was kept");
    drop(server);
}
