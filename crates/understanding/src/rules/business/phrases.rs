//! The labels, headings and lead-ins of a schema, in a form that many ways of writing share.

use std::collections::{HashMap, HashSet};

use crate::Schema;
use crate::normal::{currency, fold};
use crate::rules::layout::{Token, word_label_form};

/// The longest label, in words.
const MAX_WORDS: usize = 6;
/// Words that labels have or lack: "número de factura" and "número factura" are the same label.
const JOINING_WORDS: [&str; 25] = [
    "in", "de", "del", "la", "las", "los", "el", "of", "the", "di", "du", "des", "da", "do", "das", "dos",
    "der", "van", "het", "d", "l", "il", "le", "les", "lo",
];
/// Prepositions that are headings if they stand alone.
const PREPOSITIONS: [&str; 8] = ["de", "da", "a", "van", "von", "para", "di", "per"];
/// Words for "number", which all languages abbreviate.
const NUMBER_WORDS: [&str; 11] =
    ["no", "n", "nr", "num", "numero", "number", "nummer", "nro", "#", "nos", "numeros"];

/// Labels that begin other words of the same meaning, in languages that join words.
const COMPOUND_STARTS: [&str; 2] = ["netto", "brutto"];

/// Words for the document that others are joined to, and words that only end like them.
const COMPOUND_ENDS: [&str; 2] = ["rechnung", "factuur"];
const OTHER_COMPOUNDS: [&str; 2] = ["berechnung", "verrechnung"];

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
    /// Headings of one preposition, such as "De" and "Para". Among other words they mean nothing.
    prepositions: HashMap<String, Option<String>>,
    /// All words of labels and headings.
    words: HashSet<String>,
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
                if PREPOSITIONS.contains(&words.as_str()) {
                    index.prepositions.insert(words.clone(), heading.section.clone());
                    continue;
                }
                index.meaning_of(words).section.clone_from(&heading.section);
            }
        }
        index
    }

    fn meaning_of(&mut self, label: &str) -> &mut Meaning {
        let words = phrase_words(label);
        self.words.extend(words.iter().cloned());
        let words = words.join(" ");
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
        best.or_else(|| self.compound(words))
    }

    /// A word that says what it is by its beginning: "Nettowarenwert".
    fn compound(&self, words: &[String]) -> Option<Found<'_>> {
        let of = |(start, word): (usize, &String)| {
            let known =
                COMPOUND_STARTS.iter().find(|known| word.len() > known.len() && word.starts_with(**known))?;
            Some(Found { meaning: self.meanings.get(*known)?, start, count: 1 })
        };
        words.iter().enumerate().find_map(of)
    }

    /// Whether all these words are words of labels and headings.
    pub fn knows_all(&self, words: &[String]) -> bool {
        !words.is_empty() && words.iter().all(|word| self.words.contains(word))
    }

    /// Whether tokens end with a label.
    pub fn is_end_of_label(&self, tokens: &[Token<'_>]) -> bool {
        // "FR" is a sign of a currency as well, and no part of a label.
        if tokens.last().is_none_or(|last| phrase_words(last.text).is_empty()) {
            return false;
        }
        let last = tokens.len().saturating_sub(MAX_WORDS / 2);
        let words: Vec<String> = tokens[last..].iter().flat_map(|token| phrase_words(token.text)).collect();
        (0..words.len()).any(|start| self.meanings.contains_key(&words[start..].join(" ")))
    }

    /// The section of a heading that is a preposition and nothing else.
    pub fn preposition(&self, tokens: &[Token<'_>]) -> Option<&str> {
        let [only] = tokens else { return None };
        self.prepositions.get(&only.word)?.as_deref()
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
    let apart = |c: char| c.is_whitespace() || "/()[]-–'’,:;|·•*_@+".contains(c);
    text.split(apart)
        .filter(|word| word.len() < 2 || currency(word).is_none())
        .filter_map(|word| {
            // A rate behind a word is none of its letters: "IVA21%".
            let is_rate = word.len() > 1 && word.ends_with('%');
            let rate = |c: char| c.is_ascii_digit() || "%,.".contains(c);
            let folded = fold(if is_rate { word.trim_end_matches(rate) } else { word });
            let bare: String = folded.chars().filter(|c| *c != '.').collect();
            match bare.as_str() {
                "" => None,
                "%" => Some("%".to_owned()),
                word if NUMBER_WORDS.contains(&word) => Some("no".to_owned()),
                word if JOINING_WORDS.contains(&word) => None,
                word => {
                    Some(word_label_form(compound_end(word).unwrap_or(word))).filter(|word| !word.is_empty())
                }
            }
        })
        .collect()
}

/// The word for the document that another word is joined to: "Honorarrechnung".
fn compound_end(word: &str) -> Option<&'static str> {
    let end = COMPOUND_ENDS.iter().find(|end| word.len() > end.len() + 2 && word.ends_with(*end))?;
    (!OTHER_COMPOUNDS.contains(&word)).then_some(*end)
}
