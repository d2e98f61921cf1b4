//! What people and the places where they work are called.

use super::{fold, folded_words, from_capitals, has_street};

/// What stands before a person's name.
const TITLES: [&str; 16] = [
    "dr", "dra", "drs", "doctor", "doctora", "d", "da", "dna", "sr", "sra", "don", "dona", "mr", "mrs", "ms",
    "lv",
];
/// What a person's name is cut before.
const WORDS_AFTER_NAME: [&str; 28] = [
    "colegiado",
    "colegiada",
    "col",
    "tel",
    "telefono",
    "tfno",
    "phone",
    "movil",
    "dni",
    "nif",
    "nie",
    "email",
    "correo",
    "direccion",
    "domicilio",
    "calle",
    "avenida",
    "avda",
    "plaza",
    "pza",
    "paseo",
    "ctra",
    "carretera",
    "address",
    "street",
    "nocol",
    "mrcvs",
    "dvm",
];
/// What stands before the name of a place.
const INSTITUTION_PREFIXES: [&str; 5] = ["nombre", "name", "clinica:", "centro:", "hospital:"];

/// What a person is called: one to five words, without titles and what follows.
pub fn person(words: &str) -> Option<String> {
    let mut name: Vec<&str> = Vec::new();
    for word in words.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let folded = fold(bare);
        if bare.is_empty() {
            // A dash ends a name, a stray mark before it does not.
            if name.is_empty() {
                continue;
            }
            break;
        }
        if name.is_empty() && TITLES.contains(&folded.as_str()) {
            continue;
        }
        let ends = WORDS_AFTER_NAME.contains(&folded.as_str()) || bare.chars().any(|c| c.is_ascii_digit());
        if ends || word.contains(['@', '/']) || word.starts_with('(') {
            break;
        }
        let word_alone = word.trim_matches([',', ';', ':', '|']);
        // The dot of an initial stays.
        name.push(if bare.chars().count() == 1 { word_alone } else { word_alone.trim_matches('.') });
        if word.ends_with([',', ';', '|']) {
            break;
        }
    }
    let is_name = (1..=6).contains(&name.len())
        && name.iter().any(|word| word.chars().count() > 1)
        && name[0].chars().next().is_some_and(char::is_alphabetic);
    is_name.then(|| from_capitals(&name.join(" ")))
}

/// What a place is called. An address is none.
pub fn institution(words: &str) -> Option<String> {
    let mut name = words.trim_matches(|c: char| c.is_whitespace() || "-–—|:;,.".contains(c));
    for before in INSTITUTION_PREFIXES {
        let start: String = fold(name).chars().take(before.len()).collect();
        if start == before && name.is_char_boundary(before.len()) {
            name = name[before.len()..].trim_start_matches([' ', ':', '-']);
        }
    }
    let figures = name.chars().filter(char::is_ascii_digit).count();
    let is_name = !folded_words(name).is_empty()
        && name.chars().any(char::is_alphabetic)
        && name.chars().count() <= 80
        && figures < 5
        && !(figures > 0 && has_street(name));
    is_name.then(|| from_capitals(&name.split_whitespace().collect::<Vec<_>>().join(" ")))
}
