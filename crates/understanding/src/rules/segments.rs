//! Splits a cell into segments: labels, each with the words behind it.

use std::ops::Range;

use super::labels::{LabelMeaning, Labels};
use super::layout::{Cell, Token};
use crate::{Normaliser, Schema, Scope};

/// The longest label that is recognised by its colon alone, in words.
const MAX_UNKNOWN_LABEL_WORDS: usize = 5;
/// Words that make a label mean another occasion: a reminder, an earlier or later visit.
pub(super) const OTHER_OCCASION_WORDS: [&str; 12] = [
    "proxima",
    "proximo",
    "next",
    "siguiente",
    "recordatorio",
    "reminder",
    "due",
    "ultima",
    "ultimo",
    "last",
    "previa",
    "previo",
];

/// What separates a label from the words behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// A colon, a dash or a bar.
    Mark,
    /// Nothing follows in the cell.
    EndOfCell,
    /// Only a space.
    Space,
}

/// Part of a cell: perhaps a label, and the words behind it.
pub(super) struct Segment<'l> {
    /// The label, if the schema has it.
    pub label: Option<(&'l LabelMeaning, Separator)>,
    /// Whether a label stands before the words, known or not.
    pub is_labelled: bool,
    /// The index of the token that the segment starts with.
    pub start: usize,
    /// The tokens behind the label.
    pub value: Range<usize>,
}

/// Splits a cell into segments.
pub(super) fn split_cell<'l>(cell: &Cell<'_>, labels: &'l Labels<'_>, schema: &Schema) -> Vec<Segment<'l>> {
    let tokens = &cell.tokens;
    let first = cell.first_word();
    if let Some(pair) = pair_of_labels(tokens, first, labels) {
        return pair;
    }
    let mut segments = vec![first_segment(cell, first, labels, schema)];
    let mut at = segments[0].value.start.max(first + 1);
    while at < tokens.len() {
        let inner = labels.label_at_start(&tokens[at..]).filter(|(meaning, count)| {
            tokens[at + count - 1].colon
                || (tokens[at - 1].text.ends_with('.') && is_run_in(tokens, at + count, meaning, schema))
        });
        match inner {
            Some((meaning, count)) if tokens[at].is_capital() => {
                if let Some(before) = segments.last_mut() {
                    let marks = (before.value.start..at).rev().take_while(|at| tokens[*at].is_separator());
                    before.value.end = at - marks.count();
                }
                segments.push(Segment {
                    label: Some((meaning, Separator::Mark)),
                    is_labelled: true,
                    start: at,
                    value: at + count..tokens.len(),
                });
                at += count;
            }
            _ => at += 1,
        }
    }
    segments
}

/// The segment that a cell starts with.
fn first_segment<'l>(cell: &Cell<'_>, first: usize, labels: &'l Labels<'_>, schema: &Schema) -> Segment<'l> {
    let tokens = &cell.tokens;
    let end = tokens.len();
    let first = behind_number(tokens, first, labels);
    let label = labels.label_at_start(&tokens[first..]);
    if let Some((meaning, count)) =
        label.filter(|(meaning, count)| !is_stray_letter(tokens, first, *count, meaning, schema))
    {
        let mut behind = first + count;
        let mut has_mark = tokens[behind - 1].colon;
        // A unit may follow the label: "Peso (kg):".
        if !has_mark
            && let Some(unit) = tokens.get(behind)
            && unit.text.starts_with('(')
            && unit.text.ends_with(')')
        {
            has_mark = unit.colon;
            behind += 1;
        }
        if !has_mark && tokens.get(behind).is_some_and(Token::is_separator) {
            has_mark = true;
            behind += 1;
        }
        has_mark = has_mark || is_run_in(tokens, behind, meaning, schema);
        if has_mark && let Some(full) = label_behind_letter(&tokens[first], &tokens[behind..], labels) {
            let label = Some((full, Separator::EndOfCell));
            return Segment { label, is_labelled: true, start: first, value: end..end };
        }
        let separator = match (has_mark, behind >= end) {
            (true, _) => Separator::Mark,
            (false, true) => Separator::EndOfCell,
            (false, false) => Separator::Space,
        };
        let known = Segment {
            label: Some((meaning, separator)),
            is_labelled: separator != Separator::Space,
            start: first,
            value: behind..end,
        };
        if separator != Separator::Space {
            return known;
        }
        return segment_of_unknown_label(cell, first, labels, schema).unwrap_or(known);
    }
    let plain = Segment { label: None, is_labelled: false, start: first, value: first..end };
    segment_of_unknown_label(cell, first, labels, schema).unwrap_or(plain)
}

/// Whether a full stop separates the label of a text about a visit from the text: "Anamnesis. Come y bebe con normalidad".
fn is_run_in(tokens: &[Token<'_>], behind: usize, meaning: &LabelMeaning, schema: &Schema) -> bool {
    let is_text = |key: &usize| {
        let key = &schema.keys[*key];
        key.scope != Scope::Document && key.normaliser == Normaliser::Text
    };
    let last = &tokens[behind - 1];
    last.text.ends_with('.')
        && last.word.chars().count() > 1
        && tokens.get(behind).is_some_and(Token::is_capital)
        && meaning.key.iter().chain(&meaning.shared).any(is_text)
}

/// The label that a letter stands for, if the letter is followed by nothing else: "S · Subjetivo", "P - Plan".
fn label_behind_letter<'l>(
    letter: &Token<'_>,
    behind: &[Token<'_>],
    labels: &'l Labels<'_>,
) -> Option<&'l LabelMeaning> {
    let (full, count) = labels.label_at_start(behind).filter(|_| letter.word.chars().count() == 1)?;
    (count == behind.len() && full.key.is_some()).then_some(full)
}

