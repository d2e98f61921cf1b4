//! Renders laid out pages: writes a page as a PDF and renders that.

use quire_domain::reading::Page;

use super::FONT_SIZE;
use crate::page_image::PageImageError;
use crate::pdf::PdfFile;
use crate::text::WINDOWS_1252;

/// The distance from the top of a word's box to its baseline, in points.
const ASCENT: f32 = 8.0;

/// Renders a laid out page as PNG. Characters outside of Windows-1252 become dots. `scale` is pixels per point.
pub fn render(page: &Page, scale: f32) -> Result<Vec<u8>, PageImageError> {
    PdfFile::open(as_pdf(page)).map_err(|_| PageImageError::NoSuchPage)?.render(0, scale)
}

/// The page as a PDF, in Courier.
pub(super) fn as_pdf(page: &Page) -> Vec<u8> {
    let words = page.lines.iter().flat_map(|line| &line.words).map(|word| {
        let (x, y) = (word.rect.x0, page.height - word.rect.y0 - ASCENT);
        format!("1 0 0 1 {x} {y} Tm <{}> Tj\n", win_ansi_hex(&word.text))
    });
    let content = format!("BT /F {FONT_SIZE} Tf\n{}ET", words.collect::<Vec<_>>().concat());
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents 5 0 R \
             /Resources << /Font << /F 4 0 R >> >> >>",
            page.width, page.height
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
    ];
    write_pdf(&objects)
}

/// Writes a PDF file with these objects, numbered from 1. The first one is the catalog.
fn write_pdf(objects: &[String]) -> Vec<u8> {
    let size = objects.len() + 1;
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {size}\n0000000000 65535 f \n").into_bytes();
    for (number, object) in (1..).zip(objects) {
        table.extend(format!("{:010} 00000 n \n", file.len()).bytes());
        file.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let start = file.len();
    file.extend(table);
    file.extend(format!("trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").bytes());
    file
}

fn win_ansi_hex(text: &str) -> String {
    text.chars().map(|character| format!("{:02x}", win_ansi(character))).collect::<Vec<_>>().concat()
}

fn win_ansi(character: char) -> u8 {
    const DOT: u8 = 0xB7;
    match u8::try_from(character) {
        Ok(byte) if !(0x80..=0x9f).contains(&byte) => byte,
        _ => (0x80..)
            .zip(WINDOWS_1252)
            .find_map(|(byte, sign)| (sign == character).then_some(byte))
            .unwrap_or(DOT),
    }
}
