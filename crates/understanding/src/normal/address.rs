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
const STREET_WORDS: [&str; 77] = [
    "impasse",
    "quai",
    "cours",
    "route",
    "vicolo",
    "piazzale",
    "contrada",
    "strada",
    "praca",
    "alameda",
    "beco",
    "gracht",
    "str",
    "plein",
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
    "carrera",
    "calzada",
    "jiron",
    "jr",
    "diagonal",
    "transversal",
    "pasaje",
    "prolongacion",
    "malecon",
    "bv",
    "blvd",
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
/// Further words, which name other things as well: they mean a street only behind the number of a house, as in `14 Market
/// Hill`.
const WORDS_BEHIND_NUMBER: [&str; 31] = [
    "pike", "blvd", "ave", "dr", "ln", "ct", "pl", "pkwy", "hwy", "parkway", "highway", "trail", "circle",
    "loop", "hill", "parade", "row", "gardens", "grove", "mews", "rise", "green", "walk", "yard", "wharf",
    "quay", "park", "gate", "view", "cottages", "bridge",
];
/// Ends of words that name a street in German and Dutch.
const STREET_ENDINGS: [&str; 14] = [
    "strasse", "straße", "straat", "gasse", "platz", "weg", "allee", "laan", "str", "plein", "gracht",
    "kade", "dijk", "singel",
];
/// Words that end an address.
const WORDS_AFTER_ADDRESS: [&str; 12] =
    ["tel", "tel.", "telefono", "teléfono", "tfno", "tfno.", "tlf", "tlf.", "phone", "movil", "email", "fax"];

/// The fewest digits of a telephone number.
const MIN_PHONE_DIGITS: usize = 7;

/// Whether these words contain the name of a street.
pub(crate) fn has_street(words: &str) -> bool {
    let starts = fold(words.trim_start());
    let first = starts.split_whitespace().next().unwrap_or_default();
    let is_short = STREET_ABBREVIATIONS.iter().any(|(short, _)| *short == first) || starts.starts_with("c/");
    is_short || has_street_word(words) || words.split(',').any(is_numbered_street)
}

fn has_street_word(words: &str) -> bool {
    folded_words(words).iter().any(|word| {
        let is_compound =
            word.chars().count() > 6 && STREET_ENDINGS.iter().any(|ending| word.ends_with(ending));
        STREET_WORDS.contains(&word.as_str()) || is_compound
    })
}

/// Whether words are the number of a house and a name that ends with a word for a street: `14 Market Hill`.
fn is_numbered_street(part: &str) -> bool {
    let words = folded_words(part);
    let behind = words.iter().skip(1).take(5);
    let is_street = |word: &String| WORDS_BEHIND_NUMBER.contains(&word.as_str());
    words.first().is_some_and(|first| is_house_number(first)) && behind.clone().any(is_street)
}

/// Whether a word is the number of a house: `14`, `3b`, `1502`.
fn is_house_number(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    (1..=5).contains(&digits)
        && word.len() <= digits + 1
        && word[digits..].bytes().all(|b| b.is_ascii_alphabetic())
}

/// Words before the number of a part of a building: `Unit 4, Fernhill Business Park`.
const UNIT_WORDS: [&str; 8] = ["unit", "suite", "nave", "local", "flat", "apt", "oficina", "parcela"];

/// Whether a short line has the number of a house at its beginning or at its end. Above a postcode, it is a street in every
/// language.
pub(crate) fn has_house_number(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches([',', '.', ';'])).collect();
    let is_one = |word: Option<&&str>| word.is_some_and(|word| is_house_number(word));
    let has_name = words.iter().any(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 3);
    let is_unit = words.first().is_some_and(|first| UNIT_WORDS.contains(&fold(first).as_str()));
    (2..=7).contains(&words.len())
        && has_name
        && (is_one(words.first()) || is_one(words.last()) || (is_unit && is_one(words.get(1))))
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
    // A number before the name of a street is that of a house: `1502 Ridge Road`.
    let is_house = |part: &&str| {
        let first = part.split_whitespace().next().unwrap_or_default();
        is_house_number(first) && (has_street_word(part) || is_numbered_street(part))
    };
    let parts: Vec<&str> = words.split([',', '·', '|']).filter(|part| !is_house(part)).collect();
    let words = parts.join(" ");
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
            "00000" | "0000" | "0000-000" | "00-000" | "A-00000" | "AA-0000" | "A-0000" | "A0000"
        );
        let is_outward = matches!(one.as_str(), "A0" | "A00" | "AA0" | "AA00" | "A0A" | "AA0A");
        (is_code && is_word(pair[1])) || (is_outward && two == "0AA") || (one == "AA" && two == "00000")
    })
}

