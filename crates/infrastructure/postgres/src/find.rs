//! Finds documents by words and conditions, with bounded work.
//!
//! First the chunks of each word are counted, up to a limit. A word below the limit is rare: all its chunks are read, so that no
//! document is lost that has it. The rare words of a query decide which documents are looked at, and a frequent word is looked up in
//! each of these. If all words are frequent, a limited number of chunks is looked at, and the answer says so.
//!
//! The database orders documents by which words a chunk of them has. The most promising chunks of those that it returns are rated by
//! their texts, as on every store: `ts_rank` knows neither how rare a word is nor how long texts usually are.

use quire_ports::{
    FindQuery, FoundDocument, FoundDocuments, FoundOrder, NAME_CHUNK, PortResult, TextQuery, VALUES_CHUNK,
    importance_of_chunk,
};
use quire_sql::search::{Dialect, SqlBuilder, SqlValue, any_of_tsquery, term_of_tsquery};
use quire_sql::{BEFORE_FIRST_DOCUMENT, row};
use quire_understanding::search::{FittingChunk, Term, rarity, rate};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Postgres, Row};
use uuid::Uuid;

use crate::database::{Database, Tx, rollback};
use crate::error::translate;
use crate::row::{StoredTime, first, mapped, text};

/// A word that more chunks have is frequent.
const RARE: i64 = 5_000;
/// How many chunks with frequent words are looked at.
const MAX_HITS: usize = 20_000;
/// How many documents are looked at for frequent words, newest first.
const MAX_NEWEST: usize = 20_000;
/// Chunks of a document that are rated.
const RATED_CHUNKS: usize = 3;
/// Chunks that are counted if the server has not estimated their number yet.
const COUNTED: i64 = 20_000;
/// How long the server may work on one statement of a search.
pub(crate) const TIME_LIMIT: &str = "SET LOCAL statement_timeout = 2000";
/// Hash joins are of use among the few documents that are looked at.
const PLANS: &str = "SET LOCAL enable_hashjoin = on";

/// The documents that fulfil a query.
pub(crate) async fn find(database: &Database, query: &FindQuery) -> PortResult<FoundDocuments> {
    database
        .with_timeout(async {
            let mut transaction = database.begin().await?;
            let settings = format!("{TIME_LIMIT}; {PLANS}");
            sqlx::raw_sql(AssertSqlSafe(settings)).execute(&mut *transaction).await.map_err(translate)?;
            let frequencies = Frequencies::count(&mut transaction, &query.text).await?;
            let (sql, statement) = statement(query, &frequencies);
            let among: Option<Vec<Uuid>> =
                query.among.as_ref().map(|among| among.iter().map(|document| document.0).collect());
            let found = bound(statement, &sql.values).bind(among).fetch_all(&mut *transaction).await;
            let rows = found.map_err(translate)?;
            rollback(transaction).await?;
            let mut documents = mapped(&rows, row::found_document)?;
            if query.order == FoundOrder::Best && !query.text.terms.is_empty() {
                order_by_texts(query, &frequencies, &rows, &mut documents)?;
            }
            let total = first(rows.first(), row::found_total)?.unwrap_or_default();
            let is_cut_short = query.among.is_none() && frequencies.cut_short(&query.text);
            Ok(FoundDocuments {
                documents,
                total,
                is_lower_bound: is_cut_short || total >= FoundDocuments::MOST,
            })
        })
        .await
}

