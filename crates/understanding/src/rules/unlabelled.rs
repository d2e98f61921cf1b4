//! Finds values without a label, by their form and by the section that they stand in.

use std::ops::Range;

use super::candidate::Provenance;
use super::labelled::has_weight_unit;
use super::segments::Separator;
use super::value_position::TokenSpan;
use super::{FieldFinder, UNLABELLED_RANK};
use crate::normal::{facts_in_line, facts_in_parts, is_signalment, opens_with_postcode};
use crate::{Normaliser, SchemaKey};

impl FieldFinder<'_> {
    /// Reads words that no label stands before.
    pub(super) fn read_unlabelled(&mut self, cell: usize, tokens: &Range<usize>) {
        if self.read_lead_in(cell, tokens) || self.weight_line(cell, tokens) {
            return;
        }
        // "Signalment Canine, Great Dane, female spayed".
        let is_named =
            self.layout.cells[cell].tokens.get(tokens.start).is_some_and(|first| is_signalment(&first.word));
        if is_named && self.read_signalment(cell, tokens.start, &(tokens.start + 1..tokens.end)) {
            return;
        }
        if self.layout.cells[cell].in_margin {
            return;
        }
        if self.signature_line(cell, tokens) || self.date_line(cell, tokens) {
            return;
        }
        if self.visit.is_some() {
            self.read_visit_text(cell, tokens);
            return;
        }
        let it = &self.layout.cells[cell];
        let roles = self.roles;
        let sections: Vec<&str> =
            [roles.person, roles.subject, roles.institution].into_iter().flatten().collect();
        let span = (cell, tokens.clone());
        // A street beside a name is theirs, whatever stands above it.
        let level = self.context.level_section(it, &sections).filter(|_| self.is_street_line(&span));
        let column = level.or_else(|| self.context.column_section(it, &sections));
        let governed = column.or_else(|| self.context.section_at(it.rect.x0)).map(str::to_owned);
        let section = governed.or_else(|| self.context.nearest_section(it, &sections).map(str::to_owned));
        let words = it.text(tokens.clone());
        match section.as_deref() {
            Some(section) if roles.person == Some(section) => self.person_line(&span, &words),
            Some(section) if roles.subject == Some(section) => self.subject_line(&span, &words),
            _ if self.subject_block(&span, &words)
                || self.addressee_line(&span)
                || self.name_above_labels(&span) => {}
            _ => self.letterhead_line(&span),
        }
        self.read_prose(cell, tokens);
    }

    pub(super) fn add_unlabelled(
        &mut self,
        key: Option<usize>,
        span: &TokenSpan,
        words: Option<&str>,
        rule: &str,
    ) -> bool {
        let Some(key) = key else { return false };
        let mapping = format!("fallback::{rule}");
        let provenance = Provenance { rank: UNLABELLED_RANK, mapping, label: None, text: words };
        self.add_candidate(key, std::slice::from_ref(span), provenance)
    }

    /// Reads a line that is a weight and nothing else.
    pub(super) fn weight_line(&mut self, cell: usize, tokens: &Range<usize>) -> bool {
        let it = &self.layout.cells[cell];
        let words = it.text(tokens.clone());
        let starts_with_number = words.starts_with(|c: char| c.is_ascii_digit());
        if !starts_with_number || tokens.len() > 2 || !has_weight_unit(&words) {
            return false;
        }
        let section = self.context.section_at(it.rect.x0);
        if self.visit.is_none() && (section.is_none() || section != self.roles.subject) {
            return false;
        }
        let key = self.schema.keys.iter().position(|key| key.normaliser == Normaliser::Weight);
        self.add_unlabelled(key, &(cell, tokens.clone()), None, "weight_line")
    }

    pub(super) fn person_line(&mut self, span: &TokenSpan, words: &str) {
        let name = self.key_in_section(self.roles.person, Normaliser::Person);
        let address = self.key_in_section(self.roles.person, Normaliser::Address);
        let is_named = name.is_some_and(|name| self.has_value(name));
        let is_housed = address.is_some_and(|address| self.has_value(address));
        if self.is_street_line(span) || (is_named && !is_housed && self.is_house_line(span)) {
            self.add_street_line(address, span);
        } else if looks_like_person(words) && !name.is_some_and(|name| self.has_value(name)) {
            self.add_unlabelled(name, span, None, "person_line");
        }
    }

    /// Reads what stands between the name of the subject and another fact, where nothing has a label.
    fn line_below_name(&mut self, span: &TokenSpan, words: &str) {
        let (cell, _) = *span;
        let is_name = |key: &SchemaKey| key.normaliser.names_subject();
        let is_named = self.schema.keys.iter().position(is_name).is_some_and(|name| self.has_value(name));
        let other = self.key_in_section(self.roles.subject, Normaliser::KIND_OF_SUBJECT);
        let Some(other) = other.filter(|other| is_named && !self.has_value(*other)) else { return };
        let is_plain = (1..=4).contains(&words.split_whitespace().count())
            && words.chars().all(|c| c.is_alphabetic() || c.is_whitespace() || c == '-')
            && words.starts_with(char::is_uppercase);
        let below = self.cell_below(cell).filter(|below| self.line_distance(cell, *below) <= 2.2);
        let is_before_fact = below.is_some_and(|below| {
            let it = &self.layout.cells[below];
            facts_in_line(&it.text(it.token_range())).is_some()
        });
        if is_plain && is_before_fact {
            self.add_unlabelled(Some(other), span, None, "below_name");
        }
    }

    pub(super) fn subject_line(&mut self, span: &TokenSpan, words: &str) {
        let (cell, _) = *span;
        let is_before_birth =
            self.segments[cell].get(1).and_then(|second| second.label).is_some_and(|(label, separator)| {
                let key = label.key.map(|key| self.schema.keys[key].normaliser);
                separator == Separator::Mark && key == Some(Normaliser::BirthDate)
            });
        if is_before_birth {
            let is_name = |key: &SchemaKey| {
                key.normaliser.names_subject() && key.section.as_deref() == self.roles.subject
            };
            let name = self.schema.keys.iter().position(is_name);
            self.add_unlabelled(name, span, None, "name_before_birth");
            return;
        }
        let Some(facts) = facts_in_line(words).or_else(|| facts_in_parts(words)) else {
            self.line_below_name(span, words);
            return;
        };
        for (normaliser, value) in facts.values {
            self.add_unlabelled(self.key_in_section(self.roles.subject, normaliser), span, value, facts.rule);
        }
        if facts.has_more {
            self.facts_behind_name(None, std::slice::from_ref(span), words);
        }
    }
}

/// Two to five capitalised words without digits.
pub(super) fn looks_like_person(words: &str) -> bool {
    let count = words.split_whitespace().count();
    let is_capital = |word: &str| {
        let starts = word.chars().next().is_some_and(char::is_uppercase);
        starts || matches!(word, "de" | "del" | "la" | "y" | "e" | "los" | "las" | "and" | "&")
    };
    let is_plain = words.chars().all(|c| c.is_alphabetic() || c.is_whitespace() || ".'’-&".contains(c));
    (2..=5).contains(&count)
        && is_plain
        && words.split_whitespace().all(is_capital)
        && !opens_with_postcode(words)
}
