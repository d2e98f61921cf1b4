//! Terms in the languages of the two full-text indexes. Words have only letters, digits and marks, so nothing needs an escape;
//! quotes keep a word from being an operator.

use std::collections::{BTreeMap, BTreeSet};
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

/// Whether one of the alternatives is a phrase, which an index of whole documents cannot confirm.
pub fn has_phrase(alternatives: &[Term]) -> bool {
    alternatives.iter().any(|term| matches!(term, Term::Phrase { words, .. } if words.len() > 1))
}

/// A term for an index of whole documents by FTS5, which knows no order of words: a phrase is all its words.
fn term_in_document_of_fts5(alternatives: &[Term]) -> String {
    let one = |term: &Term| {
        let words: BTreeSet<String> = match (term, term.words().split_last()) {
            (_, Some((last, before))) if term.is_open() => {
                before.iter().map(|word| format!("\"{word}\"")).chain([format!("\"{last}\" *")]).collect()
            }
            _ => term.words().iter().map(|word| format!("\"{word}\"")).collect(),
        };
        let words: Vec<String> = words.into_iter().collect();
        if words.len() == 1 { words.concat() } else { format!("({})", words.join(" AND ")) }
    };
    let all: Vec<String> = alternatives.iter().map(one).collect();
    format!("({})", all.join(" OR "))
}

/// All terms and none of the excluded ones, for an index of whole documents by FTS5. Documents with an excluded phrase are left for the
/// caller to leave out.
pub fn all_in_document_of_fts5(terms: &[Vec<Term>], excluded: &[Vec<Term>]) -> String {
    let all: BTreeSet<String> = terms.iter().map(|term| term_in_document_of_fts5(term)).collect();
    let all = all.into_iter().collect::<Vec<_>>().join(" AND ");
    let excluded = any_in_document_of_fts5(excluded.iter().filter(|term| !has_phrase(term)));
    if excluded.is_empty() { all } else { format!("({all}) NOT ({excluded})") }
}

/// Any of the terms, for an index of whole documents by FTS5.
pub fn any_in_document_of_fts5<'t>(terms: impl IntoIterator<Item = &'t Vec<Term>>) -> String {
    let any: BTreeSet<String> = terms.into_iter().map(|term| term_in_document_of_fts5(term)).collect();
    any.into_iter().collect::<Vec<_>>().join(" OR ")
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

/// A term for an index of whole documents, as a `tsquery`: a phrase is all its words.
fn term_in_document_of_tsquery(alternatives: &[Term]) -> String {
    let one = |term: &Term| {
        let words: Vec<String> = term.words().iter().map(|word| format!("'{word}'")).collect();
        format!("({}{})", words.join(" & "), if term.is_open() { ":*" } else { "" })
    };
    let all: Vec<String> = alternatives.iter().map(one).collect();
    format!("({})", all.join(" | "))
}

/// All terms and none of the excluded ones, for an index of whole documents, as a `tsquery`. Documents with an excluded phrase are left
/// for the caller to leave out.
pub fn all_in_document_of_tsquery(terms: &[Vec<Term>], excluded: &[Vec<Term>]) -> String {
    let all: BTreeSet<String> = terms.iter().map(|term| term_in_document_of_tsquery(term)).collect();
    let all = all.into_iter().collect::<Vec<_>>().join(" & ");
    let excluded = any_in_document_of_tsquery(excluded.iter().filter(|term| !has_phrase(term)));
    if excluded.is_empty() { all } else { format!("{all} & !({excluded})") }
}

/// Any of the terms, for an index of whole documents, as a `tsquery`.
pub fn any_in_document_of_tsquery<'t>(terms: impl IntoIterator<Item = &'t Vec<Term>>) -> String {
    let any: BTreeSet<String> = terms.into_iter().map(|term| term_in_document_of_tsquery(term)).collect();
    any.into_iter().collect::<Vec<_>>().join(" | ")
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
    fn an_index_of_whole_documents_is_asked_for_each_word_once() {
        let word = |word: &str| vec![Term::Word(word.to_owned())];
        assert_eq!(
            all_in_document_of_fts5(&[terms()], &[]),
            "(\"or\" OR \"vacun\" * OR (\"a\" AND \"b\" *))"
        );
        assert_eq!(
            all_in_document_of_fts5(&[word("b"), word("a"), word("b")], &[word("c"), terms(), word("d")]),
            "((\"a\") AND (\"b\")) NOT ((\"c\") OR (\"d\"))"
        );
        assert!(any_in_document_of_fts5(&[]).is_empty());
        assert_eq!(
            all_in_document_of_tsquery(&[word("b"), terms(), word("b")], &[word("c"), terms()]),
            "(('b')) & (('or') | ('vacun':*) | ('a' & 'b':*)) & !((('c')))"
        );
    }

    #[test]
    fn terms_are_written_in_the_language_of_each_index() {
        assert_eq!(term_of_fts5(&terms()), "(\"or\" OR \"vacun\" * OR \"a b\" *)");
        assert_eq!(term_of_tsquery(&terms()), "('or' | 'vacun':* | ('a' <-> 'b':*))");
        assert_eq!(tsvector("dos uno dos"), "'dos':1,3 'uno':2 ");
    }
}
