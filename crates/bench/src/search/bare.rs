//! The bare queries of a store: its own full-text query and its own search for near vectors, without anything of Quire.

use std::time::Instant;

use quire_postgres::testing::search_width;
use quire_understanding::search::{hashed_vector, tokenize};
use rusqlite::Connection;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use super::corpus::Corpus;
use super::milliseconds;
use crate::database::Database;

/// Results of a bare query.
const LIMIT: usize = 20;

/// A connection of its own to the database that is measured.
pub enum Bare {
    /// FTS5's order by BM25. SQLite has no search for vectors, so these are compared one by one in memory, as exact numbers.
    Sqlite { connection: Connection, vectors: Vec<f32>, dimension: usize },
    /// `tsvector` in the order of `ts_rank`, and pgvector's index. By default it looks at 40 vectors; the width of a search of Quire is
    /// the one that finds as many of the nearest ones as a search must find.
    Postgres { connection: PgConnection, vector_type: String },
}

/// The milliseconds of bare queries.
pub struct BareTimes {
    pub words: f64,
    pub vectors: f64,
    /// Those of the query for vectors as pgvector is set up by default, on PostgreSQL.
    pub narrow_vectors: Option<f64>,
}

impl Bare {
    pub async fn new(database: &Database, corpus: &Corpus) -> Self {
        if database.schema.is_empty() {
            let vectors: Vec<Vec<f32>> =
                corpus.documents.iter().flatten().map(|text| hashed_vector(text)).collect();
            let dimension = vectors.first().map_or(0, Vec::len);
            return Self::Sqlite {
                connection: Connection::open(&database.path).unwrap(),
                vectors: vectors.concat(),
                dimension,
            };
        }
        let mut connection = PgConnection::connect(&quire_postgres::testing::url()).await.unwrap();
        let path =
            format!("SET search_path = {}, public; SET enable_sort = off; LOAD 'vector'", database.schema);
        sqlx::raw_sql(AssertSqlSafe(path)).execute(&mut connection).await.unwrap();
        let place: String = sqlx::query_scalar(
            "SELECT n.nspname::text FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'",
        )
        .fetch_one(&mut connection)
        .await
        .unwrap();
        let dimension = hashed_vector("dimension").len();
        Self::Postgres { connection, vector_type: format!("{place}.halfvec({dimension})") }
    }

    /// The milliseconds of the queries, one after the other.
    pub async fn measure(&mut self, text: &str) -> BareTimes {
        let (words, vector) = (tokenize(text), hashed_vector(text));
        let mut started = Instant::now();
        match self {
            Self::Sqlite { connection, vectors, dimension } => {
                let query = words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" AND ");
                let statement = format!(
                    "SELECT rowid FROM search_words WHERE search_words MATCH ?1 ORDER BY rank LIMIT {LIMIT}"
                );
                let mut prepared = connection.prepare_cached(&statement).unwrap();
                let rows: Vec<i64> =
                    prepared.query_map([query], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
                std::hint::black_box(rows);
                let words = milliseconds(started);
                started = Instant::now();
                std::hint::black_box(nearest(vectors, *dimension, &vector));
                let vectors = milliseconds(started);
                BareTimes { words, vectors, narrow_vectors: None }
            }
            Self::Postgres { connection, vector_type } => {
                let query = words.join(" & ");
                let statement = format!(
                    "SELECT document_number, position FROM search_chunks, (SELECT $1::text::tsquery AS q) q \
                     WHERE words @@ q.q ORDER BY ts_rank(words, q.q) DESC LIMIT {LIMIT}"
                );
                sqlx::query(AssertSqlSafe(statement)).bind(query).fetch_all(&mut *connection).await.unwrap();
                let words = milliseconds(started);
                let place = vector_type.split('.').next().unwrap_or_default();
                let statement = format!(
                    "SELECT document_number, position FROM search_vectors WHERE dimension = {} \
                     ORDER BY embedding::{vector_type} OPERATOR({place}.<=>) $1::text::{vector_type} LIMIT {LIMIT}",
                    vector.len()
                );
                let mut times = [0.0; 2];
                for (width, time) in [search_width(), "40"].into_iter().zip(&mut times) {
                    let set = AssertSqlSafe(format!("SET hnsw.ef_search = {width}"));
                    sqlx::raw_sql(set).execute(&mut *connection).await.unwrap();
                    started = Instant::now();
                    let query = sqlx::query(AssertSqlSafe(statement.clone())).bind(format!("{vector:?}"));
                    query.fetch_all(&mut *connection).await.unwrap();
                    *time = milliseconds(started);
                }
                let [vectors, narrow] = times;
                BareTimes { words, vectors, narrow_vectors: Some(narrow) }
            }
        }
    }
}

/// The places of the nearest vectors, by a plain loop that a compiler can turn into wide instructions.
fn nearest(vectors: &[f32], dimension: usize, query: &[f32]) -> Vec<usize> {
    let dot = |vector: &[f32]| {
        let mut sums = [0.0f32; 16];
        for (one, other) in vector.as_chunks::<16>().0.iter().zip(query.as_chunks::<16>().0) {
            for ((sum, one), other) in sums.iter_mut().zip(one).zip(other) {
                *sum += one * other;
            }
        }
        sums.iter().sum::<f32>()
    };
    let mut all: Vec<(f32, usize)> = vectors.chunks_exact(dimension.max(1)).map(dot).zip(0..).collect();
    let last = LIMIT.min(all.len());
    if last > 0 {
        all.select_nth_unstable_by(last - 1, |one, other| other.0.total_cmp(&one.0));
    }
    all.truncate(last);
    all.sort_by(|one, other| other.0.total_cmp(&one.0));
    all.into_iter().map(|(_, place)| place).collect()
}