/// Rates the documents by the texts of their most promising chunks, and orders them.
fn order_by_texts(
    query: &FindQuery,
    frequencies: &Frequencies,
    rows: &[PgRow],
    documents: &mut [FoundDocument],
) -> PortResult<()> {
    let mut chunks = Vec::new();
    for (row, document) in rows.iter().zip(0..) {
        let positions: Vec<i32> = row.try_get("positions").map_err(translate)?;
        let texts: Vec<String> = row.try_get("texts").map_err(translate)?;
        for (position, text) in positions.into_iter().zip(texts) {
            let position = u32::try_from(position).unwrap_or_default();
            let importance = importance_of_chunk(position);
            chunks.push(FittingChunk { document, position, importance, text });
        }
    }
    let weights: Vec<f64> = (0..query.text.terms.len()).map(|place| frequencies.weight(place)).collect();
    let rated = rate(&query.text.terms, &weights, &chunks);
    for (document, number) in documents.iter_mut().zip(0..) {
        if let Some(fit) = rated.get(&number) {
            (document.score, document.chunk) = (fit.score, Some(fit.position));
        }
    }
    documents.sort_by(|one, other| other.score.total_cmp(&one.score).then(other.id.cmp(&one.id)));
    Ok(())
}

/// The statement with its values.
fn bound(statement: String, values: &[SqlValue]) -> Query<'static, Postgres, PgArguments> {
    let mut query = sqlx::query(AssertSqlSafe(statement));
    for value in values {
        query = match value {
            SqlValue::Text(value) => query.bind(text(value)),
            SqlValue::Number(number) => query.bind(*number),
            SqlValue::Time(time) => query.bind(StoredTime(*time)),
        };
    }
    query
}

/// How many chunks have each term, counted up to one more than [`RARE`], about how many have a frequent one, and how many there are.
struct Frequencies {
    terms: Vec<i64>,
    excluded: Vec<i64>,
    /// About how many chunks have each term.
    estimates: Vec<f64>,
    all: f64,
}

/// The size of the table of chunks, and how many chunks it has about.
const SIZE: &str = "SELECT pages::float8 AS pages, \
        CASE WHEN relpages > 0 AND reltuples > 0 THEN reltuples / relpages * pages ELSE \
            (SELECT count(*) FROM (SELECT 1 FROM search_chunks LIMIT {counted}) c) END::float8 AS chunks \
     FROM (SELECT reltuples, relpages, pg_relation_size(oid) / current_setting('block_size')::bigint AS pages \
           FROM pg_class WHERE oid = 'search_chunks'::regclass) t";

impl Frequencies {
    #[allow(clippy::cast_precision_loss)] // At most RARE + 1.
    async fn count(transaction: &mut Tx, query: &TextQuery) -> PortResult<Self> {
        let mut counted = Self {
            terms: vec![0; query.terms.len()],
            excluded: vec![0; query.excluded.len()],
            estimates: Vec::new(),
            all: 1.0,
        };
        if query.terms.is_empty() && query.excluded.is_empty() {
            return Ok(counted);
        }
        let mut sql = SqlBuilder::new(Dialect::Postgres);
        // Chunks are read in the order in which they are stored, so that the place of the last one tells which share was looked at.
        let count = |term: &Vec<Term>| {
            let words = sql.text(term_of_tsquery(term));
            format!(
                "(SELECT ARRAY[count(*), coalesce((max(place)::text::point)[0]::bigint, 0)] FROM \
                 (SELECT ctid AS place FROM search_chunks WHERE words @@ {words}::text::tsquery LIMIT {}) c)",
                RARE + 1
            )
        };
        let counts: Vec<String> = query.terms.iter().chain(&query.excluded).map(count).collect();
        let size = SIZE.replace("{counted}", &COUNTED.to_string());
        let statement = format!("SELECT pages, chunks, {} FROM ({size}) s", counts.join(", "));
        let row =
            bound(statement, &sql.values).fetch_optional(&mut **transaction).await.map_err(translate)?;
        if let Some(row) = row {
            let (pages, all): (f64, f64) =
                (row.try_get(0).map_err(translate)?, row.try_get(1).map_err(translate)?);
            counted.all = all.max(1.0);
            for (place, count) in counted.terms.iter_mut().chain(&mut counted.excluded).enumerate() {
                let found: Vec<i64> = row.try_get(place + 2).map_err(translate)?;
                let [having, last_page] = found[..] else { continue };
                *count = having;
                let share = if having > RARE { pages / (last_page + 1) as f64 } else { 1.0 };
                counted.estimates.push(having as f64 * share.max(1.0));
            }
        }
        Ok(counted)
    }

