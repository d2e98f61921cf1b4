//! Documents.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Document, DocumentId, Event, EventType, NewRun, ReviewStatus, Run, SubjectId};
use quire_ports::{
    AddOutcome, ConfidenceCursor, DocumentCursor, DocumentFilter, DocumentListQuery, DocumentOverview,
    Documents, LeastConfidentQuery, ListWay, NewDocument, PortError, PortResult,
};
use rusqlite::{Row, params};
use uuid::Uuid;

use crate::error::translate;
use crate::intake::Wish;
use crate::queue::enqueue;
use crate::row::{self, get, micros, optional_timestamp, timestamp, uuid};
use crate::transition::append;
use crate::{SqliteStore, sql};

/// Where the list begins: newer than any document.
const BEFORE_ALL: DocumentCursor = DocumentCursor { created_at: Timestamp::MAX, id: DocumentId(Uuid::max()) };
/// Where the list of those that wait for a person begins: less certain than any.
const BEFORE_THE_LEAST_CERTAIN: ConfidenceCursor =
    ConfidenceCursor { confidence: -1.0, id: DocumentId(Uuid::nil()) };
/// Where the columns of a document begin behind those of its run.
const DOCUMENT: usize = 21;

#[async_trait]
impl Documents for SqliteStore {
    async fn add(&self, intake: NewDocument<'_>, at: Timestamp) -> PortResult<AddOutcome> {
        let wish = Wish::from(intake);
        let taken = self.writer.write(move |connection| wish.fulfil(connection, at)).await?;
        self.wakeup.notify_one();
        Ok(taken)
    }

    async fn find(&self, id: DocumentId) -> PortResult<Document> {
        self.one(sql!("documents/find"), id, move |row| document(id, row, 0)).await
    }

    async fn overview(&self, id: DocumentId) -> PortResult<DocumentOverview> {
        self.one(sql!("documents/overview"), id, overview).await
    }

    async fn list(&self, part: DocumentListQuery) -> PortResult<Vec<DocumentOverview>> {
        let after = part.after.unwrap_or(BEFORE_ALL);
        let way = ListWay::of(part.of);
        let parameters = (
            micros(after.created_at),
            after.id.0.into_bytes(),
            i64::from(part.limit),
            i64::from(part.skip),
            way.all,
            way.states[0],
            way.states[1],
            way.review,
        );
        self.rows(sql!("documents/list"), parameters, overview).await
    }

    async fn count(&self, of: DocumentFilter, most: u32) -> PortResult<u32> {
        let way = ListWay::of(of);
        let parameters = (most, way.all, way.states[0], way.states[1], way.review);
        let counted = self.rows(sql!("documents/count"), parameters, |row| get(row, 0)).await?;
        Ok(counted.first().copied().unwrap_or_default())
    }

    async fn least_confident(&self, part: LeastConfidentQuery) -> PortResult<Vec<DocumentOverview>> {
        let after = part.after.unwrap_or(BEFORE_THE_LEAST_CERTAIN);
        let parameters =
            (after.confidence, after.id.0.into_bytes(), i64::from(part.limit), i64::from(part.skip));
        self.rows(sql!("documents/least_certain"), parameters, overview).await
    }

    async fn count_open(&self, most: u32) -> PortResult<u32> {
        let counted = self.rows(sql!("documents/count_open"), [most], |row| get(row, 0)).await?;
        Ok(counted.first().copied().unwrap_or_default())
    }

    async fn duplicates(&self, document: &Document, limit: u32) -> PortResult<Vec<DocumentId>> {
        let parameters = (document.content_hash, document.id.0.into_bytes(), limit);
        self.rows(sql!("documents/duplicates"), parameters, |row| Ok(DocumentId(uuid(get(row, 0)?)))).await
    }

    async fn reprocess(&self, run: &NewRun, actor: &str, at: Timestamp) -> PortResult<Run> {
        let (new, actor) = (run.clone(), actor.to_owned());
        let id = DocumentId(new.subject.0);
        let run = self
            .writer
            .write(move |connection| {
                let exists: bool = connection
                    .query_row(sql!("documents/exists"), [id.0.as_bytes()], |row| row.get(0))
                    .map_err(translate)?;
                if !exists {
                    return Err(missing(id));
                }
                append(connection, &Document::reprocess_requested(&new, &actor, at))?;
                enqueue(connection, &new, at)
            })
            .await?;
        self.wakeup.notify_one();
        Ok(run)
    }

