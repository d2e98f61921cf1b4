//! Taking documents in, each wish once.

use jiff::Timestamp;
use quire_domain::{Document, DocumentId, EventType, NewRun, RunId};
use quire_ports::{AddOutcome, IdempotencyKey, NewDocument, PortResult};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{corrupt, translate};
use crate::queue::enqueue;
use crate::row::{get, micros, uuid};
use crate::sql;
use crate::transition::append;

/// How many keys that have had their time go with each use of one.
const FORGOTTEN_AT_ONCE: u32 = 20;

/// An [`NewDocument`] that can be taken to the writer's thread.
pub(crate) struct Wish {
    document: Document,
    run: Option<NewRun>,
    actor: String,
    key: Option<IdempotencyKey>,
}

impl From<NewDocument<'_>> for Wish {
    fn from(intake: NewDocument<'_>) -> Self {
        Self {
            document: intake.document.clone(),
            run: intake.run.cloned(),
            actor: intake.actor.to_owned(),
            key: intake.key.cloned(),
        }
    }
}

impl Wish {
    pub(crate) fn fulfil(&self, connection: &Connection, at: Timestamp) -> PortResult<AddOutcome> {
        let id = self.document.id;
        if let Some(key) = &self.key {
            if !self.take_key(connection, key, at)? {
                return before(connection, key);
            }
            connection
                .prepare_cached(sql!("idempotency_keys/forget_old"))
                .and_then(|mut statement| {
                    statement.execute(params![micros(key.kept_since), FORGOTTEN_AT_ONCE])
                })
                .map_err(translate)?;
        }
        insert(connection, &self.document)?;
        append(connection, &Document::event_by(EventType::DocumentUploaded, id, &self.actor, at))?;
        if let Some(run) = &self.run {
            enqueue(connection, run, at)?;
        }
        Ok(AddOutcome::Added)
    }

    /// False if somebody has it.
    fn take_key(&self, connection: &Connection, key: &IdempotencyKey, at: Timestamp) -> PortResult<bool> {
        let values = params![
            key.scope,
            key.key,
            key.place,
            key.fingerprint,
            self.document.id.0.as_bytes(),
            self.run.as_ref().map(|run| run.id.0.into_bytes()),
            micros(at),
            micros(key.kept_since),
        ];
        let taken = connection
            .prepare_cached(sql!("idempotency_keys/insert"))
            .and_then(|mut statement| statement.query_row(values, |_| Ok(())).optional());
        Ok(taken.map_err(translate)?.is_some())
    }
}

fn before(connection: &Connection, key: &IdempotencyKey) -> PortResult<AddOutcome> {
    let found = |row: &rusqlite::Row<'_>| {
        let known: [u8; 32] = get(row, 0)?;
        if known != key.fingerprint {
            return Ok(AddOutcome::KeyReused);
        }
        let document = DocumentId(uuid(get(row, 1)?));
        let run = get::<Option<[u8; 16]>>(row, 2)?.map(|id| RunId(uuid(id)));
        Ok(AddOutcome::AlreadyAdded { document, run })
    };
    connection
        .query_row(sql!("idempotency_keys/find"), params![key.scope, key.key, key.place], |row| {
            Ok(found(row))
        })
        .map_err(translate)?
}

fn insert(connection: &Connection, document: &Document) -> PortResult<()> {
    let size = i64::try_from(document.file_size).map_err(corrupt)?;
    connection
        .prepare_cached(sql!("documents/insert"))
        .and_then(|mut statement| {
            statement.execute(params![
                document.id.0.as_bytes(),
                document.original_filename,
                document.content_type,
                size,
                document.content_hash,
                document.storage_path,
                micros(document.created_at),
                document.language_override,
                document.schema,
            ])
        })
        .map_err(translate)?;
    Ok(())
}
