//! Lists of words in a schema, by language.

use std::ops::Deref;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap as _, Serializer};
use serde::{Deserialize, Serialize};

/// The name of the list of words that belong to no language, or to any.
pub const ANY_LANGUAGE: &str = "any";

/// Words by language. Documents are searched for all of them, so they read as one list.
///
/// Serialised as a list if there are no languages, otherwise as lists by language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordList {
    all: Vec<String>,
    /// The languages, each with its number of words in `all`, in order. The remaining words belong to any language.
    languages: Vec<(String, usize)>,
}

impl WordList {
    /// A list of these words by language.
    pub fn by_language(parts: impl IntoIterator<Item = (String, Vec<String>)>) -> Self {
        let mut words = Self::default();
        let mut rest = Vec::new();
        for (language, some) in parts {
            if language == ANY_LANGUAGE {
                rest.extend(some);
            } else {
                words.languages.push((language, some.len()));
                words.all.extend(some);
            }
        }
        words.all.extend(rest);
        words
    }

    /// Each language with its words. Words of any language come last, under [`ANY_LANGUAGE`].
    pub fn languages(&self) -> impl Iterator<Item = (&str, &[String])> {
        let mut from = 0;
        let parts = self.languages.iter().map(move |(language, count)| {
            from += count;
            (language.as_str(), &self.all[from - count..from])
        });
        let count_by_language: usize = self.languages.iter().map(|(_, count)| count).sum();
        let rest = &self.all[count_by_language..];
        parts.chain((!rest.is_empty()).then_some((ANY_LANGUAGE, rest)))
    }

    /// Drops the words of all languages but these.
    pub fn keep_languages(&mut self, kept: &[String]) {
        let owned = |(language, words): (&str, &[String])| (language.to_owned(), words.to_vec());
        let is_kept = |(language, _): &(&str, &[String])| {
            *language == ANY_LANGUAGE || kept.iter().any(|one| one == language)
        };
        *self = Self::by_language(self.languages().filter(is_kept).map(owned).collect::<Vec<_>>());
    }

    /// Adds the words of another list, each to its language.
    pub fn merge(&mut self, others: &Self) {
        let owned = |(language, words): (&str, &[String])| (language.to_owned(), words.to_vec());
        let mut parts: Vec<(String, Vec<String>)> = self.languages().map(owned).collect();
        for (language, words) in others.languages() {
            match parts.iter_mut().find(|(known, _)| known == language) {
                Some((_, known)) => known.extend_from_slice(words),
                None => parts.push((language.to_owned(), words.to_vec())),
            }
        }
        *self = Self::by_language(parts);
    }
}

impl Deref for WordList {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.all
    }
}

impl From<Vec<String>> for WordList {
    fn from(all: Vec<String>) -> Self {
        Self { all, languages: Vec::new() }
    }
}

impl FromIterator<String> for WordList {
    fn from_iter<I: IntoIterator<Item = String>>(words: I) -> Self {
        Self::from(words.into_iter().collect::<Vec<_>>())
    }
}

impl<'w> IntoIterator for &'w WordList {
    type Item = &'w String;
    type IntoIter = std::slice::Iter<'w, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}

impl Serialize for WordList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.languages.is_empty() {
            return self.all.serialize(serializer);
        }
        let mut map = serializer.serialize_map(None)?;
        for (language, words) in self.languages() {
            map.serialize_entry(language, words)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for WordList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = WordList;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("words, or words by language")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<WordList, A::Error> {
                let mut all = Vec::new();
                while let Some(word) = list.next_element()? {
                    all.push(word);
                }
                Ok(WordList::from(all))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<WordList, A::Error> {
                let mut parts = Vec::new();
                while let Some(part) = map.next_entry()? {
                    parts.push(part);
                }
                Ok(WordList::by_language(parts))
            }
        }

        deserializer.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_lists_serialise_as_they_were_given() {
        for json in [r#"["a","b"]"#, r#"{"es":["a"],"en":["b","c"],"any":["d"]}"#, "[]"] {
            let words: WordList = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&words).unwrap(), json);
        }
        for wrong in ["1", "[1]", r#"{"es":"a"}"#] {
            assert!(serde_json::from_str::<WordList>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn merged_words_keep_their_language() {
        let mut words: WordList = serde_json::from_str(r#"{"es":["a"],"en":["b"]}"#).unwrap();
        words.merge(&serde_json::from_str(r#"{"en":["c"],"any":["d"]}"#).unwrap());
        words.merge(&WordList::from(vec!["e".to_owned()]));
        assert_eq!(serde_json::to_string(&words).unwrap(), r#"{"es":["a"],"en":["b","c"],"any":["d","e"]}"#);
        assert_eq!(words.join(" "), "a b c d e");
    }
}
