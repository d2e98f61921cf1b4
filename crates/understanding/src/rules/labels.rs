//! The labels, headings and lead-ins of a schema, indexed for lookup by whole words.

use std::collections::{HashMap, HashSet};

use super::layout::{Token, word_label_form};
use crate::normal::fold;
use crate::{Normaliser, Schema, Scope};

/// The longest label, in words.
pub(crate) const MAX_LABEL_WORDS: usize = 6;
/// Words that join two labels of one key.
const JOINTS: [&str; 9] = ["y", "e", "o", "and", "or", "und", "et", "&", "/"];
/// Words that labels have or lack: "nº de historia", "número de la historia" and "nº historia" are the same label.
const JOINING_WORDS: [&str; 18] = [
    "de", "del", "la", "las", "los", "el", "of", "the", "di", "du", "des", "da", "do", "der", "van", "het",
    "le", "della",
];
/// Words for "number", which all languages abbreviate.
const NUMBER_WORDS: [&str; 8] = ["no", "n", "nr", "num", "numero", "number", "nummer", "nro"];
/// The longest lead-in, in words.
pub(crate) const MAX_LEAD_IN_WORDS: usize = 5;

/// The shortest abbreviation of a label, in letters.
const MIN_ABBREVIATION: usize = 3;

/// What a label means.
#[derive(Clone, Debug, Default)]
pub(super) struct LabelMeaning {
    /// The key that has this label.
    pub key: Option<usize>,
    /// The keys that share this label. `resolve_label` decides which of them it means at a place.
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
    /// The labels without joining words, and with one word for "number".
    loose: HashMap<String, String>,
    /// The first words of these.
    loose_first_words: HashSet<String>,
    headings: HashMap<String, HeadingMeaning<'s>>,
    /// The word count of the longest label that begins with this word.
    longest_by_first_word: HashMap<String, usize>,
    lead_ins: HashMap<String, usize>,
    /// The first words of all lead-ins.
    lead_in_first_words: HashSet<String>,
    /// The lead-ins of texts about visits, as labels: "Se aconseja: reposo".
    lead_in_meanings: HashMap<String, LabelMeaning>,
    /// The labels of one word of texts about visits, in order.
    words_of_visits: Vec<String>,
    /// The keys of texts about visits, and whether each is critical.
    texts_of_visits: HashMap<usize, bool>,
}

