//! Addresses over several lines: which line is a street, which lines go on with it, and the address of a named person.

use super::candidate::Provenance;
use super::value_position::{TokenSpan, TokenSpans};
use super::{FieldFinder, UNLABELLED_RANK};
use crate::Normaliser;
use crate::normal::{has_house_number, has_postcode, has_street, is_house_and_town, opens_with_postcode};

/// The most lines of an address below its street.
const MAX_ADDRESS_LINES: usize = 3;

impl FieldFinder<'_> {
    /// Appends the lines below an address that go on with it, up to its postcode. Returns the whole text then.
    pub(super) fn append_address_lines(&self, spans: &mut TokenSpans) -> Option<String> {
        let text = self.text_of(spans);
        // A number at the beginning may be that of a house.
        let behind = text.split_once(' ').map_or("", |(_, behind)| behind);
        if has_postcode(behind) || opens_with_postcode(&text) {
            return None;
        }
        let mut more: TokenSpans = Vec::new();
        let mut last = spans.last()?.0;
        for _ in 0..MAX_ADDRESS_LINES {
            let Some(next) = self.cell_below(last) else { break };
            let cell = &self.layout.cells[next];
            let words = cell.text(cell.token_range());
            let is_part = self.line_distance(last, next) <= 2.2
                && cell.tokens.len() <= 8
                && !self.used[next]
                && !self.starts_with_label(next)
                && self.labels.heading(&cell.tokens[cell.first_word()..]).is_none()
                && !words.contains('@');
            if !is_part {
                break;
            }
            more.push((next, cell.token_range()));
            if has_postcode(&words) || opens_with_postcode(&words) {
                spans.append(&mut more);
                return Some(self.joined_lines(spans));
            }
            last = next;
        }
        // The town may stand beside the street: "611 Old Mill Pike | Lancaster, PA 17602".
        let last = spans.last()?.0;
        let beside = Some(last + 1).filter(|next| {
            let it = &self.layout.cells[last];
            self.layout.rows[it.row].contains(next) && !self.used[*next] && !self.starts_with_label(*next)
        });
        if let Some(next) = beside {
            let words = self.layout.cells[next].text(self.layout.cells[next].token_range());
            let is_town = has_postcode(&words) || opens_with_postcode(&words);
            let starts_with_digit = words.starts_with(|c: char| c.is_ascii_digit());
            let is_house = starts_with_digit && !opens_with_postcode(&words);
            if is_town && !is_house && !has_street(&words) {
                spans.push((next, self.layout.cells[next].token_range()));
                return Some(self.joined_lines(spans));
            }
        }
        // An open comma says that the next line goes on.
        if text.ends_with(',') && !more.is_empty() {
            spans.push(more.swap_remove(0));
            return Some(self.joined_lines(spans));
        }
        None
    }

    /// Whether a line is the street of an address: it names one with a number, or has the number of a house above a line
    /// with a postcode.
    pub(super) fn is_street_line(&self, (cell, tokens): &TokenSpan) -> bool {
        let words = self.layout.cells[*cell].text(tokens.clone());
        let is_whole = is_house_and_town(&words) && tokens.len() <= 10;
        if is_whole || (has_street(&words) && words.bytes().any(|b| b.is_ascii_digit())) {
            return true;
        }
        let is_town = |next: usize| {
            let it = &self.layout.cells[next];
            let words = it.text(it.token_range());
            it.tokens.len() <= 8
                && self.line_distance(*cell, next) <= 2.2
                && !self.starts_with_label(next)
                && (has_postcode(&words) || opens_with_postcode(&words))
        };
        has_house_number(&words) && self.cell_below(*cell).is_some_and(is_town)
    }

    /// Whether a line below a name is that of a house without a number: one of the next lines has a postcode. "The Old Forge",
    /// "Sessay", "Thirsk YO7 3BE".
    pub(super) fn is_house_line(&self, (cell, tokens): &TokenSpan) -> bool {
        let it = &self.layout.cells[*cell];
        let is_plain = (1..=4).contains(&tokens.len())
            && it.tokens[tokens.clone()]
                .iter()
                .all(|token| token.text.chars().all(|c| c.is_alphabetic() || c == ','));
        let mut last = *cell;
        for _ in 0..MAX_ADDRESS_LINES {
            let next = self.cell_below(last).filter(|next| self.line_distance(last, *next) <= 2.2);
            let Some(next) = next.filter(|next| is_plain && !self.starts_with_label(*next)) else {
                return false;
            };
            let words = self.layout.cells[next].text(self.layout.cells[next].token_range());
            if has_postcode(&words) {
                return true;
            }
            last = next;
        }
        false
    }

    /// Proposes an address behind the name of a person: "Ana Gil, Calle Mayor 3".
    pub(super) fn address_behind_name(&mut self, key: usize, label: usize, spans: &[TokenSpan], words: &str) {
        if self.address_below_name(key, spans) {
            return;
        }
        let marks = [",", " - ", " – ", " · "];
        let Some(mark) = marks.iter().filter_map(|mark| Some((words.find(mark)?, mark.len()))).min() else {
            return;
        };
        let behind = &words[mark.0 + mark.1..];
        let Some(section) = self.schema.keys[key].section.as_deref() else { return };
        let Some(address) = self.key_in_section(Some(section), Normaliser::Address) else { return };
        let mapping = "fallback::behind_name".to_owned();
        let provenance =
            Provenance { rank: UNLABELLED_RANK, mapping, label: Some(label), text: Some(behind) };
        self.add_candidate(address, spans, provenance);
    }

    /// Proposes the address in the lines below the name of a person, where no label stands before it. Some of these lines may
    /// already count as part of the name.
    fn address_below_name(&mut self, key: usize, spans: &[TokenSpan]) -> bool {
        let section =
            self.schema.keys[key].section.as_deref().filter(|section| self.roles.person == Some(*section));
        let Some(address) = self.key_in_section(section, Normaliser::Address) else { return false };
        let below = spans.get(1).cloned().or_else(|| {
            let next =
                self.cell_below(spans[0].0).filter(|next| self.line_distance(spans[0].0, *next) <= 2.2)?;
            let is_free = !self.used[next] && !self.starts_with_label(next) && self.segments[next].len() == 1;
            is_free.then(|| (next, self.layout.cells[next].token_range()))
        });
        let Some(street) = below.filter(|street| self.is_street_line(street)) else { return false };
        self.add_street_line(Some(address), &street);
        self.used[street.0] = true;
        true
    }

    /// Proposes an address whose street is this line.
    pub(super) fn add_street_line(&mut self, key: Option<usize>, span: &TokenSpan) {
        let Some(key) = key else { return };
        let mut spans = vec![span.clone()];
        let joined = self.append_address_lines(&mut spans);
        self.mark_used(&spans[1..]);
        let mapping = "fallback::street_line".to_owned();
        let provenance = Provenance { rank: UNLABELLED_RANK, mapping, label: None, text: joined.as_deref() };
        self.add_candidate(key, &spans, provenance);
    }
}
