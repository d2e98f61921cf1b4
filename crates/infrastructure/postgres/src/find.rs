//! Finds documents by words and conditions, with bounded work.
//!
//! The words of whole documents tell which documents have all words. If one of the words is enough, the chunks of each word are counted,
//! up to a limit, unless the statistics of the server name it as a frequent one. A word below the limit is rare: all its chunks are
//! read, so that no document is lost that has it. Of a frequent word a limited number of chunks is looked at, and the answer says so.
//!
//! The database orders documents by which words a chunk of them has. The most promising chunks of the first ones are rated by their
//! texts, as on every store: `ts_rank` knows neither how rare a word is nor how long texts usually are.

use std::collections::{BTreeSet, HashMap};

use quire_ports::{
    FindQuery, FoundDocument, FoundDocuments, FoundOrder, NAME_CHUNK, PortResult, TextQuery, VALUES_CHUNK,
    importance_of_chunk,
};
use quire_sql::search::{
    Dialect, SqlBuilder, SqlValue, all_in_document_of_tsquery, any_in_document_of_tsquery, any_of_tsquery,
    has_phrase, term_of_tsquery,
};
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
/// How many documents with all words are looked at if there are further conditions, newest first.
const MAX_SCANNED: usize = 100_000;
/// How many chunks with all words are rated before their texts are.
const TOGETHER: usize = 1_000;
/// If more chunks have the only word, or each of several words, only those of the newest documents are looked at.
const FEW_OF_ONE: f64 = 5_000.0;
const FEW_OF_SEVERAL: f64 = 20_000.0;
/// How many documents these are.
const NEWEST_TOGETHER: usize = 1_000;
/// How many chunks with a phrase are looked at.
const PHRASES: usize = 20_000;
/// How many chunks of a word are counted to know how rare it is.
const WEIGHED: i64 = 1_000;
/// Results whose first chunk with a word is looked up, if time orders them.
const SHOWN: usize = 100;
/// Chunks of a document that are rated.
const RATED_CHUNKS: usize = 3;
/// Documents that are rated by the texts of their chunks.
const RATED: usize = 200;
/// What the words of a document count that is not rated. It has fewer of them than those that are.
const UNRATED: f64 = 0.2;
/// Chunks that are counted if the server has not estimated their number yet.
const COUNTED: i64 = 20_000;
/// How long the server may work on one statement of a search.
pub(crate) const TIME_LIMIT: &str = "SET LOCAL statement_timeout = 2000";
/// Hash joins are of use among the few documents that are looked at. How frequent the words are decides on the best plan.
const PLANS: &str = "SET LOCAL enable_hashjoin = on; SET LOCAL plan_cache_mode = force_custom_plan";

/// The documents that fulfil a query.
pub(crate) async fn find(database: &Database, query: &FindQuery) -> PortResult<FoundDocuments> {
    database
        .with_timeout(async {
            let mut transaction = database.begin().await?;
            let settings = format!("{TIME_LIMIT}; {PLANS}");
            sqlx::raw_sql(AssertSqlSafe(settings)).execute(&mut *transaction).await.map_err(translate)?;
            let frequencies = Frequencies::count(&mut transaction, query).await?;
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
            let is_cut_short = match rows.first() {
                _ if query.text.any => query.among.is_none() && frequencies.has_frequent(),
                Some(row) => row.try_get("is_cut_short").map_err(translate)?,
                None => false,
            };
            Ok(FoundDocuments {
                documents,
                total,
                is_lower_bound: is_cut_short || total >= query.counted.min(FoundDocuments::MOST),
            })
        })
        .await
}

