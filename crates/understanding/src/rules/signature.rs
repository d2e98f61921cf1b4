//! Lines that stand alone at the top and the end of letters: the date, whom it is written to, and who signed.

use std::ops::Range;

use super::FieldFinder;
use super::layout::Token;
use super::letterhead::has_title_word;
use super::segments::Separator;
use super::unlabelled::looks_like_person;
use super::visit_start;
use crate::{Normaliser, Scope};

/// The most words before the date of a letter, such as the name of a town.
const MAX_LETTER_ROWS: usize = 16;
const MAX_TOWN_WORDS: usize = 6;

/// The latest candidates among which a person is looked for.
const MAX_LATEST: usize = 100;
/// The rows below the first line of an entry in which its reason is looked for, and the most cells of each.
const MAX_ROWS_TO_REASON: usize = 6;
const MAX_CELLS: usize = 8;

/// Words that begin a letter, and titles that may follow them.
const SALUTATIONS: [&str; 17] = [
    "dear",
    "estimado",
    "estimada",
    "apreciado",
    "apreciada",
    "querido",
    "querida",
    "cher",
    "chere",
    "gentile",
    "egregio",
    "geachte",
    "beste",
    "sehr",
    "caro",
    "cara",
    "prezado",
];
const TITLES: [&str; 21] = [
    "d", "da", "dna", "don", "dona", "sr", "sra", "senor", "senora", "mr", "mrs", "ms", "miss", "herr",
    "frau", "geehrter", "geehrte", "monsieur", "madame", "signor", "signora",
];

/// Whether a folded word is a title before the name of a person.
pub(super) fn is_title(word: &str) -> bool {
    TITLES.contains(&word)
}

