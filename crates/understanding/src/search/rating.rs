//! How well documents fit the words of a query (BM25): a word counts the more, the fewer texts have it and the more often it stands in
//! a chunk, and the less, the longer the chunk is.
//!
//! Both stores rate by this, so that they order the same documents in the same way.

use std::collections::HashMap;

use super::query::Term;
use super::snippet::matching;
use super::words::{for_each_word, words};

/// How soon more hits of a word stop to count more.
const SATURATION: f64 = 1.2;
/// How much the length of a text counts.
const LENGTH: f64 = 0.75;
/// The words of a usual chunk, if there is none to compare with.
const USUAL_WORDS: f64 = 130.0;
/// How much it counts what the other chunks of a document say and its best one does not.
const OTHER_CHUNKS: f64 = 0.5;

/// A chunk that has words of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct FittingChunk {
    /// The number of its document.
    pub document: i64,
    /// Its place in the document.
    pub position: u32,
    /// How much more it says about its document than a part of the text does.
    pub importance: f64,
    /// Its text.
    pub text: String,
}

/// How well a document fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Its chunk that fits best.
    pub position: u32,
    /// How well it fits.
    pub score: f64,
}

/// The words of a query, to count them in texts.
struct Counter<'t> {
    /// The terms that a single word is, by the word.
    by_word: HashMap<&'t str, Vec<usize>>,
    likely: LikelyWords,
    /// Beginnings.
    beginnings: Vec<(usize, &'t str)>,
    phrases: Vec<(usize, &'t Term)>,
    terms: usize,
}

/// The lengths and the first bytes of the words of a query. Most words of a text have another one, so that they need not be looked up.
struct LikelyWords {
    lengths: [bool; 256],
    first_bytes: [bool; 256],
}

impl LikelyWords {
    fn of<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        let mut likely = Self { lengths: [false; 256], first_bytes: [false; 256] };
        for word in words {
            likely.lengths[word.len() % 256] = true;
            likely.first_bytes[first_byte(word)] = true;
        }
        likely
    }

    fn may_have(&self, word: &str) -> bool {
        self.lengths[word.len() % 256] && self.first_bytes[first_byte(word)]
    }
}

fn first_byte(word: &str) -> usize {
    word.bytes().next().map_or(0, usize::from)
}

/// How often each term stands in a text, and how many words it has.
struct Counts {
    terms: Vec<f64>,
    words: f64,
}

impl<'t> Counter<'t> {
    fn new(terms: &'t [Vec<Term>]) -> Self {
        let mut by_word: HashMap<&str, Vec<usize>> = HashMap::new();
        let (mut beginnings, mut phrases) = (Vec::new(), Vec::new());
        for (place, alternatives) in terms.iter().enumerate() {
            for term in alternatives {
                match term {
                    Term::Word(word) => by_word.entry(word).or_default().push(place),
                    Term::Prefix(beginning) => beginnings.push((place, beginning.as_str())),
                    Term::Phrase { .. } => phrases.push((place, term)),
                }
            }
        }
        let likely = LikelyWords::of(by_word.keys().copied());
        Self { by_word, likely, beginnings, phrases, terms: terms.len() }
    }

    fn count(&self, text: &str) -> Counts {
        let mut counts = Counts { terms: vec![0.0; self.terms], words: 0.0 };
        for_each_word(text, |word, _| {
            counts.words += 1.0;
            if self.likely.may_have(word) {
                for place in self.by_word.get(word).into_iter().flatten() {
                    counts.terms[*place] += 1.0;
                }
            }
            for (place, beginning) in &self.beginnings {
                if word.starts_with(beginning) {
                    counts.terms[*place] += 1.0;
                }
            }
        });
        if !self.phrases.is_empty() {
            let words = words(text);
            for start in 0..words.len() {
                for (place, term) in &self.phrases {
                    if matching(&words[start..], term).is_some() {
                        counts.terms[*place] += 1.0;
                    }
                }
            }
        }
        counts
    }
}

