//! How long searches take: against the bare queries of the store, with hostile queries, and while documents are indexed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use quire_application::search::{
    LexicalEmbedder, SearchError, SearchRequest, SearchSort, SearchWeights, Searcher,
};
use quire_ports::{EmbedRequest, Embedder, ModelError};
use tokio_util::sync::CancellationToken;

use super::bare::Bare;
use super::corpus::{self, Corpus};
use super::milliseconds;
use crate::database::Database;
use crate::report::{Measurement, Table, median, percentile};

/// Searches that fill the memory before anything is measured.
const WARM_UP: usize = 10;
/// How often a hostile query is sent. The median counts.
const REPEATS: usize = 3;
/// Documents a second that are indexed beside the searches, and by how many clients.
const INDEXED: f64 = 100.0;
const WRITERS: usize = 4;

/// Vectors that are taken for those of a model, so that a search compares them.
struct TakenForModel;

#[async_trait]
impl Embedder for TakenForModel {
    fn model(&self) -> &'static str {
        corpus::MODEL
    }

    fn is_lexical(&self) -> bool {
        false
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Vec<Vec<f32>>, ModelError> {
        LexicalEmbedder.embed(request).await
    }
}

async fn search(searcher: &Searcher, text: &str) -> f64 {
    let request = SearchRequest {
        text: text.to_owned(),
        is_typing: false,
        sort: SearchSort::Best,
        limit: 20,
        after: None,
        facets: true,
    };
    let started = Instant::now();
    match searcher.find(&request).await {
        // A query that is refused is answered too.
        Ok(_) | Err(SearchError::Query(_)) => milliseconds(started),
        Err(error) => panic!("{text}: {error}"),
    }
}

/// Whole searches and the bare queries of the store, in turns; then hostile queries; then searches while documents are indexed.
pub async fn measure(database: &Database, corpus: &Corpus, queries: usize) -> Table {
    let searcher =
        Searcher::new(database.store.clone(), Some(Arc::new(TakenForModel)), SearchWeights::default());
    let mut bare = Bare::new(database, corpus).await;
    let (mut whole, mut bare_queries, mut bare_words, mut narrow) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let texts = corpus.queries(queries + WARM_UP);
    for (place, text) in texts.iter().enumerate() {
        let bare = bare.measure(text).await;
        let of_whole = search(&searcher, text).await;
        if place >= WARM_UP {
            whole.push(of_whole);
            bare_queries.push(bare.words + bare.vectors);
            narrow.extend(bare.narrow_vectors.map(|vectors| bare.words + vectors));
            bare_words.push(bare.words);
        }
    }
    let (middle, slow, bare) = (median(whole.clone()), percentile(whole, 0.99), median(bare_queries));
    let hostile = hostile(&searcher, &texts).await;
    let worst = hostile[0].0;
    let slowest: Vec<String> =
        hostile.iter().take(3).map(|(time, name)| format!("{name} ({time:.1} ms)")).collect();
    // The default width of pgvector, which loses many of the nearest vectors, and the one that a search needs.
    let is_narrow = !narrow.is_empty();
    let narrow = if is_narrow { median(narrow) } else { bare };
    let mut measurements = vec![Measurement::at_most(
        "median search, of the bare queries one after the other",
        middle / narrow,
        2.0,
        "×",
    )];
    if is_narrow {
        let name = "the same, of bare queries that look at as many vectors as a search";
        measurements.push(Measurement::at_most(name, middle / bare, 2.0, "×"));
    }
    let (busy, rate) = while_indexing(database, &searcher, &texts).await;
    let (busy_middle, busy_slow) = (median(busy.clone()), percentile(busy, 0.99));
    measurements.extend([
        Measurement::at_most("99th percentile, of the median", slow / middle, 4.0, "×"),
        Measurement::at_most("slowest hostile query, of the median", worst / middle, 10.0, "×"),
        Measurement::at_most(
            "99th percentile while documents are indexed, of the quiet median",
            busy_slow / middle,
            4.0,
            "×",
        ),
    ]);
    Table {
        measurements,
        notes: vec![
            format!(
                "median {middle:.1} ms with facets and snippets, bare queries {narrow:.1} ms ({:.1} ms by words alone, \
                 {bare:.1} ms with as many vectors as a search), 99th percentile {slow:.1} ms",
                median(bare_words),
            ),
            format!("the slowest hostile queries: {}", slowest.join(", ")),
            format!(
                "while {rate:.0} documents a second are indexed the median is {busy_middle:.1} ms and the 99th percentile {busy_slow:.1} ms"
            ),
        ],
    }
}

