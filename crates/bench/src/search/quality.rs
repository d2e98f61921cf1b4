//! How well results are ordered: nDCG at 10 of both halves of a search and of the whole, with the vectors of a real model and with
//! those that are made without one.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use quire_application::search::{LexicalEmbedder, SearchRequest, SearchSort, SearchWeights, Searcher};
use quire_connectors::local_embedder::LocalEmbedder;
use quire_domain::DocumentId;
use quire_ports::{CallContext, EmbedRequest, Embedder, NewDocument, OutdatedDocument, Store};
use quire_testkit::fixture::document;

use super::corpus::indexed_text;
use super::set::{RetrievalSet, SetDocument, SetQuery};
use crate::database::{self, CommitGrouping, DatabaseKind};
use crate::report::{Measurement, Table};

/// Results that count.
const RANKS: usize = 10;

/// How far both halves must be above the better one, with a model and without.
pub struct Targets {
    /// With the vectors of a model.
    pub model: f64,
    /// With vectors that are made without a model.
    pub lexical: f64,
}

/// Measures a set on a store.
pub async fn measure(kind: DatabaseKind, set: &RetrievalSet, targets: &Targets) -> Table {
    let folder = std::env::var_os("QUIRE_TEST_EMBEDDING_MODEL").map(PathBuf::from);
    let folder = folder.expect("QUIRE_TEST_EMBEDDING_MODEL names no folder with an embedding model");
    let notes = vec![format!("{} documents, {} queries", set.documents.len(), set.queries.len())];
    let mut table = Table { notes, ..Table::default() };
    let model: Arc<dyn Embedder> = Arc::new(LocalEmbedder::open(&folder).unwrap());
    of_embedder(kind, set, model, targets.model, &mut table).await;
    of_embedder(kind, set, Arc::new(LexicalEmbedder), targets.lexical, &mut table).await;
    table
}

async fn of_embedder(
    kind: DatabaseKind,
    set: &RetrievalSet,
    embedder: Arc<dyn Embedder>,
    target: f64,
    table: &mut Table,
) {
    let database = database::create(kind, CommitGrouping::Default).await;
    let ids = index(&database.store, &*embedder, &set.documents).await;
    let mut gains = Vec::new();
    let halves = [SearchWeights { words: 1.0, meaning: 0.0 }, SearchWeights { words: 0.0, meaning: 1.0 }];
    for weights in halves.into_iter().chain([SearchWeights::default()]) {
        let searcher = Searcher::new(database.store.clone(), Some(embedder.clone()), weights);
        gains.push(gain(&searcher, &set.queries, &ids).await);
    }
    let by_kind = |kind: &&str| {
        let of = |place: usize| mean(&gains[place][kind]);
        format!("{kind}: words {:.3}, vectors {:.3}, both {:.3}", of(0), of(1), of(2))
    };
    let kinds: Vec<&str> = gains[0].keys().copied().collect();
    let all = |place: usize| mean(&gains[place].values().flatten().copied().collect::<Vec<_>>());
    let (words, vectors, both) = (all(0), all(1), all(2));
    let model = embedder.model();
    table.notes.push(format!("{model}: words {words:.3}, vectors {vectors:.3}, both {both:.3}"));
    if kinds.len() > 1 {
        table.notes.extend(kinds.iter().map(by_kind));
    }
    let name = format!("nDCG@10 of both halves above the better one, {model}");
    table.measurements.push(Measurement::at_least(name, both - words.max(vectors), target, ""));
}

async fn index(store: &Store, embedder: &dyn Embedder, documents: &[SetDocument]) -> Vec<DocumentId> {
    let texts = vec!["dimension".to_owned()];
    let probe = EmbedRequest { context: CallContext::default(), texts, deadline: None };
    let dimension = embedder.embed(probe).await.unwrap()[0].len();
    store.search.prepare_vectors(dimension).await.unwrap();
    let mut ids = Vec::new();
    for of_set in documents {
        let added = document(DocumentId::new());
        let new = NewDocument::uploaded_by("bench", &added, None);
        store.documents.add(new, Timestamp::UNIX_EPOCH).await.unwrap();
        let texts = of_set.chunks.clone();
        let request = EmbedRequest { context: CallContext::default(), texts, deadline: None };
        let vectors = embedder.embed(request).await.unwrap();
        let vector =
            |text: &str| vectors[of_set.chunks.iter().position(|chunk| chunk == text).unwrap()].clone();
        let mut text = indexed_text(&of_set.chunks, of_set.language.as_deref(), vector);
        text.model = Some(embedder.model().to_owned());
        let outdated = OutdatedDocument { id: added.id, run: None };
        assert!(store.search.reindex(outdated, Some(&text)).await.unwrap());
        ids.push(added.id);
    }
    ids
}

/// The gain of each query, by kind.
async fn gain(
    searcher: &Searcher,
    queries: &[SetQuery],
    ids: &[DocumentId],
) -> BTreeMap<&'static str, Vec<f64>> {
    let mut gains: BTreeMap<&'static str, Vec<f64>> = BTreeMap::new();
    for query in queries {
        let request = SearchRequest {
            text: query.text.clone(),
            is_typing: false,
            sort: SearchSort::Best,
            limit: u32::try_from(RANKS).unwrap(),
            after: None,
            facets: false,
        };
        let found = searcher.find(&request).await.unwrap().items;
        let grade = |id: DocumentId| {
            let place = ids.iter().position(|other| *other == id).unwrap();
            query.relevant.get(&place).copied().unwrap_or_default()
        };
        let found = found.iter().map(|item| grade(item.document.overview.document.id));
        let mut best: Vec<f64> = query.relevant.values().copied().collect();
        best.sort_by(|one, other| other.total_cmp(one));
        gains.entry(query.kind).or_default().push(discounted(found) / discounted(best.into_iter()));
    }
    gains
}

/// The sum of grades, each divided by the logarithm of its rank.
fn discounted(grades: impl Iterator<Item = f64>) -> f64 {
    grades.take(RANKS).enumerate().map(|(rank, grade)| grade / (rank as f64 + 2.0).log2()).sum()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
