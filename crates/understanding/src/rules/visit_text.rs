//! Reads text without labels: values behind lead-ins, facts behind a name, and sentences about a visit.

use std::ops::Range;

use super::candidate::Provenance;
use super::labelled::has_weight_unit;
use super::layout::Token;
use super::narrative;
use super::value_position::TokenSpan;
use super::{FieldExtractor, UNLABELLED_CONFIDENCE};
use crate::normal::fact_behind_name;
use crate::{Normaliser, Scope};

/// The shortest text that counts, in words.
const MIN_WORDS: usize = 2;

impl FieldExtractor<'_> {
    /// Reads a value behind a lead-in, such as "Se pauta" or "Dra.".
    pub(super) fn read_lead_in(&mut self, cell: usize, tokens: &Range<usize>) -> bool {
        let it = &self.layout.cells[cell];
        let Some((key, count)) = self.labels.lead_in_at_start(&it.tokens[tokens.clone()]) else {
            return false;
        };
        let schema_key = &self.schema.keys[key];
        let value = tokens.start + count..tokens.end;
        let is_name = schema_key.normaliser == Normaliser::Person;
        let names = it.tokens[value.clone()].iter();
        let is_name_like = (2..=6).contains(&value.len())
            && names.clone().all(|token| token.is_capital() || token.text.len() <= 3);
        let of_visit = schema_key.scope == Scope::Visit;
        if value.is_empty() || (is_name && !is_name_like) || (of_visit && self.visit.is_none()) {
            return false;
        }
        let end = if of_visit { self.sentence_end(cell, &value) } else { value.end };
        let is_taken = self.propose_unlabelled(Some(key), &(cell, value.start..end), None, "lead_in");
        if is_taken && end < value.end {
            self.read_visit_text(cell, &(end..value.end));
        }
        is_taken
    }

    /// The index of the token after the first sentence.
    pub(super) fn sentence_end(&self, cell: usize, tokens: &Range<usize>) -> usize {
        let words = &self.layout.cells[cell].tokens;
        let ends = |at: &usize| {
            let (word, next) = (&words[*at], words.get(at + 1));
            word.text.ends_with('.') && word.word.chars().count() > 3 && next.is_some_and(Token::is_capital)
        };
        tokens.clone().find(ends).map_or(tokens.end, |at| at + 1)
    }

    /// Proposes an address behind the name of a person: "Ana Gil, Calle Mayor 3".
    pub(super) fn address_behind_name(&mut self, key: usize, label: usize, spans: &[TokenSpan], words: &str) {
        let Some((_, behind)) = words.split_once([',', '|']) else { return };
        let behind = behind.split('|').next().unwrap_or(behind);
        let Some(section) = self.schema.keys[key].section.as_deref() else { return };
        let Some(address) = self.key_in_section(Some(section), Normaliser::Address) else { return };
        let mapping = "fallback::behind_name".to_owned();
        let provenance =
            Provenance { confidence: UNLABELLED_CONFIDENCE, mapping, label: Some(label), text: Some(behind) };
        self.propose(address, spans, provenance);
    }

    /// Proposes facts behind the name of the subject: "Rocky (canino, macho, 7 años)".
    pub(super) fn facts_behind_name(&mut self, label: Option<usize>, spans: &[TokenSpan], words: &str) {
        for part in words.split([',', '(', ')', ';', '|', '/']).skip(1).take(8) {
            let Some((normaliser, value)) = fact_behind_name(part) else { continue };
            let mapping = "fallback::behind_name".to_owned();
            let provenance =
                Provenance { confidence: UNLABELLED_CONFIDENCE, mapping, label, text: Some(value) };
            self.propose_for(normaliser, spans, provenance);
        }
    }

    /// Reads text about a visit: labelled weights, observations and actions.
    pub(super) fn read_visit_text(&mut self, cell: usize, tokens: &Range<usize>) {
        let words = &self.layout.cells[cell].tokens[tokens.clone()];
        let is_word = |token: &&Token<'_>| token.text.chars().any(char::is_alphabetic);
        if words.iter().filter(is_word).count() < MIN_WORDS {
            return;
        }
        self.weights_in_text(cell, tokens);
        let mut spans = vec![(cell, tokens.clone())];
        self.push_continued_lines(cell, &mut spans);
        self.mark_used(&spans[1..]);
        let words = self.text_of(&spans);
        let key_of = |name: &str| self.schema.keys.iter().position(|key| key.key == name);
        let keys = [key_of("observations"), key_of("actions")];
        let cues = keys[1].map_or(&[][..], |key| &self.schema.keys[key].cues);
        let (observations, actions) = narrative::observations_and_actions(&words, cues);
        for (key, text) in keys.into_iter().zip([observations, actions]) {
            let (Some(key), false) = (key, text.is_empty()) else { continue };
            let provenance = Provenance {
                confidence: UNLABELLED_CONFIDENCE,
                mapping: "fallback::narrative".to_owned(),
                label: None,
                text: Some(&text),
            };
            self.propose(key, &spans, provenance);
        }
    }

    /// Proposes labelled weights in a text.
    pub(super) fn weights_in_text(&mut self, cell: usize, tokens: &Range<usize>) {
        for at in tokens.clone() {
            let it = &self.layout.cells[cell];
            let Some((meaning, count)) = self.labels.label_at_start(&it.tokens[at..tokens.end]) else {
                continue;
            };
            let Some(key) = meaning.key.filter(|key| self.schema.keys[*key].normaliser == Normaliser::Weight)
            else {
                continue;
            };
            let from = at + count;
            let value = (1..=2)
                .map(|count| from..from + count)
                .find(|value| value.end <= tokens.end && has_weight_unit(&it.text(value.clone())));
            if let Some(value) = value {
                self.propose_unlabelled(Some(key), &(cell, value), None, "weight_within");
            }
        }
    }
}
