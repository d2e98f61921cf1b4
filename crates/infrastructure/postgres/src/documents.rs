//! Documents.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Document, DocumentId, Event, EventType, NewRun, ReviewStatus, SubjectId};
use quire_ports::{Documents, PortError, PortResult};
use sqlx::PgConnection;
use sqlx::postgres::PgRow;

use crate::database::commit;
use crate::enqueue::{self, Wish};
use crate::error::{corrupt, translate};
use crate::row::{At, get, text, timestamp};
use crate::transition::{Woke, append};
use crate::{PgStore, sql};

#[async_trait]
impl Documents for PgStore {
    async fn add(&self, document: &Document, run: Option<&NewRun>, at: Timestamp) -> PortResult<()> {
        self.database
            .bounded(async {
                let mut events = vec![Document::event(EventType::DocumentUploaded, document.id, at)];
                let mut transaction = self.database.begin().await?;
                insert(&mut transaction, document).await?;
                if let Some(new) = run {
                    let wish = Wish { new: new.clone(), at };
                    let (runs, created) = enqueue::insert(&mut transaction, &[wish]).await?;
                    runs.into_iter().collect::<PortResult<Vec<_>>>()?;
                    events.extend(created);
                }
                append(&mut transaction, &events, Woke(run.is_some())).await?;
                commit(transaction).await?;
                self.wake(Woke(run.is_some()));
                Ok(())
            })
            .await
    }

    async fn find(&self, id: DocumentId) -> PortResult<Document> {
        let rows = self.database.read(|| sqlx::query(sql!("documents/find")).bind(id.0)).await?;
        match rows.first() {
            Some(row) => document(id, row),
            None => Err(PortError::NotFound(format!("document {id}"))),
        }
    }

    async fn set_language(&self, id: DocumentId, language: Option<&str>, at: Timestamp) -> PortResult<()> {
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
                    return Err(PortError::NotFound(format!("document {id}")));
                }
                let overridden = Document::event(EventType::DocumentLanguageOverridden, id, at);
                append(&mut transaction, &[overridden], Woke(false)).await?;
                commit(transaction).await
            })
            .await
    }

    async fn purge(&self, subject: SubjectId, at: Timestamp) -> PortResult<u64> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
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
                if runs + documents == 0 {
                    return Err(PortError::NotFound(format!("subject {subject}")));
                }
                let purged = Event { subject: Some(subject), ..Event::bare(EventType::SubjectPurged, at) };
                append(&mut transaction, &[purged], Woke(false)).await?;
                commit(transaction).await?;
                Ok(runs)
            })
            .await
    }
}

async fn insert(connection: &mut PgConnection, document: &Document) -> PortResult<()> {
    sqlx::query(sql!("documents/insert"))
        .bind(document.id.0)
        .bind(text(&document.original_filename))
        .bind(text(&document.content_type))
        .bind(i64::try_from(document.file_size).map_err(corrupt)?)
        .bind(document.content_hash)
        .bind(text(&document.storage_path))
        .bind(At(document.created_at))
        .bind(document.language_override.as_deref().map(text))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

fn document(id: DocumentId, row: &PgRow) -> PortResult<Document> {
    let reviewed: &str = get(row, 6)?;
    Ok(Document {
        id,
        original_filename: get(row, 0)?,
        content_type: get(row, 1)?,
        file_size: get::<i64>(row, 2)?.unsigned_abs(),
        content_hash: get(row, 3)?,
        storage_path: get(row, 4)?,
        created_at: timestamp(row, 5)?,
        review_status: if reviewed == ReviewStatus::Reviewed.as_str() {
            ReviewStatus::Reviewed
        } else {
            ReviewStatus::InReview
        },
        language_override: get(row, 7)?,
    })
}

async fn delete(connection: &mut PgConnection, query: &'static str, subject: SubjectId) -> PortResult<u64> {
    let deleted = sqlx::query(query).bind(subject.0).execute(connection).await.map_err(translate)?;
    Ok(deleted.rows_affected())
}
