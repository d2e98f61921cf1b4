//! Documents.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Document, DocumentId, Event, EventType, NewRun, ReviewStatus, Run, SubjectId};
use quire_ports::{
    AddOutcome, ConfidenceCursor, DocumentCursor, DocumentFilter, DocumentListQuery, DocumentOverview,
    Documents, LeastConfidentQuery, ListWay, NewDocument, PortError, PortResult,
};
use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::database::{commit, rollback};
use crate::enqueue::{self, Wish};
use crate::error::translate;
use crate::intake::{Brought, add_once};
use crate::row::{self, At, get, optional_timestamp, text, timestamp};
use crate::transition::{Woke, append};
use crate::{PgStore, sql};

/// Where the list begins: newer than any document.
const BEFORE_ALL: DocumentCursor = DocumentCursor { created_at: Timestamp::MAX, id: DocumentId(Uuid::max()) };
/// Where the list of those that wait for a person begins: less certain than any.
const BEFORE_THE_LEAST_CERTAIN: ConfidenceCursor =
    ConfidenceCursor { confidence: -1.0, id: DocumentId(Uuid::nil()) };
/// Where the columns of a document begin behind those of its run.
const DOCUMENT: usize = 21;

#[async_trait]
impl Documents for PgStore {
    async fn add(&self, intake: NewDocument<'_>, at: Timestamp) -> PortResult<AddOutcome> {
        let Some(key) = intake.key else {
            let taken = self.intakes.submit(Brought::of(intake, at)).await?;
            self.wake(Woke(intake.run.is_some()));
            return Ok(taken);
        };
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                let taken = add_once(&mut transaction, intake, key, at).await?;
                commit(transaction).await?;
                self.wake(Woke(taken == AddOutcome::Added && intake.run.is_some()));
                Ok(taken)
            })
            .await
    }

    async fn find(&self, id: DocumentId) -> PortResult<Document> {
        let rows = self.database.read(|| sqlx::query(sql!("documents/find")).bind(id.0)).await?;
        match rows.first() {
            Some(row) => document(id, row, 0),
            None => Err(missing(id)),
        }
    }

    async fn overview(&self, id: DocumentId) -> PortResult<DocumentOverview> {
        let rows = self.database.read(|| sqlx::query(sql!("documents/overview")).bind(id.0)).await?;
        rows.first().map_or_else(|| Err(missing(id)), overview)
    }

    async fn list(&self, part: DocumentListQuery) -> PortResult<Vec<DocumentOverview>> {
        let after = part.after.unwrap_or(BEFORE_ALL);
        let way = ListWay::of(part.of);
        let query = || {
            sqlx::query(sql!("documents/list"))
                .bind(At(after.created_at))
                .bind(after.id.0)
                .bind(i64::from(part.limit))
                .bind(i64::from(part.skip))
                .bind(way.all)
                .bind(way.states[0])
                .bind(way.states[1])
                .bind(way.review)
        };
        self.rows(query, overview).await
    }

    async fn count(&self, of: DocumentFilter, most: u32) -> PortResult<u32> {
        let way = ListWay::of(of);
        let query = || {
            sqlx::query(sql!("documents/count"))
                .bind(i64::from(most))
                .bind(way.all)
                .bind(way.states[0])
                .bind(way.states[1])
                .bind(way.review)
        };
        let counted = self.rows(query, |row| get::<i64>(row, 0)).await?;
        Ok(counted.first().map_or(0, |counted| u32::try_from(*counted).unwrap_or(most)))
    }

    async fn least_confident(&self, part: LeastConfidentQuery) -> PortResult<Vec<DocumentOverview>> {
        let after = part.after.unwrap_or(BEFORE_THE_LEAST_CERTAIN);
        let query = || {
            sqlx::query(sql!("documents/least_certain"))
                .bind(after.confidence)
                .bind(after.id.0)
                .bind(i64::from(part.limit))
                .bind(i64::from(part.skip))
        };
        self.rows(query, overview).await
    }

    async fn count_open(&self, most: u32) -> PortResult<u32> {
        let query = || sqlx::query(sql!("documents/count_open")).bind(i64::from(most));
        let counted = self.rows(query, |row| get::<i64>(row, 0)).await?;
        Ok(counted.first().map_or(0, |counted| u32::try_from(*counted).unwrap_or(most)))
    }

    async fn duplicates(&self, document: &Document, limit: u32) -> PortResult<Vec<DocumentId>> {
        let query = || {
            sqlx::query(sql!("documents/duplicates"))
                .bind(document.content_hash)
                .bind(document.id.0)
                .bind(i64::from(limit))
        };
        self.rows(query, |row| get(row, 0).map(DocumentId)).await
    }

    async fn reprocess(&self, run: &NewRun, actor: &str, at: Timestamp) -> PortResult<Run> {
        let id = DocumentId(run.subject.0);
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                let held =
                    sqlx::query(sql!("documents/hold")).bind(id.0).fetch_optional(&mut *transaction).await;
                if held.map_err(translate)?.is_none() {
                    rollback(transaction).await?;
                    return Err(missing(id));
                }
                let wish = Wish { new: run.clone(), at };
                let (runs, created) = enqueue::insert(&mut transaction, &[wish]).await?;
                let mut events = vec![Document::reprocess_requested(run, actor, at)];
                events.extend(created);
                let accepted = runs.into_iter().next().unwrap_or_else(|| Err(missing(id)))?;
                append(&mut transaction, &events, Woke(true)).await?;
                commit(transaction).await?;
                self.wake(Woke(true));
                Ok(accepted)
            })
            .await
    }

    async fn set_language(
        &self,
        id: DocumentId,
        language: Option<&str>,
        actor: &str,
        at: Timestamp,
    ) -> PortResult<()> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                let changed = sqlx::query(sql!("documents/set_language"))
                    .bind(id.0)
                    .bind(language.map(text))
                    .bind(At(at))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                if changed.rows_affected() == 0 {
                    return Err(missing(id));
                }
                let overridden = Document::event_by(EventType::DocumentLanguageOverridden, id, actor, at);
                append(&mut transaction, &[overridden], Woke(false)).await?;
                commit(transaction).await
            })
            .await
    }

    async fn purge(&self, subject: SubjectId, at: Timestamp) -> PortResult<u64> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                // First the document, then its runs: the order in which everybody takes them.
                sqlx::query(sql!("documents/lock"))
                    .bind(subject.0)
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                // With the front locked, nobody can put a run behind it that this would miss.
                sqlx::query(sql!("runs/front"))
                    .bind(subject.0)
                    .bind(None::<&str>)
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                let running: bool = sqlx::query_scalar(sql!("runs/is_running"))
                    .bind(subject.0)
                    .fetch_one(&mut *transaction)
                    .await
                    .map_err(translate)?;
                if running {
                    return Err(PortError::Conflict(
                        "a run of this subject is RUNNING; wait for it to end".into(),
                    ));
                }
                let runs = delete(&mut transaction, sql!("runs/delete"), subject).await?;
                let documents = delete(&mut transaction, sql!("documents/delete"), subject).await?;
                delete(&mut transaction, sql!("idempotency_keys/delete"), subject).await?;
                if runs + documents == 0 {
                    return Err(PortError::NotFound(format!("subject {subject}")));
                }
                let purged = Event { subject: Some(subject), ..Event::new(EventType::SubjectPurged, at) };
                append(&mut transaction, &[purged], Woke(false)).await?;
                commit(transaction).await?;
                Ok(runs)
            })
            .await
    }
}

