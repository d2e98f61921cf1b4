//! The forms of personal data: each function finds one at the start of a text, and returns its length in bytes.
//!
//! A line of a page may end within a number, so some forms continue on the next line if the whole is complete there.

use super::RedactedKind;
use crate::normal::{TRANSPONDER_DIGITS, date, iban};

/// The length of an IBAN, in letters and digits.
const IBAN_LENGTH: std::ops::RangeInclusive<usize> = 15..=34;
/// The longest numeric date, and how many characters are read to find the end of one.
const MAX_DATE_CHARS: usize = 10;
const DATE_LOOKAHEAD: usize = 16;
/// The shortest number that is redacted without a label, in digits. Years, doses and postcodes are shorter.
const MIN_NUMBER_DIGITS: usize = 9;
/// The digits of a phone number with a label.
const SHORT_PHONE_DIGITS: std::ops::RangeInclusive<usize> = 5..=8;
/// The digits of a number that may continue on the next line: a phone number, one with its country, a chip, an account.
const BROKEN_NUMBER_DIGITS: [usize; 5] = [9, 11, 13, TRANSPONDER_DIGITS, 20];
/// The letters and digits of a passport number.
const PASSPORT_LENGTH: std::ops::RangeInclusive<usize> = 6..=12;
/// The check letters of Spanish identity documents, by the number modulo 23.
const CHECK_LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";

/// What must be redacted at the start of a text, and its length in bytes. E-mail addresses are handled apart.
pub(super) fn redacted_at_start(text: &str, before: char) -> Option<(RedactedKind, usize)> {
    account(text).or_else(|| identity_after(text, before)).or_else(|| number(text))
}

/// An e-mail address at the start of a text. Also how far the text was searched, so that a long text is searched only
/// once.
pub(super) fn email(text: &str) -> (usize, Option<(RedactedKind, usize)>) {
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
            match letter {
                '\n' => {}
                ' ' | '\u{a0}' | '-' | '.' | '/' if !was_mark => was_mark = true,
                _ => return None,
            }
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
    let mut line_ends = 0;
    for letter in text.chars() {
        line_ends += usize::from(letter == '\n' && signs.len() < 9);
        let is_mark = ".-/ \n".contains(letter) && !signs.is_empty() && signs.len() < 9;
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
    // The next line usually starts with a word, so there the check letter decides.
    (is_identity && (line_ends == 0 || line_ends == 1 && has_check_letter(signs)))
        .then_some((RedactedKind::Id, length))
}

/// Whether the last letter of a DNI or NIE fits its digits.
fn has_check_letter(signs: &[u8]) -> bool {
    let first = match signs[0] {
        b'X' => b'0',
        b'Y' => b'1',
        b'Z' => b'2',
        other => other,
    };
    let mut digits = std::iter::once(first).chain(signs[1..8].iter().copied());
    let number = digits.try_fold(0usize, |number, digit| {
        digit.is_ascii_digit().then(|| number * 10 + usize::from(digit - b'0'))
    });
    number.is_some_and(|number| CHECK_LETTERS[number % 23] == signs[8])
}

/// A long number at the start of a text: groups of digits separated by a space, a dash, a dot, a slash or brackets. Dates
/// are no part of it. It may continue on the next line.
fn number(text: &str) -> Option<(RedactedKind, usize)> {
    let (digits, length) = digit_groups(text)?;
    let (digits, length) = continued(text, digits, length).unwrap_or((digits, length));
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

/// A phone number of a few digits at the start of a text. Only a label tells it apart from other numbers.
pub(super) fn short_phone(text: &str) -> Option<(RedactedKind, usize)> {
    let (digits, length) = digit_groups(text)?;
    let is_end = !text[length..].starts_with(|c: char| c.is_alphanumeric());
    (SHORT_PHONE_DIGITS.contains(&digits) && is_end).then_some((RedactedKind::Phone, length))
}

/// A passport number at the start of a text: with a label, any token with digits; without one, two or three capitals
/// and six or seven digits.
pub(super) fn passport(text: &str, has_label: bool) -> Option<(RedactedKind, usize)> {
    let length = text.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(text.len());
    let token = &text.as_bytes()[..length];
    let is_end = !text[length..].starts_with(char::is_alphanumeric);
    let digits = token.iter().filter(|sign| sign.is_ascii_digit()).count();
    let capitals = token.iter().take_while(|sign| sign.is_ascii_uppercase()).count();
    let is_usual = (2..=3).contains(&capitals) && (6..=7).contains(&digits) && capitals + digits == length;
    let is_labelled = has_label && PASSPORT_LENGTH.contains(&length) && digits >= 3;
    (is_end && (is_labelled || is_usual)).then_some((RedactedKind::Id, length))
}

/// The number of digits at the start of a text, in groups, and their length.
fn digit_groups(text: &str) -> Option<(usize, usize)> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '(') {
        return None;
    }
    let (mut digits, mut length, mut apart) = (0, 0, 0);
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
            // A slash also separates two complete numbers.
            '/' if digits >= MIN_NUMBER_DIGITS => break,
            ' ' | '\u{a0}' | '-' | '.' | '(' | ')' | '/' if apart < 2 => {
                apart += 1;
                mark = letter;
            }
            _ => break,
        }
    }
    Some((digits, length))
}

/// The number continued on the next line, if both parts together are a complete number and the first is not.
fn continued(text: &str, digits: usize, length: usize) -> Option<(usize, usize)> {
    if digits >= TRANSPONDER_DIGITS {
        return None;
    }
    let next = text[length..].trim_start_matches([' ', '\u{a0}', '-']).strip_prefix('\n')?;
    let next = next.trim_start_matches(' ');
    if !next.starts_with(|c: char| c.is_ascii_digit()) || date_length(next).is_some() {
        return None;
    }
    let (more, end) = digit_groups(next)?;
    let is_complete = BROKEN_NUMBER_DIGITS.contains(&(digits + more)) && more < MIN_NUMBER_DIGITS;
    is_complete.then(|| (digits + more, text.len() - next.len() + end))
}

/// The length of the numeric date at the start of a text.
pub(super) fn date_length(text: &str) -> Option<usize> {
    let is_part = |c: &char| c.is_ascii_digit() || matches!(c, '/' | '-' | '.');
    let length = text.chars().take(DATE_LOOKAHEAD).take_while(is_part).count();
    let digits = text[..length].trim_end_matches(['/', '-', '.']);
    let is_date = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.len() <= MAX_DATE_CHARS;
    (is_date && date(digits).is_some()).then_some(digits.len())
}