/// How well the documents of these chunks fit terms, each given with everything that counts as it and with its weight.
///
/// The best chunk of a document decides; what only its other chunks say counts less.
#[allow(clippy::cast_precision_loss)] // Few chunks.
pub fn rate(terms: &[Vec<Term>], weights: &[f64], chunks: &[FittingChunk]) -> HashMap<i64, Fit> {
    let counter = Counter::new(terms);
    let of_chunks: Vec<Counts> = chunks.iter().map(|chunk| counter.count(&chunk.text)).collect();
    let texts = chunks.iter().zip(&of_chunks).filter(|(chunk, _)| chunk.importance <= 1.0);
    let lengths: Vec<f64> = texts.map(|(_, counts)| counts.words).collect();
    let usual =
        if lengths.is_empty() { USUAL_WORDS } else { lengths.iter().sum::<f64>() / lengths.len() as f64 };
    let mut documents: HashMap<i64, (Fit, Vec<f64>)> = HashMap::new();
    for (chunk, counts) in chunks.iter().zip(of_chunks) {
        let length = SATURATION * (1.0 - LENGTH + LENGTH * counts.words / usual.max(1.0));
        let score = |(count, weight): (&f64, &f64)| {
            chunk.importance * weight * count * (SATURATION + 1.0) / (count + length)
        };
        let scores: Vec<f64> = counts.terms.iter().zip(weights).map(score).collect();
        let sum: f64 = scores.iter().sum();
        let fit = Fit { position: chunk.position, score: sum };
        let (best, most) = documents.entry(chunk.document).or_insert_with(|| (fit, scores.clone()));
        for (most, score) in most.iter_mut().zip(scores) {
            *most = most.max(score);
        }
        if sum > best.score {
            *best = fit;
        }
    }
    let fit = |(best, most): (Fit, Vec<f64>)| {
        let others = most.iter().sum::<f64>() - best.score;
        Fit { score: best.score + OTHER_CHUNKS * others.max(0.0), ..best }
    };
    documents.into_iter().map(|(document, found)| (document, fit(found))).collect()
}

/// The weight of a word that so many of all texts have.
pub fn rarity(having: f64, all: f64) -> f64 {
    let having = having.min(all);
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Vec<Term> {
        vec![Term::Word(text.to_owned())]
    }

    fn chunk(document: i64, position: u32, text: &str) -> FittingChunk {
        FittingChunk { document, position, importance: 1.0, text: text.to_owned() }
    }

    #[test]
    fn rare_words_many_hits_and_short_texts_count_more() {
        let terms = [
            vec![Term::Word("otitis".to_owned()), Term::Word("otitides".to_owned())],
            vec![Term::Prefix("vacun".to_owned())],
            vec![Term::Phrase { words: vec!["de".to_owned(), "luna".to_owned()], is_open: false }],
        ];
        let weights = [rarity(9.0, 1e5), rarity(5_000.0, 1e5), rarity(9.0, 1e5)];
        let texts = [
            "otitis otitides",
            "otitis",
            "Otitis y mucho texto sin más",
            "vacunación",
            "la luna de otro",
            "de Luna",
        ];
        let chunks: Vec<FittingChunk> =
            (0..).zip(texts).map(|(number, text)| chunk(number, 2, text)).collect();
        let found = rate(&terms, &weights, &chunks);
        let scores: Vec<f64> = (0..6).map(|number| found[&number].score).collect();
        assert!(scores[..5].is_sorted_by(|one, next| one > next), "{scores:?}");
        assert!(scores[4] < f64::EPSILON && scores[5] > scores[3], "{scores:?}");
        assert!(rarity(1e5, 1e5) < 0.01, "a word that all texts have says nothing");
    }

    #[test]
    fn a_word_is_told_from_one_of_its_length_and_beginning_in_every_script() {
        let long = "x".repeat(64);
        let terms = [word("otitis"), word("привет"), word("東"), word(&long)];
        let texts = ["otorgo отитис", "Otitis", "приход", "Привет", "京", "東", &long];
        let chunks: Vec<FittingChunk> =
            (0..).zip(texts).map(|(number, text)| chunk(number, 2, text)).collect();
        let found = rate(&terms, &[1.0; 4], &chunks);
        let fits: Vec<bool> = (0..7).map(|number| found[&number].score > 0.0).collect();
        assert_eq!(fits, [false, true, false, true, false, true, true]);
    }

    #[test]
    fn a_document_that_has_all_words_in_two_chunks_comes_between_one_with_all_in_a_chunk_and_one_with_some() {
        let terms = [word("otitis"), word("luna")];
        let chunks = [
            chunk(1, 2, "otitis luna"),
            chunk(2, 2, "otitis perro"),
            chunk(2, 3, "gata luna"),
            chunk(3, 2, "otitis perro"),
        ];
        let found = rate(&terms, &[2.0, 1.0], &chunks);
        let score = |number: i64| found[&number].score;
        assert!(score(1) > score(2) && score(2) > score(3), "{found:?}");
        assert_eq!(found[&2].position, 2, "the chunk with the rarer word is shown");
    }
}
