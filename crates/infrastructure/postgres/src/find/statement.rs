//! Writes the statement that finds documents.

use std::collections::BTreeSet;

use quire_ports::{FindQuery, FoundDocuments, FoundOrder, NAME_CHUNK, VALUES_CHUNK, importance_of_chunk};
use quire_sql::BEFORE_FIRST_DOCUMENT;
use quire_sql::search::{
    Dialect, SqlBuilder, SqlValue, all_in_document_of_tsquery, any_in_document_of_tsquery, any_of_tsquery,
    has_phrase, term_of_tsquery,
};

/// Of each word so many chunks are counted to know how rare it is.
const WEIGHED: u32 = 1_000;
/// If one of the words is enough, these of them find documents, the rarest ones. The others only help to order these.
const DECIDING: usize = 8;
/// How many chunks with these words are read.
const MAX_HITS: usize = 10_000;
/// How many documents with all words are looked at if there are further conditions, newest first.
const MAX_SCANNED: usize = 100_000;
/// How many chunks with all words are looked at.
const TOGETHER: usize = 1_000;
/// If more chunks have each of the words, very many may have them all, and only those of the newest documents are looked at.
const MAX_RAREST: u32 = 5_000;
/// How many chunks with a phrase are looked at.
const PHRASES: usize = 20_000;
/// Results whose first chunk with a word is looked up, if time orders them.
const SHOWN: usize = 100;
/// Documents that are rated by the texts of their chunks.
const RATED: usize = 100;

/// The parameters of every statement: the terms, about how many chunks have those that are known as frequent, how many chunks there are,
/// and the documents to look among.
const GIVEN: usize = 4;
/// The terms of a query. Those that are not known as frequent are counted, once: without the offset, wherever their number is asked for.
const TERMS: &str = "terms AS MATERIALIZED (\
     SELECT t.query, t.place, t.frequency, ln((greatest($3::float8, t.frequency) + 1) / (t.frequency + 0.5)) AS weight \
     FROM (SELECT u.query::tsquery AS query, u.place, \
                  coalesce(u.frequency, (SELECT count(*) FROM (SELECT FROM search_chunks c \
                                                            WHERE c.words @@ u.query::tsquery LIMIT {counted}) c)) AS frequency \
           FROM unnest($1::text[], $2::float8[]) WITH ORDINALITY u (query, frequency, place) OFFSET 0) t)";
/// The numbers of hidden documents.
const HIDDEN: &str = "hidden AS MATERIALIZED (SELECT s.number FROM documents d JOIN search_documents s ON s.document_id = d.id \
                                               WHERE d.hidden_at IS NOT NULL)";
/// Neither a chunk nor a score.
const NOTHING: &str = "NULL::integer[] AS positions, 0::float8 AS score";
const DOCUMENTS: &str = "FROM documents d LEFT JOIN search_documents s ON s.document_id = d.id";
/// The documents of `best`, each with its best chunks.
const FOUND: &str = "FROM best m JOIN search_documents s ON s.number = m.document_number \
                     JOIN documents d ON d.id = s.document_id";
/// The texts of the most promising chunks of a document.
const TEXTS: &str = "ARRAY(SELECT c.text FROM unnest(d.positions) WITH ORDINALITY p (position, place) \
                           JOIN search_chunks c ON c.document_number = d.number AND c.position = p.position ORDER BY p.place)";

/// A query as SQL.
pub(super) struct Statement {
    pub(super) text: String,
    /// The parameters after the given ones.
    pub(super) values: Vec<SqlValue>,
    /// Of each term so many chunks are counted.
    pub(super) counted: u32,
    /// Whether one plan is good whatever the parameters are.
    pub(super) is_planned_once: bool,
}

/// A statement that is being written.
struct Writer<'q> {
    sql: SqlBuilder,
    query: &'q FindQuery,
    with: Vec<String>,
    /// Whether documents need only have words and be visible. Then they are ranked and counted before they are looked up.
    is_ranked: bool,
    /// Chunks that are read of each term, if one of these is enough.
    hits: usize,
}

