//! The languages that tesseract knows, by the names that people use and by its own.

/// ISO 639-1 and tesseract's name.
const NAMES: &[(&str, &str)] = &[
    ("ar", "ara"),
    ("bg", "bul"),
    ("ca", "cat"),
    ("cs", "ces"),
    ("da", "dan"),
    ("de", "deu"),
    ("el", "ell"),
    ("en", "eng"),
    ("es", "spa"),
    ("et", "est"),
    ("eu", "eus"),
    ("fi", "fin"),
    ("fr", "fra"),
    ("gl", "glg"),
    ("he", "heb"),
    ("hi", "hin"),
    ("hr", "hrv"),
    ("hu", "hun"),
    ("it", "ita"),
    ("ja", "jpn"),
    ("ko", "kor"),
    ("lt", "lit"),
    ("lv", "lav"),
    ("nl", "nld"),
    ("no", "nor"),
    ("pl", "pol"),
    ("pt", "por"),
    ("ro", "ron"),
    ("ru", "rus"),
    ("sk", "slk"),
    ("sl", "slv"),
    ("sv", "swe"),
    ("tr", "tur"),
    ("uk", "ukr"),
    ("vi", "vie"),
    ("zh", "chi_sim"),
];

/// Tesseract's name of a language.
pub(super) fn tesseract_name(language: &str) -> Option<&'static str> {
    NAMES.iter().find(|(code, _)| *code == language).map(|(_, name)| *name)
}

/// What to tell tesseract: those of the expected languages that are installed, in their order.
pub(super) fn tesseract_argument(expected: &[&str], installed: &[String]) -> Option<String> {
    let usable = expected.iter().filter_map(|language| tesseract_name(language));
    let usable: Vec<&str> = usable.filter(|name| installed.iter().any(|have| have == name)).collect();
    (!usable.is_empty()).then(|| usable.join("+"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_installed_languages_are_asked_for_and_the_likeliest_comes_first() {
        let installed = ["eng", "osd", "spa"].map(str::to_owned);
        assert_eq!(tesseract_argument(&["es", "en"], &installed).as_deref(), Some("spa+eng"));
        assert_eq!(tesseract_argument(&["fr", "en"], &installed).as_deref(), Some("eng"));
        assert_eq!(tesseract_argument(&["fr"], &installed), None);
        assert_eq!(tesseract_argument(&["xx"], &installed), None);
    }
}
