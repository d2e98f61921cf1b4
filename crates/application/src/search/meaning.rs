//! The half of a search that goes by vectors, and how it is fused with the half that goes by words.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use quire_domain::DocumentId;
use quire_ports::{
    CallContext, DocumentCondition, EmbedRequest, Embedder, FindQuery, FoundDocument, FoundDocuments,
    FoundOrder, NearChunk, NearestQuery, PortResult, TextQuery, within_awake_time,
};
use quire_understanding::search::{Query, RankedList, Term, fuse};

use super::{MAX_NEAREST, SearchWeights, Searcher};

/// The same as [`MAX_NEAREST`] if what the query demands leaves out some of them.
const MAX_NEAREST_OF_FILTERED: u32 = 2_000;
/// If what a query demands leaves at most so many documents, the vectors of these alone are compared. Among all vectors the nearest
/// ones might all be of other documents.
const MAX_COMPARED: u32 = 2_000;
/// The most time that a search waits for the vector of its query.
const QUERY_TIME: Duration = Duration::from_secs(3);
/// A chunk that is less similar than this share of the most similar one says nothing.
const LEAST_SHARE: f64 = 0.6;
/// A chunk that is less similar than this says nothing.
const LEAST_SIMILARITY: f64 = 0.25;

/// The documents whose text means what a query says.
#[derive(Default)]
pub(super) struct Near {
    /// The documents, nearest first, each with its nearest chunk.
    documents: Vec<(DocumentId, u32)>,
    /// Those of them that fulfil what the query demands. Empty if vectors only order what the words have found.
    allowed: HashMap<DocumentId, FoundDocument>,
}

/// The documents whose text means what the query says. Nothing if there are no vectors to compare, or if they cannot be made at the
/// moment: words are found nevertheless.
pub(super) async fn nearest(searcher: &Searcher, query: &Query, wanted: &FindQuery) -> PortResult<Near> {
    let Some(embedder) = &searcher.embedder else { return Ok(Near::default()) };
    let Some(vector) = vector(embedder, query.text.clone()).await else { return Ok(Near::default()) };
    let is_filtered =
        !wanted.text.terms.is_empty() || !wanted.conditions.is_empty() || !wanted.text.excluded.is_empty();
    let few = if is_filtered { few(searcher, wanted).await? } else { None };
    let limit = if is_filtered && few.is_none() { MAX_NEAREST_OF_FILTERED } else { MAX_NEAREST };
    let among = few.as_ref().map(|few| few.keys().copied().collect());
    let near = NearestQuery { model: embedder.model().to_owned(), vector, among, limit };
    let near = searcher.store.search.nearest(&near).await?.unwrap_or_default();
    let documents = of_documents(&near);
    let allowed = match few {
        _ if embedder.is_lexical() => HashMap::new(),
        Some(few) => few,
        None => allowed_among(searcher, wanted, &documents).await?,
    };
    Ok(Near { documents, allowed })
}

/// What a query demands apart from its words: phrases and beginnings hold for its meaning as well.
pub(super) fn demanded(query: &Query, conditions: Vec<DocumentCondition>) -> FindQuery {
    let is_exact = |term: &&Term| matches!(term, Term::Phrase { .. } | Term::Prefix(_));
    let alone = |term: &Term| vec![term.clone()];
    let text = TextQuery {
        terms: query.terms.iter().filter(is_exact).map(alone).collect(),
        any: false,
        excluded: query.excluded.iter().map(alone).collect(),
    };
    FindQuery {
        text,
        conditions,
        among: None,
        order: FoundOrder::Newest(None),
        limit: MAX_COMPARED + 1,
        count_limit: MAX_COMPARED + 1,
    }
}

/// All documents that fulfil what a query demands, if they are few.
async fn few(
    searcher: &Searcher,
    wanted: &FindQuery,
) -> PortResult<Option<HashMap<DocumentId, FoundDocument>>> {
    let found = searcher.store.search.find(wanted).await?;
    let is_few = found.total <= MAX_COMPARED && !found.is_lower_bound;
    Ok(is_few.then(|| by_id(found)))
}

/// Those of the documents that fulfil what the query demands.
async fn allowed_among(
    searcher: &Searcher,
    wanted: &FindQuery,
    documents: &[(DocumentId, u32)],
) -> PortResult<HashMap<DocumentId, FoundDocument>> {
    if documents.is_empty() {
        return Ok(HashMap::new());
    }
    let limit = u32::try_from(documents.len()).unwrap_or(u32::MAX);
    let among = Some(documents.iter().map(|(document, _)| *document).collect());
    let query = FindQuery { among, limit, count_limit: limit, ..wanted.clone() };
    Ok(by_id(searcher.store.search.find(&query).await?))
}

fn by_id(found: FoundDocuments) -> HashMap<DocumentId, FoundDocument> {
    found.documents.into_iter().map(|document| (document.id, document)).collect()
}

/// The vector of a query. A call that takes too long is left to end by itself, so that it is recorded like any other.
async fn vector(embedder: &Arc<dyn Embedder>, text: String) -> Option<Vec<f32>> {
    let request = EmbedRequest { context: CallContext::default(), texts: vec![text], deadline: None };
    let embedder = embedder.clone();
    let call = tokio::spawn(async move { embedder.embed(request).await });
    let problem = match within_awake_time(QUERY_TIME, call).await {
        Some(Ok(Ok(mut vectors))) => return vectors.pop(),
        Some(Ok(Err(error))) => error.kind.as_str(),
        Some(Err(_)) => "the embedder failed",
        None => "the embedding model is too slow",
    };
    tracing::warn!(problem, "search: the query has no vector, words alone are compared");
    None
}

fn of_documents(near: &[NearChunk]) -> Vec<(DocumentId, u32)> {
    let least = near.first().map_or(1.0, |first| (first.similarity * LEAST_SHARE).max(LEAST_SIMILARITY));
    let mut seen = HashSet::new();
    let like = near.iter().filter(|chunk| chunk.similarity >= least);
    let first = like.filter(|chunk| seen.insert(chunk.document));
    first.map(|chunk| (chunk.document, chunk.position)).collect()
}

/// The documents of both halves in one order. What a query demands apart from its words holds for both.
pub(super) fn fused(weights: SearchWeights, found: FoundDocuments, near: Near) -> FoundDocuments {
    let FoundDocuments { documents: by_words, mut total, is_lower_bound } = found;
    let Near { documents: mut near, mut allowed } = near;
    let words = by_words.iter().map(|document| document.id).collect();
    let mut all: HashMap<DocumentId, FoundDocument> =
        by_words.into_iter().map(|document| (document.id, document)).collect();
    near.retain(|(id, position)| {
        if !all.contains_key(id) {
            let Some(document) = allowed.remove(id) else { return false };
            total = total.saturating_add(1);
            all.insert(*id, FoundDocument { chunk: Some(*position), ..document });
        }
        true
    });
    let lists = [
        RankedList { items: words, weight: weights.words },
        RankedList { items: near.into_iter().map(|(id, _)| id).collect(), weight: weights.meaning },
    ];
    let documents = fuse(&lists)
        .into_iter()
        .filter_map(|(id, score)| Some(FoundDocument { score, ..all.remove(&id)? }))
        .collect();
    FoundDocuments { documents, total, is_lower_bound }
}
