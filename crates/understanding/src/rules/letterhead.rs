//! Reads letterheads and titles: the name and address of the institution, and the name of the subject.

use super::FieldExtractor;
use super::layout::Token;
use super::value_position::TokenSpan;
use super::visit_start;
use crate::Normaliser;
use crate::normal::{folded_words, has_street};

/// The most rows of a letterhead, from the top of the first page.
const MAX_LETTERHEAD_ROWS: usize = 12;
/// Words of document titles. A line with one of them is not the name of an institution.
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
/// First words of titles that name the subject.
const NAMING_TITLE_WORDS: [&str; 7] =
    ["historia", "historial", "evolucion", "ficha", "informe", "record", "history"];

impl FieldExtractor<'_> {
    /// Whether a cell belongs to the letterhead: it stands at the top of the first page, and nothing was found before
    /// it.
    pub(super) fn is_letterhead(&self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        it.page == 1 && it.row < MAX_LETTERHEAD_ROWS && self.candidates.is_empty()
    }

    /// Finds the subject's name in a title such as "Historia clínica de Luna".
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
        // "Informe de alta" and "Historial del paciente" end with a word that is no name.
        let has_meaning = it.tokens[name.clone()].iter().any(|token| self.has_meaning(token));
        let key = self.schema.keys.iter().position(|key| key.normaliser.names_subject());
        is_name && !has_meaning && self.propose_unlabelled(key, &(cell, name), None, "title")
    }

    /// Whether a word is a label, a heading or a visit word.
    fn has_meaning(&self, token: &Token<'_>) -> bool {
        self.labels.is_label(&token.label_form)
            || self.labels.heading(std::slice::from_ref(token)).is_some()
            || visit_start::is_visit_word(&token.word)
    }

    /// Finds the name and the address of the institution in a line of the letterhead.
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
                    // An address may contain a dash.
                    self.propose_street_line(address, &(part.0, part.1.start..span.1.end));
                }
                return;
            }
        }
    }

    /// Splits a line at its separators: "Hospital Bahía - Informe de consulta".
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
