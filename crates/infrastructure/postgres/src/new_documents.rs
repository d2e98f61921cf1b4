//! Adds documents, and adds each upload only once.
//!
//! Documents that arrive at the same time share a commit. A document with an idempotency key has a transaction of its
//! own: it must wait while another upload with the same key is running, and no other document should wait with it.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Document, Event};
use quire_ports::{AddOutcome, IdempotencyKey, NewDocument, PortResult};
use quire_sql::{corrupt, row};
use sqlx::PgConnection;

use crate::batcher::BatchHandler;
use crate::database::{Database, commit};
use crate::enqueue::{self, TimedRun};
use crate::error::{translate, unavailable};
use crate::row::{StoredTime, first, int, text};
use crate::transition::append;
use crate::{search_entry, sql};

/// How many expired idempotency keys are deleted with each use of a key.
const EXPIRED_KEYS_DELETED: i64 = 20;

pub(crate) struct AddDocuments(pub(crate) Database);

#[async_trait]
impl BatchHandler for AddDocuments {
    /// A document without a key, and its creation time.
    type Input = (NewDocument, Timestamp);
    type Output = AddOutcome;

    async fn run(&self, documents: &[Self::Input]) -> PortResult<Vec<PortResult<AddOutcome>>> {
        self.0
            .with_timeout(async {
                let mut transaction = self.0.begin().await?;
                let outcomes = add(&mut transaction, documents).await?;
                commit(transaction).await?;
                Ok(outcomes.into_iter().map(Ok).collect())
            })
            .await
    }
}

/// Adds a document with its key, unless the key was used before. The caller commits.
pub(crate) async fn add_once(
    connection: &mut PgConnection,
    new: NewDocument,
    at: Timestamp,
) -> PortResult<AddOutcome> {
    if let Some(key) = &new.idempotency_key {
        if !reserve_key(connection, &new, key, at).await? {
            return earlier_outcome(connection, key).await;
        }
        sqlx::query(sql!("idempotency_keys/delete_expired"))
            .bind(StoredTime(key.expired_before))
            .bind(EXPIRED_KEYS_DELETED)
            .execute(&mut *connection)
            .await
            .map_err(translate)?;
    }
    let mut outcomes = add(connection, &[(new, at)]).await?;
    Ok(outcomes.pop().unwrap_or(AddOutcome::Added { run: None }))
}

/// Adds documents with their first runs and their events. Returns the outcomes in the same order.
async fn add(
    connection: &mut PgConnection,
    documents: &[(NewDocument, Timestamp)],
) -> PortResult<Vec<AddOutcome>> {
    insert(connection, documents).await?;
    let ids: Vec<_> = documents.iter().map(|(new, _)| new.document.id).collect();
    search_entry::add(connection, &ids).await?;
    let mut events: Vec<Event> = documents.iter().flat_map(|(new, _)| new.events.iter().cloned()).collect();
    let timed = |(new, at): &(NewDocument, Timestamp)| new.run.clone().map(|new| TimedRun { new, at: *at });
    let new_runs: Vec<TimedRun> = documents.iter().filter_map(timed).collect();
    let mut runs = Vec::new();
    if !new_runs.is_empty() {
        let (stored, created) = enqueue::insert(connection, &new_runs).await?;
        runs = stored.into_iter().collect::<PortResult<Vec<_>>>()?;
        events.extend(created);
    }
    append(connection, &events, !new_runs.is_empty()).await?;
    let mut runs = runs.into_iter();
    let outcome = |(new, _): &(NewDocument, Timestamp)| AddOutcome::Added {
        run: new.run.as_ref().and_then(|_| runs.next()),
    };
    Ok(documents.iter().map(outcome).collect())
}

/// Takes the key. Returns false if another upload has it.
async fn reserve_key(
    connection: &mut PgConnection,
    new: &NewDocument,
    key: &IdempotencyKey,
    at: Timestamp,
) -> PortResult<bool> {
    let reserved = sqlx::query(sql!("idempotency_keys/insert"))
        .bind(text(&key.owner))
        .bind(text(&key.key))
        .bind(int(key.position))
        .bind(key.fingerprint)
        .bind(new.document.id.0)
        .bind(new.run.as_ref().map(|run| run.id.0))
        .bind(StoredTime(at))
        .bind(StoredTime(key.expired_before))
        .fetch_optional(connection)
        .await;
    Ok(reserved.map_err(translate)?.is_some())
}

/// The outcome for a key that was used before. This is a statement of its own, so that it sees the rows that were
/// committed while the statement before it waited.
async fn earlier_outcome(connection: &mut PgConnection, key: &IdempotencyKey) -> PortResult<AddOutcome> {
    let row = sqlx::query(sql!("idempotency_keys/find"))
        .bind(text(&key.owner))
        .bind(text(&key.key))
        .bind(int(key.position))
        .fetch_optional(connection)
        .await
        .map_err(translate)?;
    let seen = first(row.as_ref(), row::seen_key)?;
    let seen = seen.ok_or_else(|| unavailable("the key was given up at this moment", true))?;
    Ok(seen.outcome(key))
}

async fn insert(connection: &mut PgConnection, new: &[(NewDocument, Timestamp)]) -> PortResult<()> {
    let documents = || new.iter().map(|(new, _)| &new.document);
    let size = |document: &Document| i64::try_from(document.file_size).map_err(corrupt);
    sqlx::query(sql!("documents/insert"))
        .bind(documents().map(|document| document.id.0).collect::<Vec<_>>())
        .bind(documents().map(|document| text(&document.original_filename)).collect::<Vec<_>>())
        .bind(documents().map(|document| text(&document.content_type)).collect::<Vec<_>>())
        .bind(documents().map(size).collect::<PortResult<Vec<_>>>()?)
        .bind(documents().map(|document| &document.content_hash[..]).collect::<Vec<_>>())
        .bind(documents().map(|document| text(&document.storage_path)).collect::<Vec<_>>())
        .bind(documents().map(|document| StoredTime(document.created_at)).collect::<Vec<_>>())
        .bind(documents().map(|document| document.language_override.as_deref().map(text)).collect::<Vec<_>>())
        .bind(documents().map(|document| text(&document.schema)).collect::<Vec<_>>())
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}
