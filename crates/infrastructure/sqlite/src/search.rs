//! Queries on the search index.

use std::collections::{BTreeSet, HashSet};

use async_trait::async_trait;
use quire_domain::{DocumentId, hex};
use quire_ports::{
    FieldFacet, FindQuery, Fingerprint, FoundDocument, FoundDocuments, FoundOrder, IndexedText, IndexingLock,
    MAX_GUESSED, NearChunk, NearestQuery, OutdatedDocument, OutdatedQuery, PortResult, SearchIndex,
    StoredChunk, VocabularyEntry, VocabularyQuery,
};
use quire_sql::search::DOCUMENTS_OF_BAND;
use quire_sql::search::{Dialect, SqlBuilder, SqlValue, any_in_document_of_fts5, has_phrase, term_of_fts5};
use quire_sql::{BEFORE_FIRST_DOCUMENT, ColumnReader, json_text, row};
use quire_understanding::search::Term;
use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, ToSql, params, params_from_iter};

use crate::error::translate;
use crate::queue::row_limit;
use crate::row::{Columns, SqliteRow, all, first, micros, scalar};
use crate::search_matches::{Matches, matches};
use crate::vectors::decode;
use crate::{SqliteStore, search_entry, search_facets, sql};

/// If more documents are hidden, the database leaves them out.
const MAX_HIDDEN: usize = 1_000;

#[async_trait]
impl SearchIndex for SqliteStore {
    async fn vocabulary(&self, words: &[VocabularyQuery]) -> PortResult<Vec<VocabularyEntry>> {
        let words = words.to_vec();
        let look_up_all = move |connection: &Connection| {
            let mut guesses = MAX_GUESSED;
            words.iter().map(|word| look_up(connection, word, &mut guesses)).collect()
        };
        self.search_time.read(&self.readers, look_up_all).await
    }

    async fn find(&self, query: &FindQuery) -> PortResult<FoundDocuments> {
        let query = query.clone();
        self.search_time.read(&self.readers, move |connection| find(connection, &query)).await
    }

    async fn chunks(&self, places: &[(DocumentId, u32)]) -> PortResult<Vec<StoredChunk>> {
        let places = places.to_vec();
        self.readers
            .read(move |connection| {
                let mut found = Vec::with_capacity(places.len());
                for (document, position) in places {
                    let values = params![document.0.as_bytes(), position];
                    found.extend(first(connection, sql!("search/chunk"), values, row::stored_chunk)?);
                }
                Ok(found)
            })
            .await
    }

    async fn chunks_of(&self, document: DocumentId) -> PortResult<Vec<StoredChunk>> {
        self.rows(sql!("search/chunks_of"), [document.0.into_bytes()], row::stored_chunk).await
    }

    async fn field_facets(&self, documents: &[DocumentId], most: u32) -> PortResult<Vec<FieldFacet>> {
        let ids: Vec<String> = documents.iter().map(|document| hex(document.0.as_bytes())).collect();
        let ids = json_text(&ids)?;
        let facets =
            move |connection: &Connection| search_facets::of_documents(connection, ids, most as usize);
        self.search_time.read(&self.readers, facets).await
    }

    async fn field_keys(&self) -> PortResult<Vec<String>> {
        self.rows(sql!("search/field_keys"), [], |row| row.string("key")).await
    }

    async fn outdated(&self, query: &OutdatedQuery) -> PortResult<Vec<OutdatedDocument>> {
        let after = query.after.map_or([0; 16], |document| document.0.into_bytes());
        let parameters = (after, query.limit, query.missing_text, query.model.clone());
        self.rows(sql!("search/outdated"), parameters, row::outdated_document).await
    }

    async fn nearest(&self, query: &NearestQuery) -> PortResult<Option<Vec<NearChunk>>> {
        let (query, vectors) = (query.clone(), self.vectors.clone());
        let nearest = move |connection: &Connection| vectors.nearest(connection, &query).map(Some);
        self.search_time.read_unlimited(&self.readers, nearest).await
    }

    async fn fingerprint(&self, document: DocumentId) -> PortResult<Option<Fingerprint>> {
        let found = self.rows(sql!("search/fingerprint"), [document.0.into_bytes()], |row| {
            let embedding = row.optional_bytes("embedding")?.map(decode);
            Ok(Fingerprint { embedding, ..row::fingerprint(row)? })
        });
        Ok(found.await?.pop())
    }

    async fn sharing_bands(
        &self,
        document: DocumentId,
        limit: u32,
    ) -> PortResult<Vec<(DocumentId, Vec<u32>)>> {
        let parameters = (document.0.into_bytes(), limit, DOCUMENTS_OF_BAND);
        self.rows(sql!("search/sharing_bands"), parameters, row::signed_document).await
    }

