//! Finds documents by a query.

use std::collections::HashSet;

use quire_domain::DocumentId;
use quire_ports::{
    DocumentCursor, FindQuery, FoundDocument, FoundDocuments, FoundOrder, PortResult, TextQuery,
};
use quire_understanding::search::{Query, QueryError, Term, is_stop_word};

use super::expand::expand;
use super::facets::facets;
use super::meaning::Near;
use super::results::snippets;
use super::visible::visible_corrections;
use super::{Correction, SearchResult, SearchResults, Searcher, conditions, meaning};
use crate::Error;
use crate::document::{DocumentCount, overviews};

/// Documents that are ranked at most. Beyond them a query has to say more.
pub const MAX_RANKED: u32 = 1_000;
/// So many words are a sentence. A document that answers it seldom has all of them.
const SENTENCE: usize = 4;
/// If fewer documents than these have all words of a sentence, those with some words follow.
const ENOUGH_FOR_SENTENCE: usize = 10;

/// What to search for.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The query.
    pub text: String,
    /// Whether a person is still typing, so that the last word may be only a beginning.
    pub is_typing: bool,
    /// The order.
    pub sort: SearchSort,
    /// The number of results.
    pub limit: u32,
    /// Continue after this cursor: the `next` of an earlier page.
    pub after: Option<SearchCursor>,
    /// Whether to count facets.
    pub facets: bool,
}

/// The order of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchSort {
    /// What fits best first.
    #[default]
    Best,
    /// The newest first.
    Newest,
}

/// Where a page of results ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SearchCursor {
    /// After a document with this score.
    Best {
        /// The score.
        score: f64,
        /// The document.
        id: DocumentId,
    },
    /// After this document in the list of documents.
    Newest(DocumentCursor),
}

/// Why a search failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SearchError {
    /// The query cannot be read.
    #[error("{0}")]
    Query(#[from] QueryError),
    /// The cursor belongs to another order.
    #[error("must be the next_cursor of an earlier page in the same order")]
    Cursor,
    /// What is stored.
    #[error("{0}")]
    Other(Error),
}

/// The query that a text is. Keys of fields are looked up only if the text may name one.
pub(super) async fn checked_query(searcher: &Searcher, text: &str) -> Result<Query, SearchError> {
    let keys = if text.contains(':') { searcher.store.search.field_keys().await? } else { Vec::new() };
    Ok(conditions::parse(text, &keys)?)
}

impl Searcher {
    /// Finds documents. A word that is still being typed is a beginning or, if no document has it as one, a whole word.
    pub async fn find(&self, request: &SearchRequest) -> Result<SearchResults, SearchError> {
        let found = find(self, request, request.is_typing).await?;
        if request.is_typing && found.items.is_empty() {
            return find(self, request, false).await;
        }
        Ok(found)
    }
}

async fn find(
    searcher: &Searcher,
    request: &SearchRequest,
    is_open: bool,
) -> Result<SearchResults, SearchError> {
    let mut query = checked_query(searcher, &request.text).await?;
    if query.is_empty() && !request.text.trim().is_empty() {
        // Signs alone are in no document.
        let nothing = Some(count(&FoundDocuments::default()));
        return Ok(SearchResults { total: nothing, ..SearchResults::default() });
    }
    if is_open && !request.text.ends_with(char::is_whitespace) {
        query.leave_open();
    }
    let order = order(request, &query)?;
    let demanded = meaning::demanded(&query, conditions::conditions(&query.filters)?);
    let wanted =
        FindQuery { order, limit: MAX_RANKED, count_limit: FoundDocuments::MAX_COUNT, ..demanded.clone() };
    // Nobody pays for the vector of a word that is still being typed.
    let by_meaning = order == FoundOrder::Best && !request.is_typing && searcher.compares_vectors();
    let near = async {
        if by_meaning { meaning::nearest(searcher, &query, &demanded).await } else { Ok(Near::default()) }
    };
    // Neither half waits for the other one.
    let (near, words) = tokio::try_join!(near, by_words(searcher, &query, wanted))?;
    let ByWords { found, is_relaxed, terms, corrections } = words;
    let found = if order == FoundOrder::Best { meaning::fused(searcher.weights, found, near) } else { found };
    let total = request.after.is_none().then(|| count(&found));
    let is_cut_short = order == FoundOrder::Best && (found.total > MAX_RANKED || found.is_lower_bound);
    let facets = async {
        if request.facets { facets(&*searcher.store.search, &found.documents).await } else { Ok(Vec::new()) }
    };
    let (page, next) = page(request, order, &found.documents);
    let (facets, items, corrections) = tokio::try_join!(
        facets,
        show(searcher, page, &terms),
        visible_corrections(&searcher.store, corrections)
    )?;
    Ok(SearchResults { items, total, next, is_cut_short, facets, is_relaxed, corrections })
}

/// What the words of a query find.
struct ByWords {
    found: FoundDocuments,
    /// Whether documents with some of the words follow.
    is_relaxed: bool,
    /// The terms of the query, each with everything that counts as it.
    terms: Vec<Vec<Term>>,
    corrections: Vec<Correction>,
}

async fn by_words(searcher: &Searcher, query: &Query, mut wanted: FindQuery) -> PortResult<ByWords> {
    let (terms, corrections) = expand(&*searcher.store.search, &query.terms).await?;
    wanted.text.terms = required(&terms);
    let (found, is_relaxed) = find_relaxed(searcher, wanted).await?;
    Ok(ByWords { found, is_relaxed, terms, corrections })
}

fn count(found: &FoundDocuments) -> DocumentCount {
    DocumentCount { count: found.total, is_lower_bound: found.is_lower_bound }
}

