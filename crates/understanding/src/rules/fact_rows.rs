//! Rows without labels that say who the subject is: a name, and facts beside it.

use super::FieldFinder;
use super::layout::Token;
use super::unlabelled::looks_like_person;
use super::value_position::TokenSpan;
use crate::normal::{fact_behind_name, fact_in_row, facts_in_signalment, has_street, starts_with_kind};
use crate::{Normaliser, SchemaKey};

/// The rows of a document in which the subject is introduced.
const MAX_ROWS: usize = 30;
/// The longest name and the longest part of a row whose parts commas separate, in words.
const MAX_NAME_WORDS: usize = 2;
const MAX_PART_WORDS: usize = 4;
/// The longest row whose parts commas separate, in words.
const MAX_WORDS: usize = 14;
/// The most parts of such a row.
const MAX_PARTS: usize = 12;

impl FieldFinder<'_> {
    /// Reads a row that states several facts about the subject, and the row below it about the person.
    pub(super) fn read_fact_row(&mut self, row: usize) {
        let is_in_table = self.layout.rows[row].clone().any(|cell| self.in_table[cell]);
        if row >= MAX_ROWS || is_in_table || self.visit.is_some() || self.roles.subject.is_none() {
            return;
        }
        let is_name = |key: &SchemaKey| key.normaliser.names_subject();
        let Some(name) = self.schema.keys.iter().position(is_name) else { return };
        let mut parts = self.parts_of_row(row);
        // "Name Luna | Ragdoll | Female": the label is no part of the name.
        if let Some((cell, tokens)) = parts.first_mut() {
            let label = self.labels.label_at_start(&self.layout.cells[*cell].tokens[tokens.clone()]);
            let count = label.filter(|(meaning, _)| meaning.key == Some(name)).map_or(0, |(_, count)| count);
            tokens.start += if count < tokens.len() { count } else { 0 };
        }
        let texts: Vec<String> = parts.iter().map(|part| self.text_of(std::slice::from_ref(part))).collect();
        let facts: Vec<Option<Normaliser>> = texts.iter().map(|text| fact_in_row(text)).collect();
        let is_plain = |text: &str| {
            let count = text.split_whitespace().count();
            (1..=4).contains(&count)
                && !text.chars().any(|c| c.is_ascii_digit())
                && text.chars().next().is_some_and(char::is_uppercase)
        };
        // "male entire Springer Spaniel" states several facts.
        let several = |text: &String| {
            let facts = facts_in_signalment(&text.split_whitespace().collect::<Vec<_>>());
            let least = if starts_with_kind(text) && text.contains(' ') { 1 } else { 2 };
            Some(facts).filter(|facts| facts.len() >= least).unwrap_or_default()
        };
        // "Raza Persa" states one, behind its label.
        let is_labelled = |(cell, tokens): &TokenSpan| {
            let label = self.labels.label_at_start(&self.layout.cells[*cell].tokens[tokens.clone()]);
            label.is_some_and(|(_, count)| count < tokens.len())
        };
        let more: Vec<_> = parts
            .iter()
            .zip(&texts)
            .map(|(part, text)| if is_labelled(part) { Vec::new() } else { several(text) })
            .collect();
        let known = facts.iter().flatten().count() + more.iter().map(Vec::len).sum::<usize>();
        if parts.len() < 3 || known < 2 {
            return;
        }
        // The name stands first, or above: "HISTORIAL DE THOR", "Perro - Pastor Alemán - Macho".
        let title =
            parts.first().and_then(|(cell, _)| self.name_above(*cell)).filter(|_| !self.has_value(name));
        let is_named = facts[0].is_none() && more[0].is_empty() && title.is_none();
        if let Some(title) = title {
            self.add_unlabelled(Some(name), &title, None, "above_facts");
            self.mark_used(std::slice::from_ref(&title));
        }
        if is_named
            && (self.has_value(name) || !is_plain(&texts[0]) || self.labels.is_label_or_heading(&texts[0]))
        {
            return;
        }
        if is_named {
            self.add_unlabelled(Some(name), &parts[0], None, "fact_row");
        }
        let mut has_other_name = false;
        for (place, ((part, text), fact)) in
            parts.iter().zip(&texts).zip(&facts).enumerate().skip(usize::from(is_named))
        {
            if fact.is_none() && !more[place].is_empty() {
                for (normaliser, range) in &more[place] {
                    let key = self.key_in_section(self.roles.subject, *normaliser);
                    let span = (part.0, part.1.start + range.start..part.1.start + range.end);
                    has_other_name |= *normaliser == Normaliser::KIND_OF_SUBJECT;
                    self.add_unlabelled(key, &span, None, "fact_row");
                }
                continue;
            }
            let normaliser = match fact {
                Some(fact) => *fact,
                None if is_plain(text) && !has_other_name => Normaliser::KIND_OF_SUBJECT,
                None => continue,
            };
            has_other_name |= normaliser == Normaliser::KIND_OF_SUBJECT;
            let value = fact_behind_name(text).map(|(_, value)| value.to_owned());
            let key = self.key_in_section(self.roles.subject, normaliser);
            self.add_unlabelled(key, part, value.as_deref(), "fact_row");
        }
        let cells: Vec<TokenSpan> = parts;
        self.mark_used(&cells);
        self.read_person_row(row + 1);
    }

    /// A row below the subject that begins with a person and an address, without labels.
    fn read_person_row(&mut self, row: usize) {
        let Some(cells) = self.layout.rows.get(row).cloned().filter(|cells| cells.len() >= 2) else { return };
        let span = |cell: usize| (cell, self.layout.cells[cell].token_range());
        let (first, second) = (span(cells.start), span(cells.start + 1));
        let texts = [&first, &second].map(|part| self.text_of(std::slice::from_ref(part)));
        let is_address = has_street(&texts[1]) && texts[1].bytes().any(|b| b.is_ascii_digit());
        if looks_like_person(&texts[0]) && is_address {
            let name = self.key_in_section(self.roles.person, Normaliser::Person);
            let address = self.key_in_section(self.roles.person, Normaliser::Address);
            self.add_unlabelled(name, &first, None, "person_row");
            self.add_street_line(address, &second);
            self.mark_used(&[first, second]);
        }
    }

    fn split_at_commas(&self, (cell, tokens): &TokenSpan) -> Vec<TokenSpan> {
        let words = &self.layout.cells[*cell].tokens;
        let mut parts: Vec<TokenSpan> = Vec::new();
        let mut start = tokens.start;
        for at in tokens.clone() {
            let opens = words.get(at + 1).is_some_and(|next| next.text.starts_with('('));
            if words[at].text.ends_with(',') || at + 1 == tokens.end || opens {
                parts.push((*cell, start..at + 1));
                start = at + 1;
            }
        }
        parts
    }

    /// The parts of a row that no label stands before: its cells, or the parts of its only cell between dashes or bars.
    fn parts_of_row(&self, row: usize) -> Vec<TokenSpan> {
        let cells = self.layout.rows[row].clone();
        if cells.len() == 1 {
            let cell = cells.start;
            if self.segments[cell][0].is_labelled {
                return Vec::new();
            }
            let words = self.first_segment(cell);
            let parts = self.split_at_separators(&(cell, words.clone()));
            // "Bertie - Border Terrier, male neutered, 11 years old".
            if parts.len() > 2 || words.len() > MAX_WORDS {
                return parts;
            }
            let apart: Vec<TokenSpan> = parts.iter().flat_map(|part| self.split_at_commas(part)).collect();
            // A sentence has longer parts.
            let is_short = apart.first().is_some_and(|(_, name)| name.len() <= MAX_NAME_WORDS)
                && apart.iter().all(|(_, part)| part.len() <= MAX_PART_WORDS);
            return if is_short { apart } else { parts };
        }
        let is_plain = |cell: &usize| self.segments[*cell].iter().all(|segment| !segment.is_labelled);
        let words = |cell: usize| (cell, 0..self.layout.cells[cell].tokens.len());
        let has_tokens = |cell: &usize| {
            self.layout.cells[*cell].tokens.iter().any(|token: &Token<'_>| !token.is_separator())
        };
        cells.take(MAX_PARTS).filter(is_plain).filter(has_tokens).map(words).collect()
    }
}
