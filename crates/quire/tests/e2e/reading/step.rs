//! EXTRACTION as a run does it: what it keeps, and how it fails.

use quire_application::document::pages;
use quire_domain::DocumentId;
use quire_ports::BlobStore;
use quire_testkit::documents::{Pdf, clinical_record, text_page};
use serde_json::{Value, json};

use super::failure;
use crate::scene::{Scene, on_both_stores};

on_both_stores! {
    /// Proves R087 from the stored document on, and what EXTRACTION keeps: the text beside the original, and each page.
    a_document_is_read_and_its_text_and_pages_are_kept_beside_it,
    /// Proves R048, R085 and R086: each way of having nothing worth reading, with its code, and nothing kept.
    documents_that_cannot_be_used_fail_with_their_code_and_leave_no_text with super::UNRECOGNISED,
    /// Proves R048 for a document whose record is gone: a run on a subject that is no document.
    a_run_without_a_document_fails,
    /// Proves R084, and that what a person said is obeyed.
    the_language_is_the_one_that_was_set_else_the_one_it_seems_else_unknown,
    /// Parser and run each have a limit; whichever is reached, the parser is gone and the diagnosis says why.
    a_crash_leaves_a_diagnosis_with_the_run with super::IN_A_SECOND,
}

const UNRECOGNISED: [(&str, &str); 1] = [("QUIRE_READING_OCR_ENABLED", "false")];
const IN_A_SECOND: [(&str, &str); 2] = [("QUIRE_READING_TIME_LIMIT", "1s"), UNRECOGNISED[0]];

async fn a_document_is_read_and_its_text_and_pages_are_kept_beside_it(scene: &Scene) {
    let server = scene.quire.serve();
    let id = scene.add(Some(&clinical_record(3)), None).await;
    let run = scene.run_ended(id).await;
    assert_eq!(failure(&run), None);

    let text: Value = serde_json::from_str(&scene.artifact(id, "RAW_TEXT").await.unwrap().payload).unwrap();
    assert_eq!(text["path"], format!("{}/runs/{id}/raw-text.txt", run.subject));
    assert_eq!(text["language"], "es");
    let kept = scene.blobs.get(text["path"].as_str().unwrap(), 1 << 20).await.unwrap();
    assert!(String::from_utf8(kept).unwrap().contains("Paciente: Luna\n"));

    let document = DocumentId(run.subject.0);
    let (read_by, index) = pages::page_index(&scene.store, document).await.unwrap();
    assert_eq!((read_by, index.pages.len()), (id, 3));
    let page = pages::page_words(&scene.store, &scene.blobs, document, 3).await.unwrap();
    let words: Vec<&str> = page.lines[1].words.iter().map(|word| word.text.as_str()).collect();
    assert_eq!(words, ["Página", "3", "de", "3"]);
    for missing in [0, 4] {
        assert!(pages::page_words(&scene.store, &scene.blobs, document, missing).await.is_err());
    }
    drop(server);
}

async fn documents_that_cannot_be_used_fail_with_their_code_and_leave_no_text(scene: &Scene) {
    let server = scene.quire.serve();
    let empty = Pdf::of_pages(&[text_page(&["Luna"])]).file();
    let gibberish = text_page(&["xkrtpl mndfgh qwrtzx bcdfgk plmknj hgfdsz trwqpl zxcvbn mnbvcx lkjhgf"; 3]);
    let gibberish = Pdf::of_pages(&[gibberish]).file();
    let failed = "EXTRACTION_FAILED";
    let cases: [(&str, Option<&[u8]>, _); 5] = [
        ("a file that is missing", None, (failed, failed)),
        ("a file without a byte", Some(b""), (failed, failed)),
        ("hardly any text", Some(&empty), (failed, failed)),
        ("text that nobody wrote", Some(&gibberish), ("EXTRACTION_LOW_QUALITY", "EXTRACTION_LOW_QUALITY")),
        ("a kind that is not read", Some(b"GIF89a\x01\x00\x01\x00"), (failed, "UNSUPPORTED_MEDIA_TYPE")),
    ];
    for (what, file, (failure_type, code)) in cases {
        let id = scene.add(file, None).await;
        let run = scene.run_ended(id).await;
        assert_eq!(failure(&run), Some((failure_type, code.to_owned())), "{what}");
        let shown = server.json(&format!("/runs/{id}"));
        assert_eq!((&shown["failure_type"], &shown["error_code"]), (&json!(failure_type), &json!(code)));
        assert!(scene.artifact(id, "RAW_TEXT").await.is_none(), "{what}");
    }
    drop(server);
}

async fn a_run_without_a_document_fails(scene: &Scene) {
    let server = scene.quire.serve();
    let run = quire_testkit::fixture::document_run(quire_domain::SubjectId::new());
    scene.store.queue.enqueue(&run, jiff::Timestamp::now()).await.unwrap();
    let ended = scene.run_ended(run.id).await;
    assert_eq!(failure(&ended), Some(("EXTRACTION_FAILED", "EXTRACTION_FAILED".to_owned())));
    drop(server);
}

async fn the_language_is_the_one_that_was_set_else_the_one_it_seems_else_unknown(scene: &Scene) {
    let server = scene.quire.serve();
    let short = text_page(&["Vacunas: rabia, moquillo, parvovirosis"]);
    let short = Pdf::of_pages(&[short]).file();
    let record = clinical_record(1);
    let cases = [(&record, None, "es"), (&record, Some("fr"), "fr"), (&short, None, "unknown")];
    for (file, set, used) in cases {
        let id = scene.add(Some(file), set).await;
        assert_eq!(failure(&scene.run_ended(id).await), None);
        let text: Value =
            serde_json::from_str(&scene.artifact(id, "RAW_TEXT").await.unwrap().payload).unwrap();
        assert_eq!(text["language"], json!(used));
        assert_eq!(server.json(&format!("/runs/{id}"))["language_used"], json!(used));
    }
    drop(server);
}

async fn a_crash_leaves_a_diagnosis_with_the_run(scene: &Scene) {
    let server = scene.quire.serve();
    let page = text_page(&["El paciente come bien y duerme toda la noche."; 50]);
    let long = Pdf::of_pages(&vec![page; 4_900]).file();
    let id = scene.add(Some(&long), None).await;
    let run = scene.run_ended(id).await;
    assert_eq!(failure(&run), Some(("EXTRACTION_FAILED", "PARSER_TIMEOUT".to_owned())));
    let diagnosis = scene.artifact(id, "DIAGNOSIS").await.unwrap().payload;
    assert!(
        diagnosis.contains("killed after the time limit") && diagnosis.contains("512 MB, 1 s"),
        "{diagnosis}"
    );
    drop(server);
}
