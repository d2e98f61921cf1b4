//! A small writer of PDFs: pages of text in the standard fonts, uncompressed.

use std::fmt::Write as _;

/// The fonts a page may use, by the name it calls them.
#[derive(Clone, Copy, Debug)]
pub enum Font {
    Upright,
    Bold,
}

impl Font {
    fn name(self) -> &'static str {
        match self {
            Self::Upright => "U",
            Self::Bold => "B",
        }
    }
}

/// A4, in points.
pub const WIDTH: f32 = 595.0;
/// A4, in points.
pub const HEIGHT: f32 = 842.0;

/// What is drawn on one page.
#[derive(Default)]
pub struct Page {
    content: String,
}

impl Page {
    /// Text that starts there; x from the left and y from the bottom, in points.
    pub fn text(&mut self, font: Font, size: f32, (x, y): (f32, f32), text: &str) {
        let text = literal(text);
        writeln!(self.content, "BT /{} {size} Tf {x:.2} {y:.2} Td ({text}) Tj ET", font.name()).unwrap();
    }

    /// A thin line.
    pub fn line(&mut self, (x0, y0): (f32, f32), (x1, y1): (f32, f32)) {
        writeln!(self.content, "0.5 w {x0:.2} {y0:.2} m {x1:.2} {y1:.2} l S").unwrap();
    }
}

/// The file of those pages.
pub fn file(pages: &[Page]) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", FIRST_PAGE + 2 * page)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len()),
        font("Helvetica"),
        font("Helvetica-Bold"),
    ];
    for (place, page) in pages.iter().enumerate() {
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {} 0 R \
             /Resources << /Font << /U 3 0 R /B 4 0 R >> >> >>",
            FIRST_PAGE + 2 * place + 1
        ));
        let content = &page.content;
        objects.push(format!("<< /Length {} >>\nstream\n{content}endstream", content.len()));
    }
    assemble(&objects)
}

/// After the catalogue, the list of pages and two fonts.
const FIRST_PAGE: usize = 5;

fn font(name: &str) -> String {
    format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>")
}

/// Numbers the objects from 1, the catalogue first, and says where each begins.
fn assemble(objects: &[String]) -> Vec<u8> {
    let mut file = String::from("%PDF-1.4\n");
    let mut places = String::from("0000000000 65535 f \n");
    for (number, object) in (1..).zip(objects) {
        writeln!(places, "{:010} 00000 n ", file.len()).unwrap();
        write!(file, "{number} 0 obj\n{object}\nendobj\n").unwrap();
    }
    let (count, start) = (objects.len() + 1, file.len());
    write!(
        file,
        "xref\n0 {count}\n{places}trailer << /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    )
    .unwrap();
    file.into_bytes()
}

/// The text as a PDF string. Letters beyond ASCII are written by their number, which up to U+00FF is that of the fonts'
/// encoding.
fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '(' | ')' | '\\' => literal.extend(['\\', letter]),
            ' '..='~' => literal.push(letter),
            letter => write!(literal, "\\{:03o}", u8::try_from(letter).unwrap()).unwrap(),
        }
    }
    literal
}

#[cfg(test)]
mod tests {
    use quire_reading::pdf::PdfFile;

    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let mut page = Page::default();
        page.text(Font::Bold, 14.0, (70.0, 760.0), "Año (2026)");
        page.line((70.0, 750.0), (300.0, 750.0));
        page.text(Font::Upright, 10.0, (70.0, 730.0), r"C:\datos");
        let file = PdfFile::open(file(&[page, Page::default()])).unwrap();
        let words: Vec<Vec<String>> = file
            .read_pages()
            .map(|read| {
                read.page.lines.into_iter().flat_map(|line| line.words).map(|word| word.text).collect()
            })
            .collect();
        assert_eq!(words, [vec!["Año", "(2026)", r"C:\datos"], vec![]]);
    }
}
