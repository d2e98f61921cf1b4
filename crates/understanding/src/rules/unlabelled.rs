//! What is known without a label: by what it looks like, and by where it stands.

use std::ops::Range;

use super::candidate::How;
use super::segments::Apart;
use super::take::has_unit;
use super::values::Piece;
use super::{Rules, WITHOUT_LABEL};
use crate::normal::{facts_in_line, has_street, opens_with_postcode};
use crate::{Normaliser, SchemaKey};

impl Rules<'_> {
    /// Words without a label.
    pub(super) fn unlabelled(&mut self, cell: usize, tokens: &Range<usize>) {
        if self.lead_in(cell, tokens) || self.weighs(cell, tokens) {
            return;
        }
        if self.sheet.cells[cell].in_margin {
            return;
        }
        if self.visit.is_some() {
            self.narrate(cell, tokens);
            return;
        }
        let it = &self.sheet.cells[cell];
        let about = self.about;
        let sections: Vec<&str> =
            [about.person, about.subject, about.institution].into_iter().flatten().collect();
        let governed = self.context.section(it.rect.x0).map(str::to_owned);
        let section = governed.or_else(|| self.context.near(it, &sections).map(str::to_owned));
        let words = it.text(tokens.clone());
        let piece = (cell, tokens.clone());
        match section.as_deref() {
            Some(section) if about.person == Some(section) => self.of_person(&piece, &words),
            Some(section) if about.subject == Some(section) => self.of_subject(&piece, &words),
            _ => self.of_letterhead(&piece),
        }
        self.read_prose(cell, tokens);
    }

    pub(super) fn guess(
        &mut self,
        key: Option<usize>,
        piece: &Piece,
        words: Option<&str>,
        rule: &str,
    ) -> bool {
        let Some(key) = key else { return false };
        let mapping = format!("fallback::{rule}");
        let how = How { confidence: WITHOUT_LABEL, mapping, label: None, words };
        self.propose(key, std::slice::from_ref(piece), how)
    }

    /// A line that is a weight and nothing else.
    pub(super) fn weighs(&mut self, cell: usize, tokens: &Range<usize>) -> bool {
        let it = &self.sheet.cells[cell];
        let words = it.text(tokens.clone());
        let starts_with_number = words.starts_with(|c: char| c.is_ascii_digit());
        if !starts_with_number || tokens.len() > 2 || !has_unit(&words) {
            return false;
        }
        let section = self.context.section(it.rect.x0);
        if self.visit.is_none() && (section.is_none() || section != self.about.subject) {
            return false;
        }
        let key = self.schema.keys.iter().position(|key| key.normaliser == Normaliser::Weight);
        self.guess(key, &(cell, tokens.clone()), None, "weight_line")
    }

    pub(super) fn of_person(&mut self, piece: &Piece, words: &str) {
        let name = self.key_of(self.about.person, Normaliser::Person);
        let address = self.key_of(self.about.person, Normaliser::Address);
        if has_street(words) && words.chars().any(|c| c.is_ascii_digit()) {
            self.guess_address(address, piece);
        } else if looks_like_person(words) && !name.is_some_and(|name| self.has(name)) {
            self.guess(name, piece, None, "person_line");
        }
    }

    pub(super) fn of_subject(&mut self, piece: &Piece, words: &str) {
        let (cell, _) = *piece;
        let is_before_birth =
            self.segments[cell].get(1).and_then(|second| second.label).is_some_and(|(label, apart)| {
                let key = label.key.map(|key| self.schema.keys[key].normaliser);
                apart == Apart::Mark && key == Some(Normaliser::BirthDate)
            });
        if is_before_birth {
            let is_name = |key: &SchemaKey| {
                key.normaliser.names_subject() && key.section.as_deref() == self.about.subject
            };
            let name = self.schema.keys.iter().position(is_name);
            self.guess(name, piece, None, "name_before_birth");
            return;
        }
        let Some(facts) = facts_in_line(words) else { return };
        for (normaliser, value) in facts.values {
            self.guess(self.key_of(self.about.subject, normaliser), piece, value, facts.rule);
        }
        if facts.has_more {
            self.facts_behind_name(None, std::slice::from_ref(piece), words);
        }
    }

    pub(super) fn guess_address(&mut self, key: Option<usize>, piece: &Piece) {
        let Some(key) = key else { return };
        let mut pieces = vec![piece.clone()];
        let joined = self.with_postcode(&mut pieces);
        self.use_up(&pieces[1..]);
        let mapping = "fallback::street_line".to_owned();
        let how = How { confidence: WITHOUT_LABEL, mapping, label: None, words: joined.as_deref() };
        self.propose(key, &pieces, how);
    }
}

/// Two to five words with capitals and without figures.
fn looks_like_person(words: &str) -> bool {
    let count = words.split_whitespace().count();
    let is_capital = |word: &str| {
        let starts = word.chars().next().is_some_and(char::is_uppercase);
        starts || matches!(word, "de" | "del" | "la" | "y" | "los" | "las")
    };
    let is_plain = words.chars().all(|c| c.is_alphabetic() || c.is_whitespace() || ".'-".contains(c));
    (2..=5).contains(&count)
        && is_plain
        && words.split_whitespace().all(is_capital)
        && !opens_with_postcode(words)
}
