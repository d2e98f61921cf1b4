//! The EXTRACTION step of a run: what it stores and how it fails.

use quire_application::document::pages;
use quire_domain::DocumentId;
use quire_ports::BlobStore;
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};

use super::{failure, gibberish, long_document};
use crate::record::pdf;
use crate::test_env::{TestEnv, on_both_stores};

on_both_stores! {
    /// Proves R087 from the stored document on, and that EXTRACTION stores the text and each page.
    the_text_and_pages_of_a_document_are_stored,
    /// Proves R048, R085 and R086: unusable documents fail with their code and store no text.
    unusable_documents_fail_with_their_code_and_store_no_text with super::WITHOUT_OCR,
    /// Proves R048 for a run whose subject is no document.
    a_file_that_is_not_the_uploaded_one_is_not_read,
    a_run_without_a_document_fails,
    /// Proves R084, and that a language that was set is used.
    the_language_is_set_or_detected_or_unknown,
    a_parser_that_times_out_leaves_a_diagnosis with super::ONE_SECOND,
}

const WITHOUT_OCR: [(&str, &str); 1] = [("QUIRE_READING_OCR_ENABLED", "false")];
const ONE_SECOND: [(&str, &str); 2] = [("QUIRE_READING_TIME_LIMIT", "1s"), WITHOUT_OCR[0]];

async fn the_text_and_pages_of_a_document_are_stored(env: &TestEnv) {
    let server = env.cli.serve();
    let id = env.add_document(Some(&clinical_record(3)), None).await;
    let run = env.wait_for_run(id).await;
    assert_eq!(failure(&run), None);

    let text: Value = serde_json::from_str(&env.artifact(id, "RAW_TEXT").await.unwrap().payload).unwrap();
    assert_eq!(text["path"], format!("{}/runs/{id}/raw-text.txt", run.subject));
    assert_eq!(text["language"], "es");
    let stored = env.blobs.get(text["path"].as_str().unwrap(), 1 << 20).await.unwrap();
    assert!(String::from_utf8(stored).unwrap().contains("Paciente: Luna\n"));

    let document = DocumentId(run.subject.0);
    let (read_by, index) = pages::page_index(&env.store, document).await.unwrap();
    assert_eq!((read_by, index.pages.len()), (id, 3));
    let page = pages::page_words(&env.store, &env.blobs, document, 3).await.unwrap();
    let words: Vec<&str> = page.lines[1].words.iter().map(|word| word.text.as_str()).collect();
    assert_eq!(words, ["Página", "3", "de", "3"]);
    for missing in [0, 4] {
        assert!(pages::page_words(&env.store, &env.blobs, document, missing).await.is_err());
    }
    drop(server);
}

async fn unusable_documents_fail_with_their_code_and_store_no_text(env: &TestEnv) {
    let server = env.cli.serve();
    let (empty, gibberish) = (pdf(&["Luna"]), gibberish());
    let failed = "EXTRACTION_FAILED";
    let cases: [(&str, Option<&[u8]>, _); 5] = [
        ("a missing file", None, (failed, failed)),
        ("an empty file", Some(b""), (failed, failed)),
        ("hardly any text", Some(&empty), (failed, failed)),
        ("text without words", Some(&gibberish), ("EXTRACTION_LOW_QUALITY", "EXTRACTION_LOW_QUALITY")),
        ("an unsupported type", Some(b"GIF89a\x01\x00\x01\x00"), (failed, "UNSUPPORTED_MEDIA_TYPE")),
    ];
    for (what, file, (failure_type, code)) in cases {
        let id = env.add_document(file, None).await;
        let run = env.wait_for_run(id).await;
        assert_eq!(failure(&run), Some((failure_type, code.to_owned())), "{what}");
        let shown = server.json(&format!("/runs/{id}"));
        assert_eq!((&shown["failure_type"], &shown["error_code"]), (&json!(failure_type), &json!(code)));
        assert!(env.artifact(id, "RAW_TEXT").await.is_none(), "{what}");
    }
    drop(server);
}

/// Its text would be about another file.
async fn a_file_that_is_not_the_uploaded_one_is_not_read(env: &TestEnv) {
    let run = env.add_document(Some(&clinical_record(1)), None).await;
    let document = env.store.run_reader.run(run).await.unwrap().subject;
    let original = env.documents_folder().join(format!("{document}/original.pdf"));
    std::fs::write(original, clinical_record(2)).unwrap();
    let server = env.cli.serve();
    let ended = env.wait_for_run(run).await;
    assert_eq!(failure(&ended), Some(("EXTRACTION_FAILED", "FILE_DAMAGED".to_owned())));
    assert!(env.artifact(run, "RAW_TEXT").await.is_none());
    drop(server);
}

async fn a_run_without_a_document_fails(env: &TestEnv) {
    let server = env.cli.serve();
    let run = quire_testkit::fixture::document_run(quire_domain::SubjectId::new());
    env.store.queue.enqueue(&run, jiff::Timestamp::now()).await.unwrap();
    let ended = env.wait_for_run(run.id).await;
    assert_eq!(failure(&ended), Some(("EXTRACTION_FAILED", "EXTRACTION_FAILED".to_owned())));
    drop(server);
}

async fn the_language_is_set_or_detected_or_unknown(env: &TestEnv) {
    let server = env.cli.serve();
    let short = pdf(&["Vacunas: rabia, moquillo, parvovirosis"]);
    let record = clinical_record(1);
    let cases = [(&record, None, "es"), (&record, Some("fr"), "fr"), (&short, None, "unknown")];
    for (file, set, used) in cases {
        let id = env.add_document(Some(file), set).await;
        assert_eq!(failure(&env.wait_for_run(id).await), None);
        let text: Value = serde_json::from_str(&env.artifact(id, "RAW_TEXT").await.unwrap().payload).unwrap();
        assert_eq!(text["language"], json!(used));
        assert_eq!(server.json(&format!("/runs/{id}"))["language_used"], json!(used));
    }
    drop(server);
}

async fn a_parser_that_times_out_leaves_a_diagnosis(env: &TestEnv) {
    let server = env.cli.serve();
    let id = env.add_document(Some(&long_document()), None).await;
    let run = env.wait_for_run(id).await;
    assert_eq!(failure(&run), Some(("EXTRACTION_FAILED", "PARSER_TIMEOUT".to_owned())));
    let diagnosis = env.artifact(id, "DIAGNOSIS").await.unwrap().payload;
    assert!(
        diagnosis.contains("killed after the time limit") && diagnosis.contains("512 MB, 1 s"),
        "{diagnosis}"
    );
    drop(server);
}
