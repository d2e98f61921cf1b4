//! Whether Latin letters form words, whatever the language: how many neighbouring letters are usual neighbours.
//!
//! Four of five pairs of letters in a European language are among the 180 most frequent ones. If a font maps its letters
//! to other ones, it is one pair in four.

use std::collections::HashSet;

use super::share;

/// The letters that usually follow each letter from `a` to `z`: the 180 most frequent pairs of 21 languages.
const USUAL: [&str; 26] = [
    "abcdghiklmnrstuyz",
    "ae",
    "aehilou",
    "adeiou",
    "bcdeghiklmnprstvz",
    "aeio",
    "aeiu",
    "aeiot",
    "acdegjklmnorstz",
    "ae",
    "aehilotu",
    "aeilotu",
    "aeiopu",
    "acdefghikost",
    "acdilmnrstuv",
    "aelor",
    "u",
    "aeiostuv",
    "acefikopstuz",
    "aehiortu",
    "aegilmnorst",
    "aeio",
    "ey",
    "",
    "de",
    "aei",
];
/// Fewer pairs say nothing.
const MIN_PAIRS: usize = 25;
/// With this many pairs chance evens out.
const MANY_PAIRS: usize = 80;
/// The smallest share of usual pairs in words, of few pairs and of many.
const LEAST_USUAL: (f32, f32) = (0.40, 0.50);
/// The share of usual pairs in a language that has fewer of them than others.
const ORDINARY_USUAL: f32 = 0.65;

/// The pairs of letters within words, each word counted once.
pub(super) struct LetterPairs {
    pairs: usize,
    usual: usize,
}

impl LetterPairs {
    /// Counts the pairs of a text. Codes and abbreviations are no words: tokens with digits are left out, and words in
    /// capital letters too, unless there are no others.
    pub(super) fn of(text: &str) -> Self {
        let words = text.split_whitespace().filter(|token| !token.contains(|c: char| c.is_numeric()));
        let words = words.flat_map(|token| token.split(|c: char| !c.is_alphabetic()));
        let words: HashSet<&str> =
            words.filter(|word| word.chars().count() >= 3 && word.chars().all(is_latin)).collect();
        let (lower, upper): (Vec<&str>, Vec<&str>) =
            words.into_iter().partition(|word| word.contains(char::is_lowercase));
        let lower = Self::of_words(&lower);
        if lower.pairs >= MIN_PAIRS { lower } else { Self::of_capitals(&upper).unwrap_or(lower) }
    }

    /// Words in capitals count only if there are many, because a few are codes.
    fn of_capitals(words: &[&str]) -> Option<Self> {
        Some(Self::of_words(words)).filter(|counted| counted.pairs >= MANY_PAIRS)
    }

    fn of_words(words: &[&str]) -> Self {
        let mut counted = Self { pairs: 0, usual: 0 };
        for word in words {
            let mut before = None;
            for letter in word.chars().map(base_letter) {
                if let (Some(first), Some(second)) = (before, letter) {
                    counted.pairs += 1;
                    counted.usual +=
                        usize::from(USUAL[usize::from(first - b'a')].contains(char::from(second)));
                }
                before = letter;
            }
        }
        counted
    }

    /// Whether these are the words of no language.
    pub(super) fn are_noise(&self) -> bool {
        let usual = share(self.usual, self.pairs);
        match self.pairs {
            ..MIN_PAIRS => false,
            MIN_PAIRS..MANY_PAIRS => usual < LEAST_USUAL.0,
            _ => usual < LEAST_USUAL.1,
        }
    }

    /// From 0 for noise to 1 for words; 1 if there are too few letters to tell.
    pub(super) fn plausibility(&self) -> f32 {
        if self.pairs < MIN_PAIRS { 1.0 } else { (share(self.usual, self.pairs) / ORDINARY_USUAL).min(1.0) }
    }
}

fn is_latin(letter: char) -> bool {
    matches!(letter, 'A'..='Z' | 'a'..='z' | '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}')
}

/// The letter without its accents, lower case. `None` for letters that are no accented ASCII letter.
fn base_letter(letter: char) -> Option<u8> {
    let lower = letter.to_lowercase().next()?;
    let base = match lower {
        'a'..='z' => lower,
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ạ'..='ặ' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | 'ẹ'..='ệ' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' | 'ỉ' | 'ị' => 'i',
        'ķ' => 'k',
        'ĺ' | 'ļ' | 'ľ' | 'ł' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'ơ' | 'ọ'..='ợ' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' | 'ß' => 's',
        'ţ' | 'ť' | 'ț' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ư' | 'ụ'..='ự' => 'u',
        'ŵ' => 'w',
        'ý' | 'ÿ' | 'ŷ' | 'ỳ'..='ỹ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        _ => return None,
    };
    u8::try_from(base).ok()
}
