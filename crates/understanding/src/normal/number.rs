//! Normalises codes: microchips, identifiers and amounts.

use super::{date, fold};

/// The number of digits of a transponder, by the current standard.
pub(crate) const TRANSPONDER_DIGITS: usize = 15;
/// The number of digits of a microchip. Older ones have fewer.
const MICROCHIP_DIGITS: std::ops::RangeInclusive<usize> = 9..=TRANSPONDER_DIGITS;

/// The digits of a microchip: one run of 9 to 15 digits, with spaces, dashes or dots between them.
pub fn microchip(words: &str) -> Option<String> {
    let mut digits = String::new();
    let mut found = None;
    for c in words.chars().chain(['\n']) {
        match c {
            '0'..='9' => digits.push(c),
            ' ' | '-' | '.' => {}
            _ => {
                if MICROCHIP_DIGITS.contains(&digits.len()) && found.is_none() {
                    found = Some(digits.clone());
                }
                // Digits with a slash between them are a date.
                if c == '/' && !digits.is_empty() {
                    return None;
                }
                digits.clear();
            }
        }
    }
    found
}

/// Whether a word is the letters of a series, as they stand before a code: `FT` of `FT 2024A/512`.
pub(crate) fn is_series_of_code(word: &str) -> bool {
    (1..=4).contains(&word.len())
        && word.bytes().all(|b| b.is_ascii_uppercase())
        && !["NO", "NR", "N", "NUM", "ID", "DE"].contains(&word)
}

/// Whether words are nothing but groups of digits, as long numbers are written: `2023 0117`.
fn is_in_groups(words: &str) -> bool {
    // Short groups are a number only if it is long: `72 3390 1184 05`.
    let is_long = words.bytes().filter(u8::is_ascii_digit).count() >= 8;
    let least = if is_long { 2 } else { 3 };
    let is_group = |word: &str| word.len() >= least && word.bytes().all(|b| b.is_ascii_digit());
    (2..=5).contains(&words.split_whitespace().count()) && words.split_whitespace().all(is_group)
}

/// A code that contains a digit and is no date.
pub fn identifier(words: &str) -> Option<String> {
    let apart = |c: char| !c.is_alphanumeric();
    let mut parts =
        words.split_whitespace().map(|word| word.trim_matches(apart)).filter(|word| !word.is_empty());
    let first = parts.next()?;
    let second = parts.next();
    let is_of_series = |second: &&str| second.bytes().filter(u8::is_ascii_digit).count() >= 2;
    let of_series = second.filter(|_| is_series_of_code(first)).filter(is_of_series);
    let code = match of_series {
        Some(second) => format!("{first} {second}"),
        None if is_in_groups(words) => words.split_whitespace().collect::<Vec<_>>().join(" "),
        None => first.to_owned(),
    };
    let code = code.as_str();
    let has_figure = code.chars().any(|c| c.is_ascii_digit());
    let is_date = date(code).is_some();
    let is_unit = fold(code).ends_with("kg");
    (has_figure && !is_date && !is_unit && code.len() <= 40).then(|| code.to_owned())
}

/// A sum of money, as the document writes it.
pub fn amount(words: &str) -> Option<String> {
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = words.trim_matches(['-', '|', ':', ' ']);
    let is_amount = words.chars().any(|c| c.is_ascii_digit()) && words.chars().count() <= 40;
    is_amount.then(|| words.to_owned())
}
