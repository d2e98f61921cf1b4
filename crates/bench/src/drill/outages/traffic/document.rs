//! The uploaded documents. Each depends only on its number, so that it can be compared with what is stored.

use quire_testkit::documents::{Pdf, text_page};

/// One in this many documents is larger than what an upload keeps in memory.
const LARGE_ONE_IN: u64 = 6;
const LARGE_BYTES: usize = 700_000;
const LINES: usize = 40;

pub fn is_large(number: u64) -> bool {
    number.is_multiple_of(LARGE_ONE_IN)
}

pub fn name(number: u64) -> String {
    format!("drill-{number}.pdf")
}

/// A page of text, and in large documents something that no page shows.
pub fn file(number: u64) -> Vec<u8> {
    let mut lines = vec![format!("Historia clínica {number}"), "Paciente: Luna".to_owned()];
    lines.extend((0..LINES).map(|line| format!("Consulta {line}: revisión anual sin hallazgos relevantes")));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let mut pdf = Pdf::of_pages(&[text_page(&lines)]);
    if is_large(number) {
        let filling: Vec<u8> = number.to_string().bytes().cycle().take(LARGE_BYTES).collect();
        pdf.stream("", &filling);
    }
    pdf.file()
}

/// The request that uploads the document, with further lines of its head.
pub fn upload_request(number: u64, head: &str) -> Vec<u8> {
    const BOUNDARY: &str = "quire-drill-7d1f";
    let before = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{}\"\r\n\
         Content-Type: application/pdf\r\n\r\n",
        name(number)
    );
    let after = format!("\r\n--{BOUNDARY}--\r\n");
    let file = file(number);
    let length = before.len() + file.len() + after.len();
    let head = format!(
        "POST /documents/upload HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{head}\
         Content-Type: multipart/form-data; boundary={BOUNDARY}\r\nContent-Length: {length}\r\n\r\n"
    );
    [head.as_bytes(), before.as_bytes(), &file, after.as_bytes()].concat()
}