pub(crate) fn missing(id: DocumentId) -> PortError {
    PortError::NotFound(format!("document {id}"))
}

/// A document from the columns of `documents/find.sql`, which begin at `first`.
fn document(id: DocumentId, row: &PgRow, first: usize) -> PortResult<Document> {
    let reviewed: &str = get(row, first + 6)?;
    Ok(Document {
        id,
        original_filename: get(row, first)?,
        content_type: get(row, first + 1)?,
        file_size: get::<i64>(row, first + 2)?.unsigned_abs(),
        content_hash: get(row, first + 3)?,
        storage_path: get(row, first + 4)?,
        created_at: timestamp(row, first + 5)?,
        review_status: ReviewStatus::parse(reviewed).unwrap_or_default(),
        language_override: get(row, first + 7)?,
        schema: get(row, first + 8)?,
    })
}

pub(crate) fn overview(row: &PgRow) -> PortResult<DocumentOverview> {
    let has_run = get::<Option<Uuid>>(row, 0)?.is_some();
    Ok(DocumentOverview {
        document: document(DocumentId(get(row, DOCUMENT + 9)?), row, DOCUMENT)?,
        updated_at: timestamp(row, DOCUMENT + 10)?,
        reviewed_at: optional_timestamp(row, DOCUMENT + 11)?,
        reviewed_by: get(row, DOCUMENT + 12)?,
        latest_run: has_run.then(|| row::run(row)).transpose()?,
        text: get(row, DOCUMENT + 13)?,
        confidence: get(row, DOCUMENT + 14)?,
    })
}

async fn delete(connection: &mut PgConnection, query: &'static str, subject: SubjectId) -> PortResult<u64> {
    let deleted = sqlx::query(query).bind(subject.0).execute(connection).await.map_err(translate)?;
    Ok(deleted.rows_affected())
}