impl Statement {
    pub(super) fn of(query: &FindQuery) -> Self {
        let FindQuery { text, conditions, among, order, .. } = query;
        let has_words = !text.terms.is_empty();
        // Documents with all words are asked for without the excluded ones.
        let is_condition = |term: &Vec<_>| !has_words || text.any || has_phrase(term);
        let has_conditions = !conditions.is_empty() || text.excluded.iter().any(is_condition);
        let is_ranked = has_words && *order == FoundOrder::Best && !has_conditions && among.is_none();
        let is_lookup = !has_words && !has_conditions && among.is_some();
        let mut writer = Writer {
            sql: SqlBuilder::after(GIVEN, Dialect::Postgres),
            query,
            with: Vec::new(),
            is_ranked,
            hits: MAX_HITS / text.terms.len().clamp(1, DECIDING),
        };
        let counted = if text.any { u32::try_from(writer.hits + 1).unwrap_or(u32::MAX) } else { WEIGHED };
        if has_words && (text.any || *order == FoundOrder::Best) {
            writer.with.push(TERMS.replace("{counted}", &counted.to_string()));
        }
        let text = writer.statement();
        Self { text, values: writer.sql.values, counted, is_planned_once: is_ranked || is_lookup }
    }
}

impl Writer<'_> {
    fn statement(&mut self) -> String {
        let text = &self.query.text;
        let (has_words, is_best) = (!text.terms.is_empty(), self.query.order == FoundOrder::Best);
        let conditions = self.conditions();
        if self.is_ranked {
            self.with.push(HIDDEN.to_owned());
        }
        let is_cut_short = match (has_words, text.any) {
            (false, _) => "false".to_owned(),
            (true, true) => self.having_some(&conditions),
            (true, false) => self.having_all(),
        };
        let conditions = if self.is_ranked { "true".to_owned() } else { conditions };
        let order = if is_best { "score DESC, id DESC" } else { "created_at DESC, id DESC" };
        // If time orders documents with all words, the chunks of those are looked for that are shown.
        let positions = if has_words && !is_best && !text.any {
            let any = self.sql.text(any_of_tsquery(&text.terms));
            format!(
                "CASE WHEN d.place <= {SHOWN} THEN ARRAY(SELECT h.position FROM {} \
                 WHERE h.words @@ {any}::text::tsquery ORDER BY h.position LIMIT 1) END",
                chunks_of("d.number")
            )
        } else {
            "d.positions".to_owned()
        };
        let is_rated = has_words && is_best;
        format!(
            "{with}SELECT d.id AS document_id, d.created_at, d.schema_name, d.review_status, {positions} AS positions, \
                    ({positions})[1] AS position, d.score, d.language, d.total, {texts} AS texts, {frequencies} AS frequencies, \
                    {state} AS state, {is_cut_short} AS is_cut_short \
             FROM (SELECT *, {total} AS total, row_number() OVER (ORDER BY {order}) AS place \
                   FROM (SELECT d.id, d.created_at, d.schema_name, d.review_status, s.number, {inner}, \
                                coalesce(d.language_override, s.language) AS language \
                         {source} WHERE {conditions} \
                         ORDER BY {order} LIMIT {most}) f \
                   ORDER BY {order} LIMIT {limit}) d \
             ORDER BY {order}",
            with =
                if self.with.is_empty() { String::new() } else { format!("WITH {} ", self.with.join(", ")) },
            texts = if is_rated {
                format!("CASE WHEN d.place <= {RATED} THEN {TEXTS} END")
            } else {
                "NULL::text[]".to_owned()
            },
            frequencies = if is_rated {
                "CASE WHEN d.place = 1 THEN ARRAY(SELECT frequency FROM terms ORDER BY place) END"
            } else {
                "NULL::float8[]"
            },
            total = match (self.is_ranked, text.any) {
                (true, true) => format!(
                    "(SELECT least(count(DISTINCT document_number), {}) FROM hits)",
                    FoundDocuments::MAX_COUNT
                ),
                (true, false) =>
                    format!("(SELECT least(count(*), {}) FROM numbers)", FoundDocuments::MAX_COUNT),
                (false, _) => "count(*) OVER ()".to_owned(),
            },
            inner = if has_words { "m.positions AS positions, m.score AS score" } else { NOTHING },
            source = if has_words { FOUND } else { DOCUMENTS },
            state = SqlBuilder::state(),
            most = self.query.count_limit.min(FoundDocuments::MAX_COUNT),
            limit = self.query.limit,
        )
    }

    /// What must hold for a document apart from the words that are asked for.
    fn conditions(&mut self) -> String {
        let mut conditions = self.sql.conditions(&self.query.conditions);
        let text = &self.query.text;
        let (phrases, words): (Vec<_>, Vec<_>) = text.excluded.iter().partition(|term| has_phrase(term));
        if !words.is_empty() && (text.any || text.terms.is_empty()) {
            let chunks = self.sql.text(any_of_tsquery(words.iter().copied()));
            let words = self.sql.text(any_in_document_of_tsquery(words));
            self.with.push(format!(
                "excluded AS MATERIALIZED (\
                     SELECT document_number FROM search_words_of_documents WHERE words @@ {words}::text::tsquery \
                     UNION ALL \
                     SELECT w.document_number FROM search_words_of_documents w WHERE w.words IS NULL AND {})",
                has(&format!("{chunks}::text::tsquery"))
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
        if self.query.among.is_some() {
            conditions.push("d.id = ANY ($4::uuid[])".to_owned());
        }
        conditions.join(" AND ")
    }

    /// The documents that have all words, the newest of them if there are very many, each with its score and its best chunks. Returns
    /// whether there may be more, as an expression.
    fn having_all(&mut self) -> String {
        let text = &self.query.text;
        let most = if self.is_ranked { FoundDocuments::MAX_COUNT as usize + 1 } else { MAX_SCANNED };
        let mut cuts = vec![format!("(SELECT count(*) FROM numbers) >= {most}")];
        let mut confirmed = vec!["true".to_owned()];
        for (place, term) in text.terms.iter().enumerate().filter(|(_, term)| has_phrase(term)) {
            let words = self.sql.text(term_of_tsquery(term));
            self.with.push(format!(
                "phrase{place} AS MATERIALIZED (SELECT document_number FROM search_chunks \
                 WHERE words @@ {words}::text::tsquery LIMIT {PHRASES})"
            ));
            cuts.push(format!("(SELECT count(*) FROM phrase{place}) >= {PHRASES}"));
            confirmed.push(format!("w.document_number IN (SELECT document_number FROM phrase{place})"));
        }
        if self.query.among.is_some() {
            confirmed.push(
                "w.document_number IN (SELECT number FROM search_documents WHERE document_id = ANY ($4::uuid[]))".to_owned(),
            );
        }
        if self.is_ranked {
            confirmed.push("w.document_number NOT IN (SELECT number FROM hidden)".to_owned());
        }
        let words = self.sql.text(all_in_document_of_tsquery(&text.terms, &text.excluded));
        let excluded = any_of_tsquery(text.excluded.iter().filter(|term| !has_phrase(term)));
        // The documents that have more words than their index holds are few.
        let mut each = vec![format!(
            "NOT EXISTS (SELECT 1 FROM unnest($1::text[]) t (query) WHERE NOT {})",
            has("t.query::tsquery")
        )];
        if !excluded.is_empty() {
            let excluded = self.sql.text(excluded);
            each.push(format!("NOT {}", has(&format!("{excluded}::text::tsquery"))));
        }
        let (each, confirmed) = (each.join(" AND "), confirmed.join(" AND "));
        // Without the inner limit the server might walk the documents from the newest on and read the words of each.
        self.with.push(format!(
            "numbers AS MATERIALIZED (\
                 (SELECT w.document_number \
                  FROM (SELECT document_number FROM search_words_of_documents WHERE words @@ {words}::text::tsquery OFFSET 0) w \
                  WHERE {confirmed} ORDER BY w.document_number DESC LIMIT {most}) \
                 UNION ALL \
                 (SELECT w.document_number FROM search_words_of_documents w \
                  WHERE w.words IS NULL AND {each} AND {confirmed} LIMIT {most}))"
        ));
        if self.query.order == FoundOrder::Best {
            self.best_of_numbers();
        } else {
            self.with.push(format!("best AS (SELECT document_number, {NOTHING} FROM numbers)"));
        }
        cuts.join(" OR ")
    }

    /// The score and the best chunks of the documents with all words: of those that have all in a chunk, and of some others. They come
    /// together by grouping: before the server knows how many they are, it might join them in a loop.
    fn best_of_numbers(&mut self) {
        let text = &self.query.text;
        let all: BTreeSet<String> = text.terms.iter().map(|term| term_of_tsquery(term)).collect();
        let all = self.sql.text(all.into_iter().collect::<Vec<_>>().join(" & "));
        let any = self.sql.text(any_of_tsquery(&text.terms));
        let importance = importance("o.position");
        self.with.push(format!(
            "together AS MATERIALIZED (\
                 SELECT * FROM (SELECT c.document_number, c.position FROM search_chunks c \
                                WHERE c.words @@ {all}::text::tsquery AND (SELECT min(frequency) FROM terms) <= {MAX_RAREST} OFFSET 0) c \
                 ORDER BY document_number DESC LIMIT {TOGETHER}), \
             apart AS MATERIALIZED (\
                 SELECT n.document_number, c.position, c.words \
                 FROM (SELECT document_number FROM numbers \
                       WHERE document_number NOT IN (SELECT document_number FROM together) \
                       ORDER BY document_number DESC \
                       LIMIT (SELECT greatest(0, {RATED} - count(DISTINCT document_number)) FROM together)) n \
                 CROSS JOIN LATERAL (SELECT h.position, h.words FROM {chunks} WHERE h.words @@ {any}::text::tsquery LIMIT 10) c), \
             rated AS (SELECT o.document_number, o.position, (SELECT sum(weight) FROM terms) * {importance} AS score FROM together o \
                       UNION ALL \
                       SELECT o.document_number, o.position, \
                              (SELECT sum(t.weight) FROM terms t WHERE o.words @@ t.query) * {importance} FROM apart o), \
             best AS (SELECT document_number, max(score)::float8 AS score, {BEST} AS positions \
                      FROM (SELECT document_number, position, score, false AS is_found FROM rated \
                            UNION ALL SELECT document_number, NULL, 0, true FROM numbers) r \
                      GROUP BY document_number HAVING bool_or(is_found){limit})",
            chunks = chunks_of("n.document_number"),
            limit = self.limit()
        ));
    }

    /// The documents that have one of the rarest words, each with its score and its best chunks. What else the query demands is asked
    /// before the limit, so that this hides no document that a filter leaves. Returns whether there may be more, as an expression.
    fn having_some(&mut self, conditions: &str) -> String {
        let (importance, hits) = (importance("position"), self.hits);
        let allowed = if self.is_ranked {
            "c.document_number NOT IN (SELECT number FROM hidden)".to_owned()
        } else {
            format!(
                "EXISTS (SELECT 1 FROM search_documents s JOIN documents d ON d.id = s.document_id \
                         WHERE s.number = c.document_number AND {conditions})"
            )
        };
        self.with.push(format!(
            "hits AS MATERIALIZED (\
                 SELECT c.document_number, c.position, t.weight \
                 FROM (SELECT query, weight FROM terms WHERE frequency > 0 ORDER BY frequency LIMIT {DECIDING}) t \
                 CROSS JOIN LATERAL (SELECT c.document_number, c.position FROM search_chunks c \
                                     WHERE c.words @@ t.query AND {allowed} LIMIT {hits}) c), \
             best AS (SELECT document_number, max(score) AS score, {BEST} AS positions \
                      FROM (SELECT document_number, position, (sum(weight) * {importance})::float8 AS score \
                            FROM hits GROUP BY document_number, position) r \
                      GROUP BY document_number{limit})",
            limit = self.limit()
        ));
        if self.query.among.is_some() {
            return "false".to_owned();
        }
        format!("(SELECT count(*) > {DECIDING} OR max(frequency) > {hits} FROM terms WHERE frequency > 0)")
    }

    /// Leaves the best documents, if the others need not be looked up.
    fn limit(&self) -> String {
        if self.is_ranked {
            format!(" ORDER BY score DESC, document_number DESC LIMIT {}", self.query.limit)
        } else {
            String::new()
        }
    }
}

/// The chunks of a document that are rated, as an aggregate.
const BEST: &str =
    "(array_agg(position ORDER BY score DESC, position) FILTER (WHERE position IS NOT NULL))[1:3]";

/// The chunks of a document, as a table. The offset keeps the server from asking the index of words for those of all documents.
fn chunks_of(number: &str) -> String {
    format!("(SELECT position, words FROM search_chunks WHERE document_number = {number} OFFSET 0) h")
}

/// Whether a document has these words: its own chunks are looked at.
fn has(words: &str) -> String {
    format!("EXISTS (SELECT 1 FROM {} WHERE h.words @@ {words})", chunks_of("w.document_number"))
}

/// How much more a chunk says about its document than a part of the text does, as an expression.
fn importance(position: &str) -> String {
    let [name, values] = [NAME_CHUNK, VALUES_CHUNK].map(importance_of_chunk);
    format!("CASE {position} WHEN {NAME_CHUNK} THEN {name} WHEN {VALUES_CHUNK} THEN {values} ELSE 1.0 END")
}
