//! What is known without a label: by the words that lead it in, by what it looks like, and by where it stands.

use std::ops::Range;

use super::candidate::How;
use super::layout::Token;
use super::narrative;
use super::segments::Apart;
use super::values::Piece;
use super::walk::has_unit;
use super::{Rules, WITHOUT_LABEL};
use crate::interpretation::normal::{has_street, is_animal, letters, opens_with_postcode, species_and_breed};
use crate::interpretation::{Normaliser, Scope};

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

/// Words of the shortest line that tells something.
const FEWEST: usize = 2;
/// What a title begins with that says whose document it is.
const TITLED: [&str; 7] = ["historia", "historial", "evolucion", "ficha", "informe", "record", "history"];
/// What is no name at the end of a title.
const NO_NAME: [&str; 12] = [
    "alta",
    "urgencias",
    "visitas",
    "consultas",
    "vacunacion",
    "laboratorio",
    "paciente",
    "animal",
    "mascota",
    "consulta",
    "hospitalizacion",
    "ingreso",
];
/// Words that make a number an age.
const YEARS: [&str; 10] = ["ano", "anos", "year", "years", "yrs", "mes", "meses", "month", "months", "yr"];

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
        let panels = ["owner", "patient", "clinic"];
        let governed = self.context.panel(it.rect.x0).map(str::to_owned);
        let panel = governed.or_else(|| self.context.near(it, &panels).map(str::to_owned));
        let words = it.text(tokens.clone());
        let piece = (cell, tokens.clone());
        match panel.as_deref() {
            Some("owner") => self.of_owner(&piece, &words),
            Some("patient") => self.of_patient(&piece, &words),
            _ => self.of_letterhead(&piece),
        }
        self.read_prose(cell, tokens);
    }

    fn guess(&mut self, key: Option<usize>, piece: &Piece, words: Option<&str>, rule: &str) -> bool {
        let Some(key) = key else { return false };
        let mapping = format!("fallback::{rule}");
        let how = How { confidence: WITHOUT_LABEL, mapping, label: None, words };
        self.propose(key, std::slice::from_ref(piece), how)
    }

    /// A value behind words that lead it in, such as "Se pauta" or "Dra.".
    pub(super) fn lead_in(&mut self, cell: usize, tokens: &Range<usize>) -> bool {
        let it = &self.sheet.cells[cell];
        let Some((key, count)) = self.labels.lead_in(&it.tokens[tokens.clone()]) else { return false };
        let schema = &self.schema.keys[key];
        let value = tokens.start + count..tokens.end;
        let is_name = schema.normaliser == Normaliser::Person;
        let names = it.tokens[value.clone()].iter();
        let is_name_like = (2..=6).contains(&value.len())
            && names.clone().all(|token| token.is_capital() || token.text.len() <= 3);
        let of_visit = schema.scope == Scope::Visit;
        if value.is_empty() || (is_name && !is_name_like) || (of_visit && self.visit.is_none()) {
            return false;
        }
        let end = if of_visit { self.sentence_end(cell, &value) } else { value.end };
        let is_taken = self.guess(Some(key), &(cell, value.start..end), None, "lead_in");
        if is_taken && end < value.end {
            self.narrate(cell, &(end..value.end));
        }
        is_taken
    }

    /// Where the first sentence of some words ends.
    fn sentence_end(&self, cell: usize, tokens: &Range<usize>) -> usize {
        let words = &self.sheet.cells[cell].tokens;
        let ends = |at: &usize| {
            let (word, next) = (&words[*at], words.get(at + 1));
            word.text.ends_with('.') && word.word.chars().count() > 3 && next.is_some_and(Token::is_capital)
        };
        tokens.clone().find(ends).map_or(tokens.end, |at| at + 1)
    }

    /// A line that is a weight and nothing else.
    fn weighs(&mut self, cell: usize, tokens: &Range<usize>) -> bool {
        let it = &self.sheet.cells[cell];
        let words = it.text(tokens.clone());
        let starts_with_number = words.starts_with(|c: char| c.is_ascii_digit());
        if !starts_with_number || tokens.len() > 2 || !has_unit(&words) {
            return false;
        }
        let panel = self.context.panel(it.rect.x0);
        if self.visit.is_none() && panel != Some("patient") {
            return false;
        }
        let key = self.schema.keys.iter().position(|key| key.normaliser == Normaliser::Weight);
        self.guess(key, &(cell, tokens.clone()), None, "weight_line")
    }

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
        let is_other = it.tokens[name.clone()].iter().any(|token| NO_NAME.contains(&token.word.as_str()));
        let key = self.schema.keys.iter().position(|key| key.normaliser == Normaliser::PetName);
        is_name && !is_other && self.guess(key, &(cell, name), None, "title")
    }

    /// An address behind the name of somebody: "Ana Gil, Calle Mayor 3".
    pub(super) fn address_behind(&mut self, key: usize, label: usize, pieces: &[Piece], words: &str) {
        let Some((_, behind)) = words.split_once(',') else { return };
        let Some(panel) = self.schema.keys[key].panel.as_deref() else { return };
        let Some(address) = self.key_of(panel, Normaliser::Address) else { return };
        let mapping = "fallback::behind_name".to_owned();
        let how = How { confidence: WITHOUT_LABEL, mapping, label: Some(label), words: Some(behind) };
        self.propose(address, pieces, how);
    }

    /// What stands behind a name: "Rocky (canino, macho, 7 años)".
    pub(super) fn said_of_pet(&mut self, label: usize, pieces: &[Piece], words: &str) {
        let kinds = [Normaliser::Species, Normaliser::Sex, Normaliser::Age];
        for part in words.split([',', '(', ')', ';']).skip(1).take(6) {
            let has_years = letters(part).iter().any(|word| YEARS.contains(&word.as_str()));
            let is_it = |kind: &&Normaliser| {
                kind.apply(part).is_some()
                    && (**kind != Normaliser::Age || has_years)
                    && letters(part).len() <= 3
            };
            let Some(kind) = kinds.iter().find(is_it) else { continue };
            let key = self.schema.keys.iter().position(|key| key.normaliser == *kind);
            let Some(key) = key else { continue };
            let mapping = "fallback::behind_name".to_owned();
            let how = How { confidence: WITHOUT_LABEL, mapping, label: Some(label), words: Some(part) };
            self.propose(key, pieces, how);
        }
    }

    /// What is written about a visit without any label, sentence by sentence: what was seen, or what was done.
    pub(super) fn narrate(&mut self, cell: usize, tokens: &Range<usize>) {
        let words = &self.sheet.cells[cell].tokens[tokens.clone()];
        let is_word = |token: &&Token<'_>| token.text.chars().any(char::is_alphabetic);
        if words.iter().filter(is_word).count() < FEWEST {
            return;
        }
        self.weight_within(cell, tokens);
        let mut pieces = vec![(cell, tokens.clone())];
        self.wrap(cell, &mut pieces);
        self.use_up(&pieces[1..]);
        let words = self.words(&pieces);
        let (observations, actions) = narrative::sort(&words);
        for (name, told) in [("observations", observations), ("actions", actions)] {
            let key = self.schema.keys.iter().position(|key| key.key == name);
            let (Some(key), false) = (key, told.is_empty()) else { continue };
            let how = How {
                confidence: WITHOUT_LABEL,
                mapping: "fallback::narrative".to_owned(),
                label: None,
                words: Some(&told),
            };
            self.propose(key, &pieces, how);
        }
    }

    /// A labelled weight within what is told.
    fn weight_within(&mut self, cell: usize, tokens: &Range<usize>) {
        for at in tokens.clone() {
            let it = &self.sheet.cells[cell];
            let Some((meaning, count)) = self.labels.begins(&it.tokens[at..tokens.end]) else { continue };
            let Some(key) = meaning.key.filter(|key| self.schema.keys[*key].normaliser == Normaliser::Weight)
            else {
                continue;
            };
            let from = at + count;
            let value = (1..=2)
                .map(|count| from..from + count)
                .find(|value| value.end <= tokens.end && has_unit(&it.text(value.clone())));
            if let Some(value) = value {
                self.guess(Some(key), &(cell, value), None, "weight_within");
            }
        }
    }

    fn of_owner(&mut self, piece: &Piece, words: &str) {
        let name = self.key_of("owner", Normaliser::Person);
        let address = self.key_of("owner", Normaliser::Address);
        if has_street(words) && words.chars().any(|c| c.is_ascii_digit()) {
            self.guess_address(address, piece);
        } else if looks_like_person(words) && !name.is_some_and(|name| self.has(name)) {
            self.guess(name, piece, None, "person_line");
        }
    }

    fn of_patient(&mut self, piece: &Piece, words: &str) {
        let (cell, _) = *piece;
        let is_before_birth =
            self.segments[cell].get(1).and_then(|second| second.label).is_some_and(|(label, apart)| {
                let key = label.key.map(|key| self.schema.keys[key].normaliser);
                apart == Apart::Mark && key == Some(Normaliser::BirthDate)
            });
        let key = |rules: &Self, normaliser| rules.key_of("patient", normaliser);
        if is_before_birth {
            self.guess(key(self, Normaliser::PetName), piece, None, "name_before_birth");
            return;
        }
        if let Some((species, breed)) = species_and_breed(words) {
            self.guess(key(self, Normaliser::Species), piece, Some(species), "species_and_breed");
            self.guess(key(self, Normaliser::Breed), piece, Some(breed), "species_and_breed");
            return;
        }
        let folded = letters(words);
        match &folded[..] {
            [only] if is_animal(only) => {
                self.guess(key(self, Normaliser::Species), piece, None, "species_line");
            }
            [only, ..] if matches!(only.as_str(), "macho" | "hembra" | "male" | "female") => {
                self.guess(key(self, Normaliser::Sex), piece, None, "sex_line");
            }
            _ => {
                let digits = words.chars().filter(char::is_ascii_digit).count();
                let is_number = words.chars().all(|c| c.is_ascii_digit() || " -.".contains(c));
                if is_number && digits == 15 {
                    self.guess(key(self, Normaliser::Microchip), piece, None, "chip_line");
                }
            }
        }
    }

    /// The letterhead: what a clinic is called and where it is.
    fn of_letterhead(&mut self, piece: &Piece) {
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
                let panel = self.schema.keys[name].panel.clone().unwrap_or_default();
                let address = self.key_of(&panel, Normaliser::Address);
                if !address.is_some_and(|address| self.has(address)) {
                    // A dash may stand within an address.
                    self.guess_address(address, &(part.0, part.1.start..piece.1.end));
                }
                return;
            }
        }
    }

    /// A line taken apart where marks stand, as in "Hospital Bahía - Informe de consulta".
    fn parts(&self, (cell, tokens): &Piece) -> Vec<Piece> {
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

    fn guess_address(&mut self, key: Option<usize>, piece: &Piece) {
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
