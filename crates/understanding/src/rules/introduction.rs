//! Reads how a document introduces its subject and its person where nothing has a label: a name in larger letters, facts below it, and
//! a person above a street beside it.

use super::FieldFinder;
use super::segments::Separator;
use super::signature::is_title;
use super::unlabelled::looks_like_person;
use super::value_position::TokenSpan;
use crate::normal::{facts_in_line, facts_in_parts};
use crate::{Normaliser, SchemaKey};

/// The rows of a document in which a block without labels introduces the subject, and the most cells of each.
const MAX_ROWS_TO_BLOCK: usize = 20;
const MAX_CELLS_OF_BLOCK: usize = 8;
/// The most rows between a name and the facts below it, and the largest distance between them, in line heights.
const MAX_ROWS_ABOVE: usize = 3;
const MAX_NAME_DISTANCE: f32 = 2.6;
/// The fewest figures of a number beside a name.
const MIN_CODE_DIGITS: usize = 3;
/// The same for a side bar, in points.
const TOP_OF_PAGE: f32 = 260.0;

impl FieldFinder<'_> {
    /// Whether a cell stands where a document introduces its subject: in its first rows, or at the top of a side bar.
    fn is_near_top(&self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        it.page == 1 && (it.row < MAX_ROWS_TO_BLOCK || it.rect.y0 < TOP_OF_PAGE)
    }

    /// Reads a block without any label: a name, facts below it, and a person with their address beside it. This line has the
    /// facts.
    pub(super) fn subject_block(&mut self, span: &TokenSpan, words: &str) -> bool {
        let it = &self.layout.cells[span.0];
        let is_name = |key: &SchemaKey| key.normaliser.names_subject();
        let name = self.schema.keys.iter().position(is_name).filter(|name| !self.has_value(*name));
        let is_near_top = it.row > 0 && self.is_near_top(span.0);
        let (Some(name), true) = (name, is_near_top) else { return false };
        let facts = facts_in_line(words).filter(|facts| facts.values.len() > 1);
        let Some(facts) = facts_in_parts(words).or(facts) else { return false };
        let row = it.row;
        let Some(above) = self.cell_above(span.0) else { return false };
        let tokens = &self.layout.cells[above].tokens;
        // "Moose" #7781: the number is that of the record.
        let has_code =
            tokens.len() == 2 && tokens[1].text.bytes().filter(u8::is_ascii_digit).count() >= MIN_CODE_DIGITS;
        let is_word = |text: &str| text.trim_matches(['"', '“', '”', '\'']).chars().all(char::is_alphabetic);
        let is_plain = (1..=2).contains(&tokens.len())
            && tokens
                .iter()
                .take(if has_code { 1 } else { 2 })
                .all(|token| token.is_capital() && is_word(token.text))
            && !tokens.iter().any(|token| self.has_meaning(token))
            && self.line_distance(above, span.0) <= MAX_NAME_DISTANCE;
        if !is_plain || self.used[above] {
            return false;
        }
        let place = (above, 0..if has_code { 1 } else { tokens.len() });
        if has_code {
            let code = self.key_in_section(self.roles.institution, Normaliser::Identifier);
            self.add_unlabelled(code, &(above, 1..2), None, "block");
        }
        self.add_unlabelled(Some(name), &place, None, "block");
        let is_column = above > self.layout.rows[self.layout.cells[above].row].start;
        self.context.open_region(&self.layout.cells[above], self.roles.subject, is_column);
        for (normaliser, value) in facts.values {
            self.add_unlabelled(self.key_in_section(self.roles.subject, normaliser), span, value, facts.rule);
        }
        if facts.has_more {
            self.facts_behind_name(None, std::slice::from_ref(span), words);
        }
        // The person stands beside the name or beside this line, perhaps in letters of another size.
        let rows = self.layout.cells[above].row.saturating_sub(1)..=row;
        let beside: Vec<usize> =
            rows.flat_map(|row| self.layout.rows[row].clone()).take(MAX_CELLS_OF_BLOCK).collect();
        for cell in beside.into_iter().filter(|cell| *cell != above && *cell != span.0) {
            if self.person_above_street(cell, "block") {
                break;
            }
        }
        true
    }

    /// Reads the name of the subject that stands alone above labels of its section: "GRETA", and "Especie: Felina" below.
    pub(super) fn name_above_labels(&mut self, span: &TokenSpan) -> bool {
        let it = &self.layout.cells[span.0];
        let is_name = |key: &SchemaKey| key.normaliser.names_subject();
        let name = self.schema.keys.iter().position(is_name).filter(|name| !self.has_value(*name));
        let is_near_top = self.is_near_top(span.0) && self.layout.rows[it.row].len() == 1;
        let below = self.row_after(it.row).map(|row| self.layout.rows[row].start);
        let label = below.filter(|below| self.line_distance(span.0, *below) <= 2.2);
        let label = label.and_then(|below| self.segments[below][0].label);
        let is_about = label.is_some_and(|(meaning, separator)| {
            let key = meaning.key.map(|key| &self.schema.keys[key]);
            separator != Separator::Space
                && key.is_some_and(|key| {
                    key.normaliser.describes_subject() && key.section.as_deref() == self.roles.subject
                })
        });
        let is_plain = (1..=2).contains(&it.tokens.len())
            && it
                .tokens
                .iter()
                .all(|token| token.is_capital() && token.text.chars().all(char::is_alphabetic))
            && !it.tokens.iter().any(|token| self.has_meaning(token));
        if !(is_near_top && is_about) {
            return false;
        }
        // "Murphy", and "Labrador Retriever" below it.
        if let Some(title) = self.name_above(span.0) {
            let kind = self.key_in_section(self.roles.subject, Normaliser::KIND_OF_SUBJECT);
            let is_kind =
                kind.is_some_and(|kind| !self.has_value(kind)) && is_capital_phrase(&it.text(span.1.clone()));
            if is_kind && self.add_unlabelled(name, &title, None, "above_labels") {
                self.mark_used(std::slice::from_ref(&title));
                return self.add_unlabelled(kind, span, None, "below_name");
            }
        }
        is_plain && self.add_unlabelled(name, span, None, "above_labels")
    }

    /// The cell above another one at the same edge, within a few rows: letters of another size stand in rows of their own.
    fn cell_above(&self, cell: usize) -> Option<usize> {
        let it = &self.layout.cells[cell];
        let rows = (it.row.saturating_sub(MAX_ROWS_ABOVE)..it.row).rev();
        rows.flat_map(|row| self.layout.rows[row].clone().take(MAX_CELLS_OF_BLOCK)).find(|other| {
            self.layout.count_step();
            let other = &self.layout.cells[*other];
            (other.rect.x0 - it.rect.x0).abs() <= 4.0 && other.page == it.page && other.part == it.part
        })
    }

    /// A word in larger letters directly above a line at the same edge, which may be a name.
    pub(super) fn name_above(&self, below: usize) -> Option<TokenSpan> {
        let it = &self.layout.cells[below];
        let cell = self.cell_above(below).filter(|above| {
            self.layout.cells[*above].height() > 1.2 * it.height()
                && self.line_distance(*above, below) <= MAX_NAME_DISTANCE
        })?;
        let tokens = &self.layout.cells[cell].tokens;
        let is_name = (1..=2).contains(&tokens.len())
            && tokens.iter().all(|token| token.is_capital() && token.text.chars().all(char::is_alphabetic))
            && !tokens.iter().any(|token| self.has_meaning(token));
        is_name.then(|| (cell, self.layout.cells[cell].token_range()))
    }

    /// Reads the person whom a letter is sent to: a title and a name, above a street.
    pub(super) fn addressee_line(&mut self, span: &TokenSpan) -> bool {
        let it = &self.layout.cells[span.0];
        let is_near_top = it.page == 1 && it.row < MAX_ROWS_TO_BLOCK;
        let is_titled = it.tokens.first().is_some_and(|first| is_title(&first.word)) && it.tokens.len() > 2;
        is_near_top && is_titled && self.person_above_street(span.0, "addressee")
    }

    /// Proposes a person, if the line below them is a street.
    fn person_above_street(&mut self, cell: usize, rule: &str) -> bool {
        let name = self.key_in_section(self.roles.person, Normaliser::Person);
        let address = self.key_in_section(self.roles.person, Normaliser::Address);
        let span = (cell, self.layout.cells[cell].token_range());
        let below = self.cell_below(cell).filter(|below| self.line_distance(cell, *below) <= 2.2);
        let street = below.map(|below| (below, self.layout.cells[below].token_range()));
        let Some(street) = street.filter(|street| !self.used[street.0] && self.is_street_line(street)) else {
            return false;
        };
        let words = self.layout.cells[cell].text(span.1.clone());
        if self.used[cell] || !looks_like_person(&words) || name.is_none_or(|name| self.has_value(name)) {
            return false;
        }
        self.add_unlabelled(name, &span, None, rule);
        self.add_street_line(address, &street);
        self.mark_used(&[span, street]);
        true
    }
}

/// One to four words without digits, of which the first is capitalised.
fn is_capital_phrase(words: &str) -> bool {
    (1..=4).contains(&words.split_whitespace().count())
        && words.starts_with(char::is_uppercase)
        && words.chars().all(|c| c.is_alphabetic() || c.is_whitespace() || c == '-')
}