/// Two labels that a slash joins, and two values that one joins: "Sexo / edad: Macho / 12 años".
fn pair_of_labels<'l>(
    tokens: &[Token<'_>],
    first: usize,
    labels: &'l Labels<'_>,
) -> Option<Vec<Segment<'l>>> {
    let is_slash = |token: &Token<'_>| token.text == "/";
    let (one, count) = labels.label_at_start(tokens.get(first..)?)?;
    let second = first + count + 1;
    if !is_slash(tokens.get(second - 1)?) || tokens[second - 2].colon {
        return None;
    }
    let (two, count) = labels.label_at_start(tokens.get(second..)?)?;
    let value = second + count;
    if !tokens[value - 1].colon || one.key.is_none() || two.key.is_none() || one.key == two.key {
        return None;
    }
    let mut slashes = (value..tokens.len()).filter(|at| is_slash(&tokens[*at]));
    let (slash, None) = (slashes.next()?, slashes.next()) else { return None };
    let part = |meaning, start: usize, value: Range<usize>| Segment {
        label: Some((meaning, Separator::Mark)),
        is_labelled: true,
        start,
        value,
    };
    Some(vec![part(one, first, value..slash), part(two, second, slash + 1..tokens.len())])
}

/// The place behind the number of a part, if a label is all that follows it: "4. DIAGNÓSTICO".
fn behind_number(tokens: &[Token<'_>], first: usize, labels: &Labels<'_>) -> usize {
    let is_number = tokens.get(first).is_some_and(|token| {
        let bare = token.text.trim_end_matches(['.', ')']);
        bare.len() < token.text.len()
            && (1..=2).contains(&bare.len())
            && bare.bytes().all(|b| b.is_ascii_digit())
    });
    let is_label = is_number
        && labels
            .label_at_start(&tokens[first + 1..])
            .is_some_and(|(_, count)| first + 1 + count == tokens.len());
    first + usize::from(is_label)
}

/// Whether a label is a single letter that could be any word: "A" without a colon.
fn is_stray_letter(
    tokens: &[Token<'_>],
    first: usize,
    count: usize,
    meaning: &LabelMeaning,
    schema: &Schema,
) -> bool {
    // "A - Otitis" is a label, as "A: Otitis" is.
    let has_mark = tokens[first].colon
        || (tokens.get(first + 1).is_some_and(Token::is_separator) && tokens.len() > first + 2);
    let is_letter = count == 1 && tokens[first].word.chars().count() == 1 && !has_mark;
    let is_strict = |key: usize| schema.keys[key].normaliser.is_strict();
    is_letter && !meaning.key.is_some_and(is_strict)
}

/// A segment for a few words before a colon: a label that contains a known one, or an unknown label.
fn segment_of_unknown_label<'l>(
    cell: &Cell<'_>,
    first: usize,
    labels: &'l Labels<'_>,
    schema: &Schema,
) -> Option<Segment<'l>> {
    let tokens = &cell.tokens;
    let words = &tokens[first..tokens.len().min(first + MAX_UNKNOWN_LABEL_WORDS)];
    let colon = words.iter().position(|token| token.colon)?;
    let phrase = &words[..=colon];
    let has_digits = phrase.iter().any(|token| token.text.chars().any(|c| c.is_ascii_digit()));
    if has_digits || !phrase[0].is_capital() || phrase.iter().any(Token::is_separator) {
        return None;
    }
    let is_other_occasion = phrase.iter().any(|token| OTHER_OCCASION_WORDS.contains(&token.word.as_str()));
    let within = (0..phrase.len()).filter_map(|at| labels.label_at_start(&phrase[at..]));
    let within = within.filter(|(meaning, _)| meaning.key.is_some_and(|key| can_be_embedded(schema, key)));
    // The longest known label, the first one if several are as long.
    let known = within.filter(|_| !is_other_occasion).rev().max_by_key(|(_, count)| *count);
    // "Thoracic radiographs: vertebral heart score 12.1" is a result with its name.
    let names_result = |meaning: &LabelMeaning| {
        let mut words = meaning.key.into_iter().flat_map(|key| schema.keys[key].sentence_words.iter());
        let label = meaning.words.as_str();
        words.any(|word| {
            word.strip_suffix('*').map_or(word == label, |beginning| label.starts_with(beginning))
        })
    };
    let known = known.filter(|(meaning, _)| phrase.len() < 2 || !names_result(meaning));
    Some(Segment {
        label: known.map(|(meaning, _)| (meaning, Separator::Mark)),
        is_labelled: true,
        start: first,
        value: first + colon + 1..tokens.len(),
    })
}

/// Whether the label of this key keeps its meaning within a longer label.
pub(super) fn can_be_embedded(schema: &Schema, key: usize) -> bool {
    let key = &schema.keys[key];
    key.normaliser.has_robust_label() || key.scope == Scope::Visit
}
