//! Normalises addresses. Abbreviated street words are written out.

use super::{fold, folded_words, from_capitals};

/// Abbreviated street words, and the words in full.
const STREET_ABBREVIATIONS: [(&str, &str); 18] = [
    ("c/", "Calle"),
    ("c.", "Calle"),
    ("cl.", "Calle"),
    ("cl", "Calle"),
    ("avda.", "Avenida"),
    ("avda", "Avenida"),
    ("av.", "Avenida"),
    ("av", "Avenida"),
    ("avd.", "Avenida"),
    ("pza.", "Plaza"),
    ("pza", "Plaza"),
    ("plza.", "Plaza"),
    ("pl.", "Plaza"),
    ("po", "Paseo"),
    ("p.o", "Paseo"),
    ("ctra.", "Carretera"),
    ("ctra", "Carretera"),
    ("rda.", "Ronda"),
];
/// Words by which a street is recognised.
const STREET_WORDS: [&str; 52] = [
    "rue",
    "boulevard",
    "chemin",
    "allee",
    "corso",
    "viale",
    "piazza",
    "largo",
    "travessa",
    "estrada",
    "strasse",
    "weg",
    "laan",
    "rua",
    "praza",
    "carrer",
    "placa",
    "avinguda",
    "kalea",
    "calle",
    "avenida",
    "avda",
    "av",
    "plaza",
    "pza",
    "paseo",
    "camino",
    "carretera",
    "ctra",
    "ronda",
    "travesia",
    "glorieta",
    "urbanizacion",
    "poligono",
    "rambla",
    "via",
    "callejon",
    "cuesta",
    "street",
    "st",
    "avenue",
    "road",
    "rd",
    "lane",
    "close",
    "drive",
    "square",
    "way",
    "court",
    "terrace",
    "crescent",
    "place",
];
/// Words that end an address.
const WORDS_AFTER_ADDRESS: [&str; 12] =
    ["tel", "tel.", "telefono", "teléfono", "tfno", "tfno.", "tlf", "tlf.", "phone", "movil", "email", "fax"];

/// Whether these words contain the name of a street.
pub(crate) fn has_street(words: &str) -> bool {
    let starts = fold(words.trim_start());
    let first = starts.split_whitespace().next().unwrap_or_default();
    let is_short = STREET_ABBREVIATIONS.iter().any(|(short, _)| *short == first) || starts.starts_with("c/");
    is_short || folded_words(words).iter().any(|word| STREET_WORDS.contains(&word.as_str()))
}

/// Whether these words begin with a postcode and the name of a town: `48993 Larrondo`.
pub(crate) fn opens_with_postcode(words: &str) -> bool {
    let words: Vec<&str> = words.split_whitespace().take(3).collect();
    let [first, second, ..] = words[..] else { return false };
    let code = first.trim_end_matches([',', '-', '.']);
    let is_code = code.len() == 5 && code.bytes().all(|b| b.is_ascii_digit());
    is_code && second.chars().next().is_some_and(char::is_alphabetic)
}

/// Whether these words contain a postcode beside the name of a town: `50667 Köln`, `3512 AB Utrecht`, `1100-148 Lisboa`,
/// `Leeds LS1 5AB`.
pub(crate) fn has_postcode(words: &str) -> bool {
    let words: Vec<&str> =
        words.split_whitespace().map(|word| word.trim_matches([',', '.', '·', '|'])).collect();
    let is_word =
        |word: &str| word.chars().count() > 1 && word.chars().all(|c| c.is_alphabetic() || c == '-');
    let shape = |word: &str| -> String {
        let of = |c: char| {
            if c.is_ascii_digit() {
                '0'
            } else if c.is_ascii_uppercase() {
                'A'
            } else {
                c
            }
        };
        word.chars().map(of).collect()
    };
    words.windows(2).any(|pair| {
        let (one, two) = (shape(pair[0]), shape(pair[1]));
        let is_code = matches!(
            one.as_str(),
            "00000" | "0000" | "0000-000" | "00-000" | "A-00000" | "AA-0000" | "A-0000"
        );
        let is_outward = matches!(one.as_str(), "A0" | "A00" | "AA0" | "AA00" | "A0A" | "AA0A");
        (is_code && is_word(pair[1])) || (is_outward && two == "0AA") || (one == "AA" && two == "00000")
    })
}

/// An address with its street word in full. It must have a digit and a street.
pub fn address(words: &str) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    for word in from_capitals(words).split_whitespace() {
        let folded = fold(word.trim_end_matches(':'));
        if word.contains('@') || WORDS_AFTER_ADDRESS.contains(&folded.as_str()) {
            break;
        }
        if matches!(folded.as_str(), "cp" | "c.p" | "cp." | "c.p.") {
            parts.push("C.P.".to_owned());
        } else if parts.is_empty() {
            parts.extend(first_word(word, &folded));
        } else {
            parts.push(word.to_owned());
        }
    }
    let address = parts.join(" ");
    let address = address.trim_matches(|c: char| c.is_whitespace() || "-–—|·•:;,.".contains(c));
    let is_address =
        address.chars().any(|c| c.is_ascii_digit()) && has_street(address) && address.chars().count() <= 160;
    is_address.then(|| address.to_owned())
}

fn first_word(word: &str, folded: &str) -> Vec<String> {
    if folded_words(word).is_empty() {
        return Vec::new();
    }
    if let Some((_, long)) = STREET_ABBREVIATIONS.iter().find(|(short, _)| *short == folded) {
        return vec![(*long).to_owned()];
    }
    match word.split_once('/') {
        Some((c, name)) if c.eq_ignore_ascii_case("c") => vec!["Calle".to_owned(), name.to_owned()],
        _ => vec![word.to_owned()],
    }
}
