//! Compares lists of words as tokens.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::AddAssign;

/// Normalizes a word for the comparison: ligatures become letters, soft hyphens are removed. Nothing else is ignored.
pub fn normalize(word: &str) -> String {
    let mut normalized = String::with_capacity(word.len());
    for letter in word.chars() {
        match letter {
            '\u{ad}' => {}
            'ﬀ' => normalized.push_str("ff"),
            'ﬁ' => normalized.push_str("fi"),
            'ﬂ' => normalized.push_str("fl"),
            'ﬃ' => normalized.push_str("ffi"),
            'ﬄ' => normalized.push_str("ffl"),
            'ﬅ' | 'ﬆ' => normalized.push_str("st"),
            letter => normalized.push(letter),
        }
    }
    normalized
}

/// Gives equal words equal ids, which are faster to compare.
#[derive(Default)]
pub struct TokenIds {
    numbers: HashMap<String, u32>,
}

impl TokenIds {
    /// The id of a word. `None` for a word that is empty after normalization.
    pub fn id(&mut self, word: &str) -> Option<u32> {
        let normalized = normalize(word);
        let next = u32::try_from(self.numbers.len()).unwrap();
        (!normalized.is_empty()).then(|| *self.numbers.entry(normalized).or_insert(next))
    }

    /// The ids of words.
    pub fn ids<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) -> Vec<u32> {
        words.into_iter().filter_map(|word| self.id(word)).collect()
    }
}

/// The pairs of consecutive tokens.
pub fn bigrams(tokens: &[u32]) -> Vec<(u32, u32)> {
    tokens.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// How much two lists have in common, in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    common: usize,
    first: usize,
    second: usize,
}

impl Overlap {
    /// Compares two lists. Repeated elements count repeatedly.
    pub fn of<T: Copy + Eq + Hash>(first: &[T], second: &[T]) -> Self {
        let mut left: HashMap<T, usize> = HashMap::new();
        for element in first {
            *left.entry(*element).or_default() += 1;
        }
        let mut common = 0;
        for element in second {
            if let Some(count @ 1..) = left.get_mut(element) {
                *count -= 1;
                common += 1;
            }
        }
        Self { common, first: first.len(), second: second.len() }
    }

    /// The harmonic mean of precision and recall. Two empty lists agree.
    pub fn f1(self) -> f64 {
        let all = self.first + self.second;
        if all == 0 { 1.0 } else { 2.0 * self.common as f64 / all as f64 }
    }
}

impl AddAssign for Overlap {
    fn add_assign(&mut self, other: Self) {
        self.common += other.common;
        self.first += other.first;
        self.second += other.second;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f1(first: &str, second: &str) -> f64 {
        let mut ids = TokenIds::default();
        let (first, second) = (ids.ids(first.split(' ')), ids.ids(second.split(' ')));
        Overlap::of(&first, &second).f1()
    }

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    }

    #[test]
    fn f1_counts_repeated_words_and_ignores_the_order() {
        near(f1("a b c", "c a b"), 1.0);
        near(f1("a a b", "a b b"), 2.0 * 2.0 / 6.0);
        near(f1("a b c d", "a"), 2.0 / 5.0);
        near(f1("a", "b"), 0.0);
        near(Overlap::of::<u32>(&[], &[]).f1(), 1.0);
    }

    #[test]
    fn bigrams_depend_on_the_order() {
        assert_eq!(bigrams(&[1, 2, 3]), [(1, 2), (2, 3)]);
        assert_eq!(bigrams(&[1]), []);
        near(Overlap::of(&bigrams(&[1, 2, 3]), &bigrams(&[3, 1, 2])).f1(), 0.5);
    }

    #[test]
    fn overlaps_can_be_added() {
        let mut sum = Overlap::of(&[1, 2], &[1]);
        sum += Overlap::of(&[3], &[3, 4]);
        assert_eq!(sum, Overlap::of(&[1, 2, 3], &[1, 3, 4]));
    }

    #[test]
    fn ligatures_and_soft_hyphens_are_ignored_but_capitals_are_not() {
        near(f1("ﬁn co\u{ad}la oﬃce \u{ad}", "fin cola office"), 1.0);
        near(f1("Fin", "fin"), 0.0);
    }
}
