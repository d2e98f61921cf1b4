//! Documents of made words: some words are in most chunks, most words in few.

use std::time::Instant;

use jiff::{SignedDuration, Timestamp};
use quire_domain::{Document, DocumentId};
use quire_ports::{IndexedChunk, IndexedTerm, IndexedText, NewDocument, OutdatedDocument, Store};
use quire_testkit::fixture::document;
use quire_understanding::search::{
    hashed_vector, is_vocabulary_word, mean_vector, signature, stem, tokenize,
};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use rusqlite::Connection;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::database::Database;

/// Chunks of a document.
pub const CHUNKS: usize = 10;
/// The name of the model of all vectors.
pub const MODEL: &str = "lexical-2";
/// Documents by which the speed of indexing is measured.
const INDEXED: usize = 200;
/// Words of a chunk.
const WORDS: usize = 80;
/// Different words.
const VOCABULARY: f64 = 50_000.0;
const SYLLABLES: [&str; 16] = [
    "ba", "cor", "di", "fen", "gua", "lis", "mo", "nar", "pe", "qui", "ras", "so", "tem", "ur", "vel", "zan",
];

/// The documents as the index gets them.
pub struct Corpus {
    /// The texts of the chunks of each document.
    pub documents: Vec<Vec<String>>,
}

/// A word by its rank. Words of low ranks are short.
fn word(mut rank: usize) -> String {
    let mut word = String::new();
    loop {
        word.push_str(SYLLABLES[rank % SYLLABLES.len()]);
        rank /= SYLLABLES.len();
        if rank == 0 {
            return word;
        }
    }
}

/// A rank with about the frequencies of a language: that of rank n is proportional to 1 / n.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Between 1 and the size of the vocabulary.
fn rank(random: &mut StdRng) -> usize {
    VOCABULARY.powf(random.random::<f64>()) as usize
}

impl Corpus {
    pub fn new(documents: usize) -> Self {
        Self::of_seed(7, documents)
    }

    fn of_seed(seed: u64, documents: usize) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let mut chunk = || {
            let words: Vec<String> = (0..WORDS).map(|_| word(rank(&mut random))).collect();
            words.join(" ")
        };
        Self { documents: (0..documents).map(|_| (0..CHUNKS).map(|_| chunk()).collect()).collect() }
    }

    /// Queries of two or three words that stand in one chunk.
    pub fn queries(&self, count: usize) -> Vec<String> {
        let mut random = StdRng::seed_from_u64(11);
        let mut query = || {
            let document = &self.documents[random.random_range(0..self.documents.len())];
            let words: Vec<&str> = document[random.random_range(0..CHUNKS)].split(' ').collect();
            let begin = random.random_range(0..words.len() - 3);
            words[begin..begin + random.random_range(2..=3)].join(" ")
        };
        (0..count).map(|_| query()).collect()
    }

    /// Adds all documents, each with a completed run and four fields. The index of the vectors is made when all are stored, which
    /// takes a fraction of the time.
    pub async fn index(&self, database: &Database) {
        let store = &database.store;
        let add_every_fourth = |first: usize| async move {
            for (chunks, second) in self.documents.iter().zip(0..).skip(first).step_by(4) {
                add(store, chunks, Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second)).await;
            }
        };
        tokio::join!(add_every_fourth(0), add_every_fourth(1), add_every_fourth(2), add_every_fourth(3));
        store.search.prepare_vectors(256).await.unwrap();
        add_runs_and_fields(database).await;
    }
}

/// How many documents of ten chunks one client indexes in a second, when the others are indexed.
pub async fn indexing_rate(database: &Database) -> f64 {
    let others = Corpus::of_seed(13, INDEXED);
    let started = Instant::now();
    for chunks in &others.documents {
        add(&database.store, chunks, Timestamp::now()).await;
    }
    INDEXED as f64 / started.elapsed().as_secs_f64()
}

