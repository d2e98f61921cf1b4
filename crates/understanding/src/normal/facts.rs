//! What sentences and rows without labels state about the subject of a document.

use super::animal::{fact_behind_name, is_animal};
use super::{Normaliser, folded_words};

/// Words that say in a sentence what an animal is.
const KIND_WORDS: [&str; 13] = [
    "perro", "perra", "gato", "gata", "canino", "canina", "felino", "felina", "dog", "cat", "canine",
    "feline", "raza",
];
/// Words behind which a breed may follow: "a male neutered Labrador".
const BEFORE_BREED: [&str; 10] =
    ["male", "female", "neutered", "spayed", "entire", "intact", "castrated", "macho", "hembra", "old"];

/// Whether a folded word says what the subject is: "Jasper, a 7-year-old", "Lúa, perra de".
pub(crate) fn says_kind(word: &str) -> bool {
    KIND_WORDS.contains(&word) || is_age_word(word)
}

/// Whether a folded word is an age: "7-year-old".
pub(crate) fn is_age_word(word: &str) -> bool {
    let Some((number, unit)) = word.split_once('-') else { return false };
    let is_unit = ["year-old", "yr-old", "month-old", "years-old", "week-old"].contains(&unit);
    is_unit && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a folded word is a number of years or months if this unit follows it.
pub(crate) fn is_age_unit(word: &str) -> bool {
    matches!(word, "anos" | "ano" | "years" | "year" | "meses" | "months" | "jahre" | "ans" | "anni")
}

/// What capitalised words are behind this folded word in a sentence about the subject.
pub(crate) fn kind_behind(word: &str) -> Option<Normaliser> {
    let is_before =
        is_age_word(word) || (KIND_WORDS.contains(&word) && word != "raza") || BEFORE_BREED.contains(&word);
    is_before.then_some(Normaliser::Breed)
}

/// What capitalised words are before this folded word in a sentence about the subject: "British Shorthair cat".
pub(crate) fn kind_before(word: &str) -> Option<Normaliser> {
    matches!(word, "dog" | "cat" | "bitch" | "rabbit").then_some(Normaliser::Breed)
}

/// What a part of a row without labels states. Behind the name of the subject, other capitalised words are its breed.
pub(crate) fn fact_in_row(part: &str) -> Option<Normaliser> {
    let words = folded_words(part);
    match &words[..] {
        [only] if is_animal(only) => Some(Normaliser::Species),
        _ => fact_behind_name(part).map(|(normaliser, _)| normaliser),
    }
}

/// What capitalised words in such a row are.
pub(crate) const NAME_IN_ROW: Normaliser = Normaliser::Breed;