impl FieldFinder<'_> {
    /// Reads the person whom a letter is written to: "Estimado D. Julián Mestre:". A letter to "Dear colleague" names none.
    pub(super) fn salutation_line(&mut self, cell: usize) -> bool {
        let it = &self.layout.cells[cell];
        let words = &it.tokens;
        let key = self.key_in_section(self.roles.person, Normaliser::Person);
        let greets = words.first().is_some_and(|first| SALUTATIONS.contains(&first.word.as_str()));
        let Some(key) = key.filter(|key| greets && words.len() <= 9 && !self.has_value(*key)) else {
            return false;
        };
        let titles = words[1..].iter().take_while(|token| TITLES.contains(&token.word.as_str())).count();
        let name = 1 + titles..words.len();
        let text = it.text(name.clone());
        let text = text.trim_end_matches([',', ':', ' ', '.']);
        titles > 0
            && looks_like_person(text)
            && self.add_unlabelled(Some(key), &(cell, name), Some(text), "salutation")
    }

    /// Reads a person of the institution with a degree, or with their role in the line below: "Karen Whitlock, DVM". The
    /// cues of the key are such words.
    pub(super) fn signature_line(&mut self, cell: usize, tokens: &Range<usize>) -> bool {
        let words = &self.layout.cells[cell].tokens;
        let key = self.key_in_section(self.roles.institution, Normaliser::Person);
        let Some(key) = key.filter(|_| tokens.len() <= 9) else { return false };
        let is_cue = |token: &Token<'_>| self.schema.keys[key].cues.contains(&token.word);
        let degree = tokens.clone().find(|at| is_cue(&words[*at]));
        let end = degree.unwrap_or(tokens.end);
        let name = tokens.start..end;
        let text = self.layout.cells[cell].text(name.clone());
        let text = text.trim_end_matches([',', ' ']);
        let below = || {
            let next = self.cell_below(cell).filter(|next| self.line_distance(cell, *next) <= 2.2)?;
            let words = &self.layout.cells[next].tokens;
            let has_cue = words.iter().take(3).any(is_cue) && !self.starts_with_label(next);
            (has_cue && words.len() <= 6).then_some(())
        };
        // "Maple Ridge Veterinary Clinic" is no vet.
        let institution = self.schema.keys.iter().find(|key| key.normaliser == Normaliser::Institution);
        let is_of_institution =
            |token: &Token<'_>| institution.is_some_and(|institution| institution.cues.contains(&token.word));
        // Neither is "Pine Grove Veterinary Associates": a word of both stands behind a comma if it is a degree.
        let is_apart = degree.is_none_or(|at| {
            at == tokens.start
                || words[at - 1].text.ends_with([',', '.', '-', '('])
                || !is_of_institution(&words[at])
        });
        let names_institution =
            !is_apart || words[tokens.clone()].iter().any(|token| is_of_institution(token) && !is_cue(token));
        let has_meaning = names_institution
            || has_title_word(text)
            || words[name.clone()].iter().any(|token| self.has_meaning(token));
        if has_meaning || !looks_like_person(text) || (degree.is_none() && below().is_none()) {
            return false;
        }
        self.add_unlabelled(Some(key), &(cell, name), None, "signature")
    }

    /// Reads a person of the institution who is named in the first line of an entry, behind its date. Without a title, a
    /// degree or another mention of the same person, it is one only if the entry says elsewhere why somebody came.
    pub(super) fn person_of_entry(&mut self, cell: usize, tokens: &Range<usize>) -> bool {
        if self.read_lead_in(cell, tokens) || self.signature_line(cell, tokens) {
            return true;
        }
        let it = &self.layout.cells[cell];
        let text = it.text(tokens.clone());
        let has_meaning = it.tokens[tokens.clone()].iter().any(|token| self.has_meaning(token));
        let key = self.key_in_section(self.roles.institution, Normaliser::Person);
        !has_meaning
            && looks_like_person(&text)
            && (self.is_known_person(key, &text) || self.reason_follows(cell))
            && self.add_unlabelled(key, &(cell, tokens.clone()), None, "signature")
    }

    /// Whether one of the latest candidates of a key names the same person.
    pub(super) fn is_known_person(&self, key: Option<usize>, text: &str) -> bool {
        let Some(key) = key else { return false };
        let name = self.schema.keys[key].normaliser.apply(text);
        let mut latest = self.candidates.iter().rev().take(MAX_LATEST);
        latest.any(|candidate| candidate.key == key && candidate.value.is_some() && candidate.value == name)
    }

    /// Whether the entry whose first line has this cell states its reason behind a label.
    fn reason_follows(&self, cell: usize) -> bool {
        let is_reason = |cell: usize| {
            let key = self.segments[cell].first().and_then(|first| first.label);
            let key = key.filter(|(_, separator)| *separator != Separator::Space);
            key.and_then(|(meaning, _)| meaning.key).is_some_and(|key| {
                let key = &self.schema.keys[key];
                key.scope == Scope::VisitHead && key.normaliser == Normaliser::Text
            })
        };
        let row = self.layout.cells[cell].row;
        for next in row + 1..self.layout.rows.len().min(row + 1 + MAX_ROWS_TO_REASON) {
            let cells = self.layout.rows[next].clone();
            for other in cells.clone().take(MAX_CELLS) {
                self.layout.count_step();
                if is_reason(other) {
                    return true;
                }
            }
            let it = &self.layout.cells[cells.start];
            let order = self.dates.order;
            if visit_start::visit_start(it, it.in_margin, &self.schema.other_dates, order).is_some() {
                return false;
            }
        }
        false
    }

    /// Reads a line that is a date and nothing else, or a town and a date: the date of a letter.
    pub(super) fn date_line(&mut self, cell: usize, tokens: &Range<usize>) -> bool {
        let it = &self.layout.cells[cell];
        let Some(key) = self.schema.document_date().filter(|key| !self.has_value(*key)) else { return false };
        // Above the first visit, the date of a letter may stand beside an address.
        let row = &self.layout.rows[it.row];
        let is_alone = row.len() == 1
            || (row.len() == 2 && row.end == cell + 1 && self.visits.is_empty() && it.row < MAX_LETTER_ROWS);
        if it.page > 1 || tokens.len() > MAX_TOWN_WORDS + 7 || !is_alone || self.in_table[cell] {
            return false;
        }
        let starts = tokens.start..tokens.end.min(tokens.start + MAX_TOWN_WORDS + 2);
        let day = starts.clone().find_map(|at| {
            let (_, count) = visit_start::date_at(&it.tokens, at, self.dates.order)?;
            Some(at..at + count)
        });
        let Some(day) = day else { return false };
        let town = &it.tokens[tokens.start..day.start];
        let is_town = |token: &Token<'_>| {
            token.is_capital()
                || matches!(
                    token.word.as_str(),
                    "a" | "en" | "de" | "del" | "la" | "den" | "le" | "li" | "em"
                )
        };
        // Within a visit, a bare date is one of the visit's.
        let is_letter = (town.is_empty() && self.visit.is_none())
            || (town.iter().all(is_town)
                && town.iter().any(|token| token.text.ends_with(',') || token.word == "a"));
        let has_label = town.iter().any(|token| token.is_capital() && self.has_meaning(token));
        if day.end < tokens.end || !is_letter || has_label {
            return false;
        }
        self.add_unlabelled(Some(key), &(cell, day), None, "date_line")
    }
}
