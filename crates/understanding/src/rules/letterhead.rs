//! Letterheads and titles: whose document it is, and from which clinic.

use super::Rules;
use super::layout::Token;
use super::values::Piece;
use super::visit;
use crate::Normaliser;
use crate::normal::{has_street, letters};

/// Rows of the first page in which the letterhead stands.
const LETTERHEAD: usize = 12;
/// What the title of a document has, and the name of a clinic has not.
const TITLE: [&str; 18] = [
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
const TITLED: [&str; 7] = ["historia", "historial", "evolucion", "ficha", "informe", "record", "history"];

impl Rules<'_> {
    /// Whether a cell is part of the letterhead: on the first page, before anything but a clinic was told of.
    pub(super) fn is_letterhead(&self, cell: usize) -> bool {
        let it = &self.sheet.cells[cell];
        it.page == 1 && it.row < LETTERHEAD && self.candidates.is_empty()
    }

    /// A title such as "Historia clínica de Luna" says whose it is.
    pub(super) fn titled(&mut self, cell: usize) -> bool {
        let it = &self.sheet.cells[cell];
        let is_title = it.tokens.iter().take(2).any(|token| TITLED.contains(&token.word.as_str()));
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
        is_name && !has_meaning && self.guess(key, &(cell, name), None, "title")
    }

    /// Whether a word is a label, a heading or a word for visits.
    fn has_meaning(&self, token: &Token<'_>) -> bool {
        self.labels.is_exactly(&token.plain)
            || self.labels.heading(std::slice::from_ref(token)).is_some()
            || visit::is_visit_word(&token.word)
    }

    /// The letterhead: what a clinic is called and where it is.
    pub(super) fn of_letterhead(&mut self, piece: &Piece) {
        let cell = &self.sheet.cells[piece.0];
        if cell.page > 1 || cell.row >= LETTERHEAD {
            return;
        }
        let name = self.schema.keys.iter().position(|key| key.normaliser == Normaliser::Institution);
        let Some(name) = name else { return };
        for part in self.parts(piece) {
            let words = self.words(std::slice::from_ref(&part));
            let folded = letters(&words);
            let is_title = folded.iter().any(|word| TITLE.contains(&word.as_str()));
            let has_cue = folded.iter().any(|word| self.schema.keys[name].cues.iter().any(|cue| cue == word));
            let is_street = has_street(&words) && words.chars().any(|c| c.is_ascii_digit());
            let has_name = self.has(name);
            if has_cue && !is_title && !is_street && !has_name && folded.len() <= 10 {
                self.guess(Some(name), &part, None, "letterhead");
            } else if has_name && is_street {
                let section = self.schema.keys[name].section.clone().unwrap_or_default();
                let address = self.key_of(Some(&section), Normaliser::Address);
                if !address.is_some_and(|address| self.has(address)) {
                    // A dash may stand within an address.
                    self.guess_address(address, &(part.0, part.1.start..piece.1.end));
                }
                return;
            }
        }
    }

    /// A line taken apart where marks stand, as in "Hospital Bahía - Informe de consulta".
    pub(super) fn parts(&self, (cell, tokens): &Piece) -> Vec<Piece> {
        let words = &self.sheet.cells[*cell].tokens;
        let mut parts: Vec<Piece> = Vec::new();
        let mut start = tokens.start;
        for at in tokens.clone().filter(|at| words[*at].is_mark()).take(6) {
            parts.push((*cell, start..at));
            start = at + 1;
        }
        parts.push((*cell, start..tokens.end));
        parts.retain(|(_, tokens)| !tokens.is_empty());
        parts
    }
}
