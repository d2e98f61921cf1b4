//! What sentences and rows without labels state about the subject of a document.

use super::animal::{fact_behind_name, is_animal};
use super::{Normaliser, folded_words, is_unit_of_age};

/// Words that say in a sentence what an animal is.
const KIND_WORDS: [&str; 13] = [
    "perro", "perra", "gato", "gata", "canino", "canina", "felino", "felina", "dog", "cat", "canine",
    "feline", "raza",
];
/// The same in languages in which a capitalised word behind them may be a name.
const FURTHER_KIND_WORDS: [&str; 38] = [
    "perrita",
    "perrito",
    "gatito",
    "gatita",
    "cachorro",
    "cachorra",
    "puppy",
    "kitten",
    "rabbit",
    "hund",
    "hundin",
    "rude",
    "welpe",
    "katze",
    "kater",
    "kaninchen",
    "rasse",
    "chien",
    "chienne",
    "chat",
    "chatte",
    "chiot",
    "chaton",
    "race",
    "cane",
    "cagna",
    "gatto",
    "gatta",
    "razza",
    "hond",
    "teef",
    "reu",
    "poes",
    "kat",
    "ras",
    "cao",
    "cadela",
    "raca",
];
/// Words behind which a breed may follow: "a male neutered Labrador".
const BEFORE_BREED: [&str; 10] =
    ["male", "female", "neutered", "spayed", "entire", "intact", "castrated", "macho", "hembra", "old"];

/// Those of them behind which capitalised words are a breed: in German every noun is capitalised.
const BEFORE_FURTHER_BREED: [&str; 14] = [
    "chien", "chienne", "chat", "chatte", "cane", "cagna", "gatto", "gatta", "hond", "teef", "kat", "poes",
    "cao", "cadela",
];

/// Whether a folded word says what the subject is: "Jasper, a 7-year-old", "Lúa, perra de".
pub(crate) fn says_kind(word: &str) -> bool {
    KIND_WORDS.contains(&word) || FURTHER_KIND_WORDS.contains(&word) || is_age_word(word)
}

/// Whether words start with one for an animal: "Feline DLH".
pub(crate) fn starts_with_kind(words: &str) -> bool {
    folded_words(words).first().is_some_and(|first| is_animal(first))
}

/// Whether a folded word says of which sex the subject is, or that it is neutered.
pub(crate) fn says_sex(word: &str) -> bool {
    BEFORE_BREED.contains(&word) && word != "old"
}

/// Whether a folded word is an age: "7-year-old".
pub(crate) fn is_age_word(word: &str) -> bool {
    let Some((number, unit)) = word.split_once('-') else { return false };
    let is_unit = ["year-old", "yr-old", "month-old", "years-old", "week-old"].contains(&unit);
    is_unit && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a folded word is a number of years or months if this unit follows it.
pub(crate) fn is_age_unit(word: &str) -> bool {
    is_unit_of_age(word)
}

/// What capitalised words are behind this folded word in a sentence about the subject.
pub(crate) fn kind_behind(word: &str) -> Option<Normaliser> {
    let is_before = is_age_word(word)
        || (KIND_WORDS.contains(&word) && word != "raza")
        || BEFORE_FURTHER_BREED.contains(&word)
        || BEFORE_BREED.contains(&word);
    is_before.then_some(Normaliser::Breed)
}

/// What capitalised words are before this folded word in a sentence about the subject: "British Shorthair cat".
pub(crate) fn kind_before(word: &str) -> Option<Normaliser> {
    matches!(word, "dog" | "cat" | "bitch" | "rabbit").then_some(Normaliser::Breed)
}

/// Words behind which a line says in short what the subject is.
const SIGNALMENT_WORDS: [&str; 6] =
    ["signalment", "signalement", "resena", "nationale", "segnalamento", "resenha"];
/// Abbreviated breeds.
const SHORT_BREEDS: [&str; 6] = ["dsh", "dlh", "dmh", "ekh", "gsd", "jrt"];
/// The most words of such a line.
const MAX_SIGNALMENT_WORDS: usize = 14;

/// Whether a folded word is the label of a line that says in short what the subject is.
pub(crate) fn is_signalment(word: &str) -> bool {
    SIGNALMENT_WORDS.contains(&word)
}

/// What such a line states, each with the range of its words: `7 yo FS DSH`, `9-year-old male neutered Beagle`.
pub(crate) fn facts_in_signalment(words: &[&str]) -> Vec<(Normaliser, std::ops::Range<usize>)> {
    let words = &words[..words.len().min(MAX_SIGNALMENT_WORDS)];
    let folded: Vec<String> = words.iter().map(|word| folded_words(word).concat()).collect();
    let mut facts: Vec<(Normaliser, std::ops::Range<usize>)> = Vec::new();
    let mut add = |normaliser: Normaliser, range: std::ops::Range<usize>| {
        if !facts.iter().any(|(known, _)| *known == normaliser) {
            facts.push((normaliser, range));
        }
    };
    let mut at = 0;
    while at < words.len() {
        let word = folded[at].as_str();
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        let is_number = digits > 0 && digits <= 2;
        let unit = folded.get(at + 1).map_or("", String::as_str);
        if is_number && (is_age_word(&words[at].to_lowercase()) || is_unit_of_age(&word[digits..])) {
            add(Normaliser::Age, at..at + 1);
        } else if is_number && digits == word.len() && is_unit_of_age(unit) {
            add(Normaliser::Age, at..at + 2);
            at += 1;
        } else if Normaliser::Species.apply(word).is_some() {
            add(Normaliser::Species, at..at + 1);
            if Normaliser::Sex.apply(word).is_some() {
                add(Normaliser::Sex, at..at + 1);
            }
        } else if Normaliser::Sex.apply(words[at]).is_some() {
            add(Normaliser::Sex, at..at + 1);
        } else if !is_animal(word) && !BEFORE_BREED.contains(&word) {
            let is_name = |place: usize| {
                words[place].starts_with(char::is_uppercase)
                    && !is_animal(&folded[place])
                    && Normaliser::Sex.apply(words[place]).is_none()
            };
            let run = (at..words.len()).take(4).take_while(|place| is_name(*place)).count();
            if run > 0 && (SHORT_BREEDS.contains(&word) || words[at].chars().count() > 2) {
                let closed = (at..at + run).find(|place| words[*place].ends_with([',', ';', '.']));
                let end = closed.map_or(at + run, |place| place + 1);
                add(Normaliser::Breed, at..end);
                at = end;
                continue;
            }
        }
        at += 1;
    }
    facts
}

/// What a part of a row without labels states. Behind the name of the subject, other capitalised words are its breed.
pub(crate) fn fact_in_row(part: &str) -> Option<Normaliser> {
    let words = folded_words(part);
    match &words[..] {
        [only] if is_animal(only) => Some(Normaliser::Species),
        _ => fact_behind_name(part).map(|(normaliser, _)| normaliser),
    }
}
