//! The labels, headings and lead-ins of a schema, indexed for lookup by whole words.

use std::collections::{HashMap, HashSet};

use super::layout::{Token, word_label_form};
use crate::Schema;

/// The longest label, in words.
pub(crate) const MAX_LABEL_WORDS: usize = 6;
/// The longest lead-in, in words.
pub(crate) const MAX_LEAD_IN_WORDS: usize = 5;

/// What a label means.
#[derive(Clone, Debug, Default)]
pub(super) struct LabelMeaning {
    /// The key that has this label.
    pub key: Option<usize>,
    /// The keys that share this label; each has it below a heading of its section only.
    pub shared: Vec<usize>,
    /// The keys whose value continues behind this label.
    pub continues: Vec<usize>,
    /// The label as the schema writes it; it becomes part of the mapping id.
    pub words: String,
}

/// What a heading means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeadingMeaning<'s> {
    /// The section that the text below it is about.
    pub section: Option<&'s str>,
}

/// All labels and headings of a schema.
pub(super) struct Labels<'s> {
    meanings: HashMap<String, LabelMeaning>,
    headings: HashMap<String, HeadingMeaning<'s>>,
    /// The word count of the longest label that begins with this word.
    longest_by_first_word: HashMap<String, usize>,
    lead_ins: HashMap<String, usize>,
    /// The first words of all lead-ins.
    lead_in_first_words: HashSet<String>,
}

impl<'s> Labels<'s> {
    pub fn of(schema: &'s Schema) -> Self {
        let mut labels = Self {
            meanings: HashMap::new(),
            headings: HashMap::new(),
            longest_by_first_word: HashMap::new(),
            lead_ins: HashMap::new(),
            lead_in_first_words: HashSet::new(),
        };
        for (place, key) in schema.keys.iter().enumerate() {
            for label in &key.labels {
                labels.meaning_of(label).key = Some(place);
            }
            for label in &key.shared_labels {
                labels.meaning_of(label).shared.push(place);
            }
            for label in &key.continued_by {
                labels.meaning_of(label).continues.push(place);
            }
            for words in &key.lead_ins {
                let words = label_form(words);
                labels.lead_in_first_words.extend(words.split(' ').next().map(str::to_owned));
                labels.lead_ins.insert(words, place);
            }
        }
        for label in &schema.other_labels {
            labels.meaning_of(label);
        }
        for heading in &schema.headings {
            for words in &heading.words {
                let heading_meaning = HeadingMeaning { section: heading.section.as_deref() };
                labels.headings.insert(label_form(words), heading_meaning);
            }
        }
        labels
    }

    fn meaning_of(&mut self, label: &str) -> &mut LabelMeaning {
        let words = label_form(label);
        let first = words.split(' ').next().unwrap_or_default().to_owned();
        let length = words.split(' ').count();
        let longest = self.longest_by_first_word.entry(first).or_default();
        *longest = length.max(*longest);
        self.meanings
            .entry(words)
            .or_insert_with(|| LabelMeaning { words: label.to_owned(), ..LabelMeaning::default() })
    }

    /// The longest label at the start of these tokens, and how many tokens it takes. A colon ends a label.
    pub fn label_at_start(&self, tokens: &[Token<'_>]) -> Option<(&LabelMeaning, usize)> {
        let most = *self.longest_by_first_word.get(&tokens.first()?.label_form)?;
        let most = most.min(MAX_LABEL_WORDS).min(tokens.len());
        let within = tokens[..most].iter().position(|token| token.colon).map_or(most, |colon| colon + 1);
        (1..=within).rev().find_map(|count| Some((self.meanings.get(&joined_form(&tokens[..count]))?, count)))
    }

    /// Every word of every label, in label form.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.meanings.keys().flat_map(|words| words.split(' '))
    }

    /// Whether these words, in label form, are a label.
    pub fn is_label(&self, words: &str) -> bool {
        self.meanings.contains_key(words)
    }

    /// The meaning of a heading of exactly these words.
    pub fn heading(&self, tokens: &[Token<'_>]) -> Option<&HeadingMeaning<'s>> {
        if tokens.is_empty() || tokens.len() > MAX_LABEL_WORDS {
            return None;
        }
        self.headings.get(&joined_form(tokens)).or_else(|| self.heading_within(tokens))
    }

    /// The meaning of a longer heading that contains a known one, such as "Datos personales del cliente".
    fn heading_within(&self, tokens: &[Token<'_>]) -> Option<&HeadingMeaning<'s>> {
        let (first, last) = (tokens.first()?, tokens.last()?);
        let is_heading = matches!(first.word.as_str(), "datos" | "informacion" | "identificacion")
            || matches!(last.word.as_str(), "details" | "information" | "data" | "info");
        let is_plain = !tokens.iter().any(|token| token.text.chars().any(|c| c.is_ascii_digit()));
        let mut words = tokens.iter().filter(|_| is_heading && is_plain && !last.colon);
        words.find_map(|token| self.headings.get(&token.label_form))
    }

    /// The key of the lead-in at the start of these tokens, and how many tokens it takes.
    pub fn lead_in_at_start(&self, tokens: &[Token<'_>]) -> Option<(usize, usize)> {
        if !self.lead_in_first_words.contains(&tokens.first()?.label_form) {
            return None;
        }
        let most = tokens.len().min(MAX_LEAD_IN_WORDS);
        (1..=most).rev().find_map(|count| Some((*self.lead_ins.get(&joined_form(&tokens[..count]))?, count)))
    }
}

fn joined_form(tokens: &[Token<'_>]) -> String {
    let mut words = String::new();
    for token in tokens {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(&token.label_form);
    }
    words
}

/// The form in which labels are compared.
pub(crate) fn label_form(label: &str) -> String {
    label.split_whitespace().map(word_label_form).collect::<Vec<_>>().join(" ")
}