    /// The terms that few chunks have, the rarest first.
    fn rare(&self) -> Vec<usize> {
        let mut rare: Vec<usize> = (0..self.terms.len()).filter(|place| self.terms[*place] <= RARE).collect();
        rare.sort_by_key(|place| self.terms[*place]);
        rare
    }

    fn is_frequent(&self, place: usize) -> bool {
        self.terms[place] > RARE
    }

    /// Whether not all chunks are looked at that the query needs.
    fn cut_short(&self, query: &TextQuery) -> bool {
        let frequent = self.terms.iter().filter(|count| **count > RARE).count();
        if query.any { frequent > 0 } else { frequent > 0 && frequent == self.terms.len() }
    }

    /// How much a term counts: a word in few chunks says more.
    fn weight(&self, place: usize) -> f64 {
        rarity(self.estimates.get(place).copied().unwrap_or_default(), self.all)
    }
}

/// A statement that is being written.
struct Writer<'q> {
    sql: SqlBuilder,
    query: &'q FindQuery,
    frequencies: &'q Frequencies,
    with: Vec<String>,
}

/// The query as SQL. The last parameter is the list of documents to look among, or NULL.
fn statement(query: &FindQuery, frequencies: &Frequencies) -> (SqlBuilder, String) {
    let mut writer = Writer { sql: SqlBuilder::new(Dialect::Postgres), query, frequencies, with: Vec::new() };
    let conditions = writer.conditions();
    let has_words = !query.text.terms.is_empty();
    let (source, positions, score) = if has_words {
        (FOUND, "m.positions", "m.score")
    } else {
        (DOCUMENTS, "NULL::integer[]", "0::float8")
    };
    let conditions = if !has_words {
        conditions
    } else if writer.is_newest_of_frequent() {
        writer.newest(&conditions);
        conditions
    } else {
        let conditions = [vec![conditions], writer.frequent_words()].concat().join(" AND ");
        writer.hits(&conditions);
        conditions
    };
    let order = match query.order {
        FoundOrder::Best => "score DESC, id DESC",
        FoundOrder::Newest(_) => "created_at DESC, id DESC",
    };
    // The documents to look among are the last parameter.
    let among = format!("${}", writer.sql.values.len() + 1);
    let (with, conditions) = (writer.with.join(", "), conditions.replace(AMONG, &among));
    let with = if with.is_empty() { String::new() } else { format!("WITH {} ", with.replace(AMONG, &among)) };
    let statement = format!(
        "{with}SELECT d.id AS document_id, d.created_at, d.schema_name, d.review_status, d.positions, d.positions[1] AS position, \
                d.score, d.language, d.total, {texts} AS texts, {state} AS state \
         FROM (SELECT *, count(*) OVER () AS total \
               FROM (SELECT d.id, d.created_at, d.schema_name, d.review_status, s.number, {positions} AS positions, {score} AS score, \
                            coalesce(d.language_override, s.language) AS language \
                     {source} WHERE {conditions} \
                     ORDER BY {order} LIMIT {most}) f \
               ORDER BY {order} LIMIT {limit}) d \
         ORDER BY {order}",
        texts = if has_words && query.order == FoundOrder::Best { TEXTS } else { "NULL::text[]" },
        state = SqlBuilder::state(),
        most = FoundDocuments::MOST,
        limit = query.limit,
    );
    (writer.sql, statement)
}

/// Stands for the name of the last parameter, which is known last.
const AMONG: &str = "{among}";
const DOCUMENTS: &str = "FROM documents d LEFT JOIN search_documents s ON s.document_id = d.id";
/// The documents of `best`, each with its best chunk.
const FOUND: &str = "FROM best m JOIN search_documents s ON s.number = m.document_number \
                     JOIN documents d ON d.id = s.document_id";
