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

/// A code that contains a digit and is no date.
pub fn identifier(words: &str) -> Option<String> {
    let apart = |c: char| !c.is_alphanumeric();
    let code = words.split_whitespace().map(|word| word.trim_matches(apart)).find(|word| !word.is_empty())?;
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
