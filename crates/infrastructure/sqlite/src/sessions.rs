//! Who is logged in.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::KeyId;
use quire_ports::{ApiKey, PortResult, Session, SessionOwner, Sessions};
use rusqlite::{Row, params};

use crate::credentials::key_from;
use crate::error::{corrupt, translate};
use crate::row::{get, micros, timestamp, uuid};
use crate::{SqliteStore, sql};

/// How many that are over go with each that begins.
const FORGOTTEN_AT_ONCE: i64 = 100;

#[async_trait]
impl Sessions for SqliteStore {
    async fn begin(&self, session: &Session, replaces: Option<[u8; 32]>) -> PortResult<()> {
        let session = session.clone();
        self.writer
            .write(move |connection| {
                let began = micros(session.created_at);
                connection
                    .execute(sql!("sessions/forget"), params![began, FORGOTTEN_AT_ONCE])
                    .map_err(translate)?;
                if let Some(replaced) = replaces {
                    connection.execute(sql!("sessions/delete"), [replaced]).map_err(translate)?;
                }
                let (key, proof) = match session.of {
                    SessionOwner::Key(key) => (Some(key.0.into_bytes()), None),
                    SessionOwner::Token(proof) => (None, Some(proof)),
                };
                let (seen, expires) = (micros(session.seen_at), micros(session.expires_at));
                let values = params![session.secret_hash, key, proof, began, seen, expires];
                connection.execute(sql!("sessions/insert"), values).map_err(translate)?;
                Ok(())
            })
            .await
    }

    async fn session(
        &self,
        secret_hash: [u8; 32],
        now: Timestamp,
    ) -> PortResult<Option<(Session, Option<ApiKey>)>> {
        Ok(self.rows(sql!("sessions/find"), (secret_hash, micros(now)), session).await?.pop())
    }

    async fn used(&self, secret_hash: [u8; 32], at: Timestamp, expires_at: Timestamp) -> PortResult<()> {
        self.writer
            .write(move |connection| {
                let values = params![secret_hash, micros(at), micros(expires_at)];
                connection.execute(sql!("sessions/use"), values).map_err(translate)?;
                Ok(())
            })
            .await
    }

    async fn end(&self, secret_hash: [u8; 32]) -> PortResult<()> {
        self.writer
            .write(move |connection| {
                connection.execute(sql!("sessions/delete"), [secret_hash]).map_err(translate)?;
                Ok(())
            })
            .await
    }
}

fn session(row: &Row<'_>) -> PortResult<(Session, Option<ApiKey>)> {
    let (key, proof) = (get::<Option<[u8; 16]>>(row, 1)?, get::<Option<[u8; 32]>>(row, 2)?);
    let (of, key) = match (key, proof) {
        (Some(id), _) => (SessionOwner::Key(KeyId(uuid(id))), Some(key_from(row, 6)?)),
        (None, Some(proof)) => (SessionOwner::Token(proof), None),
        (None, None) => return Err(corrupt("a session of nobody")),
    };
    let session = Session {
        secret_hash: get(row, 0)?,
        of,
        created_at: timestamp(get(row, 3)?)?,
        seen_at: timestamp(get(row, 4)?)?,
        expires_at: timestamp(get(row, 5)?)?,
    };
    Ok((session, key))
}
