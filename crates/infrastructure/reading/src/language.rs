//! Detects the language of a text.

use whichlang::{Lang, detect_language};

/// Fewer words are too few to detect a language.
const MIN_WORDS: usize = 6;
/// The text is split into chunks of at most this many words, which vote on the language.
const CHUNK_WORDS: usize = 30;
/// Later chunks are ignored: a few pages are enough.
const MAX_CHUNKS: usize = 40;

/// The language as ISO 639-1 code. `None` if the text is too short or if no language wins more than half of the chunks.
pub fn detect(text: &str) -> Option<&'static str> {
    let words: Vec<&str> =
        text.split_whitespace().filter(|word| has_letters(word)).take(CHUNK_WORDS * MAX_CHUNKS).collect();
    if words.len() < MIN_WORDS {
        return None;
    }
    // At least three chunks if the text is long enough. An incomplete last chunk does not vote.
    let size = (words.len() / 3).clamp(MIN_WORDS, CHUNK_WORDS);
    let votes: Vec<Lang> = words.chunks_exact(size).map(|chunk| detect_language(&chunk.join(" "))).collect();
    let count = |language: Lang| votes.iter().filter(|vote| **vote == language).count();
    let winner = votes.iter().copied().max_by_key(|language| count(*language))?;
    (count(winner) * 2 > votes.len()).then(|| code(winner))
}

fn has_letters(word: &str) -> bool {
    word.chars().any(char::is_alphabetic)
}

fn code(language: Lang) -> &'static str {
    match language {
        Lang::Ara => "ar",
        Lang::Cmn => "zh",
        Lang::Deu => "de",
        Lang::Eng => "en",
        Lang::Fra => "fr",
        Lang::Hin => "hi",
        Lang::Ita => "it",
        Lang::Jpn => "ja",
        Lang::Kor => "ko",
        Lang::Nld => "nl",
        Lang::Por => "pt",
        Lang::Rus => "ru",
        Lang::Spa => "es",
        Lang::Swe => "sv",
        Lang::Tur => "tr",
        Lang::Vie => "vi",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_enough_to_detect_its_language() {
        let cases = [
            ("El paciente presenta vómitos desde hace dos días y no quiere comer.", "es"),
            ("The patient has been vomiting for two days and does not want to eat.", "en"),
            ("Le chat vomit depuis deux jours et ne veut plus manger.", "fr"),
            ("Der Hund hat seit zwei Tagen Durchfall und frisst nicht mehr.", "de"),
        ];
        for (text, language) in cases {
            assert_eq!(detect(text), Some(language), "{text}");
        }
    }

    /// Proves R084 for the detector: an unknown language is not an error.
    #[test]
    fn short_or_mixed_text_has_no_language() {
        for text in ["", "   ", "Peso 4,2 kg", "uno dos tres cuatro cinco", "12 34 56 78 90 12 34"] {
            assert_eq!(detect(text), None, "{text:?}");
        }
        let chunk =
            |sentence: &str| sentence.split(' ').cycle().take(CHUNK_WORDS).collect::<Vec<_>>().join(" ");
        let two_chunks = |sentence| [chunk(sentence), chunk(sentence)].join(" ");
        let spanish = two_chunks("el perro come bien y duerme toda la noche en su casa con los niños");
        let english = two_chunks("the dog eats well and sleeps all night long in the house with the kids");
        assert_eq!((detect(&spanish), detect(&english)), (Some("es"), Some("en")));
        assert_eq!(detect(&format!("{spanish} {english}")), None);
    }
}
