//! Finds values in whole sentences: "Remito a Lúa, perra de raza Border Collie, con microchip 941…".

use std::ops::Range;

use super::candidate::Provenance;
use super::visit_start::{self, VisitStartKind};
use super::{FieldExtractor, UNLABELLED_CONFIDENCE};
use crate::Normaliser;
use crate::normal::InSentence;

/// The shortest line that counts as prose, in words.
const MIN_LINE_WORDS: usize = 7;
/// Words that introduce the date on which somebody came.
const ARRIVAL_WORDS: [&str; 14] = [
    "acudio",
    "acude",
    "acudieron",
    "atendido",
    "atendida",
    "atendimos",
    "visitado",
    "visitada",
    "vino",
    "presented",
    "seen",
    "examined",
    "attended",
    "visited",
];
/// The most words between such a word and its date.
const MAX_WORDS_TO_DATE: usize = 7;

impl FieldExtractor<'_> {
    /// Finds values and visits in a line of prose.
    pub(super) fn read_prose(&mut self, cell: usize, tokens: &Range<usize>) {
        if tokens.len() < MIN_LINE_WORDS {
            return;
        }
        let is_of_subject = tokens.clone().any(|at| self.marks_subject(cell, at, tokens.end));
        for at in tokens.clone() {
            self.layout.count_step();
            self.label_in_sentence(cell, at, tokens.end);
            if is_of_subject {
                self.value_word_in_sentence(cell, at);
            }
            self.visit_in_sentence(cell, at, tokens.end);
        }
    }

    /// Whether a label says that the line is about the subject of the document.
    fn marks_subject(&self, cell: usize, at: usize, end: usize) -> bool {
        let words = &self.layout.cells[cell].tokens[at..end];
        let Some((meaning, _)) = self.labels.label_at_start(words) else { return false };
        meaning.key.is_some_and(|key| self.schema.keys[key].normaliser.marks_subject())
    }

    fn propose_mention(&mut self, normaliser: Normaliser, cell: usize, tokens: Range<usize>) {
        let Some(key) = self.schema.keys.iter().position(|key| key.normaliser == normaliser) else { return };
        if !self.has_value(key) {
            let mapping = "fallback::sentence".to_owned();
            let provenance =
                Provenance { confidence: UNLABELLED_CONFIDENCE, mapping, label: None, text: None };
            self.propose(key, &[(cell, tokens)], provenance);
        }
    }

    /// Finds a label in the middle of a sentence whose value is recognisable by itself.
    fn label_in_sentence(&mut self, cell: usize, at: usize, end: usize) {
        let words = &self.layout.cells[cell].tokens[..end];
        let Some((meaning, count)) = self.labels.label_at_start(&words[at..]) else { return };
        let from = at + count;
        let Some(normaliser) = meaning.key.map(|key| self.schema.keys[key].normaliser) else { return };
        match normaliser.in_sentence() {
            InSentence::BehindLabel(most) => {
                let value = from..end.min(from + most);
                if normaliser
                    .apply_in(&self.layout.cells[cell].text(value.clone()), self.dates.order)
                    .is_some()
                {
                    self.propose_mention(normaliser, cell, value);
                }
            }
            InSentence::CapitalsBehindLabel(most) => {
                let capitals = words[from..].iter().take(most).take_while(|token| token.is_capital());
                let mut count = 0;
                for token in capitals {
                    count += 1;
                    if token.text.ends_with([',', '.', ';']) {
                        break;
                    }
                }
                if count > 0 {
                    self.propose_mention(normaliser, cell, from..from + count);
                }
            }
            InSentence::No => {}
        }
    }

    /// Finds a word that is a value by itself.
    fn value_word_in_sentence(&mut self, cell: usize, at: usize) {
        let word = &self.layout.cells[cell].tokens[at].word;
        if let Some(key) = self.schema.keys.iter().find(|key| key.normaliser.is_word(word)) {
            self.propose_mention(key.normaliser, cell, at..at + 1);
        }
    }

    /// Opens a visit for a sentence such as "Acudió a consulta el 28/03/2024".
    fn visit_in_sentence(&mut self, cell: usize, at: usize, end: usize) {
        let words = &self.layout.cells[cell].tokens;
        if !ARRIVAL_WORDS.contains(&words[at].word.as_str()) || self.is_in_history {
            return;
        }
        let days = at + 1..end.min(at + 1 + MAX_WORDS_TO_DATE);
        let day = days.clone().find_map(|at| {
            visit_start::date_at(words, at, self.dates.order).map(|(date, count)| (date, at..at + count))
        });
        if let Some((date, place)) = day {
            self.open_visit(date, Some(VisitStartKind::Named), &[(cell, place)], None);
        }
    }
}
