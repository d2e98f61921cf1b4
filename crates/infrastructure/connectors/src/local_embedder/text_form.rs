//! How a tokenizer prepares a text before it looks for tokens, as far as models of the layout do it.

use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The sign that stands for the space before a word.
const SPACE: char = '\u{2581}';
/// A longer word is cut, so that a text without spaces takes no longer than others.
const MAX_WORD_CHARS: usize = 64;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // Each is a step of the preparation, and all are independent.
pub(super) struct TextForm {
    pub(super) lowercase: bool,
    pub(super) strip_accents: bool,
    pub(super) compatibility: bool,
    /// Whether a sign stands for the space before each word.
    pub(super) marks_spaces: bool,
    /// Whether each sign that is no letter and no digit is a word of its own.
    pub(super) isolates_signs: bool,
}

impl TextForm {
    /// Reads the parts `normalizer` and `pre_tokenizer` of a tokenizer.
    pub(super) fn parse(tokenizer: &Value) -> Result<Self, String> {
        let mut form = Self::default();
        form.normalizer(&tokenizer["normalizer"])?;
        form.pre_tokenizer(&tokenizer["pre_tokenizer"])?;
        Ok(form)
    }

    fn normalizer(&mut self, part: &Value) -> Result<(), String> {
        match part["type"].as_str() {
            None if part.is_null() => {}
            Some("Sequence") => each(&part["normalizers"], |part| self.normalizer(part))?,
            Some("Lowercase") => self.lowercase = true,
            Some("StripAccents") => self.strip_accents = true,
            Some("BertNormalizer") => {
                self.lowercase |= part["lowercase"].as_bool().unwrap_or(true);
                self.strip_accents |= part["strip_accents"].as_bool().unwrap_or(self.lowercase);
                self.isolates_signs = true;
            }
            // A compiled table of replacements is nearly this normal form.
            Some("NFKC" | "NFKD" | "Precompiled") => self.compatibility = true,
            Some("Prepend") => self.marks_spaces |= part["prepend"].as_str() == Some("\u{2581}"),
            Some("NFC" | "NFD" | "Strip" | "Replace" | "Nmt") => {}
            other => return Err(unsupported(other)),
        }
        Ok(())
    }

    fn pre_tokenizer(&mut self, part: &Value) -> Result<(), String> {
        match part["type"].as_str() {
            None if part.is_null() => {}
            Some("Sequence") => each(&part["pretokenizers"], |part| self.pre_tokenizer(part))?,
            Some("Metaspace") => self.marks_spaces = true,
            Some("BertPreTokenizer" | "Whitespace" | "Punctuation") => self.isolates_signs = true,
            Some("WhitespaceSplit" | "Digits") => {}
            other => return Err(unsupported(other)),
        }
        Ok(())
    }

    /// The words of a text in which tokens are looked for.
    pub(super) fn words(self, text: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut chars = 0;
        let mut is_after_space = true;
        for sign in self.normal(text).chars() {
            if sign.is_whitespace() {
                is_after_space = true;
                continue;
            }
            let is_alone = self.isolates_signs && (!sign.is_alphanumeric() || is_ideograph(sign));
            if is_after_space || is_alone || chars == MAX_WORD_CHARS {
                let begin =
                    if self.marks_spaces && is_after_space { SPACE.to_string() } else { String::new() };
                words.push(begin);
                chars = 0;
            }
            if let Some(word) = words.last_mut() {
                word.push(sign);
            }
            chars += 1;
            // What follows a sign that stands alone begins a word, but not after a space.
            if is_alone {
                chars = MAX_WORD_CHARS;
            }
            is_after_space = false;
        }
        words.retain(|word| !word.is_empty());
        words
    }

    fn normal(self, text: &str) -> String {
        let text: String = if self.compatibility { text.nfkc().collect() } else { text.nfc().collect() };
        let text = if self.lowercase { text.to_lowercase() } else { text };
        if self.strip_accents { text.nfd().filter(|sign| !is_combining_mark(*sign)).collect() } else { text }
    }
}

fn is_ideograph(sign: char) -> bool {
    matches!(sign, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
}

fn each(parts: &Value, read: impl FnMut(&Value) -> Result<(), String>) -> Result<(), String> {
    parts.as_array().into_iter().flatten().try_for_each(read)
}

fn unsupported(kind: Option<&str>) -> String {
    format!("has a part of the kind {}, which is not supported; choose another model", kind.unwrap_or("?"))
}