    /// One process has the file. Documents that an older program has indexed get their words first.
    async fn indexing_lock(&self) -> PortResult<Option<IndexingLock>> {
        while self.writer.write(search_entry::write_missing_words).await? {}
        Ok(Some(IndexingLock { held: Box::new(()) }))
    }

    async fn prepare_vectors(&self, _: usize) -> PortResult<bool> {
        Ok(true)
    }

    async fn reindex(&self, document: OutdatedDocument, text: Option<&IndexedText>) -> PortResult<bool> {
        let text = text.cloned();
        self.writer
            .write(move |connection| {
                let query = sql!("documents/latest_version");
                let latest = first(connection, query, [document.id.0.as_bytes()], row::latest_version)?;
                let latest = latest.flatten().map(|(run, _)| run);
                if latest == document.run {
                    search_entry::replace(connection, document.id, document.run, text.as_ref())?;
                }
                Ok(latest == document.run)
            })
            .await
    }
}

fn look_up(
    connection: &Connection,
    query: &VocabularyQuery,
    guesses: &mut usize,
) -> PortResult<VocabularyEntry> {
    let mut entry = VocabularyEntry {
        is_known: scalar(connection, sql!("search/is_term"), [&query.word])?,
        ..VocabularyEntry::default()
    };
    for (language, stem) in &query.stems {
        let values = params![language, stem, query.word];
        entry.forms.extend(all(connection, sql!("search/forms"), values, |row| row.string("term"))?);
    }
    entry.forms.sort_unstable();
    entry.forms.dedup();
    entry.forms.truncate(24);
    if let Some(similar) = &query.similar
        && !entry.is_known
        && entry.forms.is_empty()
        && *guesses > 0
    {
        *guesses -= 1;
        let [common, least, most] = [similar.common, similar.lengths.0, similar.lengths.1].map(row_limit);
        let values = params![json_text(&similar.trigrams)?, common, least, most];
        entry.similar = all(connection, sql!("search/similar"), values, |row| row.string("term"))?;
    }
    Ok(entry)
}

/// A parameter in its stored form.
struct Parameter(SqlValue);

impl ToSql for Parameter {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match &self.0 {
            SqlValue::Text(text) => text.to_sql(),
            SqlValue::Number(number) => Ok(ToSqlOutput::from(*number)),
            SqlValue::Time(time) => Ok(ToSqlOutput::from(micros(*time))),
        }
    }
}

fn find(connection: &Connection, query: &FindQuery) -> PortResult<FoundDocuments> {
    let has_words = !query.text.terms.is_empty();
    let mut matches = if has_words { matches(connection, query)? } else { Matches::default() };
    let is_ranked = has_words && query.order == FoundOrder::Best && query.conditions.is_empty();
    let counted = if is_ranked { keep_ranked(connection, &mut matches, query.limit)? } else { None };
    let mut sql = SqlBuilder::new(Dialect::Sqlite);
    let statement = statement(&mut sql, query, has_words.then_some(&matches), counted)?;
    let mut prepared = connection.prepare_cached(&statement).map_err(translate)?;
    let parameters = params_from_iter(sql.values.into_iter().map(Parameter));
    let mut rows = prepared.query(parameters).map_err(translate)?;
    let mut found = FoundDocuments { total: counted.unwrap_or_default(), ..FoundDocuments::default() };
    let mut columns = None;
    while let Some(row) = rows.next().map_err(translate)? {
        let row = SqliteRow::new(row, columns.get_or_insert_with(|| Columns::of(row)));
        if counted.is_none() && !returns_all(query) {
            found.total = row::found_total(&row)?;
        }
        let rank: Option<usize> = (&row as &dyn ColumnReader).optional_number("rank")?;
        let (chunk, score) = match rank.and_then(|rank| matches.documents.get(rank)) {
            Some(fitting) => (fitting.position, fitting.score),
            None => (None, 0.0),
        };
        found.documents.push(FoundDocument { chunk, score, ..row::found_document(&row)? });
    }
    if counted.is_none() && returns_all(query) {
        found.total = u32::try_from(found.documents.len()).unwrap_or(u32::MAX);
    }
    found.is_lower_bound =
        matches.is_cut_short || found.total >= query.count_limit.min(FoundDocuments::MAX_COUNT);
    Ok(found)
}

/// Whether all documents that are counted are returned too, so that the database need not count them.
fn returns_all(query: &FindQuery) -> bool {
    query.limit >= query.count_limit.min(FoundDocuments::MAX_COUNT)
}

/// Leaves the best documents that are not hidden, so that the others need not be looked up. Returns how many there are; None if so many
/// documents are hidden that the database has to leave them out.
fn keep_ranked(connection: &Connection, matches: &mut Matches, limit: u32) -> PortResult<Option<u32>> {
    let values = [row_limit(MAX_HIDDEN + 1)];
    let hidden: Vec<i64> =
        all(connection, sql!("search/hidden_numbers"), values, |row| row.integer("number"))?;
    if hidden.len() > MAX_HIDDEN {
        return Ok(None);
    }
    if !hidden.is_empty() {
        let hidden: HashSet<i64> = hidden.into_iter().collect();
        matches.documents.retain(|document| !hidden.contains(&document.number));
    }
    let total = u32::try_from(matches.documents.len()).unwrap_or(u32::MAX).min(FoundDocuments::MAX_COUNT);
    matches.documents.truncate(limit as usize);
    Ok(Some(total))
}

