//! API keys, sessions and idempotency keys.

use quire_domain::{DocumentId, KeyId, Roles, RunId};
use quire_ports::{
    AddOutcome, ApiKey, IdempotencyKey, NewKey, PortResult, PreviousSecret, Session, SessionOwner,
};

use super::ColumnReader;
use crate::error::corrupt;

/// A row of `{api_key}`.
pub fn api_key(row: &dyn ColumnReader) -> PortResult<ApiKey> {
    Ok(ApiKey {
        key: NewKey {
            id: KeyId(row.uuid("api_key_id")?),
            name: row.string("api_key_name")?,
            roles: Roles::parse(row.text("api_key_roles")?).map_err(corrupt)?,
            secret_hash: row.bytes("api_key_secret_hash")?,
            created_at: row.timestamp("api_key_created_at")?,
            expires_at: row.optional_timestamp("api_key_expires_at")?,
        },
        rotated_at: row.optional_timestamp("api_key_rotated_at")?,
        revoked_at: row.optional_timestamp("api_key_revoked_at")?,
        last_used_at: row.optional_timestamp("api_key_last_used_at")?,
        previous: previous_secret(row)?,
    })
}

fn previous_secret(row: &dyn ColumnReader) -> PortResult<Option<PreviousSecret>> {
    let hash = row.optional_fixed_bytes("api_key_previous_hash")?;
    let until = row.optional_timestamp("api_key_previous_until")?;
    Ok(hash.zip(until).map(|(secret_hash, until)| PreviousSecret { secret_hash, until }))
}

/// A row of `{session}` and `{api_key}`. A session that began with the token of the settings has no key.
pub fn session(row: &dyn ColumnReader) -> PortResult<(Session, Option<ApiKey>)> {
    let key_or_proof =
        (row.optional_uuid("session_key_id")?, row.optional_fixed_bytes("session_token_proof")?);
    let (owner, key) = match key_or_proof {
        (Some(id), _) => {
            // An older program, during an upgrade, names no secret. Its session has ended.
            let secret_hash = row.optional_fixed_bytes("session_key_hash")?.unwrap_or_default();
            (SessionOwner::Key { id: KeyId(id), secret_hash }, Some(api_key(row)?))
        }
        (None, Some(proof)) => (SessionOwner::Token(proof), None),
        (None, None) => return Err(corrupt("a session has neither a key nor a token")),
    };
    let session = Session {
        secret_hash: row.bytes("session_secret_hash")?,
        owner,
        created_at: row.timestamp("session_created_at")?,
        seen_at: row.timestamp("session_seen_at")?,
        expires_at: row.timestamp("session_expires_at")?,
    };
    Ok((session, key))
}

/// An idempotency key that was used before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenKey {
    /// The fingerprint of the request that used it.
    pub fingerprint: [u8; 32],
    /// The document that the request added.
    pub document: DocumentId,
    /// The document's first run, if it got one.
    pub run: Option<RunId>,
}

impl SeenKey {
    /// The outcome of a request with that key.
    pub fn outcome(&self, key: &IdempotencyKey) -> AddOutcome {
        if self.fingerprint == key.fingerprint {
            AddOutcome::AlreadyAdded { document: self.document, run: self.run }
        } else {
            AddOutcome::KeyReused
        }
    }
}

/// A row of `{idempotency_key}`.
pub fn seen_key(row: &dyn ColumnReader) -> PortResult<SeenKey> {
    Ok(SeenKey {
        fingerprint: row.bytes("idempotency_fingerprint")?,
        document: DocumentId(row.uuid("idempotency_document_id")?),
        run: row.optional_uuid("idempotency_run_id")?.map(RunId),
    })
}
