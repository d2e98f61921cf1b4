//! Finds where the value of a label stands: behind it, in the cell to the right, or below it.

use std::ops::Range;

use super::FieldFinder;
use super::labelled::has_weight_unit;
use super::labels::LabelMeaning;
use super::layout::Cell;
use super::segments::Separator;
use super::visit_start::{self, VisitStartKind};
use crate::normal::starts_with_box;
use crate::{Normaliser, Scope};

/// The most rows of a list.
const MAX_ITEMS: usize = 40;
/// The most cells of the head of a table.
const MAX_HEAD_CELLS: usize = 16;
/// The most lines of text below a label.
const MAX_TEXT_LINES: usize = 6;
/// The largest distance between lines of one text, in line heights.
const MAX_LINE_DISTANCE: f32 = 1.6;
/// The largest distance between a label and the value below it, in line heights.
const MAX_DISTANCE_BELOW: f32 = 2.8;
/// The largest distance between a label and the value to its right, as a share of the page width.
const MAX_DISTANCE_BESIDE: f32 = 0.42;

/// The least share of the width of lines at which a line ends that the next word had no room in.
const MIN_REACH: f32 = 0.7;

/// The least distance between a label and its value for lines below to start where the value does, in points.
const MIN_HANGING: f32 = 10.0;

/// Words that a line of an address does not end with.
pub(super) const JOINING_WORDS: [&str; 13] =
    ["de", "del", "la", "las", "los", "el", "y", "a", "en", "of", "the", "d'", "du"];

/// A cell and a range of its tokens.
pub(super) type TokenSpan = (usize, Range<usize>);

/// The spans that make up a value.
pub(super) type TokenSpans = Vec<TokenSpan>;

/// What kind of value a label announces.
#[derive(Default)]
pub(super) struct ExpectedValue {
    /// The key of the value.
    pub key: Option<usize>,
    /// Whether several values may follow.
    pub is_list: bool,
    /// Whether lines of text may follow.
    pub is_text: bool,
}

