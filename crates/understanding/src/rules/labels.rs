//! The labels that a schema knows, found as whole words.

use std::collections::{HashMap, HashSet};

use super::layout::{Token, plain};
use crate::Schema;

/// Words of the longest label.
pub(crate) const LONGEST: usize = 6;
/// Words of the longest that lead in a value.
pub(crate) const LONGEST_LEAD_IN: usize = 5;

/// What a label means.
#[derive(Clone, Debug, Default)]
pub(super) struct Meaning {
    /// The key whose label it is.
    pub key: Option<usize>,
    /// Keys whose label it is where the document speaks of their part.
    pub shared: Vec<usize>,
    /// Keys whose value goes on behind it.
    pub tail: Vec<usize>,
    /// The words of the label, for the name of the rule.
    pub words: String,
}

/// What a heading opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Opens<'s> {
    /// The part of the record that it speaks of.
    pub section: Option<&'s str>,
}

/// All labels and headings of a schema.
pub(super) struct Labels<'s> {
    meanings: HashMap<String, Meaning>,
    headings: HashMap<String, Opens<'s>>,
    /// How many words the longest label has that begins with this one.
    lengths: HashMap<String, usize>,
    lead_ins: HashMap<String, usize>,
    /// The words that such words begin with.
    first_of_lead_ins: HashSet<String>,
}

impl<'s> Labels<'s> {
    pub fn of(schema: &'s Schema) -> Self {
        let mut labels = Self {
            meanings: HashMap::new(),
            headings: HashMap::new(),
            lengths: HashMap::new(),
            lead_ins: HashMap::new(),
            first_of_lead_ins: HashSet::new(),
        };
        for (place, key) in schema.keys.iter().enumerate() {
            for label in &key.labels {
                labels.meaning(label).key = Some(place);
            }
            for label in &key.shared_labels {
                labels.meaning(label).shared.push(place);
            }
            for label in &key.continued_by {
                labels.meaning(label).tail.push(place);
            }
            for words in &key.lead_ins {
                let words = comparable(words);
                labels.first_of_lead_ins.extend(words.split(' ').next().map(str::to_owned));
                labels.lead_ins.insert(words, place);
            }
        }
        for label in &schema.other_labels {
            labels.meaning(label);
        }
        for heading in &schema.headings {
            for words in &heading.words {
                let opens = Opens { section: heading.section.as_deref() };
                labels.headings.insert(comparable(words), opens);
            }
        }
        labels
    }

    fn meaning(&mut self, label: &str) -> &mut Meaning {
        let words = comparable(label);
        let first = words.split(' ').next().unwrap_or_default().to_owned();
        let length = words.split(' ').count();
        let longest = self.lengths.entry(first).or_default();
        *longest = length.max(*longest);
        self.meanings
            .entry(words)
            .or_insert_with(|| Meaning { words: label.to_owned(), ..Meaning::default() })
    }

    /// The longest label that these tokens begin with, and how many of them it takes. A colon ends a label.
    pub fn begins(&self, tokens: &[Token<'_>]) -> Option<(&Meaning, usize)> {
        let most = *self.lengths.get(&tokens.first()?.plain)?;
        let most = most.min(LONGEST).min(tokens.len());
        let within = tokens[..most].iter().position(|token| token.colon).map_or(most, |colon| colon + 1);
        (1..=within).rev().find_map(|count| Some((self.meanings.get(&join(&tokens[..count]))?, count)))
    }

    /// Every word of every label, made comparable.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.meanings.keys().flat_map(|words| words.split(' '))
    }

    /// Whether these words, made comparable, are a label.
    pub fn is_exactly(&self, words: &str) -> bool {
        self.meanings.contains_key(words)
    }

    /// What a heading of exactly these words opens.
    pub fn heading(&self, tokens: &[Token<'_>]) -> Option<&Opens<'s>> {
        if tokens.is_empty() || tokens.len() > LONGEST {
            return None;
        }
        self.headings.get(&join(tokens)).or_else(|| self.heading_within(tokens))
    }

    /// A heading that says more than we were told of, such as "Datos personales del cliente".
    fn heading_within(&self, tokens: &[Token<'_>]) -> Option<&Opens<'s>> {
        let (first, last) = (tokens.first()?, tokens.last()?);
        let is_heading = matches!(first.word.as_str(), "datos" | "informacion" | "identificacion")
            || matches!(last.word.as_str(), "details" | "information" | "data" | "info");
        let is_plain = !tokens.iter().any(|token| token.text.chars().any(|c| c.is_ascii_digit()));
        let mut words = tokens.iter().filter(|_| is_heading && is_plain && !last.colon);
        words.find_map(|token| self.headings.get(&token.plain))
    }

    /// The key whose values are led in by the words that these tokens begin with, and how many of them that takes.
    pub fn lead_in(&self, tokens: &[Token<'_>]) -> Option<(usize, usize)> {
        if !self.first_of_lead_ins.contains(&tokens.first()?.plain) {
            return None;
        }
        let most = tokens.len().min(LONGEST_LEAD_IN);
        (1..=most).rev().find_map(|count| Some((*self.lead_ins.get(&join(&tokens[..count]))?, count)))
    }
}

fn join(tokens: &[Token<'_>]) -> String {
    let mut words = String::new();
    for token in tokens {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(&token.plain);
    }
    words
}

/// The form in which labels are compared.
pub(crate) fn comparable(label: &str) -> String {
    label.split_whitespace().map(plain).collect::<Vec<_>>().join(" ")
}
