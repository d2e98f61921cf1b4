//! Taking documents in, each wish once.

use jiff::Timestamp;
use quire_domain::{Document, DocumentId, EventType, RunId};
use quire_ports::{Intake, IntakeKey, PortResult, Taken};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::enqueue::{self, Wish};
use crate::error::{corrupt, translate, unavailable};
use crate::row::{At, get, int, text};
use crate::sql;
use crate::transition::{Woke, append};

/// How many keys that have had their time go with each use of one.
const FORGOTTEN_AT_ONCE: i64 = 20;

/// Does all of it but the commit.
pub(crate) async fn fulfil(
    connection: &mut PgConnection,
    intake: Intake<'_>,
    at: Timestamp,
) -> PortResult<Taken> {
    if let Some(key) = intake.key {
        if !take_key(connection, intake, key, at).await? {
            return before(connection, key).await;
        }
        sqlx::query(sql!("idempotency_keys/forget_old"))
            .bind(At(key.kept_since))
            .bind(FORGOTTEN_AT_ONCE)
            .execute(&mut *connection)
            .await
            .map_err(translate)?;
    }
    insert(connection, intake.document).await?;
    let uploaded = Document::asked(EventType::DocumentUploaded, intake.document.id, intake.actor, at);
    let mut events = vec![uploaded];
    if let Some(new) = intake.run {
        let wish = Wish { new: new.clone(), at };
        let (runs, created) = enqueue::insert(connection, &[wish]).await?;
        runs.into_iter().collect::<PortResult<Vec<_>>>()?;
        events.extend(created);
    }
    append(connection, &events, Woke(intake.run.is_some())).await?;
    Ok(Taken::Now)
}

/// False if somebody has it.
async fn take_key(
    connection: &mut PgConnection,
    intake: Intake<'_>,
    key: &IntakeKey,
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
async fn before(connection: &mut PgConnection, key: &IntakeKey) -> PortResult<Taken> {
    let row = sqlx::query(sql!("idempotency_keys/find"))
        .bind(text(&key.scope))
        .bind(text(&key.key))
        .bind(int(key.place))
        .fetch_optional(connection)
        .await
        .map_err(translate)?;
    let row = row.ok_or_else(|| unavailable("the key was given up at this moment", true))?;
    if get::<[u8; 32]>(&row, 0)? != key.fingerprint {
        return Ok(Taken::KeyReused);
    }
    let run = get::<Option<Uuid>>(&row, 2)?.map(RunId);
    Ok(Taken::Before { document: DocumentId(get(&row, 1)?), run })
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
