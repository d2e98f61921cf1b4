//! Every text of the pages, in each language: one file per language, with the same keys.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A language of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// English, which is the default.
    English,
    /// Spanish.
    Spanish,
}

impl Language {
    /// All languages in display order.
    pub const ALL: [Self; 2] = [Self::Spanish, Self::English];

    /// The ISO 639-1 code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
        }
    }

    /// The name of the language in itself.
    pub(crate) fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Spanish => "Español",
        }
    }

    /// The language of that code.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.as_str() == code)
    }

    /// The preferred language of a browser, from `Accept-Language`.
    pub(crate) fn preferred(header: &str) -> Option<Self> {
        let mut best: Option<(Self, f32)> = None;
        for part in header.split(',') {
            let mut pieces = part.trim().split(';');
            let tag = pieces.next().unwrap_or_default().trim().to_ascii_lowercase();
            let weight =
                pieces.find_map(|piece| piece.trim().strip_prefix("q=")?.parse().ok()).unwrap_or(1.0);
            let Some(language) = Self::parse(tag.split('-').next().unwrap_or_default()) else { continue };
            if weight > 0.0 && best.is_none_or(|(_, most)| weight > most) {
                best = Some((language, weight));
            }
        }
        best.map(|(language, _)| language)
    }

    /// The texts of the language.
    pub(crate) fn words(self) -> &'static Words {
        match self {
            Self::English => &ENGLISH,
            Self::Spanish => &SPANISH,
        }
    }
}

static ENGLISH: LazyLock<Words> = LazyLock::new(|| Words::parse(include_str!("../../words/en.toml")));
static SPANISH: LazyLock<Words> = LazyLock::new(|| Words::parse(include_str!("../../words/es.toml")));

/// The texts of one language, by `section.key`.
pub(crate) struct Words(BTreeMap<String, String>);

impl Words {
    fn parse(file: &str) -> Self {
        // The files are built in and tested, so this cannot fail.
        let sections: BTreeMap<String, BTreeMap<String, String>> = toml::from_str(file).unwrap_or_default();
        let named = sections.into_iter().flat_map(|(section, texts)| {
            texts.into_iter().map(move |(key, text)| (format!("{section}.{key}"), text))
        });
        Self(named.collect())
    }

    /// The text of that name, or the name itself. A test makes sure that every text exists.
    pub(crate) fn get<'a>(&'a self, name: &'a str) -> &'a str {
        self.0.get(name).map_or(name, String::as_str)
    }