impl FieldFinder<'_> {
    /// The values of a label. `behind` are the tokens behind the label in its cell.
    pub(super) fn values_of_label(
        &self,
        cell: usize,
        behind: &Range<usize>,
        expected: &ExpectedValue,
    ) -> Vec<TokenSpans> {
        let tokens = &self.layout.cells[cell].tokens;
        let has_words = tokens[behind.clone()].iter().any(|token| !token.is_separator());
        if has_words {
            let is_last = behind.end == tokens.len();
            let mut first: TokenSpans = vec![(cell, behind.clone())];
            if is_last {
                self.push_continued_lines(cell, &mut first);
            }
            let mut values = vec![first];
            if is_last {
                self.push_hanging_lines(cell, behind, expected, &mut values);
            }
            if is_last && expected.is_list {
                let last = values[0].last().map_or(cell, |span| span.0);
                self.push_items_below(last, self.layout.cells[cell].rect.x0, &mut values);
            }
            return values;
        }
        if behind.end < tokens.len() {
            return Vec::new();
        }
        match self.value_beside(cell, expected) {
            Some(value) if self.starts_with_box(value) => vec![self.boxes_beside(value)],
            Some(value) => self.values_in_column(cell, value, expected),
            None => self.values_below(cell, expected),
        }
    }

    /// The cell to the right of a label, if it is a value.
    pub(super) fn value_beside(&self, cell: usize, expected: &ExpectedValue) -> Option<usize> {
        let label = &self.layout.cells[cell];
        let row = &self.layout.rows[label.row];
        let next = Some(cell + 1).filter(|next| row.contains(next))?;
        let value = &self.layout.cells[next];
        let is_near = value.rect.x0 - label.rect.x1 <= MAX_DISTANCE_BESIDE * self.layout.page_width(label);
        let is_same_part = self.context.region_at(value.rect.x0) == self.context.region_at(label.rect.x0);
        // Of two cells in a row the second is a value, even if it could be a label: "Motivo | Vacunación".
        let is_value = match self.sole_label(next) {
            // A value may be a label of the same key: "Estado reproductivo | Esterilizada".
            Some(meaning) if meaning.key.is_some() && meaning.key == expected.key => true,
            Some(other) => {
                // "Vaccinations | Laboratory" are the heads of two lists.
                let is_list = expected.is_list && other.key.is_some_and(|key| self.is_list_of_visits(key));
                ((expected.is_list || expected.is_text) && !is_list && row.len() == 2)
                    || self.is_strict_value(next, expected)
            }
            None => !self.starts_with_label(next),
        };
        let is_heading = self.labels.heading(&value.tokens[value.first_word()..]).is_some();
        let is_own =
            self.sole_label(next).is_some_and(|meaning| meaning.key.is_some() && meaning.key == expected.key);
        let is_head = !is_own && self.is_head_row(label.row);
        (is_near && is_same_part && is_value && !is_heading && !is_head && !self.used[next]).then_some(next)
    }

    /// Whether a cell is a value of this key, whatever else it could mean: "Sex | FN".
    fn is_strict_value(&self, cell: usize, expected: &ExpectedValue) -> bool {
        let normaliser = expected.key.map(|key| self.schema.keys[key].normaliser);
        let it = &self.layout.cells[cell];
        normaliser
            .is_some_and(|normaliser| matches!(&it.tokens[..], [only] if normaliser.is_word(&only.word)))
    }

    pub(super) fn is_list_of_visits(&self, key: usize) -> bool {
        let key = &self.schema.keys[key];
        key.scope == Scope::Visit && key.repeatable
    }

    fn starts_with_box(&self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        starts_with_box(&it.text(0..it.tokens.len().min(2)))
    }

    /// The boxes of a form in a row, with the words beside them. The normal form is that of the ticked one.
    fn boxes_beside(&self, first: usize) -> TokenSpans {
        let row = self.layout.rows[self.layout.cells[first].row].clone();
        let boxes = (first..row.end).take(MAX_HEAD_CELLS).take_while(|cell| self.starts_with_box(*cell));
        boxes.map(|cell| (cell, self.layout.cells[cell].token_range())).collect()
    }

    /// Whether most cells of a row are labels with nothing behind them. Such a row is the head of columns, and none of its
    /// cells is a value.
    fn is_head_row(&self, row: usize) -> bool {
        let cells = self.layout.rows[row].clone();
        let is_label = |cell: &usize| {
            self.layout.count_step();
            self.sole_label(*cell).is_some()
        };
        (3..=MAX_HEAD_CELLS).contains(&cells.len())
            && is_label(&(cells.start + 1))
            && is_label(&cells.start)
            && {
                let count = cells.len();
                2 * cells.filter(is_label).count() > count
            }
    }

    /// The values to the right of a label. They continue in the rows below that have no label of their own.
    fn values_in_column(&self, label: usize, value: usize, expected: &ExpectedValue) -> Vec<TokenSpans> {
        let cells = &self.layout.cells;
        let mut values: Vec<TokenSpans> = vec![vec![(value, self.first_segment(value))]];
        if self.segments[value].len() > 1 {
            return values;
        }
        let mut last = value;
        for _ in 0..MAX_ITEMS {
            let Some(row) = self.row_after(cells[last].row) else { break };
            let next = self.layout.rows[row].start;
            let is_alone = (cells[next].rect.x0 - cells[value].rect.x0).abs() <= 4.0
                && cells[next].rect.x0 > cells[label].rect.x0 + 10.0
                && !self.ends_value(next, Some(expected));
            if !is_alone {
                break;
            }
            let is_close = self.line_distance(last, next) < MAX_LINE_DISTANCE
                && (!expected.is_list || self.continues_in(last, next));
            match values.last_mut() {
                Some(spans) if is_close || !expected.is_list => {
                    if !(expected.is_text || expected.is_list || is_close) {
                        break;
                    }
                    spans.push((next, cells[next].token_range()));
                }
                _ => values.push(vec![(next, cells[next].token_range())]),
            }
            last = next;
        }
        values
    }

    /// The values below a label: list items, or lines of text.
    fn values_below(&self, label: usize, expected: &ExpectedValue) -> Vec<TokenSpans> {
        let cells = &self.layout.cells;
        let x0 = cells[label].rect.x0;
        let mut values: Vec<TokenSpans> = Vec::new();
        self.push_items_below(label, x0, &mut values);
        if !values.is_empty() {
            return values;
        }
        let mut last = label;
        for _ in 0..MAX_TEXT_LINES {
            let Some(next) = self.cell_below(last) else { break };
            let pitch = self.line_distance(last, next);
            let far = if values.is_empty() { MAX_DISTANCE_BELOW } else { MAX_LINE_DISTANCE + 0.3 };
            if pitch > far || self.ends_value(next, Some(expected)) || self.used[next] {
                break;
            }
            let line = (next, self.behind_item_number(next));
            match values.last_mut() {
                Some(spans) if self.is_broken_for_room(last, next) || !expected.is_list => spans.push(line),
                _ => values.push(vec![line]),
            }
            last = next;
            if !(expected.is_list || expected.is_text) || self.segments[next].len() > 1 {
                break;
            }
        }
        values
    }

    /// The words of a line of a list without its number: "1. Extraction of 208".
    fn behind_item_number(&self, cell: usize) -> Range<usize> {
        let line = self.first_segment(cell);
        let is_number = self.layout.cells[cell].tokens[line.clone()].first().is_some_and(|first| {
            let bare = first.text.trim_end_matches(['.', ')']);
            bare.len() < first.text.len() && bare.len() <= 2 && bare.parse::<u8>().is_ok()
        });
        line.start + usize::from(is_number && line.len() > 1)..line.end
    }

    /// Adds the list items in the rows below.
    fn push_items_below(&self, from: usize, x0: f32, values: &mut Vec<TokenSpans>) {
        let cells = &self.layout.cells;
        let mut last = from;
        for _ in 0..MAX_ITEMS {
            let Some(row) = self.row_after(cells[last].row) else { break };
            let next = self.layout.rows[row].start;
            let cell = &cells[next];
            let is_near =
                cell.page != cells[last].page || self.line_distance(last, next) <= MAX_DISTANCE_BELOW;
            let is_item = cell.is_list_item()
                && is_near
                && cell.rect.x0 >= x0 - 6.0
                && visit_start::visit_start(cell, false, &self.schema.other_dates, self.dates.order)
                    .is_none()
                && !self.segments[next][0].is_labelled;
            if !is_item {
                break;
            }
            let mut spans: TokenSpans = vec![(next, cell.first_word()..cell.tokens.len())];
            self.push_continued_lines(next, &mut spans);
            last = spans.last().map_or(next, |span| span.0);
            values.push(spans);
        }
    }

    /// Adds the lines that continue a line.
    pub(super) fn push_continued_lines(&self, from: usize, spans: &mut TokenSpans) {
        let mut last = from;
        for _ in 0..MAX_TEXT_LINES {
            let Some(next) = self.cell_below(last) else { break };
            if self.line_distance(last, next) > MAX_LINE_DISTANCE + 0.3
                || self.ends_value(next, None)
                || !self.is_broken_for_room(last, next)
            {
                break;
            }
            if self.segments[next].len() > 1 {
                // A label within the line begins another value.
                spans.push((next, self.first_segment(next)));
                break;
            }
            spans.push((next, self.layout.cells[next].token_range()));
            last = next;
        }
    }

    /// Adds the lines below that start where the value of a label does: "Tratamiento: Omeprazol", and "Metadona" below it.
    fn push_hanging_lines(
        &self,
        cell: usize,
        behind: &Range<usize>,
        expected: &ExpectedValue,
        values: &mut Vec<TokenSpans>,
    ) {
        let it = &self.layout.cells[cell];
        let Some(first) = it.tokens[behind.clone()].iter().find(|token| !token.is_separator()) else {
            return;
        };
        let name = expected.key.map(|key| self.schema.keys[key].normaliser);
        let is_open = expected.is_text
            || name.is_some_and(|name| name.is_name() || name == Normaliser::KIND_OF_SUBJECT);
        let edge = first.rect.x0;
        if !is_open || edge < it.rect.x0 + MIN_HANGING {
            return;
        }
        let mut last = values.last().and_then(|spans| spans.last()).map_or(cell, |span| span.0);
        for _ in 0..MAX_TEXT_LINES {
            let Some(next) = self.cell_below(last) else { break };
            let below = &self.layout.cells[next];
            let hangs = (below.rect.x0 - edge).abs() <= 4.0
                && self.line_distance(last, next) < MAX_LINE_DISTANCE
                && !self.used[next]
                && !below.is_list_item()
                && !self.ends_value(next, Some(expected));
            if !hangs {
                break;
            }
            let line = (next, below.token_range());
            match values.last_mut() {
                Some(spans) if !expected.is_list || self.continues_in(last, next) => spans.push(line),
                _ => values.push(vec![line]),
            }
            last = next;
        }
    }

    /// Whether a cell continues in the one below: there was no room in its line, or the next begins with a lower-case
    /// letter.
    fn continues_in(&self, line: usize, next: usize) -> bool {
        let word = &self.layout.cells[next].tokens[0];
        let starts_small = word.text.chars().next().is_some_and(char::is_lowercase);
        starts_small || self.is_broken_for_room(line, next)
    }

    /// Whether a line ends because the next word had no room in it.
    fn is_broken_for_room(&self, line: usize, next: usize) -> bool {
        let (line, next) = (&self.layout.cells[line], &self.layout.cells[next]);
        let Some(word) = next.tokens.first() else { return false };
        let right = self.layout.right_edge(line);
        let has_no_room = line.rect.x1 + (word.rect.x1 - word.rect.x0) + 2.0 > right;
        let is_long = self.layout.reach(line) > MIN_REACH;
        let starts_small = word.text.chars().next().is_some_and(|c| c.is_lowercase() || c == '(');
        let is_capitals =
            |cell: &Cell<'_>| !cell.tokens.iter().any(|token| token.text.chars().any(char::is_lowercase));
        let is_open =
            line.tokens.last().is_some_and(|last| !last.colon && !last.text.ends_with(['.', '!', '?']));
        has_no_room && is_long && (starts_small || is_open || (is_capitals(line) && is_capitals(next)))
    }

    /// The cell directly below.
    pub(super) fn cell_below(&self, cell: usize) -> Option<usize> {
        let above = &self.layout.cells[cell];
        let row = self.row_after(above.row)?;
        let is_under = |other: &usize| {
            let other = &self.layout.cells[*other];
            let overlap = above.rect.x1.min(other.rect.x1) - above.rect.x0.max(other.rect.x0);
            let narrow = (above.rect.x1 - above.rect.x0).min(other.rect.x1 - other.rect.x0);
            (above.rect.x0 - other.rect.x0).abs() <= 12.0 || overlap > 0.5 * narrow
        };
        let row = self.layout.rows[row].clone();
        row.clone()
            .inspect(|_| self.layout.count_step())
            .find(is_under)
            .filter(|next| self.layout.cells[*next].page == above.page)
    }

    /// The next row that is no header or footer.
    pub(super) fn row_after(&self, row: usize) -> Option<usize> {
        let rows = &self.layout.rows;
        (row + 1..rows.len().min(row + 6)).find(|next| {
            self.layout.count_step();
            !self.layout.cells[rows[*next].start].in_margin
        })
    }

    /// The distance between two cells, in line heights.
    pub(super) fn line_distance(&self, above: usize, below: usize) -> f32 {
        let (above, below) = (&self.layout.cells[above], &self.layout.cells[below]);
        if above.page != below.page {
            return 1.0;
        }
        (below.rect.y0 - above.rect.y0) / above.height().min(below.height())
    }

    /// Whether a cell starts with a label and is no value.
    pub(super) fn starts_with_label(&self, cell: usize) -> bool {
        let Some(first) = self.segments[cell].first() else { return false };
        match first.label {
            // "BW 9.20 kg" is a label and its value.
            Some((meaning, Separator::Space)) => {
                let is_weight = |key: usize| self.schema.keys[key].normaliser == Normaliser::Weight;
                let weight = first.value.start..first.value.end.min(first.value.start + 2);
                meaning.key.is_some_and(is_weight) && has_weight_unit(&self.layout.cells[cell].text(weight))
            }
            Some(_) => true,
            None => first.is_labelled,
        }
    }

    /// The label of a cell that contains nothing else.
    pub(super) fn sole_label(&self, cell: usize) -> Option<&LabelMeaning> {
        match self.segments[cell].first()?.label? {
            (meaning, Separator::EndOfCell) => Some(meaning),
            _ => None,
        }
    }

    /// Whether a cell starts something else. A bare date is a value where a date is expected.
    fn ends_value(&self, cell: usize, expected: Option<&ExpectedValue>) -> bool {
        let it = &self.layout.cells[cell];
        let normaliser =
            expected.and_then(|expected| expected.key).map(|key| self.schema.keys[key].normaliser);
        let is_date = matches!(normaliser, Some(Normaliser::Date | Normaliser::BirthDate));
        let is_told = expected.and_then(|expected| expected.key).is_some_and(|key| self.tells(key, cell));
        (self.starts_with_label(cell) && !is_told)
            || self.labels.heading(&it.tokens[it.first_word()..]).is_some()
            || visit_start::visit_start(it, it.in_margin, &self.schema.other_dates, self.dates.order)
                .is_some_and(|start| !is_date || start.kind != VisitStartKind::Dated)
            || self.labels.lead_in_at_start(&it.tokens[it.first_word()..]).is_some()
    }

    /// The words of a cell before the first label within it, without a mark before them.
    pub(super) fn first_segment(&self, cell: usize) -> Range<usize> {
        match self.segments[cell].get(1) {
            Some(second) => self.layout.cells[cell].first_word().min(second.start)..second.start,
            None => self.layout.cells[cell].first_word()..self.layout.cells[cell].tokens.len(),
        }
    }

    /// The lines of an address as one text, with commas between them. A line that ends with a small word goes on: "Calle
    /// Marqués de la", and "Hermida 44" below it.
    pub(super) fn joined_lines(&self, spans: &[TokenSpan]) -> String {
        let mut joined = String::new();
        for line in self.text_lines(spans) {
            let last = joined.rsplit(' ').next().unwrap_or_default();
            let goes_on = joined.contains(' ') && JOINING_WORDS.contains(&last);
            if !joined.is_empty() {
                joined.push_str(if goes_on { " " } else { ", " });
            }
            joined.push_str(&line);
        }
        joined
    }

    /// The text of a value, line by line.
    pub(super) fn text_lines(&self, spans: &[TokenSpan]) -> Vec<String> {
        let line = |span: &TokenSpan| self.text_of(std::slice::from_ref(span));
        spans.iter().map(|span| line(span).trim_end_matches([',', ' ']).to_owned()).collect()
    }

    /// The text of a value.
    pub(super) fn text_of(&self, spans: &[TokenSpan]) -> String {
        let texts = spans.iter().map(|(cell, tokens)| {
            tokens.clone().for_each(|_| self.layout.count_step());
            self.layout.cells[*cell].text(tokens.clone())
        });
        texts.collect::<Vec<_>>().join(" ")
    }
}
