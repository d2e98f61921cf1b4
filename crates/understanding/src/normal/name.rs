//! Normalises the names of people and institutions.

use super::{fold, folded_words, from_capitals, has_street};

/// Titles before the name of a person.
const TITLES: [&str; 51] = [
    "dr", "dra", "drs", "doctor", "doctora", "d", "da", "dna", "sr", "sra", "srta", "don", "dona", "senor",
    "senora", "mr", "mrs", "ms", "miss", "mx", "lv", "med", "vet", "prof", "dipl", "mvz", "mv", "lic",
    "lcdo", "lcda", "herr", "herrn", "frau", "hr", "fr", "mme", "mlle", "monsieur", "madame", "dott",
    "dottssa", "dssa", "sig", "sigra", "signor", "signora", "dhr", "mevr", "mevrouw", "meneer", "docteur",
];
/// The most letters that are initials if nothing else stands beside them.
const MAX_INITIALS: usize = 3;
/// Words that join the names of two people.
const JOINING_NAMES: [&str; 2] = ["&", "+"];
/// Words that end the name of a person.
const WORDS_AFTER_NAME: [&str; 40] = [
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
    "cel",
    "celular",
    "cell",
    "mobile",
    "tlf",
    "ced",
    "cedula",
    "cmvp",
    "mp",
    "mat",
    "matricula",
    "reg",
    "mrcvs",
    "dvm",
];
/// Words before the name of an institution.
const INSTITUTION_PREFIXES: [&str; 5] = ["nombre", "name", "clinica:", "centro:", "hospital:"];

/// The name of a person: one to six words, without titles and without what follows.
pub fn person(words: &str) -> Option<String> {
    if let Some(name) = family_name_first(words) {
        return Some(from_capitals(&name));
    }
    let mut name: Vec<&str> = Vec::new();
    let mut all = words.split_whitespace().peekable();
    while let Some(word) = all.next() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let folded = fold(bare);
        if bare.is_empty() {
            // A dash ends a name. A stray mark before it does not, and neither does "John & Mary Smith".
            if name.is_empty() {
                continue;
            }
            let joins = JOINING_NAMES.contains(&word)
                && all.peek().is_some_and(|next| next.starts_with(char::is_uppercase));
            if joins {
                name.push(word);
                continue;
            }
            break;
        }
        // "M." is a title before two names, and an initial before one.
        let is_monsieur = || word == "M." && all.clone().count() > 1;
        if name.is_empty() && (is_title(&folded) || is_monsieur()) {
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
    // "RA" beside an entry is who wrote it, in short.
    let is_initials = matches!(&name[..], [only] if only.chars().count() <= MAX_INITIALS && only.chars().all(char::is_uppercase));
    let is_name = (1..=6).contains(&name.len())
        && !is_initials
        && name.iter().any(|word| word.chars().count() > 1)
        && name[0].chars().next().is_some_and(char::is_alphabetic);
    is_name.then(|| from_capitals(&name.join(" ")))
}

/// Whether a folded word is a title, or several joined by dots: `dr.med.vet`.
fn is_title(folded: &str) -> bool {
    TITLES.contains(&folded.replace('.', "").as_str())
        || folded.split('.').filter(|part| !part.is_empty()).all(|part| TITLES.contains(&part))
}

/// The name of a person whose family name stands first, in its usual order: `Smith, John` is `John Smith`.
fn family_name_first(words: &str) -> Option<String> {
    let (family, given) = words.trim().split_once(',')?;
    let given = given.trim().trim_end_matches(['.', ';']);
    let is_name = |word: &str| {
        let folded = fold(word.trim_end_matches('.'));
        word.chars().next().is_some_and(char::is_uppercase)
            && word.chars().all(|c| c.is_alphabetic() || "-'’.".contains(c))
            && !TITLES.contains(&folded.as_str())
            && !WORDS_AFTER_NAME.contains(&folded.as_str())
    };
    // Behind a name in small letters, capitals are a degree: `Anna Keller, MRCVS`.
    let is_capitals =
        |text: &str| text.chars().any(char::is_alphabetic) && !text.chars().any(char::is_lowercase);
    let is_degree = is_capitals(given) && given.chars().count() > 2 && !is_capitals(family);
    let (before, behind) = (family.split_whitespace().count(), given.split_whitespace().count());
    // In capitals, two family names stand before the comma as often as a given and a family name: `RUEDA GIL, ANA`.
    let is_family = before == 1 || (before == 2 && is_capitals(family) && behind <= 2);
    let is_it = is_family
        && (1..=3).contains(&behind)
        && !is_degree
        && !has_street(given)
        && family.split_whitespace().chain(given.split_whitespace()).all(is_name);
    is_it.then(|| format!("{given} {family}"))
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
    // "Strata Plan 70221" is a name, "HRB 70221" none.
    let is_name = letters >= 2
        && (digits < 5 || letters >= 3 * digits)
        && name.chars().count() <= 80
        && !name.contains('@');
    is_name.then(|| name.split_whitespace().collect::<Vec<_>>().join(" "))
}
