//! Reads letterheads and titles: the name and address of the institution, and the name of the subject.

use super::candidate::Provenance;
use super::layout::Token;
use super::value_position::{TokenSpan, TokenSpans};
use super::visit_start;
use super::{FieldFinder, UNLABELLED_RANK};
use crate::Normaliser;
use crate::normal::{folded_words, has_street};

/// The most rows of a letterhead, from the top of the first page.
const MAX_LETTERHEAD_ROWS: usize = 12;
/// The most cells of a letterhead.
const MAX_LETTERHEAD_CELLS: usize = 24;
/// The lines at the top among which the name of the institution is looked for.
const MAX_LINES_TO_NAME: usize = 4;
/// The most lines between a name and the street below it.
const MAX_MOTTO_LINES: usize = 2;
/// The most words of a line that can be the name of an institution. A longer one is a sentence.
const MAX_NAME_TOKENS: usize = 10;
/// The most words of a title that names the subject, with the facts behind the name.
const MAX_TITLE_TOKENS: usize = 20;
/// Words before the year in which an institution was founded.
const SINCE_WORDS: [&str; 6] = ["since", "seit", "desde", "depuis", "dal", "sinds"];
/// Words of document titles. A line with one of them is not the name of an institution.
const TITLE_WORDS: [&str; 32] = [
    "parte",
    "solicitud",
    "formulario",
    "form",
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
    "chart",
    "file",
    "patientenakte",
    "krankenakte",
    "befundbericht",
    "bericht",
    "dossier",
    "rapport",
    "cartella",
    "patientendossier",
];
/// First words of titles that name the subject.
const NAMING_TITLE_WORDS: [&str; 7] =
    ["historia", "historial", "evolucion", "ficha", "informe", "record", "history"];

