//! Divides the pages of a document into cells in rows. A cell is a group of words that stand close together; a row is
//! cells side by side.
//!
//! The reader gives lines in reading order, where two columns are two groups of lines. Labels and values need the
//! position on the page instead: what stands to the right, and what stands below.

use std::cell::Cell as Counter;
use std::ops::Range;

use super::side_by_side::{PagePart, parts_of_page};
use super::upright::UprightPage;
use crate::normal::fold;
use quire_domain::reading::{Line, Page, Rect, Word};

/// The largest gap between words of one cell, in line heights.
const MAX_WORD_GAP: f32 = 0.95;
/// The same for recognised text, whose positions are less exact.
const MAX_WORD_GAP_RECOGNISED: f32 = 1.3;
/// The most cells of one row. A row with more is no form.
const MAX_CELLS_IN_ROW: usize = 48;
/// The most bars of a line that separate cells. A line with more is no row of a form.
const MAX_BARS: usize = 12;
/// Cells above the first and below the second share of the page height are headers and footers.
const MARGINS: (f32, f32) = (0.035, 0.95);

/// Words before a page number.
const PAGE_WORDS: [&str; 5] = ["pagina", "pag", "page", "hoja", "sheet"];

/// A word, or a part of one: `RAZA:Beagle` is two tokens.
#[derive(Clone)]
pub(super) struct Token<'p> {
    /// The text without the colon behind it.
    pub text: &'p str,
    /// The form in which labels are compared: folded, without marks, and with lookalike characters unified.
    pub label_form: String,
    /// The text folded and without marks.
    pub word: String,
    /// Whether a colon follows.
    pub colon: bool,
    /// Where it stands if the page is seen upright.
    pub rect: Rect,
    /// Where it stands on the page.
    pub on_page: Rect,
    /// How sure text recognition is of its word, if that was recognised.
    pub confidence: Option<f32>,
}

impl Token<'_> {
    /// Whether it only separates words: a dash, a bar, a bullet.
    pub fn is_separator(&self) -> bool {
        self.label_form.is_empty()
    }

    /// Whether it begins with a capital letter or a digit.
    pub fn is_capital(&self) -> bool {
        let first = self.text.chars().find(|c| c.is_alphanumeric());
        first.is_some_and(|c| c.is_uppercase() || c.is_ascii_digit())
    }
}

/// A group of words that stand close together.
pub(super) struct Cell<'p> {
    pub tokens: Vec<Token<'p>>,
    /// The page, from 1.
    pub page: u32,
    pub rect: Rect,
    /// The index of its row.
    pub row: usize,
    /// The index of the part of a page that it stands in.
    pub part: usize,
    /// Whether it stands in the header or footer area of the page.
    pub in_margin: bool,
    /// Whether its text was recognised from an image.
    pub is_recognised: bool,
}

impl Cell<'_> {
    /// The text of some of its tokens.
    pub fn text(&self, tokens: Range<usize>) -> String {
        let mut text = String::new();
        for token in &self.tokens[tokens] {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(token.text);
            if token.colon {
                text.push(':');
            }
        }
        text
    }

    pub fn token_range(&self) -> Range<usize> {
        0..self.tokens.len()
    }

    pub fn height(&self) -> f32 {
        (self.rect.y1 - self.rect.y0).max(1.0)
    }

    /// The index of the first token that is a word.
    pub fn first_word(&self) -> usize {
        self.tokens.iter().position(|token| !token.is_separator()).unwrap_or(self.tokens.len())
    }

    /// Whether it is a page number, wherever it stands: "Página 2 de 3", "page 2".
    pub fn is_page_number(&self) -> bool {
        let words: Vec<&str> = self.tokens.iter().map(|token| token.word.as_str()).collect();
        let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
        match words[..] {
            [page, number] => PAGE_WORDS.contains(&page) && is_number(number),
            [page, number, of, all] => {
                PAGE_WORDS.contains(&page)
                    && is_number(number)
                    && ["de", "of", ""].contains(&of)
                    && is_number(all)
            }
            _ => false,
        }
    }

    /// Whether it is a list item: a bullet or dash before words.
    pub fn is_list_item(&self) -> bool {
        self.first_word() > 0 && self.first_word() < self.tokens.len()
    }
}