/// The times of queries that mean harm, the slowest first, and their names.
async fn hostile(searcher: &Searcher, texts: &[String]) -> Vec<(f64, &'static str)> {
    let words: Vec<&str> = texts.iter().flat_map(|text| text.split(' ')).collect();
    let many = |count: usize| words.iter().copied().cycle().take(count).collect::<Vec<_>>().join(" ");
    let beginnings = words.iter().take(8).map(|word| format!("{}*", &word[..word.len().min(3)]));
    let slip = |word: &&str| format!("{}x{}", &word[..1], &word[1..]);
    let frequent = "ba cor di fen gua lis mo nar pe qui ras so tem ur vel zan";
    let queries = [
        ("10 KB of words", many(2_000)),
        ("40 words", many(40)),
        ("40 frequent words", [frequent; 3].join(" ")),
        ("frequent words without a word", format!("{frequent} -{}", words[0])),
        ("a frequent word without frequent words", frequent.replace(' ', " -")),
        ("8 beginnings", beginnings.collect::<Vec<_>>().join(" ")),
        ("a phrase of frequent words", format!("\"{frequent}\"")),
        ("misspelt words", words.iter().take(40).map(slip).collect::<Vec<_>>().join(" ")),
        ("operators", "AND OR NOT NEAR(a b) ^ba cor + di | fen & ! (gua".to_owned()),
        ("unbalanced quotes", "\"ba cor \" di \"fen".to_owned()),
        ("SQL", "'; DROP TABLE search_chunks; -- ba OR 1=1".to_owned()),
        ("a regular expression", "(((((ba+)+)+)+)+)+$ .*.*.*.*cor".to_owned()),
        ("zero-width characters", "b\u{200B}a\u{200D}\u{FEFF} c\u{AD}or \u{202E}di".to_owned()),
        ("every script", "Ωμέγα Привет שלום مرحبا नमस्ते 你好 こんにちは 안녕 สวัสดี 𐍈 🐕".to_owned()),
        ("wildcards", "* ** b* ?? %_% %".to_owned()),
        ("filters", "uploaded:1900..2100 status:completed -status:failed language:es ba".to_owned()),
    ];
    let mut all = Vec::new();
    for (name, text) in queries {
        let mut times = Vec::new();
        for _ in 0..REPEATS {
            times.push(search(searcher, &text).await);
        }
        all.push((median(times), name));
    }
    all.sort_by(|one, other| other.0.total_cmp(&one.0));
    all
}

/// The milliseconds of searches while documents are indexed, and how many of these there were in a second.
async fn while_indexing(database: &Database, searcher: &Searcher, texts: &[String]) -> (Vec<f64>, f64) {
    let (stop, indexed) = (CancellationToken::new(), Arc::new(AtomicU64::new(0)));
    let writers = (0..WRITERS).map(|writer| {
        let (stop, indexed, store) = (stop.clone(), indexed.clone(), database.store.clone());
        tokio::spawn(async move {
            let documents = Corpus::new(1_000).documents;
            let mut ticks = tokio::time::interval(Duration::from_secs_f64(WRITERS as f64 / INDEXED));
            for chunks in documents.iter().cycle().skip(writer * documents.len() / WRITERS) {
                tokio::select! {
                    _ = ticks.tick() => {}
                    () = stop.cancelled() => return,
                }
                // A document of a page.
                corpus::add(&store, &chunks[..2], jiff::Timestamp::now()).await;
                indexed.fetch_add(1, Ordering::Relaxed);
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let started = Instant::now();
    let mut times = Vec::new();
    for text in texts {
        times.push(search(searcher, text).await);
    }
    let rate = indexed.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64();
    stop.cancel();
    for writer in writers {
        writer.await.unwrap();
    }
    (times, rate)
}
