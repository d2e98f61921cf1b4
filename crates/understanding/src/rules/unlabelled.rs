//! What is known without a label: by what it looks like, and by where it stands.

use std::ops::Range;

use super::candidate::How;
use super::segments::Apart;
use super::take::has_unit;
use super::values::Piece;
use super::{Rules, WITHOUT_LABEL};
use crate::Normaliser;
use crate::normal::{has_street, is_animal, letters, opens_with_postcode, species_and_breed};

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
        let about = self.about;
        let sections: Vec<&str> =
            [about.owner, about.patient, about.institution].into_iter().flatten().collect();
        let governed = self.context.section(it.rect.x0).map(str::to_owned);
        let section = governed.or_else(|| self.context.near(it, &sections).map(str::to_owned));
        let words = it.text(tokens.clone());
        let piece = (cell, tokens.clone());
        match section.as_deref() {
            Some(section) if about.owner == Some(section) => self.of_owner(&piece, &words),
            Some(section) if about.patient == Some(section) => self.of_patient(&piece, &words),
            _ => self.of_letterhead(&piece),
        }
        self.read_prose(cell, tokens);
    }

    pub(super) fn guess(
        &mut self,
        key: Option<usize>,
        piece: &Piece,
        words: Option<&str>,
        rule: &str,
    ) -> bool {
        let Some(key) = key else { return false };
        let mapping = format!("fallback::{rule}");
        let how = How { confidence: WITHOUT_LABEL, mapping, label: None, words };
        self.propose(key, std::slice::from_ref(piece), how)
    }

    /// A line that is a weight and nothing else.
    pub(super) fn weighs(&mut self, cell: usize, tokens: &Range<usize>) -> bool {
        let it = &self.sheet.cells[cell];
        let words = it.text(tokens.clone());
        let starts_with_number = words.starts_with(|c: char| c.is_ascii_digit());
        if !starts_with_number || tokens.len() > 2 || !has_unit(&words) {
            return false;
        }
        let section = self.context.section(it.rect.x0);
        if self.visit.is_none() && (section.is_none() || section != self.about.patient) {
            return false;
        }
        let key = self.schema.keys.iter().position(|key| key.normaliser == Normaliser::Weight);
        self.guess(key, &(cell, tokens.clone()), None, "weight_line")
    }

    pub(super) fn of_owner(&mut self, piece: &Piece, words: &str) {
        let name = self.key_of(self.about.owner, Normaliser::Person);
        let address = self.key_of(self.about.owner, Normaliser::Address);
        if has_street(words) && words.chars().any(|c| c.is_ascii_digit()) {
            self.guess_address(address, piece);
        } else if looks_like_person(words) && !name.is_some_and(|name| self.has(name)) {
            self.guess(name, piece, None, "person_line");
        }
    }

    pub(super) fn of_patient(&mut self, piece: &Piece, words: &str) {
        let (cell, _) = *piece;
        let is_before_birth =
            self.segments[cell].get(1).and_then(|second| second.label).is_some_and(|(label, apart)| {
                let key = label.key.map(|key| self.schema.keys[key].normaliser);
                apart == Apart::Mark && key == Some(Normaliser::BirthDate)
            });
        let key = |rules: &Self, normaliser| rules.key_of(rules.about.patient, normaliser);
        if is_before_birth {
            self.guess(key(self, Normaliser::PetName), piece, None, "name_before_birth");
            return;
        }
        if let Some((species, breed)) = species_and_breed(words) {
            self.guess(key(self, Normaliser::Species), piece, Some(species), "species_and_breed");
            self.guess(key(self, Normaliser::Breed), piece, Some(breed), "species_and_breed");
            self.said_of_pet(None, std::slice::from_ref(piece), words);
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

    pub(super) fn guess_address(&mut self, key: Option<usize>, piece: &Piece) {
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
