//! Words compared as tokens: how much two lists of them have in common.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::AddAssign;

/// A word as it is compared. Nothing is forgiven but what is a matter of taste: a ligature is its letters, and a soft
/// hyphen is nothing.
pub fn fold(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    for letter in word.chars() {
        match letter {
            '\u{ad}' => {}
            'ﬀ' => folded.push_str("ff"),
            'ﬁ' => folded.push_str("fi"),
            'ﬂ' => folded.push_str("fl"),
            'ﬃ' => folded.push_str("ffi"),
            'ﬄ' => folded.push_str("ffl"),
            'ﬅ' | 'ﬆ' => folded.push_str("st"),
            letter => folded.push(letter),
        }
    }
    folded
}

/// Gives equal words equal numbers, which are cheaper to compare.
#[derive(Default)]
pub struct Numbering {
    numbers: HashMap<String, u32>,
}

impl Numbering {
    /// The number of a word, folded; none for one of which nothing is left.
    pub fn number(&mut self, word: &str) -> Option<u32> {
        let folded = fold(word);
        let next = u32::try_from(self.numbers.len()).unwrap();
        (!folded.is_empty()).then(|| *self.numbers.entry(folded).or_insert(next))
    }

    /// The numbers of words.
    pub fn numbers<'a>(&mut self, words: impl IntoIterator<Item = &'a str>) -> Vec<u32> {
        words.into_iter().filter_map(|word| self.number(word)).collect()
    }
}

/// Each word with the one after it.
pub fn bigrams(tokens: &[u32]) -> Vec<(u32, u32)> {
    tokens.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// How much two lists have in common, whatever the order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    common: usize,
    first: usize,
    second: usize,
}

impl Overlap {
    /// Of two lists, each element counted as often as it occurs.
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
        let mut numbering = Numbering::default();
        let (first, second) = (numbering.numbers(first.split(' ')), numbering.numbers(second.split(' ')));
        Overlap::of(&first, &second).f1()
    }

    fn near(value: f64, wanted: f64) {
        assert!((value - wanted).abs() < 1e-9, "{value} is not {wanted}");
    }

    #[test]
    fn f1_counts_a_word_as_often_as_it_occurs_and_not_where() {
        near(f1("a b c", "c a b"), 1.0);
        near(f1("a a b", "a b b"), 2.0 * 2.0 / 6.0);
        near(f1("a b c d", "a"), 2.0 / 5.0);
        near(f1("a", "b"), 0.0);
        near(Overlap::of::<u32>(&[], &[]).f1(), 1.0);
    }

    #[test]
    fn bigrams_mind_the_order() {
        assert_eq!(bigrams(&[1, 2, 3]), [(1, 2), (2, 3)]);
        assert_eq!(bigrams(&[1]), []);
        near(Overlap::of(&bigrams(&[1, 2, 3]), &bigrams(&[3, 1, 2])).f1(), 0.5);
    }

    #[test]
    fn overlaps_add_up_to_that_of_the_whole() {
        let mut sum = Overlap::of(&[1, 2], &[1]);
        sum += Overlap::of(&[3], &[3, 4]);
        assert_eq!(sum, Overlap::of(&[1, 2, 3], &[1, 3, 4]));
    }

    #[test]
    fn ligatures_and_soft_hyphens_are_no_difference_and_capitals_are_one() {
        near(f1("ﬁn co\u{ad}la oﬃce \u{ad}", "fin cola office"), 1.0);
        near(f1("Fin", "fin"), 0.0);
    }
}
