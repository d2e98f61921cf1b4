//! Hostile documents: they try to crash a parser, or to exhaust its memory or time.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::{Pdf, clinical_record, text_page};

/// A hostile document and the error codes with which it may fail. Reading it successfully is fine too, unless `must_fail`.
#[derive(Clone, Debug)]
pub struct Hostile {
    /// What it tries.
    pub name: &'static str,
    /// The file.
    pub file: Vec<u8>,
    /// The acceptable error codes.
    pub codes: &'static [&'static str],
    /// Whether reading it successfully would be wrong.
    pub must_fail: bool,
}

const DAMAGED: &[&str] = &["PDF_INVALID", "EXTRACTION_FAILED", "EXTRACTION_LOW_QUALITY"];
const TOO_MUCH: &[&str] = &[
    "PDF_INVALID",
    "EXTRACTION_FAILED",
    "EXTRACTION_LOW_QUALITY",
    "PARSER_MEMORY",
    "PARSER_TIMEOUT",
    "PARSER_CRASHED",
    "DOCUMENT_TOO_LARGE",
];

/// All hostile documents.
pub fn hostile() -> Vec<Hostile> {
    let may = |name, file, codes| Hostile { name, file, codes, must_fail: false };
    let must = |name, file, codes| Hostile { name, file, codes, must_fail: true };
    let good = clinical_record(3);
    vec![
        must("cut off in its first half", good[..good.len() / 3].to_vec(), DAMAGED),
        may("cut off before its cross-reference table", good[..good.len() - 200].to_vec(), DAMAGED),
        may("a cross-reference table that names itself as the previous one", looping_table(), DAMAGED),
        must("a tree of pages that contains itself", looping_pages(), DAMAGED),
        may("a form that draws itself", looping_form(), TOO_MUCH),
        may("arrays nested a hundred thousand deep", deep_object(), TOO_MUCH),
        may("a page whose operands are nested a hundred thousand deep", deep_content(), TOO_MUCH),
        may("graphics states saved a million times", saved_states(), TOO_MUCH),
        may("two gigabytes of spaces compressed to two megabytes", bomb(2048), TOO_MUCH),
        may("a page larger than any paper", huge_page(), TOO_MUCH),
        may("a million objects", million_objects(), TOO_MUCH),
        may("ten million letters in one place", many_letters(), TOO_MUCH),
        must(
            "a dense page shown three thousand times",
            dense_pages(),
            &["DOCUMENT_TOO_LARGE", "PARSER_TIMEOUT"],
        ),
        may("a letter wider than any page", wide_letter(), DAMAGED),
        must("not a PDF beyond its first line", b"%PDF-1.7\nhello\n%%EOF".to_vec(), DAMAGED),
        must("a PDF without pages", Pdf::of_pages(&[]).file(), DAMAGED),
        may("an empty password", encrypted_without_password(), &[]),
        must("an unknown password", include_bytes!("with-password.pdf").to_vec(), &["PDF_ENCRYPTED"]),
    ]
}

/// An encrypted PDF that opens without a password.
pub fn encrypted_without_password() -> Vec<u8> {
    include_bytes!("with-empty-password.pdf").to_vec()
}

fn looping_table() -> Vec<u8> {
    Pdf::of_pages(&[text_page(&["El paciente come bien y duerme toda la noche."])])
        .file_with("/Prev STARTXREF")
}

fn looping_pages() -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[text_page(&["nadie lee esto"])]);
    pdf.replace(2, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2 >>");
    pdf.file()
}

fn looping_form() -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&["/X Do".to_owned()]);
    let form = pdf.object("null");
    let entries = format!(
        "/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X {form} 0 R >> >>"
    );
    let mut inner = Pdf::default();
    inner.stream(&entries, b"/X Do /X Do");
    pdf.replace(form, inner.into_objects().remove(0));
    pdf.replace(
        4,
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R \
             /Resources << /XObject << /X {form} 0 R >> >> >>"
        ),
    );
    pdf.file()
}

const DEEP: usize = 100_000;