    async fn set_language(
        &self,
        id: DocumentId,
        language: Option<&str>,
        actor: &str,
        at: Timestamp,
    ) -> PortResult<()> {
        let (language, actor) = (language.map(str::to_owned), actor.to_owned());
        self.writer
            .write(move |connection| {
                let changed = connection
                    .execute(sql!("documents/set_language"), params![id.0.as_bytes(), language, micros(at)])
                    .map_err(translate)?;
                if changed == 0 {
                    return Err(missing(id));
                }
                append(connection, &Document::event_by(EventType::DocumentLanguageOverridden, id, &actor, at))
            })
            .await
    }

    async fn purge(&self, subject: SubjectId, at: Timestamp) -> PortResult<u64> {
        self.writer
            .write(move |connection| {
                let id = subject.0.as_bytes();
                let running: bool = connection
                    .query_row(sql!("runs/is_running"), [id], |row| row.get(0))
                    .map_err(translate)?;
                if running {
                    return Err(PortError::Conflict(
                        "a run of this subject is RUNNING; wait for it to end".into(),
                    ));
                }
                let runs =
                    connection.execute("DELETE FROM runs WHERE subject_id = ?1", [id]).map_err(translate)?;
                let documents =
                    connection.execute("DELETE FROM documents WHERE id = ?1", [id]).map_err(translate)?;
                connection.execute(sql!("idempotency_keys/delete"), [id]).map_err(translate)?;
                if runs + documents == 0 {
                    return Err(PortError::NotFound(format!("subject {subject}")));
                }
                let purged = Event { subject: Some(subject), ..Event::new(EventType::SubjectPurged, at) };
                append(connection, &purged)?;
                Ok(runs as u64)
            })
            .await
    }
}

impl SqliteStore {
    /// The one row of a document, mapped.
    async fn one<T, M>(&self, query: &'static str, id: DocumentId, map: M) -> PortResult<T>
    where
        T: Send + 'static,
        M: Fn(&Row<'_>) -> PortResult<T> + Send + 'static,
    {
        let found = self.rows(query, [id.0.into_bytes()], map).await?.pop();
        found.ok_or_else(|| missing(id))
    }
}

pub(crate) fn missing(id: DocumentId) -> PortError {
    PortError::NotFound(format!("document {id}"))
}

/// A document from the columns of `documents/find.sql`, which begin at `first`.
fn document(id: DocumentId, row: &Row<'_>, first: usize) -> PortResult<Document> {
    let reviewed: String = get(row, first + 6)?;
    Ok(Document {
        id,
        original_filename: get(row, first)?,
        content_type: get(row, first + 1)?,
        file_size: get::<i64>(row, first + 2)?.unsigned_abs(),
        content_hash: get(row, first + 3)?,
        storage_path: get(row, first + 4)?,
        created_at: timestamp(get(row, first + 5)?)?,
        review_status: ReviewStatus::parse(&reviewed).unwrap_or_default(),
        language_override: get(row, first + 7)?,
        schema: get(row, first + 8)?,
    })
}

pub(crate) fn overview(row: &Row<'_>) -> PortResult<DocumentOverview> {
    let has_run = get::<Option<[u8; 16]>>(row, 0)?.is_some();
    Ok(DocumentOverview {
        document: document(DocumentId(uuid(get(row, DOCUMENT + 9)?)), row, DOCUMENT)?,
        updated_at: timestamp(get(row, DOCUMENT + 10)?)?,
        reviewed_at: optional_timestamp(get(row, DOCUMENT + 11)?)?,
        reviewed_by: get(row, DOCUMENT + 12)?,
        latest_run: has_run.then(|| row::run(row)).transpose()?,
        text: get(row, DOCUMENT + 13)?,
        confidence: get(row, DOCUMENT + 14)?,
    })
}
