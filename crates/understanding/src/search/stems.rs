//! The stems of words by language, and words that say too little to be required.

use rust_stemmers::{Algorithm, Stemmer};

/// Languages with a stemmer, as ISO 639-1.
pub const STEM_LANGUAGES: [&str; 12] =
    ["en", "es", "pt", "fr", "it", "de", "nl", "sv", "da", "no", "fi", "ru"];

/// The stem of a folded word in a language, or the word itself where there is no stemmer.
pub fn stem(word: &str, language: Option<&str>) -> String {
    let Some(algorithm) = language.and_then(algorithm) else { return word.to_owned() };
    Stemmer::create(algorithm).stem(word).into_owned()
}

fn algorithm(language: &str) -> Option<Algorithm> {
    Some(match language {
        "en" => Algorithm::English,
        "es" => Algorithm::Spanish,
        "pt" => Algorithm::Portuguese,
        "fr" => Algorithm::French,
        "it" => Algorithm::Italian,
        "de" => Algorithm::German,
        "nl" => Algorithm::Dutch,
        "sv" => Algorithm::Swedish,
        "da" => Algorithm::Danish,
        "no" => Algorithm::Norwegian,
        "fi" => Algorithm::Finnish,
        "ru" => Algorithm::Russian,
        _ => return None,
    })
}

/// Words that nearly every text has, folded. A query needs them only in a phrase.
const STOP_WORDS: &str = "a al an and are as at be by con das de del der des die do does e el en et for from had has have how i il in \
    is it la las le les lo los o of on or para per por que qui se su the this to un una und une was were what when where which \
    who whom why with y";

/// Whether a folded word says too little to be required of a document.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.split(' ').any(|stop| stop == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem_in_their_language() {
        for (language, one, other) in [
            ("es", "vacunas", "vacuna"),
            ("es", "facturas", "factura"),
            ("en", "invoices", "invoice"),
            ("en", "vaccinated", "vaccinate"),
            ("de", "rechnungen", "rechnung"),
        ] {
            assert_eq!(stem(one, Some(language)), stem(other, Some(language)), "{one}");
        }
        assert_eq!(stem("vacunas", None), "vacunas");
        assert_eq!(stem("vacunas", Some("xx")), "vacunas");
        assert!(STEM_LANGUAGES.iter().all(|language| algorithm(language).is_some()));
        assert!(is_stop_word("de") && !is_stop_word("deuda"));
    }
}