fn deep_object() -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[text_page(&["El paciente come bien y duerme toda la noche."])]);
    let deep = pdf.object(["[".repeat(DEEP), "]".repeat(DEEP)].concat());
    pdf.replace(
        4,
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox {deep} 0 R /Contents 5 0 R /Resources << /Font << /F 3 0 R >> >> >>"
        ),
    );
    pdf.file()
}

fn deep_content() -> Vec<u8> {
    let nested = ["[".repeat(DEEP), "]".repeat(DEEP), " TJ ".to_owned()].concat();
    let dictionaries = ["<< /A ".repeat(DEEP), ">>".repeat(DEEP), " BDC".to_owned()].concat();
    Pdf::of_pages(&[format!("BT /F 10 Tf {nested} ET {dictionaries}")]).file()
}

fn saved_states() -> Vec<u8> {
    Pdf::of_pages(&["q ".repeat(1_000_000)]).file()
}

/// A record of three pages whose second page needs more memory than a parser with 512 MB has.
pub fn record_with_broken_page() -> Vec<u8> {
    let page = |lines: &[&str]| text_page(lines);
    let first = page(&["Historia clínica del paciente atendido hoy", "Paciente: Luna", "Especie: Canina"]);
    let third = page(&["Motivo: revisión anual de la mascota", "Diagnóstico: otitis externa"]);
    let mut pdf = Pdf::of_pages(&[first, String::new(), third]);
    let stream = pdf.stream("/Filter /FlateDecode", &compressed_spaces(1024));
    pdf.replace(6, format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {stream} 0 R >>"));
    pdf.file()
}

/// A page whose content is this many megabytes of spaces, compressed.
fn bomb(megabytes: usize) -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[String::new()]);
    let stream = pdf.stream("/Filter /FlateDecode", &compressed_spaces(megabytes));
    pdf.replace(4, format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {stream} 0 R >>"));
    pdf.file()
}

/// This many megabytes of spaces, compressed.
fn compressed_spaces(megabytes: usize) -> Vec<u8> {
    let mut compressed = ZlibEncoder::new(Vec::new(), Compression::best());
    let megabyte = vec![b' '; 1 << 20];
    for _ in 0..megabytes {
        compressed.write_all(&megabyte).unwrap();
    }
    compressed.finish().unwrap()
}

fn huge_page() -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[text_page(&["El paciente come bien y duerme toda la noche."])]);
    pdf.replace(
        4,
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 1e12 1e12] /Contents 5 0 R /Resources << /Font << /F 3 0 R >> >> >>",
    );
    pdf.file()
}

fn million_objects() -> Vec<u8> {
    let mut pdf = Pdf::of_pages(&[text_page(&["El paciente come bien y duerme toda la noche."])]);
    for _ in 0..1_000_000 {
        pdf.object("null");
    }
    pdf.file()
}

/// A hundred kilobytes that expand to nine million words.
fn dense_pages() -> Vec<u8> {
    let words = "la gata come poco y duerme mucho ".repeat(430);
    let mut pdf = Pdf::of_pages(&vec![String::new(); 3000]);
    let content = pdf.stream("", format!("BT /F 1 Tf 0 0 Td ({words}) Tj ET").as_bytes());
    for page in 0..3000 {
        pdf.replace(
            4 + 2 * page,
            format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9000 842] /Contents {content} 0 R \
                 /Resources << /Font << /F 3 0 R >> >> >>"
            ),
        );
    }
    pdf.file()
}

fn wide_letter() -> Vec<u8> {
    let wide = "9".repeat(30);
    let text = text_page(&["El paciente come bien y duerme toda la noche."]);
    Pdf::of_pages(&[format!("{text} BT /F 1000 Tf {wide} Tz 50 500 Td (Hola) Tj ET")]).file()
}

fn many_letters() -> Vec<u8> {
    let mut content = "BT /F 1 Tf 0 0 Td ".to_owned();
    for _ in 0..100_000 {
        content.push_str("(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ");
    }
    content.push_str("ET");
    Pdf::of_pages(&[content]).file()
}
