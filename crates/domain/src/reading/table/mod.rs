//! Tables as data: rows and columns of cells, from the words and rulings of pages.
//!
//! `ruled` reads tables whose cells have lines around them: the lines are the grid. `unruled` reads the others: words that are
//! far apart are cells, and gaps that run down several rows separate columns. `page_breaks` joins a table that continues on
//! the next page.
//!
//! The work grows in proportion to the words of a page, apart from sorting them.

mod page_breaks;
mod rows;
mod ruled;
mod unruled;

use serde::{Deserialize, Serialize};

use super::{Page, Rect};

/// A table with more columns is a drawing.
const MAX_COLUMNS: usize = 60;

/// A table. Its first rows may be its head.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The number of columns.
    pub columns: usize,
    /// The number of rows, with the head.
    pub rows: usize,
    /// How many of the rows are the head.
    pub head_rows: usize,
    /// The cells that are not empty, row by row.
    pub cells: Vec<TableCell>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TableCell {
    /// The row, from 0.
    pub row: usize,
    /// The first column, from 0.
    pub column: usize,
    /// Over how many columns it goes.
    pub column_span: usize,
    /// Over how many rows it goes.
    pub row_span: usize,
    /// Its words. A space separates them, also where a line ends.
    pub text: String,
    /// The page, from 1.
    pub page: usize,
    /// Where its words stand on the page.
    pub rect: Rect,
    /// The place between the lines around it, or between those that are missing, where its words stand.
    #[serde(skip)]
    pub area: Rect,
}

impl Table {
    /// The tables of a document, in reading order.
    pub fn find(pages: &[Page]) -> Vec<Self> {
        let mut tables = Vec::new();
        for (page, number) in pages.iter().zip(1..) {
            let of_page = Self::of_page(page, number);
            page_breaks::append(&mut tables, of_page, pages);
        }
        tables
    }

    /// The tables whose cells have lines around them, in reading order.
    pub fn find_ruled(pages: &[Page]) -> Vec<Self> {
        let mut tables = Vec::new();
        for (page, number) in pages.iter().zip(1..).filter(|(page, _)| !page.rulings.is_empty()) {
            let (of_page, _) = ruled::tables(page, rows::words(page), number);
            page_breaks::append(&mut tables, of_page, pages);
        }
        tables
    }

    fn of_page(page: &Page, number: usize) -> Vec<Self> {
        let words = rows::words(page);
        let (mut tables, free) = ruled::tables(page, words, number);
        tables.extend(unruled::tables(&free, number));
        tables.sort_by(|one, other| one.top().total_cmp(&other.top()));
        tables
    }

    /// The texts, row by row. A merged cell has its text in its first column only.
    pub fn grid(&self) -> Vec<Vec<&str>> {
        let mut grid = vec![vec![""; self.columns]; self.rows];
        for cell in &self.cells {
            if let Some(place) = grid.get_mut(cell.row).and_then(|row| row.get_mut(cell.column)) {
                *place = &cell.text;
            }
        }
        grid
    }

    fn top(&self) -> f32 {
        self.cells.iter().map(|cell| cell.rect.y0).fold(f32::INFINITY, f32::min)
    }

    /// Counts the rows of the head: those above the first one with a figure, if there are figures at all.
    fn with_head(mut self) -> Self {
        let figures = self.cells.iter().filter(|cell| is_figure(&cell.text));
        self.head_rows = match figures.map(|cell| cell.row).min() {
            Some(0) => 0,
            Some(first) if first <= 3 => first,
            _ => 1.min(self.rows),
        };
        self
    }
}

/// Whether a cell is a number, a sum or a date rather than words.
fn is_figure(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    digits > 0 && digits >= letters
}

#[cfg(test)]
mod tests;