/// The texts of the most promising chunks of a document.
const TEXTS: &str = "ARRAY(SELECT c.text FROM unnest(d.positions) WITH ORDINALITY p (position, place) \
                           JOIN search_chunks c ON c.document_number = d.number AND c.position = p.position ORDER BY p.place)";
/// Chunks with their documents.
const CHUNKS: &str = "FROM search_chunks c JOIN search_documents s ON s.number = c.document_number \
                      JOIN documents d ON d.id = s.document_id";

impl Writer<'_> {
    /// What must hold for a document apart from the words that are asked for.
    fn conditions(&mut self) -> String {
        let mut conditions = self.sql.conditions(&self.query.conditions);
        let text = &self.query.text;
        for (place, term) in text.excluded.iter().enumerate() {
            let has = if self.frequencies.excluded[place] > RARE {
                self.has(term)
            } else {
                let words = self.sql.text(term_of_tsquery(term));
                let name = format!("excluded{place}");
                self.with.push(format!(
                    "{name} AS MATERIALIZED (SELECT DISTINCT document_number FROM search_chunks WHERE words @@ {words}::text::tsquery)"
                ));
                format!("EXISTS (SELECT 1 FROM {name} h WHERE h.document_number = s.number)")
            };
            conditions.push(format!("NOT {has}"));
        }
        if let FoundOrder::Newest(after) = self.query.order {
            let after = after.unwrap_or(BEFORE_FIRST_DOCUMENT);
            let time = self.sql.value(SqlValue::Time(after.created_at));
            let id = self.sql.text(after.id.0.to_string());
            conditions.push(format!("(d.created_at, d.id) < ({time}, {id}::text::uuid)"));
        }
        conditions.push(format!("({AMONG}::uuid[] IS NULL OR d.id = ANY ({AMONG}))"));
        conditions.join(" AND ")
    }

    /// That a document has each of the frequent words, if it must have all words and others are asked for as well.
    fn frequent_words(&mut self) -> Vec<String> {
        let text = &self.query.text;
        if text.any || text.terms.len() == 1 {
            return Vec::new();
        }
        let terms = text.terms.iter().enumerate().filter(|(place, _)| self.frequencies.is_frequent(*place));
        let terms: Vec<&Vec<Term>> = terms.map(|(_, term)| term).collect();
        terms.into_iter().map(|term| self.has(term)).collect()
    }

    /// Whether a document has a frequent term: its own chunks are looked at.
    fn has(&mut self, term: &[Term]) -> String {
        let words = self.sql.text(term_of_tsquery(term));
        format!(
            "EXISTS (SELECT 1 FROM search_chunks h WHERE h.document_number = s.number AND h.words @@ {words}::text::tsquery)"
        )
    }

    fn is_newest_of_frequent(&self) -> bool {
        let text = &self.query.text;
        self.query.order != FoundOrder::Best && !text.any && self.frequencies.cut_short(text)
    }

    /// The newest documents with words that are all frequent. A document with very many chunks of a word may be older, so that some
    /// chunks of the rarest word are looked at as well.
    fn newest(&mut self, conditions: &str) {
        let text = &self.query.text;
        let words: Vec<String> = text.terms.iter().map(|term| self.has(term)).collect();
        let words = words.join(" AND ");
        let rarest = self.rarest();
        let any = self.sql.text(any_of_tsquery(&text.terms));
        self.with.push(format!(
            "best AS MATERIALIZED (\
                 SELECT n.number AS document_number, 0::float8 AS score, \
                        ARRAY(SELECT min(c.position) FROM search_chunks c \
                              WHERE c.document_number = n.number AND c.words @@ {any}::text::tsquery) AS positions \
                 FROM (SELECT s.number FROM (SELECT s.number, d.created_at, d.id {DOCUMENTS} WHERE {conditions} \
                                             ORDER BY d.created_at DESC, d.id DESC LIMIT {MAX_NEWEST}) s \
                       WHERE {words} \
                       UNION \
                       SELECT s.number FROM (SELECT c.document_number AS number {CHUNKS} \
                           WHERE c.words @@ {rarest}::text::tsquery AND {conditions} LIMIT {RARE}) s \
                       WHERE {words}) n)"
        ));
    }

    /// The frequent term that is least frequent.
    fn rarest(&mut self) -> String {
        let place = (0..self.frequencies.terms.len()).min_by_key(|place| self.frequencies.terms[*place]);
        self.sql.text(term_of_tsquery(place.map_or(&[][..], |place| &self.query.text.terms[place])))
    }

    /// The chunks that are rated, and the best one of each document.
    fn hits(&mut self, conditions: &str) {
        let text = &self.query.text;
        let rare = self.frequencies.rare();
        let mut parts = Vec::new();
        for place in &rare {
            let words = self.sql.text(term_of_tsquery(&text.terms[*place]));
            self.with.push(format!(
                "rare{place} AS MATERIALIZED (SELECT document_number, position, words FROM search_chunks \
                 WHERE words @@ {words}::text::tsquery)"
            ));
            parts.push(format!("SELECT document_number, position, words FROM rare{place}"));
        }
        if text.any || rare.is_empty() {
            parts.extend(self.frequent_parts(conditions));
        }
        let among = if text.any || rare.len() < 2 {
            ""
        } else {
            let all: Vec<String> =
                rare.iter().map(|place| format!("SELECT document_number FROM rare{place}")).collect();
            self.with.push(format!("candidates AS MATERIALIZED ({})", all.join(" INTERSECT ")));
            " WHERE document_number IN (SELECT document_number FROM candidates)"
        };
        let scores: Vec<String> = (0..text.terms.len())
            .map(|place| {
                format!("CASE WHEN words @@ q{place} THEN {} ELSE 0 END", self.frequencies.weight(place))
            })
            .collect();
        let queries: Vec<String> = text
            .terms
            .iter()
            .enumerate()
            .map(|(place, term)| {
                let words = self.sql.text(term_of_tsquery(term));
                format!("{words}::text::tsquery AS q{place}")
            })
            .collect();
        self.with.push(format!("queries AS MATERIALIZED (SELECT {})", queries.join(", ")));
        self.with.push(format!("hits AS ({})", parts.join(" UNION ALL ")));
        let [name, values] = [NAME_CHUNK, VALUES_CHUNK].map(importance_of_chunk);
        self.with.push(format!(
            "rated AS (SELECT document_number, position, \
                              max(({}) * CASE position WHEN {NAME_CHUNK} THEN {name} WHEN {VALUES_CHUNK} THEN {values} ELSE 1.0 END)::float8 \
                              AS score \
                       FROM hits, queries{among} GROUP BY document_number, position), \
             best AS (SELECT document_number, max(score) AS score, \
                             (array_agg(position ORDER BY score DESC, position))[1:{RATED_CHUNKS}] AS positions \
                      FROM rated GROUP BY document_number)",
            scores.join(" + "),
        ));
    }

    /// Some chunks with frequent words. What else the query demands is asked before the limit, so that this hides no document
    /// that a filter leaves.
    fn frequent_parts(&mut self, conditions: &str) -> Vec<String> {
        let text = &self.query.text;
        let mut wanted: Vec<String> = Vec::new();
        if text.any {
            for (place, term) in text.terms.iter().enumerate() {
                if self.frequencies.is_frequent(place) {
                    wanted.push(self.sql.text(term_of_tsquery(term)));
                }
            }
        } else {
            // A chunk with all words fits best.
            if text.terms.len() > 1 {
                let all: Vec<String> = text.terms.iter().map(|term| term_of_tsquery(term)).collect();
                wanted.push(self.sql.text(all.join(" & ")));
            }
            wanted.push(self.rarest());
        }
        let limit = MAX_HITS / wanted.len().max(1);
        let part = |words: &String| {
            format!(
                "(SELECT c.document_number, c.position, c.words {CHUNKS} \
                  WHERE c.words @@ {words}::text::tsquery AND {conditions} LIMIT {limit})"
            )
        };
        wanted.iter().map(part).collect()
    }
}
