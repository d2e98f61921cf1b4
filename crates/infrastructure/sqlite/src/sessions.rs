//! Login sessions.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_ports::{ApiKey, PortResult, Session, SessionOwner, Sessions};
use quire_sql::row;
use rusqlite::params;

use crate::row::{execute, micros};
use crate::{SqliteStore, sql};

/// How many expired sessions are deleted with each new one.
const EXPIRED_SESSIONS_DELETED: i64 = 100;

#[async_trait]
impl Sessions for SqliteStore {
    async fn begin(&self, session: &Session, replaces: Option<[u8; 32]>) -> PortResult<()> {
        let session = session.clone();
        self.writer
            .write(move |connection| {
                let began = micros(session.created_at);
                execute(connection, sql!("sessions/delete_ended"), params![began, EXPIRED_SESSIONS_DELETED])?;
                if let Some(replaced) = replaces {
                    execute(connection, sql!("sessions/delete"), [replaced])?;
                }
                let (key, hash, proof) = match session.owner {
                    SessionOwner::Key { id, secret_hash } => {
                        (Some(id.0.into_bytes()), Some(secret_hash), None)
                    }
                    SessionOwner::Token(proof) => (None, None, Some(proof)),
                };
                let (seen, expires) = (micros(session.seen_at), micros(session.expires_at));
                let values = params![session.secret_hash, key, hash, proof, began, seen, expires];
                execute(connection, sql!("sessions/insert"), values)?;
                Ok(())
            })
            .await
    }

    async fn session(
        &self,
        secret_hash: [u8; 32],
        now: Timestamp,
    ) -> PortResult<Option<(Session, Option<ApiKey>)>> {
        Ok(self.rows(sql!("sessions/find"), (secret_hash, micros(now)), row::session).await?.pop())
    }

    async fn used(&self, secret_hash: [u8; 32], at: Timestamp, expires_at: Timestamp) -> PortResult<()> {
        self.writer
            .write(move |connection| {
                let values = params![secret_hash, micros(at), micros(expires_at)];
                execute(connection, sql!("sessions/use"), values).map(drop)
            })
            .await
    }

    async fn end(&self, secret_hash: [u8; 32]) -> PortResult<()> {
        self.writer
            .write(move |connection| execute(connection, sql!("sessions/delete"), [secret_hash]).map(drop))
            .await
    }
}
