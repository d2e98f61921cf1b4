//! The labels, headings and lead-ins of a schema, in a form that many ways of writing share.

use std::collections::HashMap;

use crate::Schema;
use crate::normal::fold;
use crate::rules::layout::word_label_form;

/// The longest label, in words.
const MAX_WORDS: usize = 6;
/// Words that labels have or lack: "número de factura" and "número factura" are the same label.
const JOINING_WORDS: [&str; 24] = [
    "de", "del", "la", "las", "los", "el", "of", "the", "di", "du", "des", "da", "do", "das", "dos", "der",
    "van", "het", "d", "l", "il", "le", "les", "lo",
];
/// Words for "number", which all languages abbreviate.
const NUMBER_WORDS: [&str; 11] =
    ["no", "n", "nr", "num", "numero", "number", "nummer", "nro", "#", "nos", "numeros"];

/// What a phrase of the schema means.
#[derive(Clone, Debug, Default)]
pub(super) struct Meaning {
    /// The key that has this label.
    pub key: Option<usize>,
    /// The keys that share this label.
    pub shared: Vec<usize>,
    /// The section that this heading opens.
    pub section: Option<String>,
    /// The label as the schema writes it.
    pub words: String,
}

/// A phrase that was found among words.
pub(super) struct Found<'i> {
    pub meaning: &'i Meaning,
    pub start: usize,
    pub count: usize,
}

#[derive(Default)]
pub(super) struct PhraseIndex {
    meanings: HashMap<String, Meaning>,
    lead_ins: HashMap<String, usize>,
    /// The first label of each key.
    first_labels: HashMap<usize, String>,
}

impl PhraseIndex {
    pub fn of(schema: &Schema) -> Self {
        let mut index = Self::default();
        for (place, key) in schema.keys.iter().enumerate() {
            for label in &key.labels {
                index.meaning_of(label).key = Some(place);
                index.first_labels.entry(place).or_insert_with(|| phrase_words(label).join(" "));
            }
            for label in &key.shared_labels {
                index.meaning_of(label).shared.push(place);
            }
            for words in &key.lead_ins {
                index.lead_ins.insert(fold(words), place);
            }
        }
        for label in &schema.other_labels {
            index.meaning_of(label);
        }
        for heading in &schema.headings {
            for words in &heading.words {
                index.meaning_of(words).section.clone_from(&heading.section);
            }
        }
        index
    }

    fn meaning_of(&mut self, label: &str) -> &mut Meaning {
        let words = phrase_words(label).join(" ");
        self.meanings
            .entry(words)
            .or_insert_with(|| Meaning { words: label.to_owned(), ..Meaning::default() })
    }

    /// The longest phrase among these words, the first one if several are as long.
    pub fn longest(&self, words: &[String]) -> Option<Found<'_>> {
        let mut best: Option<Found<'_>> = None;
        for start in 0..words.len() {
            let most = MAX_WORDS.min(words.len() - start);
            let least = best.as_ref().map_or(1, |best| best.count + 1);
            let found = (least..=most).rev().find_map(|count| {
                let meaning = self.meanings.get(&words[start..start + count].join(" "))?;
                Some(Found { meaning, start, count })
            });
            best = found.or(best);
        }
        best
    }

    /// The meaning of the first label of a key.
    pub fn of_key(&self, key: usize) -> Option<&Meaning> {
        self.first_labels.get(&key).and_then(|words| self.meanings.get(words))
    }

    /// The key whose lead-in these folded words end with.
    pub fn lead_in(&self, words: &[String]) -> Option<usize> {
        let most = words.len().min(5);
        (1..=most).rev().find_map(|count| self.lead_ins.get(&words[words.len() - count..].join(" ")).copied())
    }
}

/// The words of a phrase as they are compared.
pub(super) fn phrase_words(text: &str) -> Vec<String> {
    let apart = |c: char| c.is_whitespace() || "/()[]-–'’,:;|·•*_".contains(c);
    text.split(apart)
        .filter_map(|word| {
            let folded = fold(word);
            let bare: String = folded.chars().filter(|c| *c != '.').collect();
            match bare.as_str() {
                "" => None,
                "%" => Some("%".to_owned()),
                word if NUMBER_WORDS.contains(&word) => Some("no".to_owned()),
                word if JOINING_WORDS.contains(&word) => None,
                word => Some(word_label_form(word)).filter(|word| !word.is_empty()),
            }
        })
        .collect()
}
