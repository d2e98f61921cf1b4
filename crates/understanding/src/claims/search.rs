//! Finds the words of a value in the text of a document.

use std::collections::HashMap;
use std::ops::Range;

use super::{Evidence, MIN_UNLABELLED_CHARS, Normaliser, SchemaKey};
use crate::normal::{date_readings, folded_words};
use quire_domain::reading::PlainText;

/// The most matches that are compared for one value.
const MAX_MATCHES: usize = 500;
/// The longest value that is searched for, in words.
const MAX_VALUE_WORDS: usize = 1_000;
/// The most words between a label and its value.
const MAX_WORDS_AFTER_LABEL: usize = 5;
/// The most words before the value in a snippet of a long line.
const SNIPPET_WORDS_BEFORE: usize = 10;

/// The token ranges of each normal form.
type NormalForms = HashMap<String, Vec<Range<usize>>>;

/// A text in which words are found whatever their case, accents and marks.
pub(super) struct SearchableText<'a> {
    plain: &'a PlainText,
    /// The byte ranges of the tokens: what stands between spaces.
    tokens: Vec<Range<usize>>,
    /// The folded words, each with the index of its token.
    words: Vec<(String, usize)>,
    /// The indexes of each word.
    positions: HashMap<String, Vec<usize>>,
    /// The normal forms in the text, by normaliser. They are computed when first needed.
    normal_forms: Vec<(Normaliser, NormalForms)>,
    /// The byte at which the last match starts.
    pub(super) last_match_start: usize,
}

/// A value that the text contains.
pub(super) struct TextMatch {
    /// The token ranges of the value, in its order.
    token_ranges: Vec<Range<usize>>,
    /// Whether a label of its key stands before it.
    pub(super) is_labelled: bool,
}

