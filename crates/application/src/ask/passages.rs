//! The passages from which a question is answered.

use std::collections::HashMap;

use quire_domain::DocumentId;
use quire_ports::{FIRST_TEXT_CHUNK, PortResult, Store, StoredChunk};
use quire_understanding::search::{is_stop_word, tokenize};

use crate::search::{SearchError, SearchRequest, SearchResult, SearchSort, Searcher};

/// Words of a question that are searched for at most.
const MAX_WORDS: usize = 30;

/// A part of a document that a question is answered from.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// Its id within the question.
    pub id: String,
    /// The name of the document's file.
    pub original_filename: String,
    /// The part of the document's text.
    pub chunk: StoredChunk,
}

/// The best passages: of each document that fits, the part that fits best, and then what stands beside those parts.
pub(super) async fn best(
    searcher: &Searcher,
    store: &Store,
    question: &str,
    filters: &str,
    limit: u32,
) -> Result<Vec<Passage>, SearchError> {
    let words = query_words(question);
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let request = SearchRequest {
        text: format!("{words} {filters}"),
        is_typing: false,
        sort: SearchSort::Best,
        limit,
        after: None,
        facets: false,
    };
    let found = searcher.find(&request).await?.items;
    let names: HashMap<DocumentId, &str> = found
        .iter()
        .map(|result| &result.document.overview.document)
        .map(|document| (document.id, document.original_filename.as_str()))
        .collect();
    let chunks = chunks_at(store, &places(&found), limit as usize).await?;
    let passage = |(chunk, number): (StoredChunk, u32)| Passage {
        id: format!("p{number}"),
        original_filename: names.get(&chunk.document).copied().unwrap_or_default().to_owned(),
        chunk,
    };
    Ok(chunks.into_iter().zip(1..).map(passage).collect())
}

/// The words of a question that say something. Signs and words that every text has do not help to find anything, and a sign must
/// not become a filter.
fn query_words(question: &str) -> String {
    let words = tokenize(question);
    let saying: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !is_stop_word(word)).take(MAX_WORDS).collect();
    saying.join(" ")
}

/// Where to look, best first. The name and the values of a document have no place on a page; the beginning of its text stands for
/// them.
fn places(found: &[SearchResult]) -> Vec<(DocumentId, u32)> {
    let best: Vec<(DocumentId, u32)> = found
        .iter()
        .map(|result| {
            let chunk = result.chunk.unwrap_or(FIRST_TEXT_CHUNK).max(FIRST_TEXT_CHUNK);
            (result.document.overview.document.id, chunk)
        })
        .collect();
    let beside = best.iter().flat_map(|(document, chunk)| {
        let before = chunk.checked_sub(1).filter(|before| *before >= FIRST_TEXT_CHUNK);
        [Some(chunk + 1), before].into_iter().flatten().map(|chunk| (*document, chunk))
    });
    best.iter().copied().chain(beside).collect()
}

/// The chunks that exist at these places, in this order, at most `limit`.
async fn chunks_at(
    store: &Store,
    places: &[(DocumentId, u32)],
    limit: usize,
) -> PortResult<Vec<StoredChunk>> {
    if places.is_empty() {
        return Ok(Vec::new());
    }
    let found = store.search.chunks(places).await?;
    let mut chunks: HashMap<(DocumentId, u32), StoredChunk> =
        found.into_iter().map(|chunk| ((chunk.document, chunk.position), chunk)).collect();
    Ok(places.iter().filter_map(|place| chunks.remove(place)).take(limit).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_a_question_are_no_part_of_a_query() {
        assert_eq!(
            query_words("¿Qué le pasó a Luna: \"otitis\" -o species:felino?"),
            "paso luna otitis species felino"
        );
        assert_eq!(query_words("¿Y?"), "");
        assert_eq!(query_words(&"otitis ".repeat(100)).split(' ').count(), MAX_WORDS);
    }
}
