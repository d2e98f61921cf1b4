//! Queries on the search index.

use async_trait::async_trait;
use quire_domain::DocumentId;
use quire_ports::{
    FieldFacet, FindQuery, Fingerprint, FoundDocuments, IndexedText, IndexingLock, MAX_GUESSED, NearChunk,
    NearestQuery, OutdatedDocument, OutdatedQuery, PortResult, SearchIndex, StoredChunk, VocabularyEntry,
    VocabularyQuery,
};
use quire_sql::row;
use quire_sql::search::DOCUMENTS_OF_BAND;
use uuid::Uuid;

use crate::database::{commit, rollback};
use crate::error::translate;
use crate::row::{bigint, first, int};
use crate::{PgStore, find, reviews, search_entry, sql, vectors};

/// Taken by the process that indexes outdated documents.
const INDEXING_TURN: &str =
    "SELECT pg_try_advisory_lock(hashtextextended('quire_indexing ' || current_schema(), 0))";

#[async_trait]
impl SearchIndex for PgStore {
    async fn vocabulary(&self, words: &[VocabularyQuery]) -> PortResult<Vec<VocabularyEntry>> {
        let stems: Vec<(i32, &str, &str)> = words
            .iter()
            .zip(0..)
            .flat_map(|(word, place)| {
                word.stems.iter().map(move |(language, stem)| (place, language.as_str(), stem.as_str()))
            })
            .collect();
        let query = || {
            sqlx::query(sql!("search/vocabulary"))
                .bind(words.iter().map(|word| word.word.clone()).collect::<Vec<_>>())
                .bind(stems.iter().map(|(place, ..)| *place).collect::<Vec<_>>())
                .bind(stems.iter().map(|(_, language, _)| (*language).to_owned()).collect::<Vec<_>>())
                .bind(stems.iter().map(|(.., stem)| (*stem).to_owned()).collect::<Vec<_>>())
        };
        let known = self.rows(query, |row| Ok((row.integer::<usize>("place")?, row.string("term")?))).await?;
        let mut entries = Vec::with_capacity(words.len());
        let mut guesses = MAX_GUESSED;
        for (place, word) in words.iter().enumerate() {
            let of_word = known.iter().filter(|(of, _)| *of == place).map(|(_, term)| term);
            let mut entry = VocabularyEntry {
                is_known: of_word.clone().any(|term| *term == word.word),
                forms: of_word.filter(|term| **term != word.word).take(24).cloned().collect(),
                similar: Vec::new(),
            };
            if let Some(similar) = &word.similar
                && !entry.is_known
                && entry.forms.is_empty()
                && guesses > 0
            {
                guesses -= 1;
                let query = || {
                    sqlx::query(sql!("search/similar"))
                        .bind(similar.trigrams.clone())
                        .bind(bigint(similar.common))
                        .bind(bigint(similar.lengths.0))
                        .bind(bigint(similar.lengths.1))
                };
                entry.similar = self.rows(query, |row| row.string("term")).await?;
            }
            entries.push(entry);
        }
        Ok(entries)
    }

    async fn find(&self, query: &FindQuery) -> PortResult<FoundDocuments> {
        find::find(&self.database, query).await
    }

    async fn chunks(&self, places: &[(DocumentId, u32)]) -> PortResult<Vec<StoredChunk>> {
        let query = || {
            sqlx::query(sql!("search/chunks"))
                .bind(places.iter().map(|(document, _)| document.0).collect::<Vec<_>>())
                .bind(places.iter().map(|(_, position)| int(*position)).collect::<Vec<_>>())
        };
        self.rows(query, row::stored_chunk).await
    }

    async fn chunks_of(&self, document: DocumentId) -> PortResult<Vec<StoredChunk>> {
        self.rows(|| sqlx::query(sql!("search/chunks_of")).bind(document.0), row::stored_chunk).await
    }

    async fn field_facets(&self, documents: &[DocumentId], most: u32) -> PortResult<Vec<FieldFacet>> {
        let ids: Vec<Uuid> = documents.iter().map(|document| document.0).collect();
        let query = || sqlx::query(sql!("search/field_facets")).bind(ids.clone()).bind(i64::from(most));
        self.rows(query, row::field_facet).await
    }

    async fn field_keys(&self) -> PortResult<Vec<String>> {
        self.rows(|| sqlx::query(sql!("search/field_keys")), |row| row.string("key")).await
    }

    async fn outdated(&self, query: &OutdatedQuery) -> PortResult<Vec<OutdatedDocument>> {
        let after = query.after.map_or(Uuid::nil(), |document| document.0);
        let query = || {
            sqlx::query(sql!("search/outdated"))
                .bind(after)
                .bind(i64::from(query.limit))
                .bind(query.missing_text)
                .bind(query.model.clone())
        };
        self.rows(query, row::outdated_document).await
    }

    async fn nearest(&self, query: &NearestQuery) -> PortResult<Option<Vec<NearChunk>>> {
        vectors::nearest(&self.database, query).await
    }

    async fn fingerprint(&self, document: DocumentId) -> PortResult<Option<Fingerprint>> {
        let found = self.rows(
            || sqlx::query(sql!("search/fingerprint")).bind(document.0),
            |row| {
                let embedding = row.optional_text("embedding")?.map(vectors::parse).transpose()?;
                Ok(Fingerprint { embedding, ..row::fingerprint(row)? })
            },
        );
        Ok(found.await?.pop())
    }

    async fn sharing_bands(
        &self,
        document: DocumentId,
        limit: u32,
    ) -> PortResult<Vec<(DocumentId, Vec<u32>)>> {
        let query = || {
            sqlx::query(sql!("search/sharing_bands"))
                .bind(document.0)
                .bind(i64::from(limit))
                .bind(i64::from(DOCUMENTS_OF_BAND))
        };
        self.rows(query, row::signed_document).await
    }

    async fn indexing_lock(&self) -> PortResult<Option<IndexingLock>> {
        let mut connection = self.database.fresh().await?;
        let is_free =
            sqlx::query_scalar(INDEXING_TURN).fetch_one(&mut connection).await.map_err(translate)?;
        // The server ends the turn when the connection is closed.
        Ok(if is_free { Some(IndexingLock { held: Box::new(connection) }) } else { None })
    }

    async fn prepare_vectors(&self, dimension: usize) -> PortResult<bool> {
        vectors::prepare(&self.database, dimension).await
    }

    async fn reindex(&self, document: OutdatedDocument, text: Option<&IndexedText>) -> PortResult<bool> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                reviews::lock(&mut transaction, document.id).await?;
                let latest = sqlx::query(sql!("documents/latest_version"))
                    .bind(document.id.0)
                    .fetch_optional(&mut *transaction)
                    .await
                    .map_err(translate)?;
                let latest = first(latest.as_ref(), row::latest_version)?.flatten().map(|(run, _)| run);
                if latest != document.run {
                    rollback(transaction).await?;
                    return Ok(false);
                }
                search_entry::replace(&mut transaction, &[(document.id, document.run, text)]).await?;
                commit(transaction).await?;
                Ok(true)
            })
            .await
    }
}
