//! Lays out text without pages (DOCX, plain text) on A4 pages, in a monospaced font.
//!
//! The pages can then be shown, and their words located, like those of any other document.

mod render;
mod wrap;

use quire_domain::reading::{Line, Page, Rect, Word};

use crate::ParsedPage;
pub use render::render;
pub(crate) use wrap::{PlacedWord, wrap};

/// The width of A4, in points.
const WIDTH: f32 = 595.0;
/// The height of A4, in points.
const HEIGHT: f32 = 842.0;
/// The margin on all sides, in points.
const MARGIN: f32 = 56.0;
/// The font size, in points.
const FONT_SIZE: f32 = 10.0;
/// The width of a character, in points: 0.6 font sizes, as in Courier.
const CHARACTER_WIDTH: f32 = 6.0;
/// The distance of two lines, in points.
const LINE_HEIGHT: f32 = 12.0;
/// Characters per line.
const COLUMNS: usize = 80;
/// Lines per page.
const ROWS: usize = 60;
/// Characters between two table cells.
const GUTTER: usize = 2;
/// The most cells beside each other. Further cells of a row go below, because narrower cells would be unreadable.
const MAX_CELLS: usize = 12;
/// The most pages, because each page takes memory.
const MAX_PAGES: usize = 10_000;

/// A part of a text. It is laid out below the part before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextBlock {
    /// A paragraph. Line breaks are kept; a form feed starts a page.
    Paragraph(String),
    /// The cells of a table row.
    Row(Vec<String>),
}

/// The text needs more pages than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the document has more text than fits on {MAX_PAGES} pages; split it and send the parts")]
pub struct TooManyPages;

/// Lays out a text. The result has at least one page.
pub fn lay_out(blocks: impl IntoIterator<Item = TextBlock>) -> Result<Vec<ParsedPage>, TooManyPages> {
    let mut writer = PageWriter { pages: vec![blank_page()], row: 0, pending_page_breaks: 0 };
    let mut after_row = false;
    for block in blocks {
        match block {
            TextBlock::Paragraph(text) => {
                writer.skip_row();
                writer.write_paragraph(&text)?;
                after_row = false;
            }
            TextBlock::Row(cells) => {
                if !after_row {
                    writer.skip_row();
                }
                for cells in cells.chunks(MAX_CELLS) {
                    writer.write_table_row(cells, !after_row)?;
                    after_row = true;
                }
            }
        }
    }
    Ok(writer.pages.into_iter().map(|page| ParsedPage { page, ..ParsedPage::default() }).collect())
}

struct PageWriter {
    pages: Vec<Page>,
    /// The next row to write.
    row: usize,
    /// Page breaks that take effect with the next written line.
    pending_page_breaks: usize,
}

fn blank_page() -> Page {
    Page { width: WIDTH, height: HEIGHT, ..Page::default() }
}

impl PageWriter {
    /// Leaves a row empty, unless the page is empty.
    fn skip_row(&mut self) {
        self.row += usize::from(self.row > 0);
    }

    fn write_paragraph(&mut self, text: &str) -> Result<(), TooManyPages> {
        let mut opens = true;
        for line in text.split('\n') {
            if line.chars().all(|character| character.is_whitespace() && character != '\u{c}') {
                self.skip_row();
                continue;
            }
            for (index, part) in line.split('\u{c}').enumerate() {
                if index > 0 {
                    self.pending_page_breaks += 1;
                    self.row = 0;
                }
                for words in wrap(part, COLUMNS) {
                    self.ensure_rows(1)?;
                    self.write_line(self.row, words, std::mem::take(&mut opens));
                    self.row += 1;
                }
            }
        }
        Ok(())
    }

    /// Writes a table row cell by cell. If each cell fits on one line, the whole row becomes one line, so that a label stays
    /// with its value.
    fn write_table_row(&mut self, cells: &[String], opens_table: bool) -> Result<(), TooManyPages> {
        let width = (COLUMNS + GUTTER) / cells.len().max(1) - GUTTER;
        let cells = cells.iter().enumerate().map(|(index, cell)| {
            let left = index * (width + GUTTER);
            let lines = cell.split(['\n', '\u{c}']).flat_map(|line| wrap(line, width));
            lines.map(|words| shift(words, left)).collect::<Vec<_>>()
        });
        let mut cells: Vec<Vec<Vec<PlacedWord>>> = cells.filter(|lines| !lines.is_empty()).collect();
        let mut height = cells.iter().map(Vec::len).max().unwrap_or(0);
        if height == 1 {
            cells = vec![vec![cells.into_iter().flatten().flatten().collect()]];
        }
        let mut opens = opens_table;
        while height > 0 {
            self.ensure_rows(height.min(ROWS))?;
            let fits = height.min(ROWS - self.row);
            for cell in &mut cells {
                for (row, words) in (self.row..).zip(cell.drain(..fits.min(cell.len()))) {
                    self.write_line(row, words, std::mem::take(&mut opens));
                }
            }
            self.row += fits;
            height -= fits;
        }
        Ok(())
    }

    /// Starts a new page if a page break is pending or if this many rows do not fit on the current page.
    fn ensure_rows(&mut self, rows: usize) -> Result<(), TooManyPages> {
        let full = self.pending_page_breaks == 0 && self.row + rows > ROWS;
        let more = self.pending_page_breaks + usize::from(full);
        if self.pages.len() + more > MAX_PAGES {
            return Err(TooManyPages);
        }
        if more > 0 {
            self.pages.extend((0..more).map(|_| blank_page()));
            self.row = 0;
        }
        self.pending_page_breaks = 0;
        Ok(())
    }

    fn write_line(&mut self, row: usize, words: Vec<PlacedWord>, opens_paragraph: bool) {
        let words = words.into_iter().map(|(column, text)| {
            let rect = word_rect(row, column, &text);
            Word::new(text, rect)
        });
        let line = Line { words: words.collect(), opens_paragraph };
        if let Some(page) = self.pages.last_mut() {
            page.lines.push(line);
        }
    }
}

fn shift(words: Vec<PlacedWord>, columns: usize) -> Vec<PlacedWord> {
    words.into_iter().map(|(column, word)| (column + columns, word)).collect()
}

#[allow(clippy::cast_precision_loss)] // A page has 80 columns and 60 rows.
fn word_rect(row: usize, column: usize, word: &str) -> Rect {
    let x0 = MARGIN + CHARACTER_WIDTH * column as f32;
    let y0 = MARGIN + LINE_HEIGHT * row as f32 + (LINE_HEIGHT - FONT_SIZE) / 2.0;
    Rect { x0, y0, x1: x0 + CHARACTER_WIDTH * word.chars().count() as f32, y1: y0 + FONT_SIZE }
}

#[cfg(test)]
mod tests;
