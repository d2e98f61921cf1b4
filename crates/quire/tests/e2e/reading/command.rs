//! `quire read`: files and folders in, text, words or images out.

use quire_testkit::documents::{Pdf, clinical_record, text_page};
use serde_json::Value;

use crate::program::Quire;

fn with_record() -> Quire {
    let quire = Quire::new();
    std::fs::write(quire.path("record.pdf"), clinical_record(2)).unwrap();
    quire
}

#[test]
fn a_document_is_printed_as_text() {
    let text = with_record().says(&["read", "record.pdf"]);
    assert!(text.starts_with("Clínica Veterinaria de Prueba\nPágina 1 de 2\nPaciente: Luna\n"), "{text}");
    assert!(text.contains("Página 2 de 2") && text.ends_with('\n'));
}

#[test]
fn a_document_is_printed_as_pages_words_and_boxes() {
    let said = with_record().says(&["read", "--json", "record.pdf"]);
    let read: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&read["kind"], &read["language"]), (&"pdf".into(), &"es".into()));
    let word = &read["pages"][1]["lines"][2]["words"][1];
    assert_eq!(word["text"], "Luna");
    let left = word["box"][0].as_f64().unwrap();
    assert!((50.0..150.0).contains(&left), "{word}");
}

#[test]
fn pages_are_written_as_images() {
    let quire = with_record();
    quire.says(&["read", "--images", "pages", "--scale", "1", "record.pdf"]);
    for page in ["pages/record-1.png", "pages/record-2.png"] {
        assert!(std::fs::read(quire.path(page)).unwrap().starts_with(b"\x89PNG"), "{page}");
    }
    std::fs::create_dir_all(quire.path("inbox/deeper")).unwrap();
    for place in ["inbox/record.pdf", "inbox/deeper/record.pdf"] {
        std::fs::copy(quire.path("record.pdf"), quire.path(place)).unwrap();
    }
    quire.says(&["read", "--images", "all", "--scale", "1", "inbox"]);
    assert!(quire.path("all/record-1.png").exists() && quire.path("all/deeper/record-2.png").exists());
    let refused = quire.refuses(&["read", "--images", "pages", "--scale", "400", "record.pdf"]);
    assert!(refused.contains("--scale 400: must be between 0.1 and 4"), "{refused}");
}

#[test]
fn of_a_folder_everything_readable_is_read_and_what_fails_is_named() {
    let quire = with_record();
    std::fs::create_dir_all(quire.path("inbox/deeper")).unwrap();
    for place in ["inbox/a.pdf", "inbox/deeper/b.pdf"] {
        std::fs::copy(quire.path("record.pdf"), quire.path(place)).unwrap();
    }
    quire.write("inbox/notes.md", "# Luna\n\nEl paciente come bien y duerme toda la noche.\n");
    std::fs::write(quire.path("inbox/photo.gif"), b"GIF89a\x01\x00").unwrap();
    std::fs::write(quire.path("inbox/broken.pdf"), b"%PDF-1.7\nhello").unwrap();
    let said = quire.run(&["read", "inbox"]);
    assert_eq!(said.status.code(), Some(1));
    for name in ["==> inbox/a.pdf <==", "==> inbox/deeper/b.pdf <==", "==> inbox/notes.md <==", "# Luna"] {
        assert!(said.out.contains(name), "{name} is not in:\n{}", said.out);
    }
    assert!(said.err.contains("inbox/broken.pdf: ") && said.err.contains("(PDF_INVALID)"), "{}", said.err);
    assert!(said.err.contains("Read 3 documents; 1 failed."), "{}", said.err);
    assert!(!said.err.contains("photo.gif"), "what cannot be read is passed over in a folder: {}", said.err);
}

#[test]
fn what_cannot_be_read_is_said_with_its_code() {
    let quire = Quire::new();
    quire.write("page.html", "<html><body>hello there</body></html>");
    quire.write("empty.pdf", "");
    std::fs::write(quire.path("short.pdf"), Pdf::of_pages(&[text_page(&["Luna"])]).file()).unwrap();
    let cases = [
        ("page.html", "UNSUPPORTED_MEDIA_TYPE"),
        ("empty.pdf", "EXTRACTION_FAILED"),
        ("short.pdf", "EXTRACTION_FAILED"),
        ("missing.pdf", "No such file"),
    ];
    for (file, code) in cases {
        let said = quire.run(&["read", file]);
        assert_eq!(said.status.code(), Some(1), "{file}");
        assert!(said.err.contains(file) && said.err.contains(code), "{file}: {}", said.err);
    }
    let only_pdf = Quire::new().with("QUIRE_READING_FORMATS", "pdf");
    only_pdf.write("notes.txt", "El paciente come bien y duerme toda la noche.");
    assert!(only_pdf.run(&["read", "notes.txt"]).err.contains("Send a PDF file."));
}
