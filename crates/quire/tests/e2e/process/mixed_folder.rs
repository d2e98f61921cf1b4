//! A folder with supported, unsupported, broken and hidden files.

use std::io::{Cursor, Write as _};

use quire_domain::EventType;
use quire_testkit::documents::clinical_record;
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{count_events, small_cli, value};
use crate::program::Cli;
use crate::reading::ocr::scan;

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

fn create_files(cli: &Cli) {
    std::fs::create_dir_all(cli.path("in/deep/.hidden")).unwrap();
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
        std::fs::write(cli.path("in").join(name), content).unwrap();
    }
    std::os::unix::fs::symlink("..", cli.path("in/deep/back")).unwrap();
}

fn result(cli: &Cli, name: &str) -> Value {
    let text = std::fs::read_to_string(cli.path("out/in").join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn every_document_of_a_mixed_folder_is_processed_once() {
    // The configured database is not used.
    let cli = small_cli().with("QUIRE_STORAGE_DATABASE", "postgres://nobody@127.0.0.1:1/none");
    create_files(&cli);
    let output = cli.run(&["process", "in", "--out", "out"]);
    assert_eq!((output.status.code(), output.stdout.as_str()), (Some(1), ""), "{}", output.stderr);
    for message in [
        "7 documents: 5 processed, 2 failed; 2 skipped (not documents); 2 hidden skipped\n",
        "  1 EXTRACTION_FAILED: in/empty.pdf\n  1 PDF_INVALID: in/broken.pdf\n",
        "in/photo.gif: skipped",
        "in/deep/back: is neither a file nor a folder",
        "--retry-failed",
    ] {
        assert!(output.stderr.contains(message), "{message:?} is not in {}", output.stderr);
    }
    for (name, patient, pages) in [
        ("text.pdf", "Luna", 2),
        ("scan.pdf", "Luna", 1),
        ("letter.docx", "Nala", 1),
        ("deep/note.txt", "Nala", 1),
    ] {
        let result = result(&cli, name);
        assert_eq!(result["file"], format!("in/{name}"));
        assert_eq!((&result["status"], &result["pages"]), (&json!("COMPLETED"), &json!(pages)), "{result}");
        assert_eq!(value(&result, "pet_name"), &json!(patient));
        // A note of three lines is too short to detect its language.
        assert_eq!(result["language"], if patient == "Luna" { "es" } else { "unknown" });
        assert_eq!(result["schema"], json!({ "name": "veterinary-record", "version": 1 }));
        let field = &result["fields"][0];
        assert!(field["confidence"].is_number() && field["evidence"]["page"] == 1, "{field}");
        assert_eq!(result["sha256"].as_str().unwrap().len(), 64);
    }
    let (text, copy) = (result(&cli, "text.pdf"), result(&cli, "deep/copy of text.pdf"));
    assert_eq!((&copy["file"], &copy["run_id"]), (&json!("in/deep/copy of text.pdf"), &text["run_id"]));
    let broken = result(&cli, "broken.pdf");
    assert_eq!((&broken["status"], &broken["error_code"]), (&json!("FAILED"), &json!("PDF_INVALID")));
    assert!(broken["message"].as_str().unwrap().contains("damaged"), "{broken}");
    assert!(!cli.path("out/in/photo.gif.json").exists());

    let state = cli.path("out/.quire");
    assert_eq!(
        count_events(state.clone(), EventType::RunCompleted).await,
        4,
        "the same content is processed once"
    );
    let kept = std::fs::read_dir(state.join("documents")).unwrap();
    let kept = kept.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let kept = kept.filter(|name| !name.starts_with('~') && name != "installation-id");
    assert_eq!(kept.count(), 1, "only the copy of the failed document is kept");
}

#[tokio::test]
async fn a_second_command_processes_only_changes() {
    let cli = small_cli();
    create_files(&cli);
    assert_eq!(cli.run(&["process", "in", "--out", "out"]).status.code(), Some(1));
    let before = std::fs::metadata(cli.path("out/in/text.pdf.json")).unwrap().modified().unwrap();
    std::fs::remove_file(cli.path("out/in/letter.docx.json")).unwrap();
    cli.write("in/empty.pdf", &NOTE.join("\n"));
    std::fs::rename(cli.path("in/scan.pdf"), cli.path("in/renamed.pdf")).unwrap();
    let output = cli.run(&["process", "in", "--out", "out"]);
    assert!(output.stderr.contains("7 documents: 6 processed (3 before), 1 failed"), "{}", output.stderr);
    assert_eq!(std::fs::metadata(cli.path("out/in/text.pdf.json")).unwrap().modified().unwrap(), before);
    assert_eq!(value(&result(&cli, "letter.docx"), "pet_name"), "Nala", "written again from the state");
    assert_eq!(value(&result(&cli, "empty.pdf"), "pet_name"), "Nala");
    assert_eq!(value(&result(&cli, "renamed.pdf"), "pet_name"), "Luna");
    assert_eq!(
        count_events(cli.path("out/.quire"), EventType::RunCompleted).await,
        4,
        "nothing was processed again"
    );

    let output = cli.run(&["process", "in", "--out", "out", "--language", "en"]);
    assert!(
        output.stderr.contains("7 documents: 6 processed, 1 failed"),
        "other settings: {}",
        output.stderr
    );
    assert_eq!(result(&cli, "text.pdf")["language"], "en");
}