impl<'s> Labels<'s> {
    pub fn of(schema: &'s Schema) -> Self {
        let mut labels = Self {
            meanings: HashMap::new(),
            loose: HashMap::new(),
            loose_first_words: HashSet::new(),
            headings: HashMap::new(),
            longest_by_first_word: HashMap::new(),
            lead_ins: HashMap::new(),
            lead_in_first_words: HashSet::new(),
            lead_in_meanings: HashMap::new(),
            texts_of_visits: HashMap::new(),
            words_of_visits: Vec::new(),
        };
        for (place, key) in schema.keys.iter().enumerate() {
            if key.scope == Scope::Visit && key.normaliser == Normaliser::Text {
                labels.texts_of_visits.insert(place, key.critical);
            }
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
                if key.scope != Scope::Document && key.normaliser == Normaliser::Text {
                    let label =
                        LabelMeaning { key: Some(place), words: words.clone(), ..LabelMeaning::default() };
                    labels.lead_in_meanings.insert(words.clone(), label);
                }
                labels.lead_ins.insert(words, place);
            }
        }
        for label in &schema.other_labels {
            labels.meaning_of(label);
        }
        labels.words_of_visits = labels
            .meanings
            .iter()
            .filter_map(|(words, meaning)| {
                let is_of_visit = meaning.key.is_some_and(|key| labels.texts_of_visits.contains_key(&key));
                (is_of_visit && !words.contains(' ')).then(|| words.clone())
            })
            .collect();
        labels.words_of_visits.sort_unstable();
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
        let plain: Vec<&str> = label.split_whitespace().collect();
        if let Some(loose) = loose_form(plain.iter().map(|word| (fold(word), word_label_form(word)))) {
            self.loose_first_words.extend(loose.split(' ').next().map(str::to_owned));
            self.loose.entry(loose).or_insert_with(|| words.clone());
        }
        let first = words.split(' ').next().unwrap_or_default().to_owned();
        let length = words.split(' ').count();
        let longest = self.longest_by_first_word.entry(first).or_default();
        *longest = length.max(*longest);
        self.meanings
            .entry(words)
            .or_insert_with(|| LabelMeaning { words: label.to_owned(), ..LabelMeaning::default() })
    }

    /// The longest label at the start of these tokens, and how many tokens it takes. A colon ends a label. Two labels of one key or
    /// of texts about visits may be joined: "Tomador y propietario", "Tratamiento y recomendaciones".
    pub fn label_at_start(&self, tokens: &[Token<'_>]) -> Option<(&LabelMeaning, usize)> {
        let (meaning, count) = self.single_label_at_start(tokens)?;
        let joins = |token: &Token<'_>| JOINTS.contains(&token.text);
        if meaning.key.is_some() && !tokens[count - 1].colon && tokens.get(count).is_some_and(joins) {
            let other = self.single_label_at_start(&tokens[count + 1..]);
            let is_more = |other: &LabelMeaning| {
                other.key == meaning.key || (self.is_of_visit(meaning) && self.is_of_visit(other))
            };
            if let Some((other, more)) = other.filter(|(other, _)| is_more(other)) {
                // "Findings / Diagnosis" is above all the diagnosis.
                let is_second = self.is_critical(other) && !self.is_critical(meaning);
                return Some((if is_second { other } else { meaning }, count + 1 + more));
            }
        }
        Some((meaning, count))
    }

    /// Whether a label is of a text about visits.
    fn is_of_visit(&self, meaning: &LabelMeaning) -> bool {
        meaning.key.is_some_and(|key| self.texts_of_visits.contains_key(&key))
    }

    fn is_critical(&self, meaning: &LabelMeaning) -> bool {
        meaning.key.and_then(|key| self.texts_of_visits.get(&key)).is_some_and(|is_critical| *is_critical)
    }

    fn single_label_at_start(&self, tokens: &[Token<'_>]) -> Option<(&LabelMeaning, usize)> {
        let first = tokens.first()?;
        let exact = self.longest_by_first_word.get(&first.label_form).copied().unwrap_or_default();
        let is_loose = self.loose_first_words.contains(number_form(&first.word, &first.label_form));
        let most = if is_loose { MAX_LABEL_WORDS + 1 } else { exact.min(MAX_LABEL_WORDS) }.min(tokens.len());
        let within = tokens[..most].iter().position(|token| token.colon).map_or(most, |colon| colon + 1);
        let known = (1..=within).rev().find_map(|count| {
            let tokens = &tokens[..count];
            let meaning = Some(count).filter(|count| *count <= exact);
            let meaning = meaning.and_then(|_| self.meanings.get(&joined_form(tokens)));
            Some((meaning.or_else(|| self.loose_label(tokens).filter(|_| is_loose))?, count))
        });
        // "Owner reports:" is more than the label "Owner".
        let lead_in = self.lead_in_with_colon(tokens);
        lead_in
            .filter(|(_, count)| known.is_none_or(|(_, known)| *count > known))
            .or(known)
            .or_else(|| Some((self.abbreviated(first)?, 1)))
    }

    /// The label of a text about a visit that a word with a dot and a colon abbreviates, if all that begin so mean one key: "TRAT.:".
    fn abbreviated(&self, token: &Token<'_>) -> Option<&LabelMeaning> {
        let is_short =
            token.colon && token.text.ends_with('.') && token.label_form.chars().count() >= MIN_ABBREVIATION;
        let beginning = Some(&token.label_form).filter(|_| is_short)?;
        let from = self.words_of_visits.partition_point(|word| word < beginning);
        let mut all =
            self.words_of_visits[from..].iter().take_while(|word| word.starts_with(beginning.as_str()));
        let first = self.meanings.get(all.next()?)?;
        // Of labels of one key, the one that may mean other keys, too.
        all.try_fold(first, |first, word| {
            let other = self.meanings.get(word).filter(|other| other.key == first.key)?;
            Some(if other.shared.len() > first.shared.len() { other } else { first })
        })
    }

    /// A lead-in with a colon behind it is a label.
    fn lead_in_with_colon(&self, tokens: &[Token<'_>]) -> Option<(&LabelMeaning, usize)> {
        if !self.lead_in_first_words.contains(&tokens.first()?.label_form) {
            return None;
        }
        let count = tokens.iter().take(MAX_LEAD_IN_WORDS).position(|token| token.colon)? + 1;
        Some((self.lead_in_meanings.get(&joined_form(&tokens[..count]))?, count))
    }

    /// The label that these tokens are but for joining words.
    fn loose_label(&self, tokens: &[Token<'_>]) -> Option<&LabelMeaning> {
        let is_joining = |token: &Token<'_>| JOINING_WORDS.contains(&token.word.as_str());
        if tokens.last().is_none_or(is_joining) || tokens.iter().any(Token::is_separator) {
            return None;
        }
        let words = tokens.iter().map(|token| (token.word.clone(), token.label_form.clone()));
        self.meanings.get(self.loose.get(&loose_form(words)?)?)
    }

    /// Every word of every label, in label form.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.meanings.keys().flat_map(|words| words.split(' '))
    }

    /// Whether these words, all of them, are a label or a heading.
    pub fn is_label_or_heading(&self, words: &str) -> bool {
        let words = label_form(words);
        self.meanings.contains_key(&words) || self.headings.contains_key(&words)
    }

    /// Whether these words, in label form, are a label.
    pub fn is_label(&self, words: &str) -> bool {
        self.meanings.contains_key(words)
    }

    /// The meaning of a heading of exactly these words.
    pub fn heading(&self, tokens: &[Token<'_>]) -> Option<&HeadingMeaning<'s>> {
        let tokens = without_number(tokens);
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

/// The tokens without the number of a part: "2. DATOS DEL ANIMAL".
fn without_number<'t, 'p>(tokens: &'t [Token<'p>]) -> &'t [Token<'p>] {
    let is_number = |token: &Token<'_>| {
        let bare = token.text.trim_end_matches(['.', ')']);
        bare.len() < token.text.len() && bare.len() <= 2 && bare.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    match tokens {
        [first, rest @ ..] if !rest.is_empty() && is_number(first) => rest,
        _ => tokens,
    }
}

/// The word, or the one word for "number".
fn number_form<'w>(word: &str, label_form: &'w str) -> &'w str {
    if NUMBER_WORDS.contains(&word) { "no" } else { label_form }
}

/// Words with their label forms, without joining words. None without a word that means something.
fn loose_form(words: impl Iterator<Item = (String, String)>) -> Option<String> {
    let kept: Vec<String> = words
        .filter(|(word, _)| !JOINING_WORDS.contains(&word.as_str()))
        .map(|(word, form)| number_form(&word, &form).to_owned())
        .filter(|form| !form.is_empty())
        .collect();
    (!kept.is_empty() && kept.iter().any(|word| word != "no")).then(|| kept.join(" "))
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