impl<'a> SearchableText<'a> {
    pub(super) fn of(plain: &'a PlainText) -> Self {
        let text = plain.text.as_str();
        let mut tokens = Vec::new();
        let mut words = Vec::new();
        for token in text.split_whitespace() {
            let start = token.as_ptr().addr() - text.as_ptr().addr();
            words.extend(folded_words(token).into_iter().map(|word| (word, tokens.len())));
            tokens.push(start..start + token.len());
        }
        let mut positions: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, (word, _)) in words.iter().enumerate() {
            positions.entry(word.clone()).or_default().push(position);
        }
        Self { plain, tokens, words, positions, normal_forms: Vec::new(), last_match_start: 0 }
    }

    /// Finds a value. A match within `range` (in bytes) is preferred, then a match behind a label of the key, then
    /// the first match. A short value must follow a label, because it occurs in every text.
    pub(super) fn find(
        &mut self,
        key: &SchemaKey,
        raw: &str,
        normal: Option<&str>,
        range: Option<&Range<usize>>,
    ) -> Option<TextMatch> {
        let labels = folded_labels(key);
        let mut positions = self.ranges_of_normal_form(key.normaliser, normal);
        if positions.is_empty() {
            positions = self.ranges_of_words(raw);
        }
        let is_within = |position: &Range<usize>| {
            range.is_some_and(|range| range.contains(&self.tokens[position.start].start))
        };
        let rank =
            |position: &Range<usize>| (is_within(position), self.follows_label(position.start, &labels));
        // Of equal matches the first: `max_by_key` returns the last, and the matches are reversed.
        let best = positions
            .into_iter()
            .rev()
            .map(|position| (rank(&position), position))
            .max_by_key(|(rank, _)| *rank);
        let found = match best {
            Some(((_, is_labelled), position)) => TextMatch { token_ranges: vec![position], is_labelled },
            None if key.normaliser == Normaliser::Text => self.match_in_parts(raw)?,
            None => return None,
        };
        let length: usize = folded_words(raw).iter().map(|word| word.chars().count()).sum();
        if !found.is_labelled && length < MIN_UNLABELLED_CHARS {
            return None;
        }
        self.last_match_start = self.tokens[found.token_ranges[0].start].start;
        Some(found)
    }

    /// The bytes of the first place that has these words in this order.
    pub(super) fn find_words(&self, words: &str) -> Option<Range<usize>> {
        let tokens = self.ranges_of_words(words).into_iter().next()?;
        Some(self.tokens[tokens.start].start..self.tokens[tokens.end - 1].end)
    }

    /// The ranges of the same words in the same order.
    fn ranges_of_words(&self, value: &str) -> Vec<Range<usize>> {
        let wanted = folded_words(value);
        let Some(first) = wanted.first().filter(|_| wanted.len() <= MAX_VALUE_WORDS) else {
            return Vec::new();
        };
        let starts = self.positions.get(first).into_iter().flatten();
        let is_here = |start: &&usize| {
            let here = self.words.get(**start..**start + wanted.len());
            here.is_some_and(|here| here.iter().map(|(word, _)| word).eq(&wanted))
        };
        let is_whole =
            |words: &Range<usize>| !self.splits_number(words.start) && !self.splits_number(words.end);
        let found = starts.filter(is_here).map(|start| *start..*start + wanted.len()).filter(is_whole);
        let tokens = |words: Range<usize>| self.words[words.start].1..self.words[words.end - 1].1 + 1;
        found.map(tokens).take(MAX_MATCHES).collect()
    }

    /// Whether a range that starts with this word would split a number, such as `4,2` or `12/03/2024`.
    fn splits_number(&self, word: usize) -> bool {
        let (Some(before), Some(behind)) =
            (word.checked_sub(1).map(|at| &self.words[at]), self.words.get(word))
        else {
            return false;
        };
        let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        before.1 == behind.1 && is_number(&before.0) && is_number(&behind.0)
    }

    /// The ranges of other words with the same normal form.
    fn ranges_of_normal_form(&mut self, normaliser: Normaliser, normal: Option<&str>) -> Vec<Range<usize>> {
        let Some(normal) = normal.filter(|_| normaliser.is_strict()) else { return Vec::new() };
        if !self.normal_forms.iter().any(|(known, _)| *known == normaliser) {
            let forms = self.find_normal_forms(normaliser);
            self.normal_forms.push((normaliser, forms));
        }
        let forms = self.normal_forms.iter().find(|(known, _)| *known == normaliser);
        forms.and_then(|(_, forms)| forms.get(normal)).cloned().unwrap_or_default()
    }

    /// The normal forms in the text: at each token, the shortest range that has one.
    fn find_normal_forms(&self, normaliser: Normaliser) -> NormalForms {
        let longest = normaliser.most_words();
        let mut forms = NormalForms::new();
        for first in 0..self.tokens.len() {
            let most = self.tokens.len().min(first + longest);
            let range = (first + 1..=most).find_map(|end| {
                let words = &self.plain.text[self.tokens[first].start..self.tokens[end - 1].end];
                let readings = readings(normaliser, words);
                (!readings.is_empty()).then_some((readings, first..end))
            });
            let Some((readings, range)) = range else { continue };
            for form in readings {
                let positions = forms.entry(form).or_default();
                if positions.len() < MAX_MATCHES {
                    positions.push(range.clone());
                }
            }
        }
        forms
    }

    /// Matches a value that the text states in parts: the text contains each of its parts.
    fn match_in_parts(&self, value: &str) -> Option<TextMatch> {
        let pieces: Vec<&str> =
            value.split([';', '\n']).map(str::trim).filter(|piece| !piece.is_empty()).collect();
        if pieces.len() < 2 || pieces.len() > MAX_VALUE_WORDS {
            return None;
        }
        let is_alone = |piece: &str| folded_words(piece).concat().chars().count() >= MIN_UNLABELLED_CHARS;
        let find = |piece: &&str| self.ranges_of_words(piece).first().filter(|_| is_alone(piece)).cloned();
        let ranges = pieces.iter().map(find).collect::<Option<Vec<_>>>()?;
        Some(TextMatch { token_ranges: ranges, is_labelled: false })
    }

    /// Whether one of these labels stands at most a few words before a token.
    fn follows_label(&self, token: usize, labels: &[Vec<String>]) -> bool {
        let end = self.words.partition_point(|(_, of)| *of < token);
        labels.iter().filter(|label| !label.is_empty()).any(|label| {
            // A single letter is a label only directly before its value.
            let between = if label.len() == 1 && label[0].len() < 2 { 0 } else { MAX_WORDS_AFTER_LABEL };
            (0..=between).any(|between| {
                let Some(start) = end.checked_sub(between + label.len()) else { return false };
                self.words[start..start + label.len()].iter().map(|(word, _)| word).eq(label)
            })
        })
    }

    /// The page, the snippet and the boxes of a match.
    pub(super) fn evidence(&self, found: &TextMatch) -> Evidence {
        let bytes = |tokens: &Range<usize>| self.tokens[tokens.start].start..self.tokens[tokens.end - 1].end;
        let positions: Vec<_> =
            found.token_ranges.iter().flat_map(|tokens| self.plain.locations(bytes(tokens))).collect();
        let page = positions.first().map_or(1, |position| position.page);
        let mut boxes = Vec::new();
        for position in positions.iter().filter(|position| position.page == page) {
            if boxes.last() != Some(&position.rect) {
                boxes.push(position.rect);
            }
        }
        let first = &found.token_ranges[0];
        Evidence::new(
            u32::try_from(page).unwrap_or(u32::MAX),
            self.snippet_around(first, &bytes(first)),
            boxes,
        )
    }

    /// The lines of a match. Of a very long line, only the words near it.
    fn snippet_around(&self, tokens: &Range<usize>, bytes: &Range<usize>) -> &'a str {
        let text = self.plain.text.as_str();
        let line = text[..bytes.start].rfind('\n').map_or(0, |end| end + 1);
        let near = self.tokens[tokens.start.saturating_sub(SNIPPET_WORDS_BEFORE)].start;
        let end = text[bytes.end..].find('\n').map_or(text.len(), |end| bytes.end + end);
        text[line.max(near)..end].trim()
    }
}

/// The normal forms that some words can have. The text contains a date in either order of day and month: the model has
/// seen the whole document.
fn readings(normaliser: Normaliser, words: &str) -> Vec<String> {
    match normaliser {
        Normaliser::Date | Normaliser::BirthDate => {
            date_readings(words).iter().map(ToString::to_string).collect()
        }
        _ => normaliser.apply(words).into_iter().collect(),
    }
}

/// The labels of a key, as folded words.
fn folded_labels(key: &SchemaKey) -> Vec<Vec<String>> {
    key.labels.iter().chain(&key.shared_labels).map(|label| folded_words(label)).collect()
}
