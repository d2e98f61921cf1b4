//! The words of a text as searches compare them: lower case, without accents, compatible forms made equal.

use std::ops::Range;

use unicode_normalization::char::decompose_compatible;

/// The characters of the longest word. A longer one continues as the next word.
pub const MAX_WORD_CHARS: usize = 64;

/// A word of a text, folded, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchWord {
    /// The folded word. It has only letters, digits and marks that belong to letters.
    pub text: String,
    /// Its bytes in the text.
    pub range: Range<usize>,
}

/// The words of a text, in order. Takes time in proportion to the length of the text.
///
/// A word is a run of letters and digits. Chinese and Japanese characters are a word each, because nothing separates
/// words there; a query of several of them is a phrase. Characters without a width neither belong to a word nor end it.
pub fn words(text: &str) -> Vec<SearchWord> {
    let mut all = Vec::new();
    for_each_word(text, |word, range| all.push(SearchWord { text: word.to_owned(), range }));
    all
}

/// Calls a function with each word of a text, folded, and with its bytes in the text; see [`words`]. A caller that only compares the words
/// needs no copy of each.
pub fn for_each_word(text: &str, mut visit: impl FnMut(&str, Range<usize>)) {
    let mut word = OpenWord::default();
    let (bytes, mut at) = (text.as_bytes(), 0);
    while let Some(byte) = bytes.get(at) {
        if byte.is_ascii() {
            if word.chars >= MAX_WORD_CHARS {
                word.end(&mut visit);
            }
            // Most letters are ASCII and follow each other, so that they are taken together.
            let room = bytes[at..].iter().take(MAX_WORD_CHARS - word.chars);
            let letters = room.take_while(|byte| byte.is_ascii_alphanumeric()).count();
            if letters == 0 {
                word.end(&mut visit);
                at += 1;
            } else {
                word.add_ascii(&text[at..at + letters], at);
                at += letters;
            }
            continue;
        }
        let Some(letter) = text[at..].chars().next() else { break };
        let range = at..at + letter.len_utf8();
        at = range.end;
        if is_ignored(letter) {
            continue;
        }
        if !is_word_character(letter) {
            word.end(&mut visit);
            continue;
        }
        let is_alone = is_ideograph(letter);
        if is_alone || word.chars >= MAX_WORD_CHARS {
            word.end(&mut visit);
        }
        word.begin(range);
        fold_into(letter, &mut word.text);
        if is_alone {
            word.end(&mut visit);
        }
    }
    word.end(&mut visit);
}

/// The folded words of a text alone.
pub fn tokenize(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for_each_word(text, |word, _| all.push(word.to_owned()));
    all
}

/// Whether a word is kept in the list of words by which stems and misspelt words are found: it has letters alone and a
/// common length.
pub fn is_vocabulary_word(word: &str) -> bool {
    let length = word.chars().take(33).count();
    (3..=32).contains(&length) && word.chars().all(char::is_alphabetic) && !word.chars().any(is_ideograph)
}

#[derive(Default)]
struct OpenWord {
    text: String,
    chars: usize,
    range: Range<usize>,
}

impl OpenWord {
    /// Counts a letter that stands here.
    fn begin(&mut self, letter: Range<usize>) {
        if self.chars == 0 {
            self.range.start = letter.start;
        }
        self.range.end = letter.end;
        self.chars += 1;
    }

    /// Adds letters and digits of ASCII that stand at this byte.
    fn add_ascii(&mut self, letters: &str, at: usize) {
        if self.chars == 0 {
            self.range.start = at;
        }
        self.range.end = at + letters.len();
        self.chars += letters.len();
        let added = self.text.len();
        self.text.push_str(letters);
        self.text[added..].make_ascii_lowercase();
    }

    fn end(&mut self, visit: &mut impl FnMut(&str, Range<usize>)) {
        if !self.text.is_empty() {
            visit(&self.text, self.range.clone());
            self.text.clear();
        }
        self.chars = 0;
    }
}

/// Appends the folded form of a letter: lower case, without accents.
fn fold_into(letter: char, folded: &mut String) {
    for lower in letter.to_lowercase() {
        match lower {
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' | 'ð' => folded.push('d'),
            'ı' => folded.push('i'),
            // A syllable of Hangul is a letter as it is.
            '\u{AC00}'..='\u{D7A3}' => folded.push(lower),
            _ => decompose_compatible(lower, |part| {
                if is_kept_mark(part) || part.is_alphanumeric() {
                    folded.extend(part.to_lowercase().filter(|part| !is_accent(*part)));
                }
            }),
        }
    }
}

/// Accents, the vowel points of Hebrew and Arabic, and the stroke that only stretches an Arabic word.
fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36F}' | '\u{591}'..='\u{5C7}' | '\u{640}' | '\u{64B}'..='\u{65F}' | '\u{670}')
}

/// Signs of Indic and South-East Asian scripts that carry the vowel of a letter.
fn is_kept_mark(letter: char) -> bool {
    unicode_normalization::char::is_combining_mark(letter) && !is_accent(letter)
}

/// Characters that nobody sees: zero-width characters, directions, the soft hyphen.
fn is_ignored(letter: char) -> bool {
    matches!(letter,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2069}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
        || is_accent(letter)
}

fn is_word_character(letter: char) -> bool {
    letter.is_alphanumeric() || is_kept_mark(letter)
}

fn is_ideograph(letter: char) -> bool {
    matches!(letter,
        '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn case_accents_ligatures_and_zero_width_characters_make_no_difference() {
        for (one, other) in [
            ("CRÓNICA", "cronica"),
            ("cro\u{301}nica", "cronica"),
            ("ﬁeber", "Fieber"),
            ("Straße", "STRASSE"),
            ("pe\u{200B}rro", "perro"),
            ("per\u{AD}ro", "perro"),
            ("Ἀθήνα", "αθηνα"),
            ("１２", "12"),
        ] {
            assert_eq!(tokenize(one), tokenize(other), "{one}");
        }
        assert_eq!(tokenize("Nº 1.234,56 €"), ["no", "1", "234", "56"]);
        assert_eq!(tokenize("東京 2024"), ["東", "京", "2024"]);
        assert_eq!(tokenize(" -- \u{200B} ** "), Vec::<String>::new());
    }

    #[test]
    fn a_word_names_its_place_in_the_text() {
        let text = "El año: «Lu\u{AD}na»";
        let places: Vec<_> = words(text).into_iter().map(|word| &text[word.range]).collect();
        assert_eq!(places, ["El", "año", "Lu\u{AD}na"]);
        assert_eq!(tokenize(text), ["el", "ano", "luna"]);
    }

    #[test]
    fn a_very_long_word_continues_as_the_next_one() {
        let lengths: Vec<_> = tokenize(&"x".repeat(150)).iter().map(String::len).collect();
        assert_eq!(lengths, [64, 64, 22]);
        let accents = format!("{}{}", "x".repeat(60), "éX".repeat(10));
        let lengths: Vec<_> = tokenize(&accents).iter().map(String::len).collect();
        assert_eq!(lengths, [64, 16], "letters count, of whatever kind they are");
    }

    proptest! {
        #[test]
        fn words_are_in_order_apart_and_folding_them_again_changes_nothing(text in any::<String>()) {
            let mut end = 0;
            for word in words(&text) {
                prop_assert!(word.range.start >= end && word.range.end <= text.len());
                prop_assert!(text.get(word.range.clone()).is_some());
                prop_assert!(!word.text.contains(|c: char| c.is_whitespace() || "\"'*:&|!()".contains(c)));
                end = word.range.end;
            }
        }
    }
}
