//! Pages that are not worth a summary: cookie and login walls, empty shells, repeated words.

use std::collections::{HashMap, HashSet};

/// A longer text is no wall, whatever its words are.
const MAX_WALL_CHARS: usize = 600;
/// The share of words about cookies and logins that makes a short text a wall, in percent.
const WALL_PERCENT: usize = 70;

/// Words of cookie and login walls, in English, Russian, Spanish, German and French. Words that any sentence has
/// (`to`, `and`, `your`) are counted with them, because a wall is made of whole sentences.
const WALL_WORDS: &str = include_str!("wall_words.txt");

/// Why a page is not worth a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LowValue {
    /// No words are left.
    EmptyAfterCleaning,
    /// The text is a request to accept cookies or to log in.
    OverlayContentDetected,
    /// The text is shorter than a sentence.
    ContentTooShort,
    /// A short text of very few different words.
    ContentLowVariation,
    /// One word makes up nearly the whole text.
    ContentHighRepetition,
}

impl LowValue {
    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EmptyAfterCleaning => "empty_after_cleaning",
            Self::OverlayContentDetected => "overlay_content_detected",
            Self::ContentTooShort => "content_too_short",
            Self::ContentLowVariation => "content_low_variation",
            Self::ContentHighRepetition => "content_high_repetition",
        }
    }

    /// What the page shows instead of content, for people.
    pub const fn message(self) -> &'static str {
        match self {
            Self::EmptyAfterCleaning => "the page has no text; it may need a browser that runs scripts",
            Self::OverlayContentDetected => {
                "the page asks to accept cookies or to log in before it shows its text"
            }
            Self::ContentTooShort => "the page has no more than a few characters of text",
            Self::ContentLowVariation => "the page repeats a few words and has no other text",
            Self::ContentHighRepetition => "the page repeats one word and has no other text",
        }
    }
}

/// Whether a Markdown text is not worth a summary, and why.
pub fn low_value(text: &str) -> Option<LowValue> {
    let text = &without_addresses(text);
    let words: Vec<String> = text
        .split(|char: char| !char.is_alphanumeric() && !matches!(char, '\'' | '’' | '-'))
        .map(|word| word.trim_matches(['\'', '’', '-']).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() {
        return Some(LowValue::EmptyAfterCleaning);
    }
    let chars = text.split_whitespace().map(|word| word.chars().count() + 1).sum::<usize>() - 1;
    if chars < MAX_WALL_CHARS && is_wall(&words) {
        return Some(LowValue::OverlayContentDetected);
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in &words {
        *counts.entry(word).or_default() += 1;
    }
    let most = counts.values().copied().max().unwrap_or_default();
    let is_share = |percent: usize| most * 100 >= words.len() * percent;
    // A language without spaces has few words and much text.
    let is_short_for_its_words = |most_words: usize| words.len() <= most_words && !has_wide_letters(text);
    if chars < 48 && is_short_for_its_words(2) {
        Some(LowValue::ContentTooShort)
    } else if chars < 120 && !has_wide_letters(text) && (counts.len() <= 3 || is_share(80)) {
        Some(LowValue::ContentLowVariation)
    } else if words.len() >= 6 && is_share(92) {
        Some(LowValue::ContentHighRepetition)
    } else {
        None
    }
}

/// The text without the addresses of its links and pictures.
fn without_addresses(text: &str) -> String {
    let mut parts = text.split("](");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + " " + part.split_once(')').map_or("", |(_, rest)| rest))
}

/// Whether most words are of a wall, and at least one is about cookies or logins.
fn is_wall(words: &[String]) -> bool {
    let (about, with) = WALL_WORDS.split_once("\n\n").unwrap_or((WALL_WORDS, ""));
    let about: HashSet<&str> = about.split_whitespace().collect();
    let with: HashSet<&str> = with.split_whitespace().collect();
    let of_wall = words.iter().filter(|word| about.contains(word.as_str()) || with.contains(word.as_str()));
    let of_wall = of_wall.count();
    let is_about = words.iter().filter(|word| about.contains(word.as_str())).count();
    is_about >= 2 && of_wall * 100 >= words.len() * WALL_PERCENT
}

/// Whether a text is mostly of letters that are words of their own, as in Chinese and Japanese.
fn has_wide_letters(text: &str) -> bool {
    let letters = text.chars().filter(|char| char.is_alphabetic());
    let (wide, all) = letters.fold((0, 0), |(wide, all), char| {
        let is_wide =
            matches!(char, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{0e00}'..='\u{0e7f}');
        (wide + usize::from(is_wide), all + 1)
    });
    wide * 2 > all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn walls_and_empty_shells_are_named() {
        let cases = [
            ("", LowValue::EmptyAfterCleaning),
            (" \n*** --- \u{200b}", LowValue::EmptyAfterCleaning),
            (
                "We use cookies to improve your experience. Accept all cookies. Manage preferences. Cookie policy. Privacy policy.",
                LowValue::OverlayContentDetected,
            ),
            (
                "Please log in to continue. Forgot your password? Sign up. Sign in with Google.",
                LowValue::OverlayContentDetected,
            ),
            (
                "Este sitio utiliza cookies. Acepte todas las cookies o gestione sus preferencias. Política de privacidad.",
                LowValue::OverlayContentDetected,
            ),
            (
                "Мы используем файлы cookie. Принять все cookie. Политика конфиденциальности.",
                LowValue::OverlayContentDetected,
            ),
            ("Loading…", LowValue::ContentTooShort),
            ("[Menu](https://example.com/a/long/address/of/many/words)", LowValue::ContentTooShort),
            ("Not found", LowValue::ContentTooShort),
            ("menu menu menu home menu menu home", LowValue::ContentLowVariation),
            (&"spam ".repeat(100), LowValue::ContentHighRepetition),
        ];
        for (text, reason) in cases {
            assert_eq!(low_value(text), Some(reason), "{text}");
        }
    }

    #[test]
    fn articles_are_worth_a_summary_also_when_they_are_short_or_about_cookies() {
        for text in [
            "The council approved the new bridge on Tuesday.",
            "Cookies bake for ten minutes at 180 degrees, until their edges are brown and the middle is still soft.",
            "The regulator fined the publisher because its banner did not let visitors refuse tracking cookies as easily as accept them.",
            "新しい橋の建設が火曜日に承認されました。",
        ] {
            assert_eq!(low_value(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_judged(text in "\\PC{0,300}") {
            let _ = low_value(&text);
        }
    }
}
