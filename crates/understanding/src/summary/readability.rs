//! How hard a text is to read: the Flesch reading ease.

use super::sentences::sentences;

/// The name of the method.
pub(super) const METHOD: &str = "Flesch-Kincaid";

/// Vowels of Latin, Greek and Cyrillic letters. A group of them is a syllable.
const VOWELS: &str = "aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœąęěůűőαεηιουωάέήίόύώаеёиоуыэюяіїє";

/// From 0 (very hard) to 100 (very easy). 0 for a text without words.
#[allow(clippy::cast_precision_loss)] // Texts have far fewer than 2^52 words.
pub(super) fn score(text: &str) -> f64 {
    let mut words = 0usize;
    let mut syllables = 0usize;
    for word in text.split(|char: char| !char.is_alphabetic() && char != '\'' && char != '’') {
        if word.chars().any(char::is_alphabetic) {
            words += 1;
            syllables += syllables_of(word);
        }
    }
    if words == 0 {
        return 0.0;
    }
    let sentences = sentences(text).count().max(1);
    let (words, syllables, sentences) = (words as f64, syllables as f64, sentences as f64);
    let score = 206.835 - 1.015 * words / sentences - 84.6 * syllables / words;
    (score.clamp(0.0, 100.0) * 10.0).round() / 10.0
}

/// The score in words.
pub(super) fn level(score: f64) -> &'static str {
    match score {
        90.0.. => "Very Easy",
        80.0.. => "Easy",
        70.0.. => "Fairly Easy",
        60.0.. => "Standard",
        50.0.. => "Fairly Difficult",
        30.0.. => "Difficult",
        _ => "Very Confusing",
    }
}

fn syllables_of(word: &str) -> usize {
    let lower = word.to_lowercase();
    let mut groups = 0;
    let mut in_group = false;
    for char in lower.chars() {
        let is_vowel = VOWELS.contains(char);
        groups += usize::from(is_vowel && !in_group);
        in_group = is_vowel;
    }
    // The last e of an English word is mute.
    let is_mute = groups > 1 && lower.is_ascii() && lower.ends_with('e') && !lower.ends_with("le");
    (groups - usize::from(is_mute)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syllables_are_groups_of_vowels() {
        for (word, count) in
            [("cat", 1), ("table", 2), ("home", 1), ("reading", 2), ("молоко", 3), ("camión", 2), ("psst", 1)]
        {
            assert_eq!(syllables_of(word), count, "{word}");
        }
    }

    #[test]
    fn short_words_in_short_sentences_are_easy() {
        let easy = score("The cat sat on the mat. The dog ran to the man. It was a hot day.");
        let hard = score(
            "Notwithstanding considerable administrative complications, municipal representatives subsequently \
             ratified comprehensive infrastructural recommendations concerning interregional transportation.",
        );
        assert!(easy > 90.0 && hard < 10.0, "{easy} {hard}");
        assert_eq!((level(easy), level(hard), level(65.0)), ("Very Easy", "Very Confusing", "Standard"));
        assert!(score("").abs() < f64::EPSILON);
    }
}
