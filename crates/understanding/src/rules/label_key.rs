//! Decides which key a label means: by the section that it stands in, and by the words of its value where several keys share it. One
//! label may have a key of its own, which lists it among its `labels`, and be shared by others, which list it among their
//! `shared_labels`.

use std::ops::Range;

use super::FieldFinder;
use super::labels::LabelMeaning;
use super::layout::Token;
use crate::Scope;

/// The most words of a value in which a cue is looked for.
const MAX_CUE_TOKENS: usize = 60;
/// The longest cue that is only a unit, in bytes. It counts behind a number; a longer cue counts anywhere.
pub(super) const MAX_UNIT: usize = 3;

impl FieldFinder<'_> {
    /// The key that a label means at this place.
    pub(super) fn resolve_label(&self, meaning: &LabelMeaning, cell: usize) -> Option<usize> {
        let it = &self.layout.cells[cell];
        let section_of = |key: &usize| self.schema.keys[*key].section.as_deref();
        let governed = self.context.section_at(it.rect.x0);
        let is_governed = |key: &&usize| governed.is_some() && section_of(key) == governed;
        let own = meaning.key.as_ref().filter(is_governed);
        let shared = own.or_else(|| meaning.shared.iter().find(is_governed));
        if let Some(key) = shared.copied().or(meaning.key) {
            return Some(key);
        }
        let sections: Vec<&str> = meaning.shared.iter().filter_map(section_of).collect();
        let near = self.context.nearest_section(it, &sections);
        let by_section =
            |section: &str| meaning.shared.iter().find(|key| section_of(key) == Some(section)).copied();
        near.and_then(by_section).or_else(|| {
            let last = self.candidates.iter().rev().take(20).find_map(|candidate| {
                section_of(&candidate.key).filter(|section| sections.contains(section))
            });
            last.and_then(by_section)
        })
    }

    /// The key that a label means before this value. Among keys of visits that share the label, the value belongs to the one
    /// whose cue stands first in it, such as a dose or the name of a procedure. If the value cannot be one of the first key, it
    /// belongs to a key of visits that is a text.
    pub(super) fn fitting_key(
        &self,
        key: usize,
        meaning: &LabelMeaning,
        cell: usize,
        value: &Range<usize>,
    ) -> usize {
        let tokens = &self.layout.cells[cell].tokens[value.clone()];
        if let Some(other) = self.key_by_cue(key, meaning, tokens) {
            return other;
        }
        let normaliser = self.schema.keys[key].normaliser;
        let is_strict = normaliser.is_strict() && !tokens.is_empty();
        let words = || self.layout.cells[cell].text(value.clone());
        if is_strict && normaliser.apply_in(&words(), self.dates.order).is_none() {
            return self.key_of_text(meaning).unwrap_or(key);
        }
        key
    }

    /// The key of visits, among those that a label means, whose cue stands first in a value.
    pub(super) fn key_by_cue(
        &self,
        key: usize,
        meaning: &LabelMeaning,
        tokens: &[Token<'_>],
    ) -> Option<usize> {
        let is_of_visit = |key: &usize| self.schema.keys[*key].scope == Scope::Visit;
        if !meaning.shared.iter().any(is_of_visit) {
            return None;
        }
        let keys = std::iter::once(key).chain(meaning.shared.iter().chain(&meaning.key).copied());
        let cued = keys.filter(is_of_visit).filter_map(|key| Some((self.first_cue_of(key, tokens)?, key)));
        cued.min_by_key(|(at, _)| *at).map(|(_, key)| key)
    }

    /// The key of one of the values behind a label that means several keys. Without a cue it is the usual one; but of several things,
    /// one without a figure is no medicine or result: "Cambiar a comida húmeda".
    pub(super) fn key_of_part(
        &self,
        key: usize,
        meaning: &LabelMeaning,
        usual: Option<usize>,
        tokens: &[Token<'_>],
        is_list: bool,
    ) -> usize {
        let has_figure = tokens.iter().any(|token| token.text.bytes().any(|b| b.is_ascii_digit()));
        let of_text = || self.key_of_text(meaning);
        let usual = if is_list && !has_figure { of_text().or(usual) } else { usual.or_else(of_text) };
        // What alone stands behind "Tratamiento" is the treatment, even if it is a diet.
        let by_cue = self.key_by_cue(key, meaning, tokens);
        let by_cue = by_cue.filter(|key| is_list || self.schema.keys[*key].repeatable);
        by_cue.or(usual).unwrap_or(key)
    }

    /// The key of visits with the text of a label that means several keys.
    pub(super) fn key_of_text(&self, meaning: &LabelMeaning) -> Option<usize> {
        meaning.shared.iter().chain(&meaning.key).copied().find(|key| {
            let key = &self.schema.keys[*key];
            key.scope == Scope::Visit && !key.repeatable
        })
    }

    /// Where the first cue of a key stands among these words: a unit behind its number, or a word.
    pub(super) fn first_cue_of(&self, key: usize, tokens: &[Token<'_>]) -> Option<usize> {
        (0..tokens.len().min(MAX_CUE_TOKENS))
            .find(|at| self.is_cue(key, &tokens[*at].word) || self.is_measure_of(key, tokens, *at))
    }

    /// Whether a word is a cue of a key by itself. An asterisk in a cue stands for any beginning or ending.
    pub(super) fn is_cue(&self, key: usize, word: &str) -> bool {
        let mut cues = self.schema.keys[key].cues.iter().filter(|cue| cue.len() > MAX_UNIT);
        cues.any(|cue| match (cue.strip_suffix('*'), cue.strip_prefix('*')) {
            (Some(start), _) => word.starts_with(start),
            (None, Some(end)) => word.ends_with(end),
            (None, None) => cue == word,
        })
    }

    /// Whether a number with one of a key's cues is among these words, such as a dose.
    pub(super) fn has_measure_of(&self, key: usize, tokens: &[Token<'_>]) -> bool {
        (0..tokens.len().min(MAX_CUE_TOKENS)).any(|at| self.is_measure_of(key, tokens, at))
    }

    /// Whether a number with one of a key's cues stands at this place.
    pub(super) fn is_measure_of(&self, key: usize, tokens: &[Token<'_>], at: usize) -> bool {
        let is_cue = |token: &Token<'_>| {
            let word = token.word.trim_start_matches(|c: char| c.is_ascii_digit() || ".,/".contains(c));
            self.schema.keys[key].cues.iter().any(|cue| cue == word)
        };
        tokens[at].text.starts_with(|c: char| c.is_ascii_digit())
            && (is_cue(&tokens[at]) || tokens.get(at + 1).is_some_and(is_cue))
    }

    /// The same for the cues of any list of visits.
    pub(super) fn has_measure(&self, cell: usize, tokens: &Range<usize>) -> bool {
        let is_list = |key: &usize| {
            let key = &self.schema.keys[*key];
            key.scope == Scope::Visit && key.repeatable && !key.cues.is_empty()
        };
        let words = &self.layout.cells[cell].tokens[tokens.clone()];
        (0..self.schema.keys.len()).filter(is_list).any(|key| self.has_measure_of(key, words))
    }

    /// Whether a label of visits means several keys, so that each sentence behind it is a value of its own: "Plan", "Pruebas".
    pub(super) fn is_mixed(&self, key: usize, meaning: &LabelMeaning) -> bool {
        let is_of_visit = |key: &usize| self.schema.keys[*key].scope == Scope::Visit;
        is_of_visit(&key) && meaning.shared.iter().any(is_of_visit)
    }
}
