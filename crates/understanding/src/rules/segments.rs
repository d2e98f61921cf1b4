//! A cell taken apart into labels and what stands behind each.

use std::ops::Range;

use super::labels::{LabelMeaning, Labels};
use super::layout::{Cell, Token};
use crate::{Schema, Scope};

/// Words before a colon that can be a label nobody told us of.
const MAX_UNKNOWN_LABEL_WORDS: usize = 5;
/// Words that turn a label into one of something else: a reminder, an appointment.
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

/// How a label is set apart from what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// By a colon, a dash or a bar.
    Mark,
    /// It is alone in its cell.
    EndOfCell,
    /// By nothing but a space.
    Space,
}

/// A stretch of a cell: perhaps a label, and the words behind it.
pub(super) struct Segment<'l> {
    /// The label, if it is one we were told of.
    pub label: Option<(&'l LabelMeaning, Separator)>,
    /// Whether something that looks like a label stands before the words.
    pub is_labelled: bool,
    /// Where the label begins.
    pub start: usize,
    /// The words behind it.
    pub value: Range<usize>,
}

/// Takes a cell apart.
pub(super) fn split_cell<'l>(cell: &Cell<'_>, labels: &'l Labels<'_>, schema: &Schema) -> Vec<Segment<'l>> {
    let tokens = &cell.tokens;
    let first = cell.first_word();
    let mut segments = vec![first_segment(cell, first, labels, schema)];
    let mut at = segments[0].value.start.max(first + 1);
    while at < tokens.len() {
        let inner = labels.label_at_start(&tokens[at..]).filter(|(_, count)| tokens[at + count - 1].colon);
        match inner {
            Some((meaning, count)) if tokens[at].is_capital() => {
                if let Some(before) = segments.last_mut() {
                    before.value.end = at;
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

/// The label that a cell begins with.
fn first_segment<'l>(cell: &Cell<'_>, first: usize, labels: &'l Labels<'_>, schema: &Schema) -> Segment<'l> {
    let tokens = &cell.tokens;
    let end = tokens.len();
    if let Some((meaning, count)) = labels.label_at_start(&tokens[first..]) {
        let mut behind = first + count;
        let mut has_mark = tokens[behind - 1].colon;
        // As in "Peso (kg):".
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

/// A few words before a colon: a label that has one we know within, or one that nobody told us of.
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
    let has_figures = phrase.iter().any(|token| token.text.chars().any(|c| c.is_ascii_digit()));
    if has_figures || !phrase[0].is_capital() || phrase.iter().any(Token::is_separator) {
        return None;
    }
    let is_turned = phrase.iter().any(|token| OTHER_OCCASION_WORDS.contains(&token.word.as_str()));
    let within = (0..phrase.len()).filter_map(|at| labels.label_at_start(&phrase[at..]));
    let within = within.filter(|(meaning, _)| meaning.key.is_some_and(|key| can_be_embedded(schema, key)));
    // The longest; of several the first.
    let known = within.filter(|_| !is_turned).rev_max();
    Some(Segment {
        label: known.map(|meaning| (meaning, Separator::Mark)),
        is_labelled: true,
        start: first,
        value: first + colon + 1..tokens.len(),
    })
}

/// Whether words around the label of this key change nothing about it. They do for dates and names.
pub(super) fn can_be_embedded(schema: &Schema, key: usize) -> bool {
    let key = &schema.keys[key];
    key.normaliser.has_robust_label() || key.scope == Scope::Visit
}

/// The first of the longest.
trait Longest<'l>: Iterator<Item = (&'l LabelMeaning, usize)> + Sized {
    fn rev_max(self) -> Option<&'l LabelMeaning> {
        let mut best: Option<(&'l LabelMeaning, usize)> = None;
        for (meaning, count) in self {
            if best.is_none_or(|(_, most)| count > most) {
                best = Some((meaning, count));
            }
        }
        best.map(|(meaning, _)| meaning)
    }
}

impl<'l, I: Iterator<Item = (&'l LabelMeaning, usize)>> Longest<'l> for I {}
