//! `quire read`.

use quire_testkit::documents::{Pdf, clinical_record, text_page};
use serde_json::Value;

use crate::program::Cli;

fn cli_with_record() -> Cli {
    let cli = Cli::new();
    std::fs::write(cli.path("record.pdf"), clinical_record(2)).unwrap();
    cli
}

#[test]
fn a_document_is_printed_as_text() {
    let text = cli_with_record().run_ok(&["read", "record.pdf"]);
    assert!(text.starts_with("Clínica Veterinaria de Prueba\nPágina 1 de 2\nPaciente: Luna\n"), "{text}");
    assert!(text.contains("Página 2 de 2") && text.ends_with('\n'));
}

#[test]
fn a_document_is_printed_as_pages_words_and_boxes() {
    let output = cli_with_record().run_ok(&["read", "--json", "record.pdf"]);
    let read: Value = serde_json::from_str(&output).unwrap();
    assert_eq!((&read["kind"], &read["language"]), (&"pdf".into(), &"es".into()));
    let word = &read["pages"][1]["lines"][2]["words"][1];
    assert_eq!(word["text"], "Luna");
    let left = word["box"][0].as_f64().unwrap();
    assert!((50.0..150.0).contains(&left), "{word}");
}

#[test]
fn pages_are_written_as_images() {
    let cli = cli_with_record();
    cli.run_ok(&["read", "--images", "pages", "--scale", "1", "record.pdf"]);
    for page in ["pages/record-1.png", "pages/record-2.png"] {
        assert!(std::fs::read(cli.path(page)).unwrap().starts_with(b"\x89PNG"), "{page}");
    }
    std::fs::create_dir_all(cli.path("inbox/deeper")).unwrap();
    for copy in ["inbox/record.pdf", "inbox/deeper/record.pdf"] {
        std::fs::copy(cli.path("record.pdf"), cli.path(copy)).unwrap();
    }
    cli.run_ok(&["read", "--images", "all", "--scale", "1", "inbox"]);
    assert!(cli.path("all/record-1.png").exists() && cli.path("all/deeper/record-2.png").exists());
    let refused = cli.run_err(&["read", "--images", "pages", "--scale", "400", "record.pdf"]);
    assert!(refused.contains("--scale 400: must be between 0.1 and 4"), "{refused}");
}

#[test]
fn supported_files_of_a_folder_are_read_and_failures_are_named() {
    let cli = cli_with_record();
    std::fs::create_dir_all(cli.path("inbox/deeper")).unwrap();
    for copy in ["inbox/a.pdf", "inbox/deeper/b.pdf"] {
        std::fs::copy(cli.path("record.pdf"), cli.path(copy)).unwrap();
    }
    cli.write("inbox/notes.md", "# Luna\n\nEl paciente come bien y duerme toda la noche.\n");
    std::fs::write(cli.path("inbox/photo.gif"), b"GIF89a\x01\x00").unwrap();
    std::fs::write(cli.path("inbox/broken.pdf"), b"%PDF-1.7\nhello").unwrap();
    let output = cli.run(&["read", "inbox"]);
    assert_eq!(output.status.code(), Some(1));
    for name in ["==> inbox/a.pdf <==", "==> inbox/deeper/b.pdf <==", "==> inbox/notes.md <==", "# Luna"] {
        assert!(output.stdout.contains(name), "{name} is not in:\n{}", output.stdout);
    }
    assert!(
        output.stderr.contains("inbox/broken.pdf: ") && output.stderr.contains("(PDF_INVALID)"),
        "{}",
        output.stderr
    );
    assert!(output.stderr.contains("Read 3 documents; 1 failed."), "{}", output.stderr);
    assert!(
        !output.stderr.contains("photo.gif"),
        "unsupported files of a folder are skipped: {}",
        output.stderr
    );
}

#[test]
fn an_unreadable_file_is_reported_with_its_code() {
    let cli = Cli::new();
    cli.write("page.html", "<html><body>hello there</body></html>");
    cli.write("empty.pdf", "");
    std::fs::write(cli.path("short.pdf"), Pdf::of_pages(&[text_page(&["Luna"])]).file()).unwrap();
    let cases = [
        ("page.html", "UNSUPPORTED_MEDIA_TYPE"),
        ("empty.pdf", "EXTRACTION_FAILED"),
        ("short.pdf", "EXTRACTION_FAILED"),
        ("missing.pdf", "No such file"),
    ];
    for (file, code) in cases {
        let output = cli.run(&["read", file]);
        assert_eq!(output.status.code(), Some(1), "{file}");
        assert!(output.stderr.contains(file) && output.stderr.contains(code), "{file}: {}", output.stderr);
    }
    let only_pdf = Cli::new().with("QUIRE_READING_FORMATS", "pdf");
    only_pdf.write("notes.txt", "El paciente come bien y duerme toda la noche.");
    assert!(only_pdf.run(&["read", "notes.txt"]).stderr.contains("send a PDF file"));
}
