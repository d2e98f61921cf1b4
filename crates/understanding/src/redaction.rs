//! Redaction of personal data before a text goes to a language model: e-mail addresses, phone numbers, identity
//! documents, bank accounts and chips. Each is replaced by a placeholder, the same one wherever it occurs, and
//! restored afterwards. In doubt more is redacted, because everything can be restored.

use std::collections::HashMap;

use super::normal::{TRANSPONDER_DIGITS, date, iban};

/// The length of an IBAN, in letters and digits.
const IBAN_LENGTH: std::ops::RangeInclusive<usize> = 15..=34;
/// The longest numeric date, and how many characters are read to find the end of one.
const MAX_DATE_CHARS: usize = 10;
const DATE_LOOKAHEAD: usize = 16;
/// The shortest number that is redacted, in digits. Years, doses and postcodes are shorter.
const MIN_NUMBER_DIGITS: usize = 9;
/// What was redacted from a text, with its placeholders.
#[derive(Clone, Debug, Default)]
pub struct Redaction {
    redacted: Vec<RedactedText>,
    /// The index in that list, by kind and text.
    indexes: HashMap<(RedactedKind, String), usize>,
    /// The number of placeholders of each kind.
    counts: HashMap<RedactedKind, usize>,
}

#[derive(Clone, Debug)]
struct RedactedText {
    placeholder: String,
    words: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum RedactedKind {
    Email,
    Phone,
    Id,
    Account,
    Chip,
    Number,
}

impl RedactedKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Email => "EMAIL",
            Self::Phone => "PHONE",
            Self::Id => "ID",
            Self::Account => "IBAN",
            Self::Chip => "CHIP",
            Self::Number => "NUMBER",
        }
    }
}

impl Redaction {
    /// Replaces personal data in a text by placeholders.
    pub fn redact(&mut self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        let mut before = ' ';
        let mut at = 0;
        // The ends of the ranges that contain no e-mail address, and of dates, which stay.
        let (mut no_email, mut no_number) = (0, 0);
        while let Some(letter) = text[at..].chars().next() {
            let rest = &text[at..];
            let mut found = None;
            if at >= no_email {
                let (end, email) = email(rest);
                no_email = at + end;
                found = email;
            }
            // A number may directly follow a word or a sign, but not a digit.
            if found.is_none() && at >= no_number && !before.is_ascii_digit() {
                no_number = at + date_length(rest).unwrap_or(0);
                found = if at < no_number { None } else { redacted_at_start(rest, before) };
            }
            let length = found.map_or(letter.len_utf8(), |(_, length)| length);
            shown.push_str(
                found.map_or(&rest[..length], |(kind, length)| self.placeholder(kind, &rest[..length])),
            );
            before = rest[..length].chars().next_back().unwrap_or(' ');
            at += length;
        }
        shown
    }

    /// Replaces the placeholders in a text by the original text.
    pub fn restore(&self, text: &str) -> String {
        // A placeholder ends with a bracket, so none is the beginning of another.
        self.redacted
            .iter()
            .fold(text.to_owned(), |text, hidden| text.replace(&hidden.placeholder, &hidden.words))
    }

    /// Whether these words contain something that was redacted.
    pub fn contains_redacted(&self, words: &str) -> bool {
        let bare = letters_and_digits(words);
        !bare.is_empty()
            && self.redacted.iter().any(|hidden| {
                let own = self::letters_and_digits(&hidden.words);
                bare.contains(&own) || own == bare
            })
    }

    /// The placeholder of a text: the one that it has, or a new one.
    fn placeholder(&mut self, kind: RedactedKind, words: &str) -> &str {
        let key = (kind, words.to_owned());
        let place = self.indexes.get(&key).copied().unwrap_or_else(|| {
            let number = self.counts.entry(kind).or_default();
            *number += 1;
            let name = format!("[{}-{number}]", kind.as_str());
            self.redacted.push(RedactedText { placeholder: name, words: words.to_owned() });
            self.indexes.insert(key, self.redacted.len() - 1);
            self.redacted.len() - 1
        });
        &self.redacted[place].placeholder
    }
}

