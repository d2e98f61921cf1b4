//! The words of a text that carry its meaning: without stop words, reduced to stems, whatever the language.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// One line for each language: its ISO 639-1 code and its stop words.
const STOP_WORDS: &str = include_str!("stop_words.txt");

/// Longer words are cut to this many letters. Inflected forms of a word then mostly are the same.
const STEM_LETTERS: usize = 6;

static STOP_WORDS_BY_LANGUAGE: LazyLock<HashMap<&str, HashSet<&str>>> = LazyLock::new(|| {
    let lines = STOP_WORDS.lines().filter_map(|line| line.split_once(' '));
    lines.map(|(language, words)| (language, words.split(' ').collect())).collect()
});

/// A word as it stands in the text, in lower case, and its stem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) word: String,
    pub(super) stem: String,
}

/// The words that carry meaning, in order. Without a known language, the stop words of all languages are left out. A text
/// without spaces between words becomes pairs of letters.
pub(super) fn terms(text: &str, language: Option<&str>) -> Vec<Term> {
    let known = language.and_then(|language| STOP_WORDS_BY_LANGUAGE.get(language));
    let is_stop_word = |word: &str| match known {
        Some(words) => words.contains(word),
        None => STOP_WORDS_BY_LANGUAGE.values().any(|words| words.contains(word)),
    };
    let mut terms = Vec::new();
    for token in text.split(|char: char| !char.is_alphanumeric() && !matches!(char, '\'' | '’')) {
        let word = token.trim_matches(['\'', '’']).to_lowercase().replace('’', "'");
        if word.chars().any(is_wide) {
            let letters: Vec<char> = word.chars().collect();
            terms.extend(letters.windows(2).map(|pair| {
                let pair: String = pair.iter().collect();
                Term { word: pair.clone(), stem: pair }
            }));
        } else if word.chars().count() > 2 && word.chars().any(char::is_alphabetic) && !is_stop_word(&word) {
            let whole = word.split('\'').next().unwrap_or_default();
            let stem = whole.chars().take(STEM_LETTERS).collect();
            terms.push(Term { word, stem });
        }
    }
    terms
}

/// Whether a letter is a word or a syllable of its own.
pub(super) fn is_wide(char: char) -> bool {
    matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{0e00}'..='\u{0e7f}')
}

/// A text in lower case with single spaces and plain quotes, to find one text in another.
pub(super) fn normal_text(text: &str) -> String {
    let plain = text.replace(['“', '”', '«', '»', '„'], "\"").replace(['’', '‘'], "'").to_lowercase();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Minutes to read a text, at 200 words or 400 wide letters a minute.
pub(super) fn reading_minutes(text: &str) -> usize {
    let wide = text.chars().filter(|char| is_wide(*char)).count();
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    (words * 2 + wide).div_ceil(400)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_the_words_with_meaning() {
        let stems =
            |text, language| terms(text, language).into_iter().map(|term| term.stem).collect::<Vec<_>>();
        assert_eq!(stems("The councils' new bridges aren't 42.", Some("en")), ["counci", "bridge"]);
        assert_eq!(stems("El puente y los puentes", Some("es")), ["puente", "puente"]);
        assert_eq!(stems("Мосты не были построены", Some("ru")), ["мосты", "постро"]);
        assert_eq!(stems("and der мост", None), ["мост"]);
        assert_eq!(stems("橋完成", Some("ja")), ["橋完", "完成"]);
    }

    #[test]
    fn a_page_of_two_hundred_words_takes_a_minute() {
        assert_eq!(reading_minutes(""), 0);
        assert_eq!(reading_minutes(&"word ".repeat(200)), 1);
        assert_eq!(reading_minutes(&"word ".repeat(201)), 2);
        assert_eq!(reading_minutes(&"橋".repeat(800)), 3);
    }
}
