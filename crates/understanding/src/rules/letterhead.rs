//! Letterheads and titles: whose document it is, and from which clinic.

use super::FieldExtractor;
use super::layout::Token;
use super::value_position::TokenSpan;
use super::visit_start;
use crate::Normaliser;
use crate::normal::{folded_words, has_street};

/// Rows of the first page in which the letterhead stands.
const MAX_LETTERHEAD_ROWS: usize = 12;
/// What the title of a document has, and the name of a clinic has not.
const TITLE_WORDS: [&str; 18] = [
    "historia",
    "historial",
    "informe",
    "evolucion",
    "ficha",
    "resumen",
    "report",
    "record",
    "summary",
    "datos",
    "pagina",
    "page",
    "factura",
    "invoice",
    "www",
    "http",
    "https",
    "certificado",
];
/// What a title begins with that says whose document it is.
const NAMING_TITLE_WORDS: [&str; 7] =
    ["historia", "historial", "evolucion", "ficha", "informe", "record", "history"];

impl FieldExtractor<'_> {
    /// Whether a cell is part of the letterhead: on the first page, before anything but a clinic was told of.
    pub(super) fn is_letterhead(&self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        it.page == 1 && it.row < MAX_LETTERHEAD_ROWS && self.candidates.is_empty()
    }

    /// A title such as "Historia clínica de Luna" says whose it is.
    pub(super) fn subject_in_title(&mut self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        let is_title =
            it.tokens.iter().take(2).any(|token| NAMING_TITLE_WORDS.contains(&token.word.as_str()));
        let is_alone =
            self.segments[cell].len() == 1 && it.tokens.iter().filter(|token| token.colon).count() <= 1;
        if !is_title || !is_alone || it.tokens.len() > 8 || self.visit.is_some() || self.used[cell] {
            return false;
        }
        let leads = |token: &Token<'_>| token.colon || matches!(token.word.as_str(), "de" | "of" | "for");
        let Some(behind) = it.tokens.iter().rposition(leads).filter(|behind| *behind > 0) else {
            return false;
        };
        let name = behind + 1..it.tokens.len();
        let is_name = (1..=3).contains(&name.len()) && it.tokens[name.clone()].iter().all(Token::is_capital);
        // "Informe de alta" and "Historial del paciente" end with a word that means something else.
        let has_meaning = it.tokens[name.clone()].iter().any(|token| self.has_meaning(token));
        let key = self.schema.keys.iter().position(|key| key.normaliser.names_subject());
        is_name && !has_meaning && self.propose_unlabelled(key, &(cell, name), None, "title")
    }

    /// Whether a word is a label, a heading or a word for visits.
    fn has_meaning(&self, token: &Token<'_>) -> bool {
        self.labels.is_label(&token.label_form)
            || self.labels.heading(std::slice::from_ref(token)).is_some()
            || visit_start::is_visit_word(&token.word)
    }

    /// The letterhead: what a clinic is called and where it is.
    pub(super) fn letterhead_line(&mut self, span: &TokenSpan) {
        let cell = &self.layout.cells[span.0];
        if cell.page > 1 || cell.row >= MAX_LETTERHEAD_ROWS {
            return;
        }
        let name = self.schema.keys.iter().position(|key| key.normaliser == Normaliser::Institution);
        let Some(name) = name else { return };
        for part in self.split_at_separators(span) {
            let words = self.text_of(std::slice::from_ref(&part));
            let folded = folded_words(&words);
            let is_title = folded.iter().any(|word| TITLE_WORDS.contains(&word.as_str()));
            let has_cue = folded.iter().any(|word| self.schema.keys[name].cues.iter().any(|cue| cue == word));
            let is_street = has_street(&words) && words.chars().any(|c| c.is_ascii_digit());
            let has_name = self.has_value(name);
            if has_cue && !is_title && !is_street && !has_name && folded.len() <= 10 {
                self.propose_unlabelled(Some(name), &part, None, "letterhead");
            } else if has_name && is_street {
                let section = self.schema.keys[name].section.clone().unwrap_or_default();
                let address = self.key_in_section(Some(&section), Normaliser::Address);
                if !address.is_some_and(|address| self.has_value(address)) {
                    // A dash may stand within an address.
                    self.propose_street_line(address, &(part.0, part.1.start..span.1.end));
                }
                return;
            }
        }
    }

    /// A line taken apart where marks stand, as in "Hospital Bahía - Informe de consulta".
    pub(super) fn split_at_separators(&self, (cell, tokens): &TokenSpan) -> Vec<TokenSpan> {
        let words = &self.layout.cells[*cell].tokens;
        let mut parts: Vec<TokenSpan> = Vec::new();
        let mut start = tokens.start;
        for at in tokens.clone().filter(|at| words[*at].is_separator()).take(6) {
            parts.push((*cell, start..at));
            start = at + 1;
        }
        parts.push((*cell, start..tokens.end));
        parts.retain(|(_, tokens)| !tokens.is_empty());
        parts
    }
}