/// The query as SQL. The inner query finds and orders, within its limit; the outer one looks up what a result shows. The documents
/// that have the words of the query are given, best first, and their number if these are all that is needed.
fn statement(
    sql: &mut SqlBuilder,
    query: &FindQuery,
    matches: Option<&Matches>,
    counted: Option<u32>,
) -> PortResult<String> {
    let text = &query.text;
    let source = if let Some(matches) = matches {
        let numbers: Vec<i64> = matches.documents.iter().map(|document| document.number).collect();
        let numbers = sql.text(json_text(&numbers)?);
        format!(
            "FROM (SELECT key, value FROM json_each({numbers})) m \
             CROSS JOIN search_documents s ON s.number = m.value \
             CROSS JOIN documents d INDEXED BY documents_found ON d.id = s.document_id"
        )
    } else if let Some(among) = &query.among {
        let ids: BTreeSet<String> = among.iter().map(|document| hex(document.0.as_bytes())).collect();
        let ids = sql.text(json_text(&ids)?);
        format!(
            "FROM (SELECT value FROM json_each({ids})) m \
             CROSS JOIN documents d INDEXED BY documents_found ON d.id = unhex(m.value) \
             LEFT JOIN search_documents s ON s.document_id = d.id"
        )
    } else {
        "FROM documents d INDEXED BY documents_found_by_time LEFT JOIN search_documents s ON s.document_id = d.id".to_owned()
    };
    let rank = if matches.is_some() { "m.key" } else { "NULL" };
    let shown = format!(
        "d.id, d.created_at, d.schema_name, d.review_status, {rank} AS rank, \
         coalesce(d.language_override, s.language) AS language"
    );
    let state = SqlBuilder::state();
    if counted.is_some() {
        return Ok(format!(
            "SELECT d.id AS document_id, d.created_at, d.schema_name, d.review_status, {rank} AS rank, NULL AS position, \
                    0.0 AS score, coalesce(d.language_override, s.language) AS language, 0 AS total, {state} AS state \
             {source} ORDER BY m.key"
        ));
    }
    let mut conditions = sql.conditions(&query.conditions);
    if matches.is_none() {
        let excluded: Vec<&Vec<Term>> = text.excluded.iter().collect();
        let (phrases, words): (Vec<_>, Vec<_>) = excluded.into_iter().partition(|term| has_phrase(term));
        if !words.is_empty() {
            let words = sql.text(any_in_document_of_fts5(words));
            conditions.push(format!(
                "coalesce(s.number, -1) NOT IN \
                 (SELECT rowid FROM search_words_of_documents WHERE search_words_of_documents MATCH {words})"
            ));
        }
        for term in phrases {
            let words = sql.text(term_of_fts5(term));
            conditions.push(format!(
                "coalesce(s.number, -1) NOT IN (SELECT rowid >> 16 FROM search_words WHERE search_words MATCH {words})"
            ));
        }
    }
    let order = match query.order {
        FoundOrder::Best => "rank, id DESC",
        FoundOrder::Newest(after) => {
            let after = after.unwrap_or(BEFORE_FIRST_DOCUMENT);
            let time = sql.value(SqlValue::Time(after.created_at));
            let id = sql.text(hex(after.id.0.as_bytes()));
            conditions.push(format!("(d.created_at, d.id) < ({time}, unhex({id}))"));
            "created_at DESC, id DESC"
        }
    };
    let conditions = if conditions.is_empty() { "1".to_owned() } else { conditions.join(" AND ") };
    // Parameters, so that the statement of a query of this shape is prepared once.
    let mut number = |number: u32| sql.value(SqlValue::Number(f64::from(number)));
    let most = number(query.count_limit.min(FoundDocuments::MAX_COUNT));
    let found = format!("SELECT {shown} {source} WHERE {conditions} ORDER BY {order} LIMIT {most}");
    let (found, total) = if returns_all(query) {
        (found, "NULL")
    } else {
        let limit = number(query.limit);
        (
            format!("SELECT *, count(*) OVER () AS total FROM ({found}) ORDER BY {order} LIMIT {limit}"),
            "d.total",
        )
    };
    Ok(format!(
        "SELECT d.id AS document_id, d.created_at, d.schema_name, d.review_status, d.rank, NULL AS position, 0.0 AS score, \
                d.language, {total} AS total, {state} AS state \
         FROM ({found}) d \
         ORDER BY {order}"
    ))
}
