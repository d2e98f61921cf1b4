//! What a search shows of the documents that it found.

use std::collections::HashMap;
use std::ops::Range;

use quire_domain::DocumentId;
use quire_domain::reading::Rect;
use quire_ports::{NAME_CHUNK, PortResult, Store, StoredChunk, VALUES_CHUNK};
use quire_understanding::search::{Hit, Term, decode_boxes, hits, snippet};

use super::{Facet, SearchCursor};
use crate::document::{DocumentCount, DocumentView};

/// A page of results.
#[derive(Clone, Debug, Default)]
pub struct SearchResults {
    /// The documents.
    pub items: Vec<SearchResult>,
    /// How many documents were found. None after a cursor.
    pub total: Option<DocumentCount>,
    /// The cursor of the next page, if there is one.
    pub next: Option<SearchCursor>,
    /// Whether more documents were found than can be listed: the [`RANKED`](super::RANKED) best ones.
    pub is_cut_short: bool,
    /// The facets of the found documents, unless none were asked for. They count the documents that can be listed.
    pub facets: Vec<Facet>,
    /// Whether few or no documents have all words, so that those with some of them follow.
    pub is_relaxed: bool,
    /// Words of the query that no document has, with those that they were taken for.
    pub corrections: Vec<Correction>,
}

/// A word that was taken for others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Correction {
    /// The word of the query, folded.
    pub word: String,
    /// The words that it was taken for.
    pub meant: Vec<String>,
}

/// A document that was found.
#[derive(Clone, Debug)]
pub struct SearchResult {
    /// The document.
    pub document: DocumentView,
    /// How well it fits; comparable within one search only.
    pub score: f64,
    /// The part of it that fits best. None if the query has no words.
    pub snippet: Option<FoundSnippet>,
    /// Its chunk that fits best. None if the query has no words.
    pub chunk: Option<u32>,
}

/// Where a snippet comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnippetKind {
    /// The name of the file.
    Name,
    /// The values of the fields.
    Values,
    /// The text of a page.
    Text,
}

/// A part of a document's text.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundSnippet {
    /// Where it comes from.
    pub kind: SnippetKind,
    /// The page, from 1, of a snippet of the text.
    pub page: Option<u32>,
    /// The text.
    pub text: String,
    /// The bytes of the text that were found, in order and apart.
    pub highlights: Vec<Range<usize>>,
    /// Where on the page the found words stand.
    pub boxes: Vec<Rect>,
}

/// The snippets of these chunks.
pub(super) async fn snippets(
    store: &Store,
    places: &[(DocumentId, u32)],
    terms: &[Vec<Term>],
) -> PortResult<HashMap<DocumentId, FoundSnippet>> {
    if places.is_empty() {
        return Ok(HashMap::new());
    }
    let chunks = store.search.chunks(places).await?;
    Ok(chunks.into_iter().map(|chunk| (chunk.document, found_snippet(&chunk, terms))).collect())
}

fn found_snippet(chunk: &StoredChunk, terms: &[Vec<Term>]) -> FoundSnippet {
    let shown = snippet(&chunk.text, &hits(&chunk.text, terms));
    FoundSnippet {
        kind: kind(chunk),
        page: chunk.page,
        text: chunk.text[shown.range.clone()].to_owned(),
        highlights: apart(&shown.hits, shown.range.start),
        // A snippet that means what the query says, in other words, is boxed as a whole.
        boxes: if shown.hits.is_empty() {
            around_part(chunk, &shown.range)
        } else {
            boxes(chunk, &shown.hits)
        },
    }
}

/// The rectangle around a part of a chunk.
fn around_part(chunk: &StoredChunk, part: &Range<usize>) -> Vec<Rect> {
    let words = decode_boxes(&chunk.boxes);
    let inside = words.into_iter().filter(|word| word.range.start < part.end && part.start < word.range.end);
    inside.map(|word| word.rect).reduce(Rect::union).into_iter().collect()
}

fn kind(chunk: &StoredChunk) -> SnippetKind {
    match chunk.position {
        NAME_CHUNK => SnippetKind::Name,
        VALUES_CHUNK => SnippetKind::Values,
        _ => SnippetKind::Text,
    }
}

/// The hits as ranges that do not overlap, in a text that begins at `start`.
fn apart(hits: &[Hit], start: usize) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for hit in hits {
        let range = hit.range.start - start..hit.range.end - start;
        match ranges.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => ranges.push(range),
        }
    }
    ranges
}

/// Where the words of hits stand on the page.
pub(super) fn boxes(chunk: &StoredChunk, hits: &[Hit]) -> Vec<Rect> {
    let words = decode_boxes(&chunk.boxes);
    let is_hit = |range: &Range<usize>| {
        hits.iter().any(|hit| hit.range.start < range.end && range.start < hit.range.end)
    };
    words.into_iter().filter(|word| is_hit(&word.range)).map(|word| word.rect).collect()
}

#[cfg(test)]
mod tests {
    use quire_understanding::search::{PlacedWord, encode_boxes};

    use super::*;

    #[test]
    fn a_snippet_without_a_word_of_the_query_is_boxed_as_a_whole() {
        let rect = |x0: f32, y0: f32| Rect { x0, y0, x1: x0 + 20.0, y1: y0 + 10.0 };
        let words = [(0..5, rect(10.0, 10.0)), (6..8, rect(40.0, 12.0)), (9..14, rect(10.0, 30.0))];
        let words: Vec<_> = words.map(|(range, rect)| PlacedWord { range, rect }).into();
        let chunk = StoredChunk {
            document: DocumentId::new(),
            position: 2,
            page: Some(1),
            text: "dolor de\noídos".to_owned(),
            boxes: encode_boxes(&words),
        };
        let term = |word: &str| [vec![Term::Word(word.to_owned())]];
        assert_eq!(
            found_snippet(&chunk, &term("otitis")).boxes,
            [Rect { x0: 10.0, y0: 10.0, x1: 60.0, y1: 40.0 }]
        );
        assert_eq!(found_snippet(&chunk, &term("de")).boxes, [rect(40.0, 12.0)]);
    }
}
