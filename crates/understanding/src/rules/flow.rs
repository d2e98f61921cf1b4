//! A paragraph as one sequence of words, so that sentences may go over line breaks.

use std::ops::Range;

use super::FieldFinder;
use super::layout::Token;
use super::value_position::{TokenSpan, TokenSpans};
use super::visit_start;

/// The most lines of a paragraph.
const MAX_LINES: usize = 12;
/// The largest distance between lines of a paragraph, in line heights.
const MAX_LINE_DISTANCE: f32 = 1.6;
/// The same for lines that are full.
const MAX_WIDE_DISTANCE: f32 = 2.1;
/// How far the first line of a paragraph may be indented, in points.
const MAX_INDENT: f32 = 30.0;
/// The least share of the page width that a line takes if the next word had no room in it.
const FULL_LINE: f32 = 0.55;
/// Words whose dot does not end a sentence.
const ABBREVIATIONS: [&str; 22] = [
    "dr", "dra", "drs", "sr", "sra", "d", "da", "dna", "mr", "mrs", "ms", "st", "av", "avda", "ctra", "no",
    "num", "tel", "fdo", "pza", "c", "aprox",
];

/// The words of a paragraph, each with its place in the layout.
pub(super) struct Flow<'p> {
    pub tokens: Vec<Token<'p>>,
    places: Vec<(usize, usize)>,
    /// The index of the word after the sentence of each word.
    sentence_ends: Vec<usize>,
}

impl Flow<'_> {
    /// The spans of a range of words, cell by cell.
    pub fn spans(&self, range: Range<usize>) -> TokenSpans {
        let mut spans: TokenSpans = Vec::new();
        for (cell, token) in &self.places[range] {
            match spans.last_mut() {
                Some((last, tokens)) if last == cell && tokens.end == *token => tokens.end += 1,
                _ => spans.push((*cell, *token..token + 1)),
            }
        }
        spans
    }

    /// The text of a range of words.
    pub fn text(&self, range: Range<usize>) -> String {
        let mut text = String::new();
        for token in &self.tokens[range] {
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

    /// Whether a sentence ends with this word.
    pub fn ends_sentence(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let ends = token.text.trim_end_matches([')', '"', '»']).ends_with(['.', '!', '?']);
        let is_short = ABBREVIATIONS.contains(&token.word.as_str())
            || (token.word.chars().count() == 1 && token.word.chars().all(char::is_alphabetic));
        ends && !is_short
            && self.tokens.get(at + 1).is_none_or(|next| next.is_capital() || next.is_separator())
    }

    /// The index of the word after the sentence that a word stands in. Semicolons end it, too.
    pub fn sentence_end(&self, at: usize) -> usize {
        self.sentence_ends.get(at).copied().unwrap_or(self.tokens.len())
    }

    fn find_sentence_ends(&mut self) {
        let mut end = self.tokens.len();
        self.sentence_ends = vec![end; end];
        for at in (0..self.tokens.len()).rev() {
            if self.ends_sentence(at) || self.tokens[at].text.ends_with(';') {
                end = at + 1;
            }
            self.sentence_ends[at] = end;
        }
    }
}

impl<'a> FieldFinder<'a> {
    /// The words of these spans as one sequence.
    pub(super) fn flow_of(&self, spans: &[TokenSpan]) -> Flow<'a> {
        let mut flow = Flow { tokens: Vec::new(), places: Vec::new(), sentence_ends: Vec::new() };
        for (cell, tokens) in spans {
            for token in tokens.clone() {
                self.layout.count_step();
                flow.tokens.push(self.layout.cells[*cell].tokens[token].clone());
                flow.places.push((*cell, token));
            }
        }
        flow.find_sentence_ends();
        flow
    }

    /// The lines of the paragraph that starts with these words.
    pub(super) fn paragraph(&self, cell: usize, tokens: &Range<usize>) -> TokenSpans {
        let mut spans: TokenSpans = vec![(cell, tokens.clone())];
        if tokens.end < self.layout.cells[cell].tokens.len() {
            return spans;
        }
        let mut last = cell;
        for _ in 0..MAX_LINES {
            let Some(next) = self.cell_below(last).filter(|next| self.goes_on_in(last, *next)) else { break };
            if self.segments[next].len() > 1 {
                // A label within the line begins something else.
                spans.push((next, self.first_segment(next)));
                break;
            }
            spans.push((next, self.layout.cells[next].token_range()));
            last = next;
        }
        spans
    }

    /// Whether a cell is a line of a paragraph that began above it. Such a line starts nothing new, even with a date.
    pub(super) fn is_inside_paragraph(&self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        let Some(row) = it.row.checked_sub(1).filter(|_| !it.is_list_item()) else { return false };
        let above = self.layout.rows[row].start;
        self.layout.count_step();
        let has_words = self.layout.cells[above].tokens.len() >= 6;
        has_words && !self.ends_with_stop(above) && self.is_next_line(above, cell)
    }

    fn goes_on_in(&self, last: usize, next: usize) -> bool {
        let it = &self.layout.cells[next];
        let words = &it.tokens[it.first_word()..];
        let starts_small = it.tokens.first().is_some_and(|token| token.text.starts_with(char::is_lowercase))
            && !self.is_street_line(&(next, it.token_range()));
        let is_new = self.starts_with_label(next)
            || self.used[next]
            || it.is_list_item()
            || self.labels.heading(words).is_some()
            || (self.ends_with_stop(last)
                && visit_start::visit_start(it, it.in_margin, &self.schema.other_dates, self.dates.order)
                    .is_some());
        let is_same_text = self.is_next_line(last, next)
            || (starts_small && self.line_distance(last, next) <= MAX_LINE_DISTANCE);
        !is_new && is_same_text
    }

    /// Whether a line stands directly below a full one.
    fn is_next_line(&self, above: usize, below: usize) -> bool {
        let (one, two) = (&self.layout.cells[above], &self.layout.cells[below]);
        let is_full = one.rect.x1 - one.rect.x0 > FULL_LINE * self.layout.line_width(one);
        // Lines further apart are one text if the next word had no room in the first.
        let room = self.layout.right_edge(one) - one.rect.x1;
        let has_no_room = two.tokens.first().is_some_and(|word| word.rect.x1 - word.rect.x0 + 2.0 > room);
        let most = if has_no_room { MAX_WIDE_DISTANCE } else { MAX_LINE_DISTANCE };
        one.page == two.page
            && is_full
            && !one.in_margin
            && (-6.0..=MAX_INDENT).contains(&(one.rect.x0 - two.rect.x0))
            && self.line_distance(above, below) <= most
    }

    fn ends_with_stop(&self, cell: usize) -> bool {
        self.layout.cells[cell]
            .tokens
            .last()
            .is_some_and(|token| token.colon || token.text.ends_with(['.', '!', '?', ';']))
    }
}
