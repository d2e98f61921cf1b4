//! What is known without a label: by the words that lead it in, by what it looks like, and by where it stands.

use std::ops::Range;

use super::candidate::How;
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

impl Rules<'_> {
    /// Words without a label.
    pub(super) fn unlabelled(&mut self, cell: usize, tokens: &Range<usize>) {
        if self.lead_in(cell, tokens) || self.weighs(cell, tokens) {
            return;
        }
        if self.visit.is_some() || self.sheet.cells[cell].in_margin {
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
            _ => {}
        }
        if !matches!(panel.as_deref(), Some("owner" | "patient")) {
            self.of_letterhead(&piece, &words);
        }
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
        self.guess(Some(key), &(cell, value), None, "lead_in")
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
    fn of_letterhead(&mut self, piece: &Piece, words: &str) {
        let cell = &self.sheet.cells[piece.0];
        if cell.page > 1 || cell.row >= LETTERHEAD {
            return;
        }
        let name = self.schema.keys.iter().position(|key| key.normaliser == Normaliser::Institution);
        let Some(name) = name else { return };
        let folded = letters(words);
        let is_title = folded.iter().any(|word| TITLE.contains(&word.as_str()));
        let has_cue = folded.iter().any(|word| self.schema.keys[name].cues.iter().any(|cue| cue == word));
        let has_name = self.has(name);
        if has_cue && !is_title && !has_name && folded.len() <= 10 {
            self.guess(Some(name), piece, None, "letterhead");
        } else if has_name && has_street(words) && words.chars().any(|c| c.is_ascii_digit()) {
            let panel = self.schema.keys[name].panel.clone().unwrap_or_default();
            let address = self.key_of(&panel, Normaliser::Address);
            if !address.is_some_and(|address| self.has(address)) {
                self.guess_address(address, piece);
            }
        }
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
