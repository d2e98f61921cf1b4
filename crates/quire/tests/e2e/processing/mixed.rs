//! A folder with something of everything.

use std::io::{Cursor, Write as _};

use quire_domain::EventType;
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{happened, quire, value};
use crate::program::Quire;
use crate::reading::scans::scan;

fn docx(lines: &[&str]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file("word/document.xml", SimpleFileOptions::default()).unwrap();
    let paragraphs = lines.iter().map(|line| format!("<w:p><w:r><w:t>{line}</w:t></w:r></w:p>"));
    let body = paragraphs.collect::<Vec<_>>().concat();
    let document = format!("<w:document xmlns:w=\"urn:w\"><w:body>{body}</w:body></w:document>");
    writer.write_all(document.as_bytes()).unwrap();
    writer.finish().unwrap().into_inner()
}

const NOTE: [&str; 3] = [
    "Paciente: Nala",
    "Especie: Canina",
    "Motivo de consulta: come poco y duerme mucho desde hace dos días.",
];

fn lay_out(quire: &Quire) {
    std::fs::create_dir_all(quire.path("in/deep/.hidden")).unwrap();
    for (name, content) in [
        ("text.pdf", clinical_record(2)),
        ("scan.pdf", scan()),
        ("letter.docx", docx(&NOTE)),
        ("deep/note.txt", NOTE.join("\n").into_bytes()),
        ("deep/copy of text.pdf", clinical_record(2)),
        ("broken.pdf", b"%PDF-1.7\nhello".to_vec()),
        ("empty.pdf", Vec::new()),
        ("photo.gif", b"GIF89a\x01\x00\x01\x00".to_vec()),
        ("deep/.hidden/x.pdf", clinical_record(1)),
        (".DS_Store", b"x".to_vec()),
    ] {
        std::fs::write(quire.path("in").join(name), content).unwrap();
    }
    std::os::unix::fs::symlink("..", quire.path("in/deep/back")).unwrap();
}

fn result(quire: &Quire, name: &str) -> Value {
    let text = std::fs::read_to_string(quire.path("out/in").join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The product in one command: each kind of document, each way to fail, and nothing passed over in silence.
#[tokio::test]
async fn every_document_of_a_mixed_folder_has_its_result_and_is_processed_once() {
    // No server's database is touched.
    let quire = quire().with("QUIRE_STORAGE_DATABASE", "postgres://nobody@127.0.0.1:1/none");
    lay_out(&quire);
    let said = quire.run(&["process", "in", "--out", "out"]);
    assert_eq!((said.status.code(), said.out.as_str()), (Some(1), ""), "{}", said.err);
    for told in [
        "7 documents: 5 processed, 2 failed; 2 skipped (not documents); 2 hidden skipped\n",
        "  1 EXTRACTION_FAILED: in/empty.pdf\n  1 PDF_INVALID: in/broken.pdf\n",
        "in/photo.gif: skipped",
        "in/deep/back: is neither a file nor a folder",
        "--retry-failed",
    ] {
        assert!(said.err.contains(told), "{told:?} is not in {}", said.err);
    }
    for (name, patient, pages) in [
        ("text.pdf", "Luna", 2),
        ("scan.pdf", "Luna", 1),
        ("letter.docx", "Nala", 1),
        ("deep/note.txt", "Nala", 1),
    ] {
        let result = result(&quire, name);
        assert_eq!(result["file"], format!("in/{name}"));
        assert_eq!((&result["status"], &result["pages"]), (&json!("COMPLETED"), &json!(pages)), "{result}");
        assert_eq!(value(&result, "pet_name"), &json!(patient));
        // A note of three lines is too short to tell.
        assert_eq!(result["language"], if patient == "Luna" { "es" } else { "unknown" });
        assert_eq!(result["schema"], json!({ "name": "veterinary-record", "version": 1 }));
        let field = &result["fields"][0];
        assert!(field["confidence"].is_number() && field["evidence"]["page"] == 1, "{field}");
        assert_eq!(result["sha256"].as_str().unwrap().len(), 64);
    }
    let (text, copy) = (result(&quire, "text.pdf"), result(&quire, "deep/copy of text.pdf"));
    assert_eq!((&copy["file"], &copy["run_id"]), (&json!("in/deep/copy of text.pdf"), &text["run_id"]));
    let broken = result(&quire, "broken.pdf");
    assert_eq!((&broken["status"], &broken["error_code"]), (&json!("FAILED"), &json!("PDF_INVALID")));
    assert!(broken["message"].as_str().unwrap().contains("damaged"), "{broken}");
    assert!(!quire.path("out/in/photo.gif.json").exists());

    let state = quire.path("out/.quire");
    assert_eq!(happened(state.clone(), EventType::RunCompleted).await, 4, "the same bytes are read once");
    let kept = std::fs::read_dir(state.join("documents")).unwrap();
    let kept = kept.filter(|entry| !entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('~'));
    assert_eq!(kept.count(), 1, "what was understood is not kept, what failed is");
}

#[tokio::test]
async fn a_second_time_only_what_changed_is_processed() {
    let quire = quire();
    lay_out(&quire);
    assert_eq!(quire.run(&["process", "in", "--out", "out"]).status.code(), Some(1));
    let before = std::fs::metadata(quire.path("out/in/text.pdf.json")).unwrap().modified().unwrap();
    std::fs::remove_file(quire.path("out/in/letter.docx.json")).unwrap();
    quire.write("in/empty.pdf", &NOTE.join("\n"));
    std::fs::rename(quire.path("in/scan.pdf"), quire.path("in/renamed.pdf")).unwrap();
    let said = quire.run(&["process", "in", "--out", "out"]);
    assert!(said.err.contains("7 documents: 6 processed (3 before), 1 failed"), "{}", said.err);
    assert_eq!(std::fs::metadata(quire.path("out/in/text.pdf.json")).unwrap().modified().unwrap(), before);
    assert_eq!(value(&result(&quire, "letter.docx"), "pet_name"), "Nala", "written again from the state");
    assert_eq!(value(&result(&quire, "empty.pdf"), "pet_name"), "Nala");
    assert_eq!(value(&result(&quire, "renamed.pdf"), "pet_name"), "Luna");
    assert_eq!(
        happened(quire.path("out/.quire"), EventType::RunCompleted).await,
        4,
        "nothing was read again"
    );

    let said = quire.run(&["process", "in", "--out", "out", "--language", "en"]);
    assert!(said.err.contains("7 documents: 6 processed, 1 failed"), "other settings: {}", said.err);
    assert_eq!(result(&quire, "text.pdf")["language"], "en");
}
