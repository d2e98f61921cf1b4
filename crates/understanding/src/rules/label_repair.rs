//! Repairs labels in which text recognition got one letter wrong, missing or too many.

use std::collections::{HashMap, HashSet};

use super::labels::Labels;
use super::layout::DocumentLayout;

/// The shortest word that is repaired, in letters. Shorter words resemble each other too much.
const MIN_WORD_LENGTH: usize = 6;

/// Repairs words before a colon, and words in short cells, on pages whose text was recognised.
pub(super) fn repair_labels(layout: &mut DocumentLayout<'_>, labels: &Labels<'_>) {
    if !layout.cells.iter().any(|cell| cell.is_recognised) {
        return;
    }
    let label_words = LabelWords::of(labels);
    for cell in layout.cells.iter_mut().filter(|cell| cell.is_recognised) {
        let count = cell.tokens.len();
        for token in cell.tokens.iter_mut().filter(|token| token.colon || count <= 3) {
            if let Some(word) = label_words.repaired(&token.label_form) {
                token.label_form = word.to_owned();
            }
        }
    }
}

/// The words of all labels, indexed by the words with one letter removed.
struct LabelWords<'l> {
    words: HashMap<String, Vec<&'l str>>,
    /// All words, including those too short to repair.
    all: HashSet<&'l str>,
}

impl<'l> LabelWords<'l> {
    fn of(labels: &'l Labels<'_>) -> Self {
        let mut words: HashMap<String, Vec<&'l str>> = HashMap::new();
        for word in labels.words().filter(|word| word.len() >= MIN_WORD_LENGTH) {
            for rest in with_one_letter_less(word) {
                let list = words.entry(rest).or_default();
                if !list.contains(&word) {
                    list.push(word);
                }
            }
        }
        Self { words, all: labels.words().collect() }
    }

    /// The one label word that differs from this word by one letter. None if the word is itself a label word, or if
    /// several label words are as near.
    fn repaired(&self, word: &str) -> Option<&'l str> {
        if word.len() < MIN_WORD_LENGTH - 1 || !word.is_ascii() || self.all.contains(word) {
            return None;
        }
        let mut found: Option<&'l str> = None;
        for rest in with_one_letter_less(word) {
            for other in self.words.get(&rest).into_iter().flatten() {
                if is_one_edit_apart(word, other) {
                    if found.is_some_and(|found| found != *other) {
                        return None;
                    }
                    found = Some(other);
                }
            }
        }
        found
    }
}

/// The word itself, and the word without each one of its letters.
fn with_one_letter_less(word: &str) -> impl Iterator<Item = String> {
    let without =
        |at: usize| word.char_indices().filter(move |(place, _)| *place != at).map(|(_, c)| c).collect();
    word.char_indices().map(|(place, _)| place).map(without).chain([word.to_owned()])
}

/// Whether two words differ by at most one inserted, removed or replaced letter.
fn is_one_edit_apart(one: &str, two: &str) -> bool {
    let (one, two) = (one.as_bytes(), two.as_bytes());
    let start = one.iter().zip(two).take_while(|(a, b)| a == b).count();
    let end = one[start..].iter().rev().zip(two[start..].iter().rev()).take_while(|(a, b)| a == b).count();
    one.len() - start - end <= 1 && two.len() - start - end <= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schema;

    #[test]
    fn a_word_one_letter_away_from_one_label_is_repaired() {
        let schema = Schema::built_in_default();
        let labels = Labels::of(&schema);
        let label_words = LabelWords::of(&labels);
        assert_eq!(label_words.repaired("espccie"), Some("especie"));
        assert_eq!(label_words.repaired("diagnostioo"), Some("diagnostico"));
        assert_eq!(label_words.repaired("propietaric"), None, "one of two");
        assert_eq!(label_words.repaired("especie"), None, "nothing to mend");
        assert_eq!(label_words.repaired("visit"), None, "visita is another word");
        assert_eq!(label_words.repaired("informe"), None);
        assert_eq!(label_words.repaired("raza"), None, "too short");
    }
}