/// Without words there is nothing to rank by.
fn order(request: &SearchRequest, query: &Query) -> Result<FoundOrder, SearchError> {
    let sort = if query.terms.is_empty() { SearchSort::Newest } else { request.sort };
    match (sort, request.after) {
        (SearchSort::Best, None | Some(SearchCursor::Best { .. })) => Ok(FoundOrder::Best),
        (SearchSort::Newest, None) => Ok(FoundOrder::Newest(None)),
        (SearchSort::Newest, Some(SearchCursor::Newest(after))) => Ok(FoundOrder::Newest(Some(after))),
        _ => Err(SearchError::Cursor),
    }
}

/// The terms that a document must contain: all but words that nearly every text has, if there are others.
fn required(terms: &[Vec<Term>]) -> Vec<Vec<Term>> {
    let says_little = |alternatives: &&Vec<Term>| match alternatives.first() {
        Some(Term::Word(word)) => is_stop_word(word),
        _ => false,
    };
    let saying: Vec<Vec<Term>> = terms.iter().filter(|term| !says_little(term)).cloned().collect();
    if saying.is_empty() { terms.to_vec() } else { saying }
}

/// The documents with all words, and behind them those with some words if there are none or if the query is a sentence that few
/// documents repeat.
async fn find_relaxed(searcher: &Searcher, find: FindQuery) -> PortResult<(FoundDocuments, bool)> {
    let found = searcher.store.search.find(&find).await?;
    let is_sentence = find.text.terms.len() >= SENTENCE;
    let is_enough = found.documents.len() >= if is_sentence { ENOUGH_FOR_SENTENCE } else { 1 };
    if is_enough || find.order != FoundOrder::Best || find.text.terms.len() < 2 {
        return Ok((found, false));
    }
    let any = FindQuery { text: TextQuery { any: true, ..find.text }, ..find };
    let mut relaxed = searcher.store.search.find(&any).await?;
    let with_all: HashSet<DocumentId> = found.documents.iter().map(|document| document.id).collect();
    relaxed.documents.retain(|document| !with_all.contains(&document.id));
    let is_relaxed = !relaxed.documents.is_empty();
    relaxed.documents.splice(0..0, found.documents);
    relaxed.total = relaxed.total.max(found.total);
    Ok((relaxed, is_relaxed))
}

/// The documents of the page, and the cursor after it.
fn page(
    request: &SearchRequest,
    order: FoundOrder,
    found: &[FoundDocument],
) -> (Vec<FoundDocument>, Option<SearchCursor>) {
    let is_after = |document: &&FoundDocument| match request.after {
        Some(SearchCursor::Best { score, id }) => match document.score.total_cmp(&score) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Equal => document.id < id,
            std::cmp::Ordering::Greater => false,
        },
        Some(SearchCursor::Newest(_)) | None => true,
    };
    let limit = request.limit as usize;
    let mut found: Vec<FoundDocument> = found.iter().filter(is_after).take(limit + 1).cloned().collect();
    let has_more = found.len() > limit;
    found.truncate(limit);
    let cursor = |last: &FoundDocument| match order {
        FoundOrder::Best => SearchCursor::Best { score: last.score, id: last.id },
        FoundOrder::Newest(_) => {
            SearchCursor::Newest(DocumentCursor { created_at: last.created_at, id: last.id })
        }
    };
    let next = found.last().filter(|_| has_more).map(cursor);
    (found, next)
}

/// The results of the page. A document that was purged meanwhile is left out.
async fn show(
    searcher: &Searcher,
    page: Vec<FoundDocument>,
    terms: &[Vec<Term>],
) -> PortResult<Vec<SearchResult>> {
    let places: Vec<_> = page.iter().filter_map(|found| Some((found.id, found.chunk?))).collect();
    let ids: Vec<_> = page.iter().map(|found| found.id).collect();
    let (mut snippets, mut views) =
        tokio::try_join!(snippets(&searcher.store, &places, terms), overviews(&searcher.store, &ids))?;
    let result = |found: FoundDocument| {
        let document = views.remove(&found.id)?;
        Some(SearchResult {
            document,
            score: found.score,
            snippet: snippets.remove(&found.id),
            chunk: found.chunk,
        })
    };
    Ok(page.into_iter().filter_map(result).collect())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use quire_domain::{DocumentStatus, ReviewStatus};
    use quire_understanding::search::{RankedList, fuse};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn every_document_is_on_one_page_although_scores_are_equal() {
        let id = |number: u128| DocumentId(Uuid::from_u128(number));
        let list = |ids: &[u128]| RankedList { items: ids.iter().copied().map(id).collect(), weight: 1.0 };
        let fused = fuse(&[list(&[3, 1, 5]), list(&[4, 6, 2])]);
        let found: Vec<FoundDocument> = fused
            .into_iter()
            .map(|(id, score)| FoundDocument {
                id,
                created_at: Timestamp::UNIX_EPOCH,
                chunk: None,
                score,
                schema: String::new(),
                language: None,
                review: ReviewStatus::InReview,
                status: DocumentStatus::Completed,
            })
            .collect();
        let mut request = SearchRequest {
            text: "otitis".to_owned(),
            is_typing: false,
            sort: SearchSort::Best,
            limit: 1,
            after: None,
            facets: false,
        };
        let mut shown = Vec::new();
        loop {
            let (items, next) = page(&request, FoundOrder::Best, &found);
            shown.extend(items.into_iter().map(|item| item.id));
            if next.is_none() {
                break;
            }
            request.after = next;
        }
        assert_eq!(shown, found.iter().map(|document| document.id).collect::<Vec<_>>());
    }
}
