//! Writes the content streams of PDF pages.

use std::fmt::Write as _;

/// The fonts of a page. [`Font::Bold`] needs [`Pdf::with_bold_font`](super::Pdf::with_bold_font).
#[derive(Clone, Copy, Debug)]
pub enum Font {
    /// Helvetica, `/F`.
    Regular,
    /// Helvetica-Bold, `/B`.
    Bold,
}

impl Font {
    fn name(self) -> char {
        match self {
            Self::Regular => 'F',
            Self::Bold => 'B',
        }
    }
}

/// The content stream of a page. Coordinates are in points, x from the left and y from the bottom.
#[derive(Clone, Debug, Default)]
pub struct PageContent {
    content: String,
}

impl PageContent {
    /// Draws black text that starts at a point.
    pub fn text(&mut self, font: Font, size: f32, (x, y): (f32, f32), text: &str) {
        let (font, x, y, text) = (font.name(), rounded(x), rounded(y), literal(text));
        writeln!(self.content, "BT /{font} {size} Tf {x} {y} Td ({text}) Tj ET").unwrap();
    }

    /// Draws colored text that starts at a point. `color` is red, green and blue from 0 to 1, as in `0.1 0.2 1`.
    pub fn colored_text(&mut self, font: Font, size: f32, (x, y): (f32, f32), color: &str, text: &str) {
        let (font, x, y, text) = (font.name(), rounded(x), rounded(y), literal(text));
        writeln!(self.content, "BT {color} rg /{font} {size} Tf {x} {y} Td ({text}) Tj ET").unwrap();
    }

    /// Draws a thin line.
    pub fn line(&mut self, (x0, y0): (f32, f32), (x1, y1): (f32, f32)) {
        let (x0, y0, x1, y1) = (rounded(x0), rounded(y0), rounded(x1), rounded(y1));
        writeln!(self.content, "0.5 w {x0} {y0} m {x1} {y1} l S").unwrap();
    }

    /// Appends operators as they are.
    pub fn operators(&mut self, operators: &str) {
        writeln!(self.content, "{operators}").unwrap();
    }

    /// The content stream.
    pub fn into_string(self) -> String {
        self.content
    }
}

/// A page with these lines of text, from its top.
pub fn text_page(lines: &[&str]) -> String {
    text_page_at((50.0, 790.0), lines)
}

/// A page with these lines of text, of which the first starts at a point.
pub fn text_page_at((x, y): (f32, f32), lines: &[&str]) -> String {
    let mut content = format!("BT /F 11 Tf 14 TL {x} {y} Td\n");
    for line in lines {
        writeln!(content, "({}) Tj T*", literal(line)).unwrap();
    }
    content.push_str("ET");
    content
}

/// A text as it is written in a content stream. `WinAnsi` equals Latin-1 for the letters of Western Europe, and has the sign
/// of the euro; other characters become question marks.
fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '(' | ')' | '\\' => literal.extend(['\\', letter]),
            letter if letter.is_ascii() => literal.push(letter),
            '€' => literal.push_str("\\200"),
            letter => write!(literal, "\\{:03o}", u8::try_from(letter).unwrap_or(b'?')).unwrap(),
        }
    }
    literal
}

/// Hundredths of a point are precise enough.
fn rounded(coordinate: f32) -> f32 {
    (coordinate * 100.0).round() / 100.0
}
