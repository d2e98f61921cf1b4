//! Redaction of personal data before a text goes to a language model: e-mail addresses, phone numbers, identity
//! documents, passports, bank accounts and chips. Each is replaced by a placeholder, the same one wherever it occurs,
//! and restored afterwards. In doubt more is redacted, because everything can be restored.

mod labels;
mod patterns;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use labels::{Label, is_phone_separator, label_before};
use patterns::{date_length, email, passport, redacted_at_start, short_phone};

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
        // Whether only separators stand between a phone number and this place.
        let mut after_phone = false;
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
                if found.is_none() && starts_token(letter, before) {
                    let label = label_before(&text[..at]);
                    let is_phone = label == Some(Label::Phone) || after_phone;
                    found = short_phone(rest)
                        .filter(|_| is_phone && at >= no_number)
                        .or_else(|| passport(rest, label == Some(Label::Passport)));
                }
            }
            after_phone = match found {
                Some((kind, _)) => kind == RedactedKind::Phone,
                None => after_phone && is_phone_separator(letter),
            };
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

/// Whether a letter or digit starts a token.
fn starts_token(letter: char, before: char) -> bool {
    (letter.is_ascii_alphanumeric() || matches!(letter, '+' | '('))
        && !before.is_alphanumeric()
        && before != '_'
}

/// The letters and digits only, in capitals.
fn letters_and_digits(words: &str) -> String {
    words.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}
