//! Where the value of a label stands: behind it, in the cell to the right, or below.

use std::ops::Range;

use super::Rules;
use super::labels::Meaning;
use super::layout::Cell;
use super::segments::Apart;
use super::visit::{self, Shown};
use crate::Normaliser;

/// Rows that the items of a list can take.
const MOST_ITEMS: usize = 40;
/// Lines of text below a label without bullets.
const MOST_LINES: usize = 6;
/// Lines as far apart as this, in their heights, belong to one text.
const CLOSE: f32 = 1.6;
/// How far below its label a value can begin, in heights.
const BELOW: f32 = 2.8;
/// How far to the right of its label a value can begin, in widths of the page.
const BESIDE: f32 = 0.42;

/// A stretch of a cell.
pub(super) type Piece = (usize, Range<usize>);

/// A value: the stretches that make it up.
pub(super) type Pieces = Vec<Piece>;

/// What a label leads to.
#[derive(Default)]
pub(super) struct Wanted {
    /// The key whose values they are.
    pub key: Option<usize>,
    /// Whether several values may follow.
    pub is_list: bool,
    /// Whether lines of text may follow.
    pub is_text: bool,
}

impl Rules<'_> {
    /// The values of the label that stands in a cell before these tokens.
    pub(super) fn values(&self, cell: usize, behind: &Range<usize>, wanted: &Wanted) -> Vec<Pieces> {
        let tokens = &self.sheet.cells[cell].tokens;
        let has_words = tokens[behind.clone()].iter().any(|token| !token.is_mark());
        if has_words {
            let is_last = behind.end == tokens.len();
            let mut first: Pieces = vec![(cell, behind.clone())];
            if is_last {
                self.wrap(cell, &mut first);
            }
            let mut values = vec![first];
            if is_last && wanted.is_list {
                let last = values[0].last().map_or(cell, |piece| piece.0);
                self.items_below(last, self.sheet.cells[cell].rect.x0, &mut values);
            }
            return values;
        }
        if behind.end < tokens.len() {
            return Vec::new();
        }
        match self.beside(cell, wanted) {
            Some(value) => self.column(cell, value, wanted),
            None => self.below(cell, wanted),
        }
    }

    /// The cell to the right, if it is a value.
    pub(super) fn beside(&self, cell: usize, wanted: &Wanted) -> Option<usize> {
        let label = &self.sheet.cells[cell];
        let row = &self.sheet.rows[label.row];
        let next = Some(cell + 1).filter(|next| row.contains(next))?;
        let value = &self.sheet.cells[next];
        let is_near = value.rect.x0 - label.rect.x1 <= BESIDE * self.sheet.width_of(label);
        let is_same_part = self.context.region(value.rect.x0) == self.context.region(label.rect.x0);
        // Of two cells in a row the second is a value, even if it could be a label: "Motivo | Vacunación".
        let is_value = match self.alone(next) {
            // As in "Estado reproductivo | Esterilizada".
            Some(meaning) if meaning.key.is_some() && meaning.key == wanted.key => true,
            Some(_) => (wanted.is_list || wanted.is_text) && row.len() == 2,
            None => !self.is_label(next),
        };
        let is_heading = self.labels.heading(&value.tokens[value.first_word()..]).is_some();
        (is_near && is_same_part && is_value && !is_heading && !self.used[next]).then_some(next)
    }

    /// A value to the right of its label goes on in the rows below that have no label of their own.
    fn column(&self, label: usize, value: usize, wanted: &Wanted) -> Vec<Pieces> {
        let cells = &self.sheet.cells;
        let mut values: Vec<Pieces> = vec![vec![(value, self.first_segment(value))]];
        if self.segments[value].len() > 1 {
            return values;
        }
        let mut last = value;
        for _ in 0..MOST_ITEMS {
            let Some(row) = self.row_after(cells[last].row) else { break };
            let next = self.sheet.rows[row].start;
            let is_alone = (cells[next].rect.x0 - cells[value].rect.x0).abs() <= 4.0
                && cells[next].rect.x0 > cells[label].rect.x0 + 10.0
                && !self.is_stop(next, Some(wanted));
            if !is_alone {
                break;
            }
            let is_close = self.pitch(last, next) < CLOSE && (!wanted.is_list || self.is_wrapped(last, next));
            match values.last_mut() {
                Some(pieces) if is_close || !wanted.is_list => {
                    if !(wanted.is_text || wanted.is_list || is_close) {
                        break;
                    }
                    pieces.push((next, cells[next].all()));
                }
                _ => values.push(vec![(next, cells[next].all())]),
            }
            last = next;
        }
        values
    }

    /// Values below their label: the items of a list, or lines of text.
    fn below(&self, label: usize, wanted: &Wanted) -> Vec<Pieces> {
        let cells = &self.sheet.cells;
        let x0 = cells[label].rect.x0;
        let mut values: Vec<Pieces> = Vec::new();
        self.items_below(label, x0, &mut values);
        if !values.is_empty() {
            return values;
        }
        let mut last = label;
        for _ in 0..MOST_LINES {
            let Some(next) = self.under(last) else { break };
            let pitch = self.pitch(last, next);
            let far = if values.is_empty() { BELOW } else { CLOSE + 0.3 };
            if pitch > far || self.is_stop(next, Some(wanted)) || self.used[next] {
                break;
            }
            let line = (next, self.first_segment(next));
            match values.last_mut() {
                Some(pieces) if self.goes_on(last, next) || !wanted.is_list => pieces.push(line),
                _ => values.push(vec![line]),
            }
            last = next;
            if !(wanted.is_list || wanted.is_text) || self.segments[next].len() > 1 {
                break;
            }
        }
        values
    }

    /// The items of a list in the rows below.
    fn items_below(&self, from: usize, x0: f32, values: &mut Vec<Pieces>) {
        let cells = &self.sheet.cells;
        let mut last = from;
        for _ in 0..MOST_ITEMS {
            let Some(row) = self.row_after(cells[last].row) else { break };
            let next = self.sheet.rows[row].start;
            let cell = &cells[next];
            let is_near = cell.page != cells[last].page || self.pitch(last, next) <= BELOW;
            let is_item = cell.is_item()
                && is_near
                && cell.rect.x0 >= x0 - 6.0
                && visit::begin(cell, false, &self.schema.other_dates).is_none()
                && !self.segments[next][0].is_labelled;
            if !is_item {
                break;
            }
            let mut pieces: Pieces = vec![(next, cell.first_word()..cell.tokens.len())];
            self.wrap(next, &mut pieces);
            last = pieces.last().map_or(next, |piece| piece.0);
            values.push(pieces);
        }
    }

    /// The lines that a line goes on in.
    pub(super) fn wrap(&self, from: usize, pieces: &mut Pieces) {
        let mut last = from;
        for _ in 0..MOST_LINES {
            let Some(next) = self.under(last) else { break };
            if self.pitch(last, next) > CLOSE + 0.3 || self.is_stop(next, None) || !self.goes_on(last, next) {
                break;
            }
            pieces.push((next, self.sheet.cells[next].all()));
            last = next;
        }
    }

    /// Whether a cell goes on in the one below: its line had no room, or the next begins with a small letter.
    fn is_wrapped(&self, line: usize, next: usize) -> bool {
        let word = &self.sheet.cells[next].tokens[0];
        let starts_small = word.text.chars().next().is_some_and(char::is_lowercase);
        starts_small || self.goes_on(line, next)
    }

    /// Whether a line was broken because the next word had no room.
    fn goes_on(&self, line: usize, next: usize) -> bool {
        let (line, next) = (&self.sheet.cells[line], &self.sheet.cells[next]);
        let Some(word) = next.tokens.first() else { return false };
        let right = self.sheet.right_of(line);
        let has_no_room = line.rect.x1 + (word.rect.x1 - word.rect.x0) + 2.0 > right;
        let is_long = line.rect.x1 > 0.7 * self.sheet.width_of(line);
        let starts_small = word.text.chars().next().is_some_and(|c| c.is_lowercase() || c == '(');
        let is_capitals =
            |cell: &Cell<'_>| !cell.tokens.iter().any(|token| token.text.chars().any(char::is_lowercase));
        has_no_room && is_long && (starts_small || (is_capitals(line) && is_capitals(next)))
    }

    /// The cell right below.
    pub(super) fn under(&self, cell: usize) -> Option<usize> {
        let above = &self.sheet.cells[cell];
        let row = self.row_after(above.row)?;
        let is_under = |other: &usize| {
            let other = &self.sheet.cells[*other];
            let overlap = above.rect.x1.min(other.rect.x1) - above.rect.x0.max(other.rect.x0);
            let narrow = (above.rect.x1 - above.rect.x0).min(other.rect.x1 - other.rect.x0);
            (above.rect.x0 - other.rect.x0).abs() <= 12.0 || overlap > 0.5 * narrow
        };
        let row = self.sheet.rows[row].clone();
        row.clone()
            .inspect(|_| self.sheet.step())
            .find(is_under)
            .filter(|next| self.sheet.cells[*next].page == above.page)
    }

    /// The next row that is no header or footer.
    pub(super) fn row_after(&self, row: usize) -> Option<usize> {
        let rows = &self.sheet.rows;
        (row + 1..rows.len().min(row + 6)).find(|next| {
            self.sheet.step();
            !self.sheet.cells[rows[*next].start].in_margin
        })
    }

    /// How far one cell is below another, in heights.
    pub(super) fn pitch(&self, above: usize, below: usize) -> f32 {
        let (above, below) = (&self.sheet.cells[above], &self.sheet.cells[below]);
        if above.page != below.page {
            return 1.0;
        }
        (below.rect.y0 - above.rect.y0) / above.height().min(below.height())
    }

    /// Whether a cell begins with a label, and is no value.
    pub(super) fn is_label(&self, cell: usize) -> bool {
        let Some(first) = self.segments[cell].first() else { return false };
        match first.label {
            Some((_, Apart::Space)) => false,
            Some(_) => true,
            None => first.is_labelled,
        }
    }

    /// The label that a cell is, if it is nothing else.
    fn alone(&self, cell: usize) -> Option<&Meaning> {
        match self.segments[cell].first()?.label? {
            (meaning, Apart::Alone) => Some(meaning),
            _ => None,
        }
    }

    /// Whether a cell begins something else. A date alone is a value where one is looked for.
    fn is_stop(&self, cell: usize, wanted: Option<&Wanted>) -> bool {
        let it = &self.sheet.cells[cell];
        let normaliser = wanted.and_then(|wanted| wanted.key).map(|key| self.schema.keys[key].normaliser);
        let is_date = matches!(normaliser, Some(Normaliser::Date | Normaliser::BirthDate));
        self.is_label(cell)
            || self.labels.heading(&it.tokens[it.first_word()..]).is_some()
            || visit::begin(it, it.in_margin, &self.schema.other_dates)
                .is_some_and(|begins| !is_date || begins.shown != Shown::Dated)
            || self.labels.lead_in(&it.tokens[it.first_word()..]).is_some()
    }

    /// What stands in a cell before a label within it.
    pub(super) fn first_segment(&self, cell: usize) -> Range<usize> {
        match self.segments[cell].get(1) {
            Some(second) => 0..second.start,
            None => self.sheet.cells[cell].all(),
        }
    }

    /// The words of a value, line by line.
    pub(super) fn lines_of(&self, pieces: &[Piece]) -> Vec<String> {
        let line = |piece: &Piece| self.words(std::slice::from_ref(piece));
        pieces.iter().map(|piece| line(piece).trim_end_matches([',', ' ']).to_owned()).collect()
    }

    /// The words of a value.
    pub(super) fn words(&self, pieces: &[Piece]) -> String {
        let texts = pieces.iter().map(|(cell, tokens)| {
            tokens.clone().for_each(|_| self.sheet.step());
            self.sheet.cells[*cell].text(tokens.clone())
        });
        texts.collect::<Vec<_>>().join(" ")
    }
}