/// The letters and digits only, in capitals.
fn letters_and_digits(words: &str) -> String {
    words.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

/// What must be redacted at the start of a text, and its length in bytes. E-mail addresses are handled apart.
fn redacted_at_start(text: &str, before: char) -> Option<(RedactedKind, usize)> {
    account(text).or_else(|| identity_after(text, before)).or_else(|| number(text))
}

/// An e-mail address at the start of a text. Also how far the text was searched, so that a long text is searched only
/// once.
fn email(text: &str) -> (usize, Option<(RedactedKind, usize)>) {
    let own = |c: char| c.is_alphanumeric() || "._%+-".contains(c);
    let at = text.find(|c: char| !own(c)).unwrap_or(text.len());
    let Some(host) = text[at..].strip_prefix('@').filter(|_| at > 0) else { return (at, None) };
    let length = host.find(|c: char| !(c.is_alphanumeric() || "-.".contains(c))).unwrap_or(host.len());
    let host = host[..length].trim_end_matches(['.', '-']);
    (at, host.contains('.').then_some((RedactedKind::Email, at + 1 + host.len())))
}

/// An IBAN at the start of a text, such as `ES91 2100 0418 4502 0005 1332`, if its check digits are right. The digits
/// of a mistyped one are redacted as a number.
fn account(text: &str) -> Option<(RedactedKind, usize)> {
    let [a, b, c, d, ..] = text.as_bytes() else { return None };
    if ![a, b].iter().all(|b| b.is_ascii_alphabetic()) || ![c, d].iter().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut signs = 0;
    let mut was_mark = false;
    for (place, letter) in text.char_indices() {
        if !letter.is_ascii_alphanumeric() {
            if was_mark || !matches!(letter, ' ' | '\u{a0}' | '-' | '.') {
                return None;
            }
            was_mark = true;
            continue;
        }
        was_mark = false;
        signs += 1;
        if signs > *IBAN_LENGTH.end() {
            return None;
        }
        let end = place + 1;
        let is_end = !text[end..].starts_with(|c: char| c.is_ascii_alphanumeric());
        if is_end && IBAN_LENGTH.contains(&signs) && iban(&text[..end]).is_some() {
            return Some((RedactedKind::Account, end));
        }
    }
    None
}

/// An identity document at the start of a text. It may directly follow a word, as in `DNI12345678Z`. A letter within
/// a word starts one only before a digit; otherwise every word before a number would lose its last letter.
fn identity_after(text: &str, before: char) -> Option<(RedactedKind, usize)> {
    let mut letters = text.chars();
    let (first, second) = (letters.next()?, letters.next());
    let is_in_word = before.is_alphanumeric() || before == '_';
    if is_in_word && first.is_alphabetic() && !second.is_some_and(|c| c.is_ascii_digit()) {
        return None;
    }
    identity(text)
}

/// `12345678Z`, `12.345.678-Z`, `X1234567L`, `B12345678`: nine letters and digits, seven or eight of them consecutive
/// digits.
fn identity(text: &str) -> Option<(RedactedKind, usize)> {
    let mut signs = String::new();
    let mut length = 0;
    for letter in text.chars() {
        let is_mark = ".- ".contains(letter) && !signs.is_empty() && signs.len() < 9;
        if !letter.is_ascii_alphanumeric() && !is_mark {
            break;
        }
        if letter.is_ascii_alphanumeric() {
            if signs.len() == 9 {
                return None;
            }
            signs.push(letter.to_ascii_uppercase());
        }
        length += letter.len_utf8();
        if signs.len() == 9 && !text[length..].starts_with(|c: char| c.is_alphanumeric()) {
            break;
        }
    }
    let signs = signs.as_bytes();
    let digits = |range: std::ops::Range<usize>| signs[range].iter().all(u8::is_ascii_digit);
    let is_identity = signs.len() == 9
        && ((digits(0..8) && signs[8].is_ascii_alphabetic())
            || (signs[0].is_ascii_alphabetic() && digits(1..8)));
    is_identity.then_some((RedactedKind::Id, length))
}

/// A long number at the start of a text: groups of digits separated by a space, a dash, a dot or brackets. Dates are
/// no part of it.
fn number(text: &str) -> Option<(RedactedKind, usize)> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '(') {
        return None;
    }
    let mut digits = 0;
    let mut length = 0;
    let mut apart = 0;
    let mut mark = ' ';
    for (place, letter) in text.char_indices() {
        match letter {
            '0'..='9' => {
                // A date ends the number. After a dash the digits belong to the number: 600-12-03-24.
                let is_word = apart > 0 && digits > 0 && mark.is_whitespace();
                if is_word && date_length(&text[place..]).is_some() {
                    break;
                }
                digits += 1;
                apart = 0;
                length = place + 1;
            }
            '+' if place == 0 => {}
            ' ' | '\u{a0}' | '-' | '.' | '(' | ')' if apart < 2 => {
                apart += 1;
                mark = letter;
            }
            _ => break,
        }
    }
    if digits < MIN_NUMBER_DIGITS {
        return None;
    }
    let kind = match digits {
        TRANSPONDER_DIGITS => RedactedKind::Chip,
        ..TRANSPONDER_DIGITS => RedactedKind::Phone,
        _ => RedactedKind::Number,
    };
    Some((kind, length))
}

