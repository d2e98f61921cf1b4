//! What a result shows of a chunk: the part around the words that were found, and where these stand.

use std::ops::Range;

use super::query::Term;
use super::words::{SearchWord, words};

/// The characters of a snippet around its hits.
const SNIPPET_CHARS: usize = 220;

/// A part of a text that a term of a query found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// The place of the term in the query.
    pub term: usize,
}

/// A part of a text with its hits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// The bytes of the text that are shown.
    pub range: Range<usize>,
    /// The hits within, by their bytes in the whole text.
    pub hits: Vec<Hit>,
}

/// The hits in a text, in order. Each term is given with everything that counts as it: the word, its other forms, the words
/// that a slip meant.
pub fn hits(text: &str, terms: &[Vec<Term>]) -> Vec<Hit> {
    let words = words(text);
    let mut all = Vec::new();
    for start in 0..words.len() {
        for (place, alternatives) in terms.iter().enumerate() {
            let length = alternatives.iter().filter_map(|term| matching(&words[start..], term)).max();
            if let Some(length) = length {
                let range = words[start].range.start..words[start + length - 1].range.end;
                all.push(Hit { range, term: place });
            }
        }
    }
    all
}

/// How many words at the beginning a term matches.
pub(super) fn matching(words: &[SearchWord], term: &Term) -> Option<usize> {
    let first = words.first()?;
    match term {
        Term::Word(word) => (first.text == *word).then_some(1),
        Term::Prefix(beginning) => first.text.starts_with(beginning.as_str()).then_some(1),
        Term::Phrase { words: wanted, is_open } => {
            let found = words.get(..wanted.len())?;
            let (last, before) = wanted.split_last()?;
            let begins = found.iter().zip(before).all(|(word, wanted)| word.text == *wanted);
            let ends = found.last().is_some_and(|word| match is_open {
                true => word.text.starts_with(last.as_str()),
                false => word.text == *last,
            });
            (begins && ends).then_some(wanted.len())
        }
    }
}

/// The part of a text that shows most of the query: the most different terms, then the most hits. Without a hit it is the
/// beginning.
pub fn snippet(text: &str, hits: &[Hit]) -> Snippet {
    let best = (0..hits.len()).max_by_key(|first| {
        let end = hits[*first].range.start + SNIPPET_CHARS;
        let near = hits[*first..].iter().take_while(|hit| hit.range.end <= end);
        let (mut terms, mut count) = (0u64, 0usize);
        for hit in near {
            terms |= 1 << (hit.term % 64);
            count += 1;
        }
        // Of equal parts the first.
        (terms.count_ones(), count, usize::MAX - *first)
    });
    let start = best.map_or(0, |first| hits[first].range.start.saturating_sub(SNIPPET_CHARS / 4));
    let start = word_start(text, start);
    let wanted_end = best.map_or(0, |first| hits[first].range.end).max(start + SNIPPET_CHARS);
    let end = word_end(text, wanted_end);
    let inside = hits.iter().filter(|hit| hit.range.start >= start && hit.range.end <= end);
    Snippet { range: start..end, hits: inside.cloned().collect() }
}

/// The beginning of the word at a byte.
fn word_start(text: &str, at: usize) -> usize {
    let at = (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    // A very long word is cut.
    text[..at]
        .char_indices()
        .rev()
        .take(40)
        .find(|(_, c)| c.is_whitespace())
        .map_or(if at < 40 { 0 } else { at }, |(space, c)| space + c.len_utf8())
}

/// The end of the word at a byte.
fn word_end(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    let at = (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    let rest = text[at..].char_indices().take(40).find(|(_, c)| c.is_whitespace());
    rest.map_or_else(|| if text.len() - at < 40 { text.len() } else { at }, |(space, _)| at + space)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn word(text: &str) -> Vec<Term> {
        vec![Term::Word(text.to_owned())]
    }

    #[test]
    fn words_prefixes_and_phrases_are_found_where_they_stand() {
        let text = "Otitis crónica. Vacunación: OTITIS\ncrónica leve";
        let phrase = Term::Phrase { words: vec!["otitis".to_owned(), "cronica".to_owned()], is_open: false };
        let found = hits(text, &[vec![phrase], vec![Term::Prefix("vacun".to_owned())]]);
        let shown: Vec<_> = found.iter().map(|hit| (&text[hit.range.clone()], hit.term)).collect();
        assert_eq!(shown, [("Otitis crónica", 0), ("Vacunación", 1), ("OTITIS\ncrónica", 0)]);
    }

    #[test]
    fn the_snippet_shows_the_place_with_the_most_terms() {
        let filler = "relleno ".repeat(60);
        let text = format!("gato {filler}gato con perro {filler}perro");
        let found = hits(&text, &[word("gato"), word("perro")]);
        assert_eq!(found.len(), 4);
        let shown = snippet(&text, &found);
        assert_eq!(shown.hits.len(), 2);
        assert!(text[shown.range.clone()].contains("gato con perro"));
        assert!(shown.range.len() < 400);
        assert_eq!(snippet(&text, &[]).range.start, 0);
    }

    proptest! {
        #[test]
        fn a_snippet_is_a_part_of_its_text_with_its_hits(text in "\\PC{0,600}|[a-c é]{0,900}") {
            let found = hits(&text, &[word("a"), word("ab"), vec![Term::Prefix("b".to_owned())]]);
            let shown = snippet(&text, &found);
            prop_assert!(text.get(shown.range.clone()).is_some());
            for hit in &shown.hits {
                prop_assert!(hit.range.start >= shown.range.start && hit.range.end <= shown.range.end);
            }
            prop_assert!(found.is_empty() || !shown.hits.is_empty());
        }
    }
}