/// Rates the first documents by the texts of their most promising chunks, and orders all.
fn order_by_texts(
    query: &FindQuery,
    frequencies: &Frequencies,
    rows: &[PgRow],
    documents: &mut [FoundDocument],
) -> PortResult<()> {
    let mut chunks = Vec::new();
    for (row, document) in rows.iter().zip(0..) {
        let positions: Option<Vec<i32>> = row.try_get("positions").map_err(translate)?;
        let texts: Option<Vec<String>> = row.try_get("texts").map_err(translate)?;
        for (position, text) in positions.into_iter().flatten().zip(texts.into_iter().flatten()) {
            let position = u32::try_from(position).unwrap_or_default();
            let importance = importance_of_chunk(position);
            chunks.push(FittingChunk { document, position, importance, text });
        }
    }
    let weights: Vec<f64> = (0..query.text.terms.len()).map(|place| frequencies.weight(place)).collect();
    let rated = rate(&query.text.terms, &weights, &chunks);
    for (document, number) in documents.iter_mut().zip(0..) {
        match rated.get(&number) {
            Some(fit) => (document.score, document.chunk) = (fit.score, Some(fit.position)),
            None => document.score *= UNRATED,
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

/// How many chunks have each term, counted up to a limit, about how many have a frequent one, and how many there are.
struct Frequencies {
    terms: Vec<i64>,
    /// A term that more chunks have is frequent.
    limit: i64,
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

/// The share of chunks that have each of these words, among the words that the server knows as frequent ones. They were counted when
/// the server last analysed the table.
const KNOWN: &str = "SELECT u.word, u.share::float8 AS share \
     FROM pg_stats s, unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) u (word, share) \
     WHERE s.schemaname = current_schema() AND s.tablename = 'search_chunks' AND s.attname = 'words' AND u.word = ANY ($1)";

/// Stands for the last page of a word whose chunks were not counted.
const NOT_COUNTED: i64 = -1;

/// The words whose frequency the server may know: those of terms that a word alone is, with its other forms.
fn words_of(term: &[Term]) -> impl Iterator<Item = &String> {
    let is_word = term.iter().all(|one| matches!(one, Term::Word(_)));
    term.iter().filter(move |_| is_word).flat_map(Term::words)
}

/// The frequent words among those of a query.
async fn known_shares(transaction: &mut Tx, query: &TextQuery) -> PortResult<HashMap<String, f64>> {
    let words: Vec<String> = query.terms.iter().flat_map(|term| words_of(term)).cloned().collect();
    if words.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = sqlx::query(KNOWN).bind(words).fetch_all(&mut **transaction).await.map_err(translate)?;
    let share = |row: &PgRow| Ok((row.try_get("word")?, row.try_get("share")?));
    rows.iter().map(share).collect::<Result<_, _>>().map_err(translate)
}

impl Frequencies {
    #[allow(clippy::cast_precision_loss)] // At most RARE + 1.
    async fn count(transaction: &mut Tx, query: &FindQuery) -> PortResult<Self> {
        let text = &query.text;
        let limit = if text.any { RARE } else { WEIGHED };
        let mut counted = Self { terms: vec![0; text.terms.len()], limit, estimates: Vec::new(), all: 1.0 };
        // Time orders documents with all words without knowing how rare these are.
        if text.terms.is_empty() || (query.order != FoundOrder::Best && !text.any) {
            return Ok(counted);
        }
        let shares = known_shares(transaction, text).await?;
        let share_of =
            |term: &[Term]| words_of(term).filter_map(|word| shares.get(word)).copied().reduce(f64::max);
        let mut sql = SqlBuilder::new(Dialect::Postgres);
        // Chunks are read in the order in which they are stored, so that the place of the last one tells which share was looked at.
        let count = |term: &Vec<Term>| {
            let words = sql.text(term_of_tsquery(term));
            let counted = format!(
                "(SELECT ARRAY[count(*), coalesce((max(place)::text::point)[0]::bigint, 0)] FROM \
                 (SELECT ctid AS place FROM search_chunks WHERE words @@ {words}::text::tsquery LIMIT {}) c)",
                limit + 1
            );
            let Some(share) = share_of(term) else { return counted };
            let share = sql.value(SqlValue::Number(share));
            // The statistics may be a little old.
            format!(
                "CASE WHEN chunks * {share}::float8 > {} THEN ARRAY[{}, {NOT_COUNTED}]::bigint[] ELSE {counted} END",
                2 * limit,
                limit + 1
            )
        };
        let counts: Vec<String> = text.terms.iter().map(count).collect();
        let size = SIZE.replace("{counted}", &COUNTED.to_string());
        let statement = format!("SELECT pages, chunks, {} FROM ({size}) s", counts.join(", "));
        let row =
            bound(statement, &sql.values).fetch_optional(&mut **transaction).await.map_err(translate)?;
        if let Some(row) = row {
            let (pages, all): (f64, f64) =
                (row.try_get(0).map_err(translate)?, row.try_get(1).map_err(translate)?);
            counted.all = all.max(1.0);
            for (place, (count, term)) in counted.terms.iter_mut().zip(&text.terms).enumerate() {
                let found: Vec<i64> = row.try_get(place + 2).map_err(translate)?;
                let [having, last_page] = found[..] else { continue };
                *count = having;
                counted.estimates.push(if last_page == NOT_COUNTED {
                    all * share_of(term).unwrap_or_default()
                } else {
                    let share = if having > limit { pages / (last_page + 1) as f64 } else { 1.0 };
                    having as f64 * share.max(1.0)
                });
            }
        }
        Ok(counted)
    }

    /// The terms that few chunks have, the rarest first.
    fn rare(&self) -> Vec<usize> {
        let mut rare: Vec<usize> = (0..self.terms.len()).filter(|place| !self.is_frequent(*place)).collect();
        rare.sort_by_key(|place| self.terms[*place]);
        rare
    }

    fn is_frequent(&self, place: usize) -> bool {
        self.terms[place] > self.limit
    }

    /// Whether so few chunks can have all terms that all of these are looked at.
    fn is_few(&self) -> bool {
        let most = if self.estimates.len() == 1 { FEW_OF_ONE } else { FEW_OF_SEVERAL };
        self.estimates.iter().any(|estimate| *estimate <= most)
    }

    fn has_frequent(&self) -> bool {
        (0..self.terms.len()).any(|place| self.is_frequent(place))
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
    let text = &query.text;
    let (has_words, is_best) = (!text.terms.is_empty(), query.order == FoundOrder::Best);
    let conditions = writer.conditions();
    let (source, mut is_cut_short) = (if has_words { FOUND } else { DOCUMENTS }, "false".to_owned());
    if has_words && text.any {
        writer.hits(&conditions);
    } else if has_words {
        is_cut_short = writer.documents();
    }
    let order = if is_best { "score DESC, id DESC" } else { "created_at DESC, id DESC" };
    let inner = if has_words { "m.positions AS positions, m.score AS score" } else { NOTHING };
    // If time orders documents with all words, the chunks of those are looked for that are shown.
    let positions = if has_words && !is_best && !text.any {
        let any = writer.sql.text(any_of_tsquery(&text.terms));
        format!(
            "CASE WHEN d.place <= {SHOWN} THEN ARRAY(SELECT c.position FROM search_chunks c \
             WHERE c.document_number = d.number AND c.words @@ {any}::text::tsquery ORDER BY c.position LIMIT 1) END"
        )
    } else {
        "d.positions".to_owned()
    };
    // The documents to look among are the last parameter.
    let among = format!("${}", writer.sql.values.len() + 1);
    let (with, conditions) = (writer.with.join(", "), conditions.replace(AMONG, &among));
    let with = if with.is_empty() { String::new() } else { format!("WITH {} ", with.replace(AMONG, &among)) };
    let statement = format!(
        "{with}SELECT d.id AS document_id, d.created_at, d.schema_name, d.review_status, {positions} AS positions, \
                ({positions})[1] AS position, d.score, d.language, d.total, {texts} AS texts, {state} AS state, \
                {is_cut_short} AS is_cut_short \
         FROM (SELECT *, {total} AS total, row_number() OVER (ORDER BY {order}) AS place \
               FROM (SELECT d.id, d.created_at, d.schema_name, d.review_status, s.number, {inner}, \
                            coalesce(d.language_override, s.language) AS language \
                     {source} WHERE {conditions} \
                     ORDER BY {order} LIMIT {most}) f \
               ORDER BY {order} LIMIT {limit}) d \
         ORDER BY {order}",
        texts = if has_words && is_best {
            format!("CASE WHEN d.place <= {RATED} THEN {TEXTS} END")
        } else {
            "NULL::text[]".to_owned()
        },
        total = if writer.is_ranked() {
            format!("(SELECT least(count(*), {}) FROM numbers)", FoundDocuments::MOST)
        } else {
            "count(*) OVER ()".to_owned()
        },
        state = SqlBuilder::state(),
        most = query.counted.min(FoundDocuments::MOST),
        limit = query.limit,
    );
    (writer.sql, statement)
}

/// Neither a chunk nor a score.
const NOTHING: &str = "NULL::integer[] AS positions, 0::float8 AS score";
/// Stands for the name of the last parameter, which is known last.
const AMONG: &str = "{among}";
const DOCUMENTS: &str = "FROM documents d LEFT JOIN search_documents s ON s.document_id = d.id";
/// The documents of `best`, each with its best chunk.
const FOUND: &str = "FROM best m JOIN search_documents s ON s.number = m.document_number \
                     JOIN documents d ON d.id = s.document_id";
/// The texts of the most promising chunks of a document.
const TEXTS: &str = "ARRAY(SELECT c.text FROM unnest(d.positions) WITH ORDINALITY p (position, place) \
                           JOIN search_chunks c ON c.document_number = d.number AND c.position = p.position ORDER BY p.place)";
/// The numbers of hidden documents.
const HIDDEN: &str = "hidden AS MATERIALIZED (SELECT s.number FROM documents d JOIN search_documents s ON s.document_id = d.id \
                                               WHERE d.hidden_at IS NOT NULL)";
/// Chunks with their documents.
const CHUNKS: &str = "FROM search_chunks c JOIN search_documents s ON s.number = c.document_number \
                      JOIN documents d ON d.id = s.document_id";

impl Writer<'_> {
    /// What must hold for a document apart from the words that are asked for.
    fn conditions(&mut self) -> String {
        let mut conditions = self.sql.conditions(&self.query.conditions);
        let text = &self.query.text;
        let (phrases, words): (Vec<_>, Vec<_>) = text.excluded.iter().partition(|term| has_phrase(term));
        // Documents with all words are asked for without the excluded ones.
        if !words.is_empty() && (text.any || text.terms.is_empty()) {
            let chunks = self.sql.text(any_of_tsquery(words.iter().copied()));
            let words = self.sql.text(any_in_document_of_tsquery(words));
            self.with.push(format!(
                "excluded AS MATERIALIZED (\
                     SELECT document_number FROM search_words_of_documents WHERE words @@ {words}::text::tsquery \
                     UNION ALL \
                     SELECT w.document_number FROM search_words_of_documents w WHERE w.words IS NULL AND EXISTS ( \
                         SELECT 1 FROM search_chunks h WHERE h.document_number = w.document_number AND h.words @@ {chunks}::text::tsquery))"
            ));
            conditions
                .push("NOT EXISTS (SELECT 1 FROM excluded h WHERE h.document_number = s.number)".to_owned());
        }
        for (place, term) in phrases.into_iter().enumerate() {
            let words = self.sql.text(term_of_tsquery(term));
            let name = format!("excluded{place}");
            self.with.push(format!(
                "{name} AS MATERIALIZED (SELECT DISTINCT document_number FROM search_chunks WHERE words @@ {words}::text::tsquery)"
            ));
            conditions
                .push(format!("NOT EXISTS (SELECT 1 FROM {name} h WHERE h.document_number = s.number)"));
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

    /// Whether the documents with all words need only be ordered by how well they fit. Then the others are counted and not looked up.
    fn is_ranked(&self) -> bool {
        let FindQuery { text, conditions, among, order, .. } = self.query;
        let is_alone =
            conditions.is_empty() && among.is_none() && !text.excluded.iter().any(|term| has_phrase(term));
        *order == FoundOrder::Best && !text.any && !text.terms.is_empty() && is_alone
    }

    /// The documents that have all words, the newest of them if there are very many, each with its score and its best chunks. Returns
    /// whether there may be more, as an expression.
    fn documents(&mut self) -> String {
        let text = &self.query.text;
        let (is_filtered, is_among) = (!self.query.conditions.is_empty(), self.query.among.is_some());
        let is_newest = self.query.order != FoundOrder::Best;
        let most = if is_filtered || is_among || is_newest {
            MAX_SCANNED
        } else {
            FoundDocuments::MOST as usize + 1
        };
        let mut cuts = vec![format!("(SELECT count(*) FROM numbers) >= {most}")];
        let mut confirmed = Vec::new();
        for (place, term) in text.terms.iter().enumerate().filter(|(_, term)| has_phrase(term)) {
            let words = self.sql.text(term_of_tsquery(term));
            self.with.push(format!(
                "phrase{place} AS MATERIALIZED (SELECT document_number FROM search_chunks \
                 WHERE words @@ {words}::text::tsquery LIMIT {PHRASES})"
            ));
            cuts.push(format!("(SELECT count(*) FROM phrase{place}) >= {PHRASES}"));
            confirmed.push(format!("w.document_number IN (SELECT document_number FROM phrase{place})"));
        }
        if is_among {
            confirmed.push(format!(
                "w.document_number IN (SELECT number FROM search_documents WHERE document_id = ANY ({AMONG}))"
            ));
        }
        if self.is_ranked() {
            self.with.push(HIDDEN.to_owned());
            confirmed
                .push("NOT EXISTS (SELECT 1 FROM hidden h WHERE h.number = w.document_number)".to_owned());
        }
        let confirmed: Vec<String> = std::iter::once(String::new()).chain(confirmed).collect();
        let confirmed = confirmed.join(" AND ");
        let words = self.sql.text(all_in_document_of_tsquery(&text.terms, &text.excluded));
        let excluded = any_of_tsquery(text.excluded.iter().filter(|term| !has_phrase(term)));
        let mut each: Vec<String> = text.terms.iter().map(|term| self.has(&term_of_tsquery(term))).collect();
        if !excluded.is_empty() {
            each.push(format!("NOT {}", self.has(&excluded)));
        }
        // Without the inner limit the server might walk the documents from the newest on and read the words of each.
        self.with.push(format!(
            "numbers AS MATERIALIZED (\
                 (SELECT w.document_number \
                  FROM (SELECT document_number FROM search_words_of_documents WHERE words @@ {words}::text::tsquery OFFSET 0) w \
                  WHERE true{confirmed} ORDER BY w.document_number DESC LIMIT {most}) \
                 UNION ALL \
                 (SELECT w.document_number FROM search_words_of_documents w \
                  WHERE w.words IS NULL AND {each}{confirmed} LIMIT {most}))",
            each = each.join(" AND ")
        ));
        if is_newest {
            self.with.push(format!("best AS (SELECT document_number, {NOTHING} FROM numbers)"));
        } else {
            self.best_of_numbers();
        }
        cuts.join(" OR ")
    }

    /// The score and the best chunks of the documents with all words: of those that have all in a chunk, and of some others.
    fn best_of_numbers(&mut self) {
        let text = &self.query.text;
        let all: BTreeSet<String> = text.terms.iter().map(|term| term_of_tsquery(term)).collect();
        let all = self.sql.text(all.into_iter().collect::<Vec<_>>().join(" & "));
        let any = self.sql.text(any_of_tsquery(&text.terms));
        let most = self.sql.value(SqlValue::Number(
            (0..text.terms.len()).map(|place| self.frequencies.weight(place)).sum::<f64>(),
        ));
        let scores = self.scores("o.words");
        let importance = importance("o.position");
        // If all words are frequent, very many chunks may have them all.
        let oldest = if self.frequencies.is_few() {
            "SELECT min(document_number) FROM numbers".to_owned()
        } else {
            format!(
                "SELECT min(document_number) FROM \
                 (SELECT document_number FROM numbers ORDER BY document_number DESC LIMIT {NEWEST_TOGETHER}) n"
            )
        };
        self.with.push(format!(
            "together AS MATERIALIZED (\
                 SELECT * FROM (SELECT c.document_number, c.position FROM search_chunks c \
                                WHERE c.words @@ {all}::text::tsquery AND c.document_number >= ({oldest}) OFFSET 0) c \
                 ORDER BY document_number DESC LIMIT {TOGETHER}), \
             apart AS MATERIALIZED (\
                 SELECT n.document_number, c.position, c.words \
                 FROM (SELECT document_number FROM numbers \
                       WHERE document_number NOT IN (SELECT document_number FROM together) \
                       ORDER BY document_number DESC \
                       LIMIT (SELECT greatest(0, {RATED} - count(DISTINCT document_number)) FROM together)) n \
                 CROSS JOIN LATERAL (SELECT h.position, h.words FROM search_chunks h \
                                     WHERE h.document_number = n.document_number AND h.words @@ {any}::text::tsquery LIMIT 10) c), \
             rated AS (SELECT o.document_number, o.position, {most}::float8 * {importance} AS score FROM together o \
                       UNION ALL \
                       SELECT o.document_number, o.position, ({scores}) * {importance} AS score FROM apart o, queries), \
             best AS (SELECT n.document_number, coalesce(r.score, 0)::float8 AS score, r.positions \
                      FROM numbers n \
                      LEFT JOIN (SELECT document_number, max(score) AS score, \
                                        (array_agg(position ORDER BY score DESC, position))[1:{RATED_CHUNKS}] AS positions \
                                 FROM rated GROUP BY document_number) r ON r.document_number = n.document_number{limit})",
            limit = if self.is_ranked() {
                format!(" ORDER BY 2 DESC, 1 DESC LIMIT {}", self.query.limit)
            } else {
                String::new()
            }
        ));
    }

    /// Whether a document has a term: its own chunks are looked at.
    fn has(&mut self, words: &str) -> String {
        let words = self.sql.text(words);
        format!(
            "EXISTS (SELECT 1 FROM search_chunks h WHERE h.document_number = w.document_number AND h.words @@ {words}::text::tsquery)"
        )
    }

    /// What the words of a chunk count, as an expression on the table `queries`.
    fn scores(&mut self, words: &str) -> String {
        let text = &self.query.text;
        let mut queries = Vec::new();
        let mut scores = Vec::new();
        for (place, term) in text.terms.iter().enumerate() {
            let weight = self.sql.value(SqlValue::Number(self.frequencies.weight(place)));
            scores.push(format!("CASE WHEN {words} @@ q{place} THEN {weight}::float8 ELSE 0 END"));
            let term = self.sql.text(term_of_tsquery(term));
            queries.push(format!("{term}::text::tsquery AS q{place}"));
        }
        self.with.push(format!("queries AS MATERIALIZED (SELECT {})", queries.join(", ")));
        scores.join(" + ")
    }

    /// The chunks that have one of the words, and the best ones of each document.
    fn hits(&mut self, conditions: &str) {
        let text = &self.query.text;
        let mut parts = Vec::new();
        for place in self.frequencies.rare() {
            let words = self.sql.text(term_of_tsquery(&text.terms[place]));
            self.with.push(format!(
                "rare{place} AS MATERIALIZED (SELECT document_number, position, words FROM search_chunks \
                 WHERE words @@ {words}::text::tsquery)"
            ));
            parts.push(format!("SELECT document_number, position, words FROM rare{place}"));
        }
        parts.extend(self.frequent_parts(conditions));
        let (scores, importance) = (self.scores("words"), importance("position"));
        self.with.push(format!("hits AS ({})", parts.join(" UNION ALL ")));
        self.with.push(format!(
            "rated AS (SELECT document_number, position, max(({scores}) * {importance})::float8 AS score \
                       FROM hits, queries GROUP BY document_number, position), \
             best AS (SELECT document_number, max(score) AS score, \
                             (array_agg(position ORDER BY score DESC, position))[1:{RATED_CHUNKS}] AS positions \
                      FROM rated GROUP BY document_number)"
        ));
    }

    /// Some chunks with frequent words. What else the query demands is asked before the limit, so that this hides no document
    /// that a filter leaves.
    fn frequent_parts(&mut self, conditions: &str) -> Vec<String> {
        let text = &self.query.text;
        let mut wanted: Vec<String> = Vec::new();
        for (place, term) in text.terms.iter().enumerate() {
            if self.frequencies.is_frequent(place) {
                wanted.push(self.sql.text(term_of_tsquery(term)));
            }
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

/// How much more a chunk says about its document than a part of the text does, as an expression.
fn importance(position: &str) -> String {
    let [name, values] = [NAME_CHUNK, VALUES_CHUNK].map(importance_of_chunk);
    format!("CASE {position} WHEN {NAME_CHUNK} THEN {name} WHEN {VALUES_CHUNK} THEN {values} ELSE 1.0 END")
}