impl FieldFinder<'_> {
    /// Whether a cell belongs to the letterhead: it stands at the top of the first page, and nothing was found before
    /// it.
    pub(super) fn is_letterhead(&self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        it.page == 1 && it.row < MAX_LETTERHEAD_ROWS && self.candidates.len() <= self.letterhead_candidates
    }

    /// Finds the institution where its name and its address stand in one line, and where no word says that it is one.
    pub(super) fn read_letterhead(&mut self) {
        let Some(name) = self.schema.keys.iter().position(|key| key.normaliser == Normaliser::Institution)
        else {
            return;
        };
        let rows = self.layout.rows.len().min(MAX_LETTERHEAD_ROWS);
        let top = (0..rows).flat_map(|row| self.layout.rows[row].clone());
        let top: Vec<usize> = top.take_while(|cell| self.layout.cells[*cell].page == 1).collect();
        let is_plain = |cell: &usize| {
            let it = &self.layout.cells[*cell];
            !self.starts_with_label(*cell) && self.labels.heading(&it.tokens[it.first_word()..]).is_none()
        };
        let lines: Vec<usize> = top.iter().copied().take(MAX_LETTERHEAD_CELLS).filter(is_plain).collect();
        let has_cue = lines.iter().any(|cell| {
            let it = &self.layout.cells[*cell];
            it.tokens.len() <= MAX_NAME_TOKENS && self.has_cue(name, &it.text(it.token_range()))
        });
        let one_line = lines.iter().find_map(|cell| self.name_and_address_in_line(name, *cell));
        let mut first = lines.iter().take(MAX_LINES_TO_NAME).filter(|_| !has_cue);
        let found = one_line.or_else(|| first.find_map(|cell| self.bare_name(*cell)));
        if let Some((title, mut street)) = found {
            self.add_unlabelled(Some(name), &title, None, "letterhead");
            let section = self.schema.keys[name].section.clone();
            if let Some(address) = self.key_in_section(section.as_deref(), Normaliser::Address) {
                let joined = self.append_address_lines(&mut street);
                self.mark_used(&street[1..]);
                let provenance = Provenance {
                    rank: UNLABELLED_RANK,
                    mapping: "fallback::letterhead".to_owned(),
                    label: None,
                    text: joined.as_deref(),
                };
                self.add_candidate(address, &street, provenance);
            }
            self.mark_used(std::slice::from_ref(&title));
        }
        self.letterhead_candidates = self.candidates.len();
    }

    fn has_cue(&self, name: usize, words: &str) -> bool {
        let folded = folded_words(words);
        // "Small animal vets since 1994" is a motto.
        let is_motto = folded.iter().any(|word| SINCE_WORDS.contains(&word.as_str()))
            && folded.iter().any(|word| word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit()));
        !is_motto && folded.iter().any(|word| self.schema.keys[name].cues.iter().any(|cue| cue == word))
    }

    /// A name and an address with commas between them: "Northgate Vets, 9 Bridge Street, Calverton".
    fn name_and_address_in_line(&self, name: usize, cell: usize) -> Option<(TokenSpan, TokenSpans)> {
        let tokens = &self.layout.cells[cell].tokens;
        let comma = tokens.iter().take(8).position(|token| token.text.ends_with(','))?;
        let (title, street) = ((cell, 0..comma + 1), (cell, comma + 1..tokens.len()));
        let title_text = self.text_of(std::slice::from_ref(&title));
        let street_text = self.text_of(std::slice::from_ref(&street));
        let is_name = !title_text.bytes().any(|b| b.is_ascii_digit()) && self.has_cue(name, &title_text);
        let is_street = has_street(&street_text) && street_text.bytes().any(|b| b.is_ascii_digit());
        (is_name && is_street && tokens.len() <= 20).then(|| (title, vec![street]))
    }

    /// A line at the top of the page, if a street stands below it. A motto may stand between them.
    fn bare_name(&self, cell: usize) -> Option<(TokenSpan, TokenSpans)> {
        let it = &self.layout.cells[cell];
        let title = it.text(it.token_range());
        let folded = folded_words(&title);
        let is_name = (1..=7).contains(&folded.len())
            && it.tokens[it.first_word()].is_capital()
            && !title.starts_with(['"', '“', '«', '\''])
            && !title.bytes().any(|b| b.is_ascii_digit())
            && !has_title_word(&title)
            && !self.schema.names.iter().any(|name| folded.join(" ").contains(name.as_str()))
            && self.segments[cell].len() == 1;
        let mut last = Some(cell).filter(|_| is_name)?;
        for _ in 0..=MAX_MOTTO_LINES {
            let below = self
                .cell_below(last)
                .filter(|below| self.line_distance(last, *below) <= 2.8 && !self.starts_with_label(*below))?;
            let street = (below, self.layout.cells[below].token_range());
            if self.is_street_line(&street) {
                return Some(((cell, it.token_range()), vec![street]));
            }
            last = below;
        }
        None
    }

    /// Finds the subject's name in a title such as "Historia clínica de Luna".
    pub(super) fn subject_in_title(&mut self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        let is_title =
            it.tokens.iter().take(2).any(|token| NAMING_TITLE_WORDS.contains(&token.word.as_str()));
        let all = 0..self.segments[cell].get(1).map_or(it.tokens.len(), |second| second.start);
        let is_alone = it.tokens[all.clone()].iter().filter(|token| token.colon).count() <= 1;
        // "Historial de BLAU - Golden Retriever, macho": facts may follow the name.
        let ends = |token: &Token<'_>| token.is_separator() || token.text.starts_with('(');
        let apart = it.tokens[all.clone()].iter().skip(1).position(ends).map(|at| at + 1);
        let comma =
            it.tokens[all.clone()].iter().position(|token| token.text.ends_with(',')).map(|at| at + 1);
        let end = apart.into_iter().chain(comma).min().unwrap_or(all.end);
        if !is_title
            || !is_alone
            || end > 8
            || it.tokens.len() > MAX_TITLE_TOKENS
            || self.visit.is_some()
            || self.used[cell]
        {
            return false;
        }
        let leads = |token: &Token<'_>| token.colon || matches!(token.word.as_str(), "de" | "of" | "for");
        let Some(behind) = it.tokens[..end].iter().rposition(leads).filter(|behind| *behind > 0) else {
            return false;
        };
        let name = behind + 1..end;
        let is_name = (1..=3).contains(&name.len()) && it.tokens[name.clone()].iter().all(Token::is_capital);
        // "Informe de alta" and "Historial del paciente" end with a word that is no name.
        let has_meaning = it.tokens[name.clone()].iter().any(|token| self.has_meaning(token));
        let key = self.schema.keys.iter().position(|key| key.normaliser.names_subject());
        let all = behind + 1..all.end;
        let is_added = is_name && !has_meaning && self.add_unlabelled(key, &(cell, name), None, "title");
        if is_added && end < all.end {
            let words = self.layout.cells[cell].text(all.clone());
            self.facts_behind_name(None, &[(cell, all)], &words);
        }
        is_added
    }

    /// Whether a word is a label, a heading or a visit word.
    pub(super) fn has_meaning(&self, token: &Token<'_>) -> bool {
        is_field_of_medicine(&token.word)
            || self.labels.is_label(&token.label_form)
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
            let is_title = has_title_word(&words);
            let has_cue = self.has_cue(name, &words);
            let has_name = self.has_value(name);
            // "Pine Grove Veterinary Clinic" above a town is the name, not a street without a number.
            let is_named = has_cue && !has_name && !words.bytes().any(|b| b.is_ascii_digit());
            let is_street = !is_named && self.is_street_line(&part);
            if has_cue && !is_title && !is_street && !has_name && folded.len() <= 10 {
                self.add_unlabelled(Some(name), &part, None, "letterhead");
            } else if has_name && is_street {
                let section = self.schema.keys[name].section.clone().unwrap_or_default();
                let address = self.key_in_section(Some(&section), Normaliser::Address);
                if !address.is_some_and(|address| self.has_value(address)) {
                    // An address may contain a dash.
                    self.add_street_line(address, &(part.0, part.1.start..span.1.end));
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
        let is_apart = |at: &usize| words[*at].is_separator() && !matches!(words[*at].text, "&" | "+");
        for at in tokens.clone().filter(is_apart).take(6) {
            parts.push((*cell, start..at));
            start = at + 1;
        }
        parts.push((*cell, start..tokens.end));
        parts.retain(|(_, tokens)| !tokens.is_empty());
        parts
    }
}

/// Whether a folded word names a field or a method of medicine: "cardiologia", "radiography".
fn is_field_of_medicine(word: &str) -> bool {
    const ENDINGS: [&str; 12] = [
        "logia",
        "logy",
        "logie",
        "grafia",
        "graphy",
        "graphie",
        "scopia",
        "scopy",
        "metria",
        "cirugia",
        "surgery",
        "chirurgie",
    ];
    word.len() > 7 && ENDINGS.iter().any(|ending| word.ends_with(ending))
}

/// Whether words are the title of a document.
pub(super) fn has_title_word(words: &str) -> bool {
    folded_words(words).iter().any(|word| TITLE_WORDS.contains(&word.as_str()))
}
