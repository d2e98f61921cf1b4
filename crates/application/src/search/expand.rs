//! What counts as a term of a query: the word, other forms of it, and what a misspelt word meant.

use quire_ports::{PortResult, SearchIndex, SimilarWords, VocabularyQuery};
use quire_understanding::search::{STEM_LANGUAGES, Spelling, Term, is_vocabulary_word, stem, trigrams};

use super::Correction;

/// Words that a misspelt one may have meant, at most.
const MAX_MEANT: usize = 4;

/// Each term with everything that counts as it, and the words that were taken for others.
pub(crate) async fn expand(
    index: &dyn SearchIndex,
    terms: &[Term],
) -> PortResult<(Vec<Vec<Term>>, Vec<Correction>)> {
    let words: Vec<&String> = terms.iter().filter_map(vocabulary_word).collect();
    let queries: Vec<VocabularyQuery> = words.iter().map(|word| vocabulary_query(word)).collect();
    let found = if queries.is_empty() { Vec::new() } else { index.vocabulary(&queries).await? };
    let mut found = words.into_iter().zip(found);
    let mut corrections = Vec::new();
    let mut expanded = Vec::with_capacity(terms.len());
    for term in terms {
        let mut alternatives = vec![term.clone()];
        if vocabulary_word(term).is_some()
            && let Some((word, entry)) = found.next()
        {
            alternatives.extend(entry.forms.iter().cloned().map(Term::Word));
            if !entry.is_known
                && entry.forms.is_empty()
                && let Some(spelling) = Spelling::of(word)
            {
                let meant = spelling.closest(entry.similar, MAX_MEANT);
                alternatives.extend(meant.iter().cloned().map(Term::Word));
                if !meant.is_empty() {
                    corrections.push(Correction { word: word.clone(), meant });
                }
            }
        }
        expanded.push(alternatives);
    }
    Ok((expanded, corrections))
}

fn vocabulary_word(term: &Term) -> Option<&String> {
    match term {
        Term::Word(word) => Some(word).filter(|word| is_vocabulary_word(word)),
        Term::Prefix(_) | Term::Phrase { .. } => None,
    }
}

/// The language of a query is not known, so the word is taken for a word of each language.
fn vocabulary_query(word: &str) -> VocabularyQuery {
    let of_languages = STEM_LANGUAGES.map(|language| (language.to_owned(), stem(word, Some(language))));
    VocabularyQuery {
        word: word.to_owned(),
        stems: of_languages.to_vec(),
        similar: Spelling::of(word).map(|spelling| SimilarWords {
            trigrams: trigrams(word),
            common: spelling.common_trigrams(),
            lengths: spelling.lengths(),
        }),
    }
}