/// A completed run of each document.
const RUNS: &str = "INSERT INTO runs (id, pipeline, subject_id, state, created_at, queued_at, started_at, completed_at, listed_at) \
    SELECT {id}, 'document', id, 'COMPLETED', created_at, created_at, created_at, created_at, created_at FROM documents";
/// The fields of each document: texts of 8 and of 40 values, a number and a date.
const FIELDS: &str = "INSERT INTO document_fields (document_id, position, run_id, version_number, field_id, key, value, value_type, \
        normalised_value, number_value, date_value, folded_value, page, confidence, origin) \
    SELECT d.document_id, f.position, d.document_id, 1, d.document_id, f.key, f.value || d.number % f.kinds, f.value_type, NULL, \
        CASE WHEN f.value_type = 'number' THEN d.number END, CASE WHEN f.value_type = 'date' THEN {date} END, \
        f.value || d.number % f.kinds, 1, 0.9, 'machine' \
    FROM search_documents d CROSS JOIN ( \
        SELECT 0 AS position, 'species' AS key, 'kind ' AS value, 8 AS kinds, 'string' AS value_type \
        UNION ALL SELECT 1, 'clinic_name', 'place ', 40, 'string' \
        UNION ALL SELECT 2, 'total_amount', '', 1000, 'number' \
        UNION ALL SELECT 3, 'visit_date', 'day ', 28, 'date') f";

/// Adds what a search shows and counts of each document, without the steps of a run.
async fn add_runs_and_fields(database: &Database) {
    if database.schema.is_empty() {
        let connection = Connection::open(&database.path).unwrap();
        connection.execute(&RUNS.replace("{id}", "randomblob(16)"), []).unwrap();
        connection.execute(&FIELDS.replace("{date}", "'2024-05-06'"), []).unwrap();
        return;
    }
    let mut connection = PgConnection::connect(&quire_postgres::testing::url()).await.unwrap();
    let path = format!("SET search_path = {}, public", database.schema);
    let [runs, fields] =
        [RUNS.replace("{id}", "gen_random_uuid()"), FIELDS.replace("{date}", "date '2024-05-06'")];
    // A server that has worked for a while knows its tables.
    let analyze = "ANALYZE documents, runs, document_fields, search_documents, search_chunks, search_words_of_documents, search_vectors"
        .to_owned();
    for statement in [path, runs, fields, analyze] {
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await.unwrap();
    }
}

/// Adds a document with these chunks.
pub async fn add(store: &Store, chunks: &[String], at: Timestamp) {
    let added = Document { created_at: at, ..document(DocumentId::new()) };
    store.documents.add(NewDocument::uploaded_by("bench", &added, None), at).await.unwrap();
    let outdated = OutdatedDocument { id: added.id, run: None };
    let text = indexed_text(chunks, Some("es"), hashed_vector);
    assert!(store.search.reindex(outdated, Some(&text)).await.unwrap());
}

/// The chunks of a document on one page each, with the vectors of a model.
pub fn indexed_text(
    chunks: &[String],
    language: Option<&str>,
    vector: impl Fn(&str) -> Vec<f32>,
) -> IndexedText {
    let chunk = |(text, page): (&String, u32)| IndexedChunk {
        page,
        words: tokenize(text).join(" "),
        boxes: Vec::new(),
        vector: Some(vector(text)),
        text: text.clone(),
    };
    let indexed: Vec<IndexedChunk> = chunks.iter().zip(1..).map(chunk).collect();
    let words = indexed.iter().flat_map(|chunk| chunk.words.split(' '));
    let mut terms: Vec<IndexedTerm> = words
        .clone()
        .filter(|word| is_vocabulary_word(word))
        .map(|word| IndexedTerm { term: word.to_owned(), stem: stem(word, language) })
        .collect();
    terms.sort();
    terms.dedup();
    let signature = signature(words);
    IndexedText {
        language: language.map(ToOwned::to_owned),
        terms,
        signature,
        model: Some(MODEL.to_owned()),
        embedding: mean_vector(indexed.iter().filter_map(|chunk| chunk.vector.as_ref())),
        chunks: indexed,
    }
}
