//! Text that has no pages is set on some, as a typewriter would: one pitch, one size, lines that end at a margin.
//!
//! What was read can then be shown and pointed at like a page of any other document.

mod render;
mod wrap;

use quire_domain::reading::{Line, Page, Rect, Word};

use crate::ParsedPage;
#[cfg(test)]
pub(crate) use render::assemble;
pub use render::render;
pub(crate) use wrap::{PlacedWord, wrap};

/// A4, in points, with margins on all sides.
const WIDTH: f32 = 595.0;
const HEIGHT: f32 = 842.0;
const MARGIN: f32 = 56.0;
/// Letters of 10 points; each takes 600 thousandths of its size in width, as in Courier.
const FONT_SIZE: f32 = 10.0;
const CHARACTER_WIDTH: f32 = 6.0;
const LINE_HEIGHT: f32 = 12.0;
/// What fits between the margins.
const COLUMNS: usize = 80;
const ROWS: usize = 60;
/// Columns of letters between two cells of a table.
const GUTTER: usize = 2;
/// More cells than this in a row go on below the first ones: narrower cells could not be read.
const MAX_CELLS: usize = 12;
/// Beyond this many pages nobody reads, and a page costs memory.
const MAX_PAGES: usize = 10_000;

/// A piece of a text, to be set below the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextBlock {
    /// A paragraph: a line break is kept, a form feed begins a new page.
    Paragraph(String),
    /// The cells of one row of a table.
    Row(Vec<String>),
}

/// That a text is too long to be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the document has more text than fits on {MAX_PAGES} pages; split it and send the parts")]
pub struct TooManyPages;

/// Sets a text. There is always a page, if only an empty one.
pub fn lay_out(blocks: impl IntoIterator<Item = TextBlock>) -> Result<Vec<ParsedPage>, TooManyPages> {
    let mut typewriter = PageWriter { pages: vec![blank_page()], row: 0, pending_page_breaks: 0 };
    let mut after_row = false;
    for block in blocks {
        match block {
            TextBlock::Paragraph(text) => {
                typewriter.skip_row();
                typewriter.write_paragraph(&text)?;
                after_row = false;
            }
            TextBlock::Row(cells) => {
                if !after_row {
                    typewriter.skip_row();
                }
                for cells in cells.chunks(MAX_CELLS) {
                    typewriter.write_table_row(cells, !after_row)?;
                    after_row = true;
                }
            }
        }
    }
    Ok(typewriter.pages.into_iter().map(|page| ParsedPage { page, ..ParsedPage::default() }).collect())
}

struct PageWriter {
    pages: Vec<Page>,
    /// The row that is written next.
    row: usize,
    /// Page breaks that were asked for and wait for something to be written behind them.
    pending_page_breaks: usize,
}

fn blank_page() -> Page {
    Page { width: WIDTH, height: HEIGHT, ..Page::default() }
}

impl PageWriter {
    /// Leaves a row empty, unless the page is.
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

    /// A row is read cell by cell. If each cell fits on its line the row is one line: a label stays with its value.
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

    /// Begins a new page if one was asked for or so many rows do not fit on this one.
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
        let words =
            words.into_iter().map(|(column, text)| Word { rect: word_rect(row, column, &text), text });
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
