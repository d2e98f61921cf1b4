//! Reads text without labels: values behind lead-ins, facts behind a name, and sentences about a visit.

use std::ops::Range;

use super::candidate::Provenance;
use super::labelled::has_weight_unit;
use super::layout::Token;
use super::narrative;
use super::value_position::TokenSpan;
use super::{FieldFinder, UNLABELLED_RANK};
use crate::Normaliser;
use crate::normal::{fact_behind_name, facts_in_signalment, is_kind_behind_name, part_of, parts_behind_name};

/// The shortest text that counts, in words.
const MIN_WORDS: usize = 2;

impl FieldFinder<'_> {
    /// Reads a name behind a lead-in, such as "Dra.".
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
            && names.clone().all(|token| token.is_capital() || token.text.len() <= 4);
        // What leads to a value of a visit stands anywhere in a sentence, and is read with it.
        if value.is_empty() || !is_name || !is_name_like {
            return false;
        }
        self.add_unlabelled(Some(key), &(cell, value), None, "lead_in")
    }

    /// Proposes facts behind the name of the subject: "Rocky (canino, macho, 7 años)".
    pub(super) fn facts_behind_name(&mut self, label: Option<usize>, spans: &[TokenSpan], words: &str) {
        let parts: Vec<&str> = parts_behind_name(words).skip(1).take(8).collect();
        let mut facts: Vec<(Normaliser, &str)> =
            parts.iter().filter_map(|part| fact_behind_name(part)).collect();
        for part in &parts {
            let words: Vec<&str> = part.split_whitespace().collect();
            let several = facts_in_signalment(&words);
            if several.len() > 1 && fact_behind_name(part).is_none() {
                let texts = several
                    .into_iter()
                    .filter_map(|(normaliser, range)| Some((normaliser, part_of(part, range)?)));
                facts.extend(texts);
            }
        }
        if !facts.is_empty()
            && !facts.iter().any(|(normaliser, _)| *normaliser == Normaliser::KIND_OF_SUBJECT)
        {
            let other = parts.iter().find(|part| is_kind_behind_name(part));
            facts.extend(other.map(|part| (Normaliser::KIND_OF_SUBJECT, *part)));
        }
        for (normaliser, value) in facts {
            let mapping = "fallback::behind_name".to_owned();
            let provenance = Provenance { rank: UNLABELLED_RANK, mapping, label, text: Some(value) };
            self.add_for(normaliser, spans, provenance);
        }
    }

    /// Reads text about a visit: labelled weights, observations and actions.
    pub(super) fn read_visit_text(&mut self, cell: usize, tokens: &Range<usize>) {
        let words = &self.layout.cells[cell].tokens[tokens.clone()];
        let is_word = |token: &&Token<'_>| token.text.chars().any(char::is_alphabetic);
        let has_weight = words.len() == 2 && has_weight_unit(&self.layout.cells[cell].text(tokens.clone()));
        if words.iter().filter(is_word).count() < MIN_WORDS && !has_weight {
            return;
        }
        let spans = self.paragraph(cell, tokens);
        self.mark_used(&spans[1..]);
        let flow = self.flow_of(&spans);
        let taken = self.read_flow(&flow);
        self.read_told_values(&spans, &taken);
        let left: Vec<usize> = (0..taken.len()).filter(|at| !taken[*at]).collect();
        let runs = left.chunk_by(|one, two| one + 1 == *two);
        let runs = runs.filter_map(|run| Some(flow.text(*run.first()?..run.last()? + 1)));
        let words = runs.collect::<Vec<_>>().join(" ");
        self.add_narrative(&words, &spans);
    }

    /// Proposes a text about a visit as observations and actions.
    pub(super) fn add_narrative(&mut self, words: &str, spans: &[TokenSpan]) {
        let key_of = |name: &str| self.schema.keys.iter().position(|key| key.key == name);
        let keys = [key_of("observations"), key_of("actions")];
        let cues = keys[1].map_or(&[][..], |key| &self.schema.keys[key].cues);
        let (observations, actions) = narrative::observations_and_actions(words, cues);
        for (key, text) in keys.into_iter().zip([observations, actions]) {
            let (Some(key), false) = (key, text.is_empty()) else { continue };
            let provenance = Provenance {
                rank: UNLABELLED_RANK,
                mapping: "fallback::narrative".to_owned(),
                label: None,
                text: Some(&text),
            };
            self.add_candidate(key, spans, provenance);
        }
    }
}
