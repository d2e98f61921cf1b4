//! Misspelt words: which known words are meant by an unknown one.

/// A folded word of a query that the list of known words may lack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spelling {
    word: Vec<char>,
}

impl Spelling {
    /// None for a word that is too short or too long to guess at.
    pub fn of(word: &str) -> Option<Self> {
        let word: Vec<char> = word.chars().take(33).collect();
        (4..=32).contains(&word.len()).then_some(Self { word })
    }

    /// How many letters may be wrong, missing, added or exchanged: one, or two in a long word.
    pub fn allowed(&self) -> usize {
        if self.word.len() >= 8 { 2 } else { 1 }
    }

    /// The lengths of words that can be meant.
    pub fn lengths(&self) -> (usize, usize) {
        (self.word.len() - self.allowed(), self.word.len() + self.allowed())
    }

    /// How many trigrams a word that is meant has at least in common with this one: a wrong letter changes three of them,
    /// two exchanged letters four.
    pub fn common_trigrams(&self) -> usize {
        (self.word.len() + 1).saturating_sub(4 * self.allowed()).max(1)
    }

    /// The words that are meant, among candidates: those with the fewest differences. At most `most`.
    pub fn closest(&self, candidates: impl IntoIterator<Item = String>, most: usize) -> Vec<String> {
        let rated = candidates.into_iter().filter_map(|candidate| {
            let letters: Vec<char> = candidate.chars().collect();
            Some((distance_within(&self.word, &letters, self.allowed())?, candidate))
        });
        let mut rated: Vec<(usize, String)> = rated.collect();
        rated.sort();
        let best = rated.first().map(|(distance, _)| *distance);
        let closest = rated.into_iter().filter(|(distance, _)| Some(*distance) == best);
        closest.take(most).map(|(_, candidate)| candidate).collect()
    }
}

/// The trigrams of a folded word, each once: with two spaces before the word and one after it.
pub fn trigrams(word: &str) -> Vec<String> {
    let letters: Vec<char> = "  ".chars().chain(word.chars()).chain(" ".chars()).collect();
    let mut all: Vec<String> = letters.windows(3).map(|three| three.iter().collect()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The number of wrong, missing, added and exchanged letters between two words, if it is at most `most`.
pub fn distance_within(one: &[char], other: &[char], most: usize) -> Option<usize> {
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let mut before = vec![0; other.len() + 1];
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.iter().enumerate() {
        let mut row = vec![i + 1; other.len() + 1];
        for (j, wanted) in other.iter().enumerate() {
            let changed = last[j] + usize::from(letter != wanted);
            row[j + 1] = changed.min(last[j + 1] + 1).min(row[j] + 1);
            let is_exchanged = i > 0 && j > 0 && *letter == other[j - 1] && one[i - 1] == *wanted;
            if is_exchanged {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        if row.iter().all(|distance| *distance > most) {
            return None;
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn distance(one: &str, other: &str) -> Option<usize> {
        let letters = |word: &str| word.chars().collect::<Vec<_>>();
        distance_within(&letters(one), &letters(other), 2)
    }

    #[test]
    fn each_kind_of_slip_is_one_difference() {
        for (slip, word, expected) in [
            ("vacuna", "vacuna", Some(0)),
            ("vacna", "vacuna", Some(1)),
            ("vacumna", "vacuna", Some(1)),
            ("vacuma", "vacuna", Some(1)),
            ("vaucna", "vacuna", Some(1)),
            ("vcauan", "vacuna", Some(2)),
            ("gato", "vacuna", None),
        ] {
            assert_eq!(distance(slip, word), expected, "{slip}");
        }
    }

    #[test]
    fn the_closest_words_are_meant() {
        let known = ["factura", "fractura", "facturas", "cultura"].map(str::to_owned);
        assert_eq!(Spelling::of("factuar").unwrap().closest(known.clone(), 5), ["factura"]);
        assert_eq!(Spelling::of("facura").unwrap().closest(known, 5), ["factura"]);
        assert_eq!(Spelling::of("gto"), None);
    }

    proptest! {
        /// No word that is meant is lost by asking for its trigrams.
        #[test]
        fn a_slip_keeps_enough_trigrams(word in "[a-e]{5,14}", place in any::<prop::sample::Index>(), kind in 0..4u8, letter in "[a-e]") {
            let mut letters: Vec<char> = word.chars().collect();
            let at = place.index(letters.len() - 1);
            let letter = letter.chars().next().unwrap();
            match kind {
                0 => { letters.remove(at); }
                1 => letters.insert(at, letter),
                2 => letters[at] = letter,
                _ => letters.swap(at, at + 1),
            }
            let slip: String = letters.iter().collect();
            let spelling = Spelling::of(&slip).unwrap();
            prop_assert!(distance(&slip, &word).is_some_and(|distance| distance <= 1));
            let known = trigrams(&word);
            // Repeated trigrams count once, so that the words of this test may share fewer.
            let distinct = trigrams(&slip).len();
            let lost = slip.chars().count() + 1 - distinct;
            let common = trigrams(&slip).iter().filter(|trigram| known.contains(trigram)).count();
            prop_assert!(common + lost + 1 >= spelling.common_trigrams());
            prop_assert!((spelling.lengths().0..=spelling.lengths().1).contains(&word.chars().count()));
        }
    }
}
