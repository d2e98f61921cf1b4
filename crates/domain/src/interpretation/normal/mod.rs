//! Normal forms: how a value is written once it is understood, whatever the document made of it.
//!
//! A key of a schema names its normaliser. Each takes the words as they stand and gives the normal form, or nothing if
//! the words cannot be such a value.

mod address;
mod animal;
pub(super) mod date;
mod fold;
mod measure;
mod name;
mod number;

pub use address::address;
pub(super) use address::{has_street, opens_with_postcode};
pub use animal::{breed, pet_name, sex, species};
pub(super) use animal::{is_animal, species_and_breed};
pub use date::date;
pub(super) use fold::{fold, letters, title};
pub(super) use measure::years_between;
pub use measure::{age, weight};
pub use name::{institution, person};
pub use number::{amount, identifier, microchip};
use serde::{Deserialize, Serialize};

/// How the values of a key become normal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Normaliser {
    /// Text, as it stands.
    #[default]
    Text,
    /// A day as `YYYY-MM-DD`.
    Date,
    /// The day of birth of the one whom the document is about.
    BirthDate,
    /// Whole years.
    Age,
    /// `canino` or `felino`.
    Species,
    /// A breed without its species.
    Breed,
    /// `macho` or `hembra`.
    Sex,
    /// `N kg`.
    Weight,
    /// The digits of a chip.
    Microchip,
    /// What an animal is called.
    PetName,
    /// What a person is called.
    Person,
    /// What a place where people work is called.
    Institution,
    /// Where somebody lives or works.
    Address,
    /// A number or code that stands for something.
    Identifier,
    /// A sum of money, as it stands.
    Amount,
}

impl Normaliser {
    /// The normal form of these words.
    pub fn apply(self, words: &str) -> Option<String> {
        match self {
            Self::Text => text(words),
            Self::Date | Self::BirthDate => date(words).map(|date| date.to_string()),
            Self::Age => age(words).map(|years| years.to_string()),
            Self::Species => species(words).map(str::to_owned),
            Self::Breed => breed(words),
            Self::Sex => sex(words).map(str::to_owned),
            Self::Weight => weight(words),
            Self::Microchip => microchip(words),
            Self::PetName => pet_name(words),
            Self::Person => person(words),
            Self::Institution => institution(words),
            Self::Address => address(words),
            Self::Identifier => identifier(words),
            Self::Amount => amount(words),
        }
    }

    /// Whether it knows its values when it sees them, so that they need no colon before them.
    pub fn is_strict(self) -> bool {
        matches!(
            self,
            Self::Date
                | Self::BirthDate
                | Self::Age
                | Self::Species
                | Self::Sex
                | Self::Weight
                | Self::Microchip
                | Self::Identifier
        )
    }
}

/// The words without what only sets them apart: spaces, dashes, the dot of a sentence.
fn text(words: &str) -> Option<String> {
    let apart = |c: char| c.is_whitespace() || "-–—|•·:;,".contains(c);
    let words = unnumbered(words.trim_matches(apart));
    let words = match words.strip_suffix('.') {
        Some(rest) if !rest.ends_with('.') => rest,
        _ => words,
    };
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().any(char::is_alphanumeric).then_some(words)
}

/// Without the number of an item, such as `1.` or `2)`.
fn unnumbered(words: &str) -> &str {
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    let behind = words[digits..].strip_prefix(['.', ')']).filter(|_| (1..=2).contains(&digits));
    behind.and_then(|behind| behind.strip_prefix(' ')).map_or(words, str::trim_start)
}

#[cfg(test)]
mod tests;