/// The length of the numeric date at the start of a text.
fn date_length(text: &str) -> Option<usize> {
    let is_part = |c: &char| c.is_ascii_digit() || matches!(c, '/' | '-' | '.');
    let length = text.chars().take(DATE_LOOKAHEAD).take_while(is_part).count();
    let digits = text[..length].trim_end_matches(['/', '-', '.']);
    let is_date = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.len() <= MAX_DATE_CHARS;
    (is_date && date(digits).is_some()).then_some(digits.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> String {
        let mut redaction = Redaction::default();
        let shown = redaction.redact(text);
        assert_eq!(redaction.restore(&shown), text, "nothing is lost");
        shown
    }

    #[test]
    fn personal_data_has_the_same_placeholder_everywhere() {
        for (text, shown) in [
            ("Correo: ana.perez+x@correo.example.es.", "Correo: [EMAIL-1]."),
            ("Tel: 600 123 456", "Tel: [PHONE-1]"),
            ("Tel:600123456, móvil 600123456", "Tel:[PHONE-1], móvil [PHONE-1]"),
            ("+34 (91) 123-45-67 / 600.123.456", "[PHONE-1] / [PHONE-2]"),
            ("Chip 941000012345678", "Chip [CHIP-1]"),
            ("Chip: 941 000 012 345 678.", "Chip: [CHIP-1]."),
            ("DNI 12345678Z, NIE X1234567L", "DNI [ID-1], NIE [ID-2]"),
            ("DNI: 12.345.678-Z", "DNI: [ID-1]"),
            ("DNI: 12345678 z fin", "DNI: [ID-1] fin"),
            ("Tel: 600123456/611222333", "Tel: [PHONE-1]/[PHONE-2]"),
            ("Tel: 600123456,611222333", "Tel: [PHONE-1],[PHONE-2]"),
            ("Tel600123456 o 600-12-03-24", "Tel[PHONE-1] o [PHONE-2]"),
            ("12/03/2024 600123456; 12-03-2024, 600123456", "12/03/2024 [PHONE-1]; 12-03-2024, [PHONE-1]"),
            ("Chip nº941000012345678", "Chip nº[CHIP-1]"),
            ("DNI12345678Z, NIEX1234567L, CIF nºB12345678", "DNI[ID-1], NIE[ID-2], CIF nº[ID-3]"),
            ("v2_600123456x", "v2_[PHONE-1]x"),
            ("IBAN ES9121000418450200051332", "IBAN [IBAN-1]"),
            ("IBANES91 2100 0418 4502 0005 1332 de Ana", "IBAN[IBAN-1] de Ana"),
            ("GB29 NWBK 6016 1331 9268 19.", "[IBAN-1]."),
            ("mistyped ES9221000418450200051332", "mistyped ES[NUMBER-1]"),
            ("cuenta 2100 0418 4502 0005 1332", "cuenta [NUMBER-1]"),
            ("941000012345678\n600123456", "[CHIP-1]\n[PHONE-1]"),
        ] {
            assert_eq!(hidden(text), shown, "{text}");
        }
    }

    #[test]
    fn dates_doses_sums_and_postcodes_stay() {
        for text in [
            "12/03/2024 13:44 Consulta",
            "12-03-2024 10-04-2024 2024-05-01",
            "12.03.2024 13.04.2024",
            "Peso 12,5 kg; 1.234,56 €; CP 28013 Madrid",
            "0,5 mg/kg cada 12 h durante 10 días",
            "NHC 12345 y versión 1.2.3",
            "Factura 12345678, ref. 1234567",
            "Vacuna 12/03/2024,13/04/2024; 2024-05-01.",
            "",
        ] {
            assert_eq!(hidden(text), text);
        }
    }

    #[test]
    fn a_long_text_is_redacted_in_linear_time() {
        let started = std::time::Instant::now();
        for part in ["a.", "1.", "1.1x", "a@", "A1 ", "AA11 ", "12.03.2024-", "a_1-"] {
            let text = part.repeat(300_000 / part.len());
            let shown = Redaction::default().redact(&text);
            assert!(!shown.is_empty());
        }
        let many: Vec<String> = (600_000_000..600_020_000).map(|number| number.to_string()).collect();
        assert!(Redaction::default().redact(&many.join(" y ")).ends_with(" y [PHONE-20000]"));
        // Searching the rest of the text again at each position would take minutes.
        assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
    }

    #[test]
    fn redacted_values_are_recognised_however_they_are_written() {
        let mut redaction = Redaction::default();
        redaction.redact("Chip: 941 000 012 345 678, DNI 12.345.678-z");
        assert!(redaction.contains_redacted("941000012345678") && redaction.contains_redacted("12345678Z"));
        assert!(
            !redaction.contains_redacted("Luna")
                && !redaction.contains_redacted("")
                && !redaction.contains_redacted("941")
        );
    }

    proptest::proptest! {
        #[test]
        fn restoring_a_redacted_text_gives_the_original(text in "[ -~áñ\n]{0,80}", tail in "[0-9 .@-]{0,40}") {
            // Placeholders are restored wherever they occur, so the text itself must have none.
            let text = format!("{text}{tail}").replace('[', "(");
            let mut redaction = Redaction::default();
            let shown = redaction.redact(&text);
            proptest::prop_assert_eq!(redaction.restore(&shown), text);
        }
    }
}
