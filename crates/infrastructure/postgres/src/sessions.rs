//! Login sessions.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_ports::{ApiKey, PortResult, Session, SessionOwner, Sessions};
use quire_sql::row;
use sqlx::PgConnection;

use crate::database::commit;
use crate::error::translate;
use crate::row::StoredTime;
use crate::{PgStore, sql};

/// How many expired sessions are deleted with each new one.
const EXPIRED_SESSIONS_DELETED: i64 = 100;

#[async_trait]
impl Sessions for PgStore {
    async fn begin(&self, session: &Session, replaces: Option<[u8; 32]>) -> PortResult<()> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                sqlx::query(sql!("sessions/delete_ended"))
                    .bind(StoredTime(session.created_at))
                    .bind(EXPIRED_SESSIONS_DELETED)
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                if let Some(replaced) = replaces {
                    delete(&mut transaction, replaced).await?;
                }
                insert(&mut transaction, session).await?;
                commit(transaction).await
            })
            .await
    }

    async fn session(
        &self,
        secret_hash: [u8; 32],
        now: Timestamp,
    ) -> PortResult<Option<(Session, Option<ApiKey>)>> {
        let find = || sqlx::query(sql!("sessions/find")).bind(secret_hash).bind(StoredTime(now));
        Ok(self.rows(find, row::session).await?.pop())
    }

    async fn used(&self, secret_hash: [u8; 32], at: Timestamp, expires_at: Timestamp) -> PortResult<()> {
        let query = sqlx::query(sql!("sessions/use"))
            .bind(secret_hash)
            .bind(StoredTime(at))
            .bind(StoredTime(expires_at));
        self.database.execute(query).await.map(drop)
    }

    async fn end(&self, secret_hash: [u8; 32]) -> PortResult<()> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                delete(&mut transaction, secret_hash).await?;
                commit(transaction).await
            })
            .await
    }
}

async fn insert(connection: &mut PgConnection, session: &Session) -> PortResult<()> {
    let (key, hash, proof) = match session.owner {
        SessionOwner::Key { id, secret_hash } => (Some(id.0), Some(secret_hash), None),
        SessionOwner::Token(proof) => (None, None, Some(proof)),
    };
    sqlx::query(sql!("sessions/insert"))
        .bind(session.secret_hash)
        .bind(key)
        .bind(hash)
        .bind(proof)
        .bind(StoredTime(session.created_at))
        .bind(StoredTime(session.seen_at))
        .bind(StoredTime(session.expires_at))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

async fn delete(connection: &mut PgConnection, secret_hash: [u8; 32]) -> PortResult<()> {
    sqlx::query(sql!("sessions/delete")).bind(secret_hash).execute(connection).await.map_err(translate)?;
    Ok(())
}
