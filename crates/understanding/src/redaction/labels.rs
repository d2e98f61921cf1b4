//! Words before a number that say what it is. Short numbers and passports have no form of their own.

/// How many characters before a number are searched for its label.
const LOOKBACK: usize = 32;

const PHONE: [&str; 17] = [
    "tel",
    "telf",
    "tlf",
    "tfno",
    "tfn",
    "tf",
    "teléfono",
    "telefono",
    "teléfonos",
    "móvil",
    "movil",
    "phone",
    "telephone",
    "mobile",
    "fax",
    "whatsapp",
    "llamar",
];
const PASSPORT: [&str; 6] = ["pasaporte", "passport", "passeport", "reisepass", "passaporte", "pass"];
/// Words that may stand between a label and its number.
const FILLERS: [&str; 9] = ["n", "nº", "n°", "no", "num", "núm", "número", "numero", "number"];

/// What a label says about the number after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Label {
    Phone,
    Passport,
}

/// The label at the end of a text, on the same line.
pub(super) fn label_before(text: &str) -> Option<Label> {
    let start = text.char_indices().rev().take(LOOKBACK).last().map_or(0, |(place, _)| place);
    let line = text[start..].rsplit('\n').next().unwrap_or_default();
    let is_separator = |c: char| !c.is_alphabetic() && !matches!(c, 'º' | '°');
    let mut words = line.rsplit(is_separator).filter(|word| !word.is_empty()).map(str::to_lowercase);
    // Digits between the label and the number mean that the label belongs to another number.
    let after_label = line.rsplit(|c: char| c.is_ascii_digit()).next().unwrap_or_default();
    let word = words.find(|word| !FILLERS.contains(&word.as_str()))?;
    let is_near = after_label.to_lowercase().contains(&word);
    if is_near && PHONE.contains(&word.as_str()) {
        Some(Label::Phone)
    } else if is_near && PASSPORT.contains(&word.as_str()) {
        Some(Label::Passport)
    } else {
        None
    }
}

/// Whether a character may stand between two phone numbers of a list.
pub(super) fn is_phone_separator(letter: char) -> bool {
    matches!(letter, ' ' | '\u{a0}' | '/' | ',' | ';' | '-' | '|' | 'y' | 'o')
}
