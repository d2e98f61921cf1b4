//! Normalises the names of people and institutions.

use super::{fold, folded_words, from_capitals, has_street};

/// Titles before the name of a person.
const TITLES: [&str; 16] = [
    "dr", "dra", "drs", "doctor", "doctora", "d", "da", "dna", "sr", "sra", "don", "dona", "mr", "mrs", "ms",
    "lv",
];
/// Words that end the name of a person.
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
/// Words before the name of an institution.
const INSTITUTION_PREFIXES: [&str; 5] = ["nombre", "name", "clinica:", "centro:", "hospital:"];

/// The name of a person: one to six words, without titles and without what follows.
pub fn person(words: &str) -> Option<String> {
    let mut name: Vec<&str> = Vec::new();
    for word in words.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let folded = fold(bare);
        if bare.is_empty() {
            // A dash ends a name. A stray mark before it does not.
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
        // An initial keeps its dot.
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

/// The name of an institution. An address is not one.
pub fn institution(words: &str) -> Option<String> {
    let mut name = words.trim_matches(|c: char| c.is_whitespace() || "-–—|:;,.".contains(c));
    for before in INSTITUTION_PREFIXES {
        let start: String = fold(name).chars().take(before.len()).collect();
        if start == before && name.is_char_boundary(before.len()) {
            name = name[before.len()..].trim_start_matches([' ', ':', '-']);
        }
    }
    let digits = name.chars().filter(char::is_ascii_digit).count();
    let is_name = !folded_words(name).is_empty()
        && name.chars().any(char::is_alphabetic)
        && name.chars().count() <= 80
        && digits < 5
        && !(digits > 0 && has_street(name));
    is_name.then(|| from_capitals(&name.split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// The name of a party of a business document, as it is written.
pub fn company(words: &str) -> Option<String> {
    let name = words.trim_matches(|c: char| c.is_whitespace() || "-–—|·•:;,".contains(c));
    let digits = name.chars().filter(char::is_ascii_digit).count();
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    let is_name = letters >= 2 && digits < 5 && name.chars().count() <= 80 && !name.contains('@');
    is_name.then(|| name.split_whitespace().collect::<Vec<_>>().join(" "))
}