/// Where a part of a page stands.
struct PartBounds {
    /// The first row.
    row: usize,
    /// The right edge of its text.
    right: f32,
    /// Where its lines may start and how wide they may be: those of its text, or of the page if nothing stands beside it.
    left: f32,
    width: f32,
    /// Whether it is about something else than the part before it: a side bar, or what stands beside one.
    is_apart: bool,
}

/// The cells of a document, row by row.
pub(super) struct DocumentLayout<'p> {
    pub cells: Vec<Cell<'p>>,
    /// The range of cells of each row.
    pub rows: Vec<Range<usize>>,
    /// The parts of the pages, in the order in which they are read.
    parts: Vec<PartBounds>,
    widths: Vec<f32>,
    /// Counts the cells and tokens that were read. Tests use it to prove that the work grows in proportion to the
    /// document.
    pub steps: Counter<u64>,
}

impl<'p> DocumentLayout<'p> {
    pub fn of(pages: &'p [Page]) -> Self {
        let mut layout = Self {
            cells: Vec::new(),
            rows: Vec::new(),
            parts: Vec::new(),
            widths: Vec::with_capacity(pages.len()),
            steps: Counter::new(0),
        };
        for (page, number) in pages.iter().zip(1..) {
            layout.add_page(page, number);
        }
        layout
    }

    /// Counts one unit of work.
    pub fn count_step(&self) {
        self.steps.set(self.steps.get() + 1);
    }

    /// The right edge of the text around that cell.
    pub fn right_edge(&self, cell: &Cell<'_>) -> f32 {
        self.parts[cell.part].right
    }

    /// The width that lines around that cell may have: that of the page, or of the part if others stand beside it.
    pub fn line_width(&self, cell: &Cell<'_>) -> f32 {
        self.parts[cell.part].width
    }

    /// The share of that width at which the cell ends.
    pub fn reach(&self, cell: &Cell<'_>) -> f32 {
        let part = &self.parts[cell.part];
        (cell.rect.x1 - part.left) / part.width.max(1.0)
    }

    /// Whether a row is the first of a part that is about something else than the rows before it.
    pub fn starts_apart(&self, row: usize) -> bool {
        let part = &self.parts[self.cells[self.rows[row].start].part];
        part.row == row && part.is_apart
    }

    /// The width of the page of that cell.
    pub fn page_width(&self, cell: &Cell<'_>) -> f32 {
        self.widths[cell.page as usize - 1]
    }

