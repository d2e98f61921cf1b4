//! The half of a search that goes by vectors, and how it is fused with the half that goes by words.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use quire_domain::DocumentId;
use quire_ports::{
    CallContext, EmbedRequest, Embedder, FindQuery, FoundDocument, FoundDocuments, FoundOrder, NearChunk,
    NearestQuery, PortResult, TextQuery, within_awake_time,
};
use quire_understanding::search::{Query, RankedList, Term, fuse};

use super::Searcher;

/// Chunks whose vectors are looked at.
const NEAREST: u32 = 200;
/// The same if what the query demands leaves out some of them.
const NEAREST_OF_FILTERED: u32 = 2_000;
/// If what a query demands leaves at most so many documents, the vectors of these alone are compared. Among all vectors the nearest
/// ones might all be of other documents.
const FEW: u32 = 2_000;
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
    /// All documents that fulfil what the query demands, if it demands something and these are few.
    allowed: Option<HashMap<DocumentId, FoundDocument>>,
}

/// The documents whose text means what the query says. None if there are no vectors to compare, or if they cannot be made at the
/// moment: words are found nevertheless.
pub(super) async fn nearest(searcher: &Searcher, query: &Query, wanted: &FindQuery) -> PortResult<Near> {
    let Some(embedder) = &searcher.embedder else { return Ok(Near::default()) };
    let Some(vector) = vector(embedder, query.text.clone()).await else { return Ok(Near::default()) };
    let demanded = demanded(wanted);
    let is_filtered =
        !demanded.is_empty() || !wanted.conditions.is_empty() || !wanted.text.excluded.is_empty();
    let allowed = if is_filtered { few(searcher, wanted, demanded).await? } else { None };
    let limit = if is_filtered && allowed.is_none() { NEAREST_OF_FILTERED } else { NEAREST };
    let among = allowed.as_ref().map(|allowed| allowed.keys().copied().collect());
    let near = NearestQuery { model: embedder.model().to_owned(), vector, among, limit };
    let near = searcher.store.search.nearest(&near).await?.unwrap_or_default();
    Ok(Near { documents: of_documents(&near), allowed })
}

/// The phrases and beginnings of a query, which hold for its meaning as well.
fn demanded(wanted: &FindQuery) -> Vec<Vec<Term>> {
    let is_exact = |term: &&Vec<Term>| matches!(term.first(), Some(Term::Phrase { .. } | Term::Prefix(_)));
    wanted.text.terms.iter().filter(is_exact).cloned().collect()
}

/// The documents that fulfil what a query demands apart from its words, if they are few.
async fn few(
    searcher: &Searcher,
    wanted: &FindQuery,
    demanded: Vec<Vec<Term>>,
) -> PortResult<Option<HashMap<DocumentId, FoundDocument>>> {
    let text = TextQuery { terms: demanded, any: false, excluded: wanted.text.excluded.clone() };
    let query = FindQuery {
        text,
        order: FoundOrder::Newest(None),
        limit: FEW + 1,
        counted: FEW + 1,
        ..wanted.clone()
    };
    let found = searcher.store.search.find(&query).await?;
    let is_few = found.total <= FEW && !found.is_lower_bound;
    Ok(is_few.then(|| found.documents.into_iter().map(|document| (document.id, document)).collect()))
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
pub(super) async fn fused(
    searcher: &Searcher,
    wanted: &FindQuery,
    found: FoundDocuments,
    near: Near,
) -> PortResult<FoundDocuments> {
    if wanted.order != FoundOrder::Best {
        return Ok(found);
    }
    let by_words: Vec<DocumentId> = found.documents.iter().map(|document| document.id).collect();
    let mut all: HashMap<DocumentId, FoundDocument> =
        found.documents.into_iter().map(|document| (document.id, document)).collect();
    let Near { documents: near, allowed } = near;
    let others: Vec<DocumentId> =
        near.iter().map(|(document, _)| *document).filter(|document| !all.contains_key(document)).collect();
    let mut total = found.total;
    // Vectors that know nothing of meaning only help to order what the words have found.
    let adds = searcher.embedder.as_ref().is_some_and(|embedder| !embedder.is_lexical());
    if adds && !others.is_empty() {
        for document in allowed_among(searcher, wanted, others, allowed).await? {
            let chunk = near.iter().find(|(id, _)| *id == document.id).map(|(_, position)| *position);
            total = total.saturating_add(1);
            all.insert(document.id, FoundDocument { chunk, ..document });
        }
    }
    let near: Vec<DocumentId> = near
        .into_iter()
        .map(|(document, _)| document)
        .filter(|document| all.contains_key(document))
        .collect();
    let weights = searcher.weights;
    let lists = [
        RankedList { items: by_words, weight: weights.words },
        RankedList { items: near, weight: weights.meaning },
    ];
    let documents = fuse(&lists)
        .into_iter()
        .filter_map(|(id, score)| Some(FoundDocument { score, ..all.remove(&id)? }))
        .collect();
    Ok(FoundDocuments { documents, total, is_lower_bound: found.is_lower_bound })
}

/// Those of the documents that fulfil what the query demands.
async fn allowed_among(
    searcher: &Searcher,
    wanted: &FindQuery,
    documents: Vec<DocumentId>,
    allowed: Option<HashMap<DocumentId, FoundDocument>>,
) -> PortResult<Vec<FoundDocument>> {
    if let Some(mut allowed) = allowed {
        return Ok(documents.iter().filter_map(|document| allowed.remove(document)).collect());
    }
    let text = TextQuery { terms: demanded(wanted), any: false, excluded: wanted.text.excluded.clone() };
    let limit = u32::try_from(documents.len()).unwrap_or(u32::MAX);
    let order = FoundOrder::Newest(None);
    let query = FindQuery { text, among: Some(documents), order, limit, counted: limit, ..wanted.clone() };
    Ok(searcher.store.search.find(&query).await?.documents)
}