/// An address with its street word in full. It must have a digit and a street.
pub fn address(words: &str) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    let whole = from_capitals(words);
    let mut rest = whole.split_whitespace().peekable();
    while let Some(word) = rest.next() {
        let folded = fold(word.trim_end_matches(':'));
        // "T. 986 000 731" is a telephone number.
        let is_phone =
            folded == "t." && rest.peek().is_some_and(|next| next.bytes().all(|b| b.is_ascii_digit()));
        if word.contains('@') || is_phone || WORDS_AFTER_ADDRESS.contains(&folded.as_str()) {
            break;
        }
        let is_mark = folded_words(word).is_empty();
        if is_mark && !parts.is_empty() {
            // A mark between the parts of an address is a comma.
            if let Some(last) = parts.last_mut().filter(|last| !last.ends_with(',')) {
                last.push(',');
            }
        } else if matches!(folded.as_str(), "cp" | "c.p" | "cp." | "c.p.") {
            parts.push("C.P.".to_owned());
        } else if parts.is_empty() {
            parts.extend(first_word(word, &folded));
        } else {
            // "31. 41010 Sevilla": a comma stands between the number of a house and a postcode.
            let is_code = word.len() == 5 && word.bytes().all(|b| b.is_ascii_digit());
            // "Finca El Retamal, ctra. de Olivenza".
            if parts.last().is_some_and(|last| last.ends_with(',')) && word.ends_with('.') {
                parts.extend(first_word(word, &folded));
                continue;
            }
            if let Some(last) = parts.last_mut().filter(|_| is_code)
                && let Some(house) = last.strip_suffix('.').filter(|house| is_house_number(house))
            {
                *last = format!("{house},");
            }
            parts.push(word.to_owned());
        }
    }
    let address = parts.join(" ");
    let apart = |c: char| c.is_whitespace() || "-–—|·•:;,.".contains(c);
    let address = without_phone(address.trim_matches(apart)).trim_matches(apart);
    let is_address = address.chars().any(|c| c.is_ascii_digit())
        && (has_street(address) || is_house_and_town(address) || is_house_with_postcode(address))
        && address.chars().count() <= 160;
    is_address.then(|| address.to_owned())
}

/// The address without a telephone number behind its last comma.
fn without_phone(address: &str) -> &str {
    let Some((before, last)) = address.rsplit_once(", ") else { return address };
    let digits = last.bytes().filter(u8::is_ascii_digit).count();
    let is_phone = digits >= MIN_PHONE_DIGITS
        && last.chars().all(|c| c.is_ascii_digit() || c.is_whitespace() || "+()-./".contains(c));
    if is_phone { before } else { address }
}

/// Whether these words are a house with its number, and a town with its postcode: `5 Mill Cottages, Ashworth AW3 7TT`.
pub(crate) fn is_house_and_town(address: &str) -> bool {
    let Some((house, town)) = address.split_once(", ") else { return false };
    let has_number = house.split_whitespace().any(|word| word.bytes().all(|b| b.is_ascii_digit()));
    let is_house =
        has_number && house.chars().any(char::is_alphabetic) && house.split_whitespace().count() <= 6;
    is_house && has_postcode(town)
}

/// Whether these words are the name of a house, and a town with its postcode: `Rosebank Cottage, Ednam TD5 7QL`.
fn is_house_with_postcode(address: &str) -> bool {
    let Some((house, town)) = address.split_once(", ") else { return false };
    !house.bytes().any(|b| b.is_ascii_digit())
        && (1..=4).contains(&house.split_whitespace().count())
        && address.split_whitespace().count() <= 10
        && has_postcode(town)
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
