//! Maps ISO 639-1 language codes to the names of tesseract.

/// ISO 639-1 code and tesseract's name.
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

/// Tesseract's name of a language, given as ISO 639-1 code.
pub(super) fn tesseract_name(language: &str) -> Option<&'static str> {
    NAMES.iter().find(|(code, _)| *code == language).map(|(_, name)| *name)
}

/// The Debian package with tesseract's data for a language, given as ISO 639-1 code.
pub fn language_package(language: &str) -> String {
    format!("tesseract-ocr-{}", tesseract_name(language).unwrap_or(language).replace('_', "-"))
}

/// The `-l` argument for tesseract: the expected languages that are installed, in their order. `None` if none is.
pub(super) fn tesseract_argument(expected: &[&str], installed: &[String]) -> Option<String> {
    let usable = expected.iter().filter_map(|language| tesseract_name(language));
    let usable: Vec<&str> =
        usable.filter(|name| installed.iter().any(|installed| installed == name)).collect();
    (!usable.is_empty()).then(|| usable.join("+"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_installed_languages_are_used_and_the_likeliest_comes_first() {
        let installed = ["eng", "osd", "spa"].map(str::to_owned);
        assert_eq!(tesseract_argument(&["es", "en"], &installed).as_deref(), Some("spa+eng"));
        assert_eq!(tesseract_argument(&["fr", "en"], &installed).as_deref(), Some("eng"));
        assert_eq!(tesseract_argument(&["fr"], &installed), None);
        assert_eq!(tesseract_argument(&["xx"], &installed), None);
    }
}
