//! Terms in the languages of the two full-text indexes. Words have only letters, digits and marks, so nothing needs an escape;
//! quotes keep a word from being an operator.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use quire_understanding::search::Term;

/// A term with everything that counts as it, for FTS5.
pub fn term_of_fts5(alternatives: &[Term]) -> String {
    let one = |term: &Term| match term {
        Term::Word(word) => format!("\"{word}\""),
        Term::Prefix(word) => format!("\"{word}\" *"),
        Term::Phrase { words, is_open } => {
            format!("\"{}\"{}", words.join(" "), if *is_open { " *" } else { "" })
        }
    };
    let all: Vec<String> = alternatives.iter().map(one).collect();
    format!("({})", all.join(" OR "))
}

/// Any of the terms, for FTS5.
pub fn any_of_fts5<'t>(terms: impl IntoIterator<Item = &'t Vec<Term>>) -> String {
    let all: Vec<String> = terms.into_iter().map(|term| term_of_fts5(term)).collect();
    all.join(" OR ")
}

/// A term with everything that counts as it, as a `tsquery`.
pub fn term_of_tsquery(alternatives: &[Term]) -> String {
    let one = |term: &Term| match term {
        Term::Word(word) => format!("'{word}'"),
        Term::Prefix(word) => format!("'{word}':*"),
        Term::Phrase { words, is_open } => {
            let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
            format!("({}{})", words.join(" <-> "), if *is_open { ":*" } else { "" })
        }
    };
    let all: Vec<String> = alternatives.iter().map(one).collect();
    format!("({})", all.join(" | "))
}

/// Any of the terms, as a `tsquery`.
pub fn any_of_tsquery<'t>(terms: impl IntoIterator<Item = &'t Vec<Term>>) -> String {
    let all: Vec<String> = terms.into_iter().map(|term| term_of_tsquery(term)).collect();
    all.join(" | ")
}

/// The positions of a word that a `tsvector` keeps.
const MAX_POSITION: usize = 16_383;

/// Folded words, separated by spaces, as a `tsvector`.
pub fn tsvector(words: &str) -> String {
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (word, place) in words.split(' ').filter(|word| !word.is_empty()).zip(1..) {
        places.entry(word).or_default().push(usize::min(place, MAX_POSITION));
    }
    let mut vector = String::with_capacity(words.len() * 2);
    for (word, mut places) in places {
        places.dedup();
        let places: Vec<String> = places.iter().map(usize::to_string).collect();
        let _ = write!(vector, "'{word}':{} ", places.join(","));
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> Vec<Term> {
        vec![
            Term::Word("or".to_owned()),
            Term::Prefix("vacun".to_owned()),
            Term::Phrase { words: vec!["a".to_owned(), "b".to_owned()], is_open: true },
        ]
    }

    #[test]
    fn terms_are_written_in_the_language_of_each_index() {
        assert_eq!(term_of_fts5(&terms()), "(\"or\" OR \"vacun\" * OR \"a b\" *)");
        assert_eq!(term_of_tsquery(&terms()), "('or' | 'vacun':* | ('a' <-> 'b':*))");
        assert_eq!(tsvector("dos uno dos"), "'dos':1,3 'uno':2 ");
    }
}