    /// The text of that name, if there is one.
    pub(crate) fn find(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Why a run or a step failed. Runs store their messages in English; another language has a text for each code.
    pub(crate) fn run_error(&self, code: &str, message: &str) -> String {
        self.find(&format!("run_errors.{code}")).unwrap_or(message).to_owned()
    }

    /// The text with a value inserted.
    pub(crate) fn with(&self, name: &str, value: &str) -> String {
        self.get(name).replacen("{}", value, 1)
    }

    /// The text for a number, with the number inserted.
    pub(crate) fn count(&self, name: &str, number: u64) -> String {
        let form = if number == 1 { "one" } else { "many" };
        self.with(&format!("{name}_{form}"), &number.to_string())
    }

    /// The texts of these sections, for scripts.
    pub(crate) fn sections<'a>(
        &'a self,
        sections: &'a [&'a str],
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let is_wanted =
            move |name: &str| name.split_once('.').is_some_and(|(section, _)| sections.contains(&section));
        self.0
            .iter()
            .filter(move |(name, _)| is_wanted(name))
            .map(|(name, text)| (name.as_str(), text.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;
    use crate::{Code, ConflictReason};

    #[test]
    fn both_languages_have_the_same_texts_with_the_same_placeholders() {
        let keys = |words: &Words| {
            let is_shared = |name: &&String| !name.starts_with("run_errors.");
            words.0.keys().filter(is_shared).cloned().collect::<BTreeSet<_>>()
        };
        assert!(!ENGLISH.0.is_empty());
        assert_eq!(keys(&ENGLISH), keys(&SPANISH));
        for (name, english) in &ENGLISH.0 {
            let spanish = SPANISH.get(name);
            assert_eq!(english.matches("{}").count(), spanish.matches("{}").count(), "{name}");
            assert!(!english.trim().is_empty() && !spanish.trim().is_empty(), "{name}");
        }
        for name in ENGLISH.0.keys().filter_map(|name| name.strip_suffix("_one")) {
            assert!(ENGLISH.0.contains_key(&format!("{name}_many")), "{name}");
        }
    }

    /// Pages show every error in the reader's language.
    #[test]
    fn every_error_code_and_reason_has_a_text() {
        let codes = Code::ALL.iter().map(|code| code.as_str());
        let reasons = ConflictReason::ALL.iter().map(|reason| reason.as_str());
        let expected: BTreeSet<_> = codes.chain(reasons).collect();
        let there: BTreeSet<_> = ENGLISH.0.keys().filter_map(|name| name.strip_prefix("errors.")).collect();
        assert_eq!(there, expected);
    }

    /// Pages show why a run failed in the reader's language.
    #[test]
    fn every_code_of_a_failed_run_has_a_spanish_text() {
        let expected: BTreeSet<_> = crate::error_pages::run_codes().collect();
        let there: BTreeSet<_> =
            SPANISH.0.keys().filter_map(|name| name.strip_prefix("run_errors.")).collect();
        assert_eq!(there, expected);
        let stored = "the text is too poor";
        assert_eq!(ENGLISH.run_error("EXTRACTION_LOW_QUALITY", stored), stored);
        assert_ne!(SPANISH.run_error("EXTRACTION_LOW_QUALITY", stored), stored);
    }

    /// Every file below a folder, with its text.
    fn files(folder: &Path, ends: &[&str]) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries
            .flat_map(|path| {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                if path.is_dir() {
                    files(&path, ends)
                } else if ends.iter().any(|end| name.ends_with(end)) && name != "words.rs" {
                    vec![std::fs::read_to_string(path).unwrap()]
                } else {
                    Vec::new()
                }
            })
            .collect()
    }

    /// Every text that a template, a script or a handler uses exists, and no other.
    #[test]
    fn every_text_exists_and_is_used() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let sources = [
            files(&root.join("templates"), &[".html"]),
            files(&root.join("assets/scripts"), &[".js"]),
            files(&root.join("src/pages"), &[".rs"]),
        ];
        let text = sources.concat().concat();
        let sections: BTreeSet<_> = ENGLISH.0.keys().filter_map(|name| name.split_once('.')).collect();
        let sections: BTreeSet<_> = sections.into_iter().map(|(section, _)| section).collect();
        let is_name = |piece: &&str| {
            let Some((section, key)) = piece.split_once('.') else { return false };
            sections.contains(section)
                && key != "html"
                && !key.is_empty()
                && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        };
        let asked: BTreeSet<_> = text.split('"').filter(is_name).collect();
        for name in &asked {
            let is_there = |name: &str| ENGLISH.0.contains_key(name);
            let begins =
                |name: &str| name.ends_with('_') && ENGLISH.0.keys().any(|key| key.starts_with(name));
            assert!(is_there(name) || is_there(&format!("{name}_one")) || begins(name), "{name}");
        }
        // Errors and reasons have tests of their own.
        let has_own_test = |name: &str| name.starts_with("errors.") || name.starts_with("reasons.");
        for name in ENGLISH.0.keys().filter(|name| !has_own_test(name)) {
            let stem = name.strip_suffix("_one").or(name.strip_suffix("_many")).unwrap_or(name);
            // Names with a prefix end in a name of a closed set.
            let is_put_together = stem.match_indices('_').any(|(at, _)| asked.contains(&stem[..=at]));
            assert!(
                asked.contains(stem) || asked.contains(name.as_str()) || is_put_together,
                "nobody asks for {name}"
            );
        }
    }

    #[test]
    fn the_first_supported_language_of_the_browser_is_chosen() {
        for (header, expected) in [
            ("es-ES,es;q=0.9,en;q=0.8", Some(Language::Spanish)),
            ("en-GB,en;q=0.9,es;q=0.8", Some(Language::English)),
            ("de,es;q=0.3,en;q=0.5", Some(Language::English)),
            ("ES", Some(Language::Spanish)),
            ("de", None),
            ("es;q=0", None),
            ("", None),
            (";;;q=,,=", None),
        ] {
            assert_eq!(Language::preferred(header), expected, "{header}");
        }
    }

    #[test]
    fn a_number_chooses_singular_or_plural() {
        let words = Words::parse("[a]\nb_one = \"{} page\"\nb_many = \"{} pages\"\nc = \"of {}\"");
        assert_eq!(
            (words.count("a.b", 1), words.count("a.b", 0)),
            ("1 page".to_owned(), "0 pages".to_owned())
        );
        assert_eq!(words.with("a.c", "<x> {}"), "of <x> {}");
        assert_eq!(words.get("a.d"), "a.d");
    }
}
