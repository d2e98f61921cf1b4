//! Documents.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Document, DocumentId, Event, EventType, NewRun, ReviewStatus, SubjectId};
use quire_ports::{Documents, PortError, PortResult};
use rusqlite::{OptionalExtension, params};

use crate::error::{corrupt, translate};
use crate::queue::enqueue;
use crate::row::{get, micros, timestamp};
use crate::transition::append;
use crate::{SqliteStore, sql};

#[async_trait]
impl Documents for SqliteStore {
    async fn add(&self, document: &Document, run: Option<&NewRun>, at: Timestamp) -> PortResult<()> {
        let (document, run) = (document.clone(), run.cloned());
        self.writer
            .write(move |connection| {
                let size = i64::try_from(document.file_size).map_err(corrupt)?;
                connection
                    .execute(
                        sql!("documents/insert"),
                        params![
                            document.id.0.as_bytes(),
                            document.original_filename,
                            document.content_type,
                            size,
                            document.content_hash,
                            document.storage_path,
                            micros(document.created_at),
                            document.language_override,
                        ],
                    )
                    .map_err(translate)?;
                append(connection, &Document::event(EventType::DocumentUploaded, document.id, at))?;
                if let Some(run) = &run {
                    enqueue(connection, run, at)?;
                }
                Ok(())
            })
            .await?;
        self.wakeup.notify_one();
        Ok(())
    }

    async fn find(&self, id: DocumentId) -> PortResult<Document> {
        self.readers
            .read(move |connection| {
                let found = connection
                    .prepare_cached(sql!("documents/find"))
                    .and_then(|mut statement| {
                        statement
                            .query_row([id.0.as_bytes()], |row| {
                                Ok((|| {
                                    let reviewed: String = get(row, 6)?;
                                    Ok(Document {
                                        id,
                                        original_filename: get(row, 0)?,
                                        content_type: get(row, 1)?,
                                        file_size: get::<i64>(row, 2)?.unsigned_abs(),
                                        content_hash: get(row, 3)?,
                                        storage_path: get(row, 4)?,
                                        created_at: timestamp(get(row, 5)?)?,
                                        review_status: if reviewed == ReviewStatus::Reviewed.as_str() {
                                            ReviewStatus::Reviewed
                                        } else {
                                            ReviewStatus::InReview
                                        },
                                        language_override: get(row, 7)?,
                                    })
                                })())
                            })
                            .optional()
                    })
                    .map_err(translate)?;
                found.unwrap_or_else(|| Err(PortError::NotFound(format!("document {id}"))))
            })
            .await
    }

    async fn set_language(&self, id: DocumentId, language: Option<&str>, at: Timestamp) -> PortResult<()> {
        let language = language.map(str::to_owned);
        self.writer
            .write(move |connection| {
                let changed = connection
                    .execute(sql!("documents/set_language"), params![id.0.as_bytes(), language, micros(at)])
                    .map_err(translate)?;
                if changed == 0 {
                    return Err(PortError::NotFound(format!("document {id}")));
                }
                append(connection, &Document::event(EventType::DocumentLanguageOverridden, id, at))
            })
            .await
    }

    async fn purge(&self, subject: SubjectId, at: Timestamp) -> PortResult<u64> {
        self.writer
            .write(move |connection| {
                let id = subject.0.as_bytes();
                let running: bool = connection
                    .query_row(
                        "SELECT EXISTS (SELECT 1 FROM runs WHERE subject_id = ?1 AND turn = 'HELD')",
                        [id],
                        |row| row.get(0),
                    )
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
                if runs + documents == 0 {
                    return Err(PortError::NotFound(format!("subject {subject}")));
                }
                let purged = Event { subject: Some(subject), ..Event::bare(EventType::SubjectPurged, at) };
                append(connection, &purged)?;
                Ok(runs as u64)
            })
            .await
    }
}