    fn add_page(&mut self, page: &'p Page, number: u32) {
        let upright = UprightPage::of(page);
        self.widths.push(upright.width);
        let slope = if page.recognised { page_slope(page, &upright) } else { 0.0 };
        let mut cells: Vec<(f32, Cell<'p>)> = Vec::new();
        for line in &page.lines {
            for mut cell in split_into_cells(line, number, page.recognised, &upright) {
                self.steps.set(self.steps.get() + cell.tokens.len() as u64);
                let middle = f32::midpoint(cell.rect.y0, cell.rect.y1);
                cell.in_margin = cell.rect.y1 < upright.height * MARGINS.0
                    || cell.rect.y0 > upright.height * MARGINS.1
                    || cell.is_page_number();
                cells.push((middle - slope * cell.rect.x0, cell));
            }
        }
        cells.sort_by(|one, two| one.0.total_cmp(&two.0));
        let parts = parts_of_page(&cells.iter().map(|(_, cell)| cell).collect::<Vec<_>>());
        let mut cells: Vec<Option<(f32, Cell<'p>)>> = cells.into_iter().map(Some).collect();
        for part in parts {
            let own: Vec<(f32, Cell<'p>)> =
                part.cells.iter().filter_map(|place| cells[*place].take()).collect();
            self.add_part(&part, own, upright.width);
        }
    }

    /// Adds the rows of a part of a page. Its cells are sorted from top to bottom.
    fn add_part(&mut self, part: &PagePart, cells: Vec<(f32, Cell<'p>)>, page_width: f32) {
        let left = cells.iter().map(|(_, cell)| cell.rect.x0).fold(f32::INFINITY, f32::min);
        let right = cells.iter().map(|(_, cell)| cell.rect.x1).fold(0.0, f32::max);
        self.parts.push(PartBounds {
            row: self.rows.len(),
            right,
            left: if part.is_beside { left } else { 0.0 },
            width: if part.is_beside { right - left } else { page_width },
            is_apart: part.is_beside && !part.continues,
        });
        let mut rows: Vec<(f32, Vec<Cell<'p>>)> = Vec::new();
        for (middle, cell) in cells {
            match rows.last_mut() {
                Some((height, row)) if belongs_to_row(row, *height, &cell, middle) => row.push(cell),
                _ => rows.push((middle, vec![cell])),
            }
        }
        for (_, mut row) in rows {
            row.sort_by(|one, two| one.rect.x0.total_cmp(&two.rect.x0));
            let start = self.cells.len();
            for mut cell in row {
                cell.row = self.rows.len();
                cell.part = self.parts.len() - 1;
                self.cells.push(cell);
            }
            self.rows.push(start..self.cells.len());
        }
    }
}

fn belongs_to_row(row: &[Cell<'_>], height: f32, cell: &Cell<'_>, middle: f32) -> bool {
    let is_level = (middle - height).abs() <= 0.45 * cell.height().min(row[0].height());
    let overlaps =
        |other: &Cell<'_>| cell.rect.x0 < other.rect.x1 - 1.0 && other.rect.x0 < cell.rect.x1 - 1.0;
    is_level && row.len() < MAX_CELLS_IN_ROW && !row.iter().any(overlaps)
}

/// The slope of the lines on a tilted page: the median of its longer lines.
fn page_slope(page: &Page, upright: &UprightPage) -> f32 {
    let mut slopes: Vec<f32> = page.lines.iter().filter_map(|line| line_slope(line, upright)).collect();
    slopes.sort_by(f32::total_cmp);
    slopes.get(slopes.len() / 2).copied().unwrap_or(0.0)
}

fn line_slope(line: &Line, upright: &UprightPage) -> Option<f32> {
    let (first, last) = (upright.place(line.words.first()?.rect), upright.place(line.words.last()?.rect));
    let run = last.x0 - first.x0;
    // Letters with descenders distort the lower edge; over a long line this matters little.
    (run > 150.0).then(|| (last.y1 - first.y1) / run).filter(|slope| slope.abs() < 0.1)
}

fn split_into_cells<'p>(line: &'p Line, page: u32, recognised: bool, upright: &UprightPage) -> Vec<Cell<'p>> {
    let places: Vec<Rect> = line.words.iter().map(|word| upright.place(word.rect)).collect();
    let height = places.iter().map(|place| place.y1 - place.y0).fold(0.0, f32::max);
    let gap = (height * if recognised { MAX_WORD_GAP_RECOGNISED } else { MAX_WORD_GAP }).max(6.0);
    let mut cells: Vec<Cell<'p>> = Vec::new();
    let mut last: Option<Rect> = None;
    let has_bars = line.words.iter().filter(|word| is_bar(&word.text)).take(MAX_BARS + 1).count() <= MAX_BARS;
    for (word, place) in line.words.iter().zip(places) {
        // A bar separates cells, as a gap does.
        if has_bars && is_bar(&word.text) {
            last = None;
            continue;
        }
        let near = last.is_some_and(|last| place.x0 - last.x1 <= gap);
        // A sign of a currency belongs to the sum behind it, however far away that is.
        let is_sum = |cell: &Cell<'_>| {
            matches!(&cell.tokens[..], [only] if is_currency_mark(only.text))
                && word.text.starts_with(|c: char| c.is_ascii_digit() || "-−(".contains(c))
        };
        let goes_on = near || (last.is_some() && cells.last().is_some_and(is_sum));
        if !goes_on {
            cells.push(Cell {
                tokens: Vec::new(),
                page,
                rect: place,
                row: 0,
                part: 0,
                in_margin: false,
                is_recognised: recognised,
            });
        }
        if let Some(cell) = cells.last_mut() {
            cell.rect = cell.rect.union(place);
            push_tokens(word, place, &mut cell.tokens);
        }
        last = Some(place);
    }
    cells.retain(|cell| cell.tokens.iter().any(|token| !token.is_separator()));
    cells
}

/// Whether a word is the sign of a currency and nothing else.
fn is_currency_mark(text: &str) -> bool {
    matches!(text, "€" | "£" | "$" | "¥" | "R$" | "US$")
}

fn is_bar(text: &str) -> bool {
    matches!(text, "|" | "│" | "¦" | "||")
}

/// Splits a word at its colons, except in times and URLs. A bracket behind a word is a colon: "Raza [Beagle]". That of a box is
/// none: "[X]".
fn push_tokens<'p>(shown: &'p Word, rect: Rect, tokens: &mut Vec<Token<'p>>) {
    let mut left = shown.text.as_str();
    let is_word = left.chars().filter(|c| c.is_alphanumeric()).count() > 1;
    if let Some(behind) = left.strip_prefix('[').filter(|_| is_word) {
        if let Some(before) = tokens.last_mut() {
            before.colon = true;
        }
        left = behind;
    }
    if is_word && left.ends_with(']') && !left.contains('[') {
        left = &left[..left.len() - 1];
    }
    loop {
        let (text, behind) = match left.find(':') {
            Some(place) if ends_label(&left[..place], &left[place + 1..]) => {
                (&left[..place], Some(&left[place + 1..]))
            }
            _ => (left, None),
        };
        if text.is_empty() {
            if let Some(before) = tokens.last_mut().filter(|_| behind.is_some()) {
                before.colon = true;
            }
        } else {
            let word = without_marks(text);
            tokens.push(Token {
                text,
                label_form: unify_lookalikes(&word),
                word,
                colon: behind.is_some(),
                rect,
                on_page: shown.rect,
                confidence: shown.confidence,
            });
        }
        match behind {
            Some(behind) if !behind.is_empty() => left = behind,
            _ => return,
        }
    }
}

/// Whether a colon between these texts ends a label.
fn ends_label(before: &str, behind: &str) -> bool {
    let is_time =
        before.ends_with(|c: char| c.is_ascii_digit()) && behind.starts_with(|c: char| c.is_ascii_digit());
    !is_time && !behind.starts_with("//")
}

fn without_marks(word: &str) -> String {
    let folded: String = fold(word).chars().filter(|c| *c != '.').collect();
    let bare = folded.trim_matches(|c: char| !c.is_alphanumeric());
    // "Pet's name" is "Pet name".
    bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s")).unwrap_or(bare).to_owned()
}

/// The form of a word in which labels are compared: folded, without marks around it and dots within. In a word that
/// is mostly letters, digits that recognition confuses with letters count as these letters.
pub(super) fn word_label_form(word: &str) -> String {
    unify_lookalikes(&without_marks(word))
}

fn unify_lookalikes(bare: &str) -> String {
    let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
    if letters * 2 <= bare.chars().count() {
        return bare.to_owned();
    }
    let alike = bare.chars().map(|c| match c {
        '0' => 'o',
        '1' | 'l' | '|' => 'i',
        '5' => 's',
        '8' => 'b',
        c => c,
    });
    alike.collect()
}
