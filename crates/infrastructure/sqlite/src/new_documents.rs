//! Adds documents, and adds each upload only once.

use jiff::Timestamp;
use quire_domain::Document;
use quire_ports::{AddOutcome, IdempotencyKey, NewDocument, PortError, PortResult};
use quire_sql::{corrupt, row};
use rusqlite::{Connection, params};

use crate::queue::enqueue;
use crate::row::{execute, first, micros};
use crate::transition::append;
use crate::{search_entry, sql};

/// How many expired idempotency keys are deleted with each use of a key.
const EXPIRED_KEYS_DELETED: u32 = 20;

pub(crate) fn add(connection: &Connection, new: &NewDocument, at: Timestamp) -> PortResult<AddOutcome> {
    if let Some(key) = &new.idempotency_key {
        if !reserve_key(connection, new, key, at)? {
            return earlier_outcome(connection, key);
        }
        let values = params![micros(key.expired_before), EXPIRED_KEYS_DELETED];
        execute(connection, sql!("idempotency_keys/delete_expired"), values)?;
    }
    insert(connection, &new.document)?;
    search_entry::add(connection, new.document.id)?;
    for event in &new.events {
        append(connection, event)?;
    }
    let run = new.run.as_ref().map(|run| enqueue(connection, run, at)).transpose()?;
    Ok(AddOutcome::Added { run })
}

/// Takes the key. Returns false if another upload has it.
fn reserve_key(
    connection: &Connection,
    new: &NewDocument,
    key: &IdempotencyKey,
    at: Timestamp,
) -> PortResult<bool> {
    let values = params![
        key.owner,
        key.key,
        key.position,
        key.fingerprint,
        new.document.id.0.as_bytes(),
        new.run.as_ref().map(|run| run.id.0.into_bytes()),
        micros(at),
        micros(key.expired_before),
    ];
    Ok(first(connection, sql!("idempotency_keys/insert"), values, |_| Ok(()))?.is_some())
}

/// The outcome for a key that was used before.
fn earlier_outcome(connection: &Connection, key: &IdempotencyKey) -> PortResult<AddOutcome> {
    let values = params![key.owner, key.key, key.position];
    let seen = first(connection, sql!("idempotency_keys/find"), values, row::seen_key)?;
    let seen = seen.ok_or_else(|| PortError::NotFound("the idempotency key".to_owned()))?;
    Ok(seen.outcome(key))
}

fn insert(connection: &Connection, document: &Document) -> PortResult<()> {
    let values = params![
        document.id.0.as_bytes(),
        document.original_filename,
        document.content_type,
        i64::try_from(document.file_size).map_err(corrupt)?,
        document.content_hash,
        document.storage_path,
        micros(document.created_at),
        document.language_override,
        document.schema,
    ];
    execute(connection, sql!("documents/insert"), values)?;
    Ok(())
}
