//! Taking documents in, each wish once.
//!
//! Documents that come at the same time share a commit. One with a key goes by itself: where another with the same key
//! is on its way, it has to wait for what becomes of that one, and nobody else should.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Document, DocumentId, Event, EventType, NewRun, RunId};
use quire_ports::{AddOutcome, IdempotencyKey, NewDocument, PortResult};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::batcher::Work;
use crate::database::{Database, commit};
use crate::enqueue::{self, Wish};
use crate::error::{corrupt, translate, unavailable};
use crate::row::{At, get, int, text};
use crate::sql;
use crate::transition::{Woke, append};

/// How many keys that have had their time go with each use of one.
const FORGOTTEN_AT_ONCE: i64 = 20;

/// A document that waits for a commit.
pub(crate) struct Brought {
    document: Document,
    run: Option<NewRun>,
    actor: String,
    at: Timestamp,
}

impl Brought {
    /// All of it but the key.
    pub(crate) fn of(intake: NewDocument<'_>, at: Timestamp) -> Self {
        let (document, run) = (intake.document.clone(), intake.run.cloned());
        Self { document, run, actor: intake.actor.to_owned(), at }
    }
}

pub(crate) struct AddDocuments(pub(crate) Database);

#[async_trait]
impl Work for AddDocuments {
    type Input = Brought;
    type Output = AddOutcome;

    async fn run(&self, brought: &[Brought]) -> PortResult<Vec<PortResult<AddOutcome>>> {
        self.0
            .bounded(async {
                let mut transaction = self.0.begin().await?;
                add(&mut transaction, brought).await?;
                commit(transaction).await?;
                Ok(brought.iter().map(|_| Ok(AddOutcome::Added)).collect())
            })
            .await
    }
}

/// Adds a document under its key, unless the key was used. Does all of it but the commit.
pub(crate) async fn add_once(
    connection: &mut PgConnection,
    intake: NewDocument<'_>,
    key: &IdempotencyKey,
    at: Timestamp,
) -> PortResult<AddOutcome> {
    if !take_key(connection, intake, key, at).await? {
        return before(connection, key).await;
    }
    sqlx::query(sql!("idempotency_keys/forget_old"))
        .bind(At(key.kept_since))
        .bind(FORGOTTEN_AT_ONCE)
        .execute(&mut *connection)
        .await
        .map_err(translate)?;
    add(connection, &[Brought::of(intake, at)]).await?;
    Ok(AddOutcome::Added)
}

/// Adds documents with their first runs and their events.
async fn add(connection: &mut PgConnection, brought: &[Brought]) -> PortResult<()> {
    insert(connection, brought).await?;
    let uploaded =
        |one: &Brought| Document::event_by(EventType::DocumentUploaded, one.document.id, &one.actor, one.at);
    let mut events: Vec<Event> = brought.iter().map(uploaded).collect();
    let wish = |one: &Brought| one.run.clone().map(|new| Wish { new, at: one.at });
    let wishes: Vec<Wish> = brought.iter().filter_map(wish).collect();
    if !wishes.is_empty() {
        let (runs, created) = enqueue::insert(connection, &wishes).await?;
        runs.into_iter().collect::<PortResult<Vec<_>>>()?;
        events.extend(created);
    }
    append(connection, &events, Woke(!wishes.is_empty())).await
}

/// False if somebody has it.
async fn take_key(
    connection: &mut PgConnection,
    intake: NewDocument<'_>,
    key: &IdempotencyKey,
    at: Timestamp,
) -> PortResult<bool> {
    let taken = sqlx::query(sql!("idempotency_keys/insert"))
        .bind(text(&key.scope))
        .bind(text(&key.key))
        .bind(int(key.place))
        .bind(key.fingerprint)
        .bind(intake.document.id.0)
        .bind(intake.run.map(|run| run.id.0))
        .bind(At(at))
        .bind(At(key.kept_since))
        .fetch_optional(connection)
        .await;
    Ok(taken.map_err(translate)?.is_some())
}

/// A statement of its own: it sees what was committed while the one before it waited.
async fn before(connection: &mut PgConnection, key: &IdempotencyKey) -> PortResult<AddOutcome> {
    let row = sqlx::query(sql!("idempotency_keys/find"))
        .bind(text(&key.scope))
        .bind(text(&key.key))
        .bind(int(key.place))
        .fetch_optional(connection)
        .await
        .map_err(translate)?;
    let row = row.ok_or_else(|| unavailable("the key was given up at this moment", true))?;
    if get::<[u8; 32]>(&row, 0)? != key.fingerprint {
        return Ok(AddOutcome::KeyReused);
    }
    let run = get::<Option<Uuid>>(&row, 2)?.map(RunId);
    Ok(AddOutcome::AlreadyAdded { document: DocumentId(get(&row, 1)?), run })
}

async fn insert(connection: &mut PgConnection, brought: &[Brought]) -> PortResult<()> {
    let documents = || brought.iter().map(|one| &one.document);
    let size = |document: &Document| i64::try_from(document.file_size).map_err(corrupt);
    sqlx::query(sql!("documents/insert"))
        .bind(documents().map(|document| document.id.0).collect::<Vec<_>>())
        .bind(documents().map(|document| text(&document.original_filename)).collect::<Vec<_>>())
        .bind(documents().map(|document| text(&document.content_type)).collect::<Vec<_>>())
        .bind(documents().map(size).collect::<PortResult<Vec<_>>>()?)
        .bind(documents().map(|document| &document.content_hash[..]).collect::<Vec<_>>())
        .bind(documents().map(|document| text(&document.storage_path)).collect::<Vec<_>>())
        .bind(documents().map(|document| At(document.created_at)).collect::<Vec<_>>())
        .bind(documents().map(|document| document.language_override.as_deref().map(text)).collect::<Vec<_>>())
        .bind(documents().map(|document| text(&document.schema)).collect::<Vec<_>>())
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}
