//! Who is logged in.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::KeyId;
use quire_ports::{ApiKey, PortResult, Session, SessionOwner, Sessions};
use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::credentials::key_from;
use crate::database::commit;
use crate::error::{corrupt, translate};
use crate::row::{At, get, timestamp};
use crate::{PgStore, sql};

/// How many that are over go with each that begins.
const FORGOTTEN_AT_ONCE: i64 = 100;

#[async_trait]
impl Sessions for PgStore {
    async fn begin(&self, session: &Session, replaces: Option<[u8; 32]>) -> PortResult<()> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                sqlx::query(sql!("sessions/forget"))
                    .bind(At(session.created_at))
                    .bind(FORGOTTEN_AT_ONCE)
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
        let find = || sqlx::query(sql!("sessions/find")).bind(secret_hash).bind(At(now));
        Ok(self.rows(find, session).await?.pop())
    }

    async fn used(&self, secret_hash: [u8; 32], at: Timestamp, expires_at: Timestamp) -> PortResult<()> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                sqlx::query(sql!("sessions/use"))
                    .bind(secret_hash)
                    .bind(At(at))
                    .bind(At(expires_at))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                commit(transaction).await
            })
            .await
    }

    async fn end(&self, secret_hash: [u8; 32]) -> PortResult<()> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                delete(&mut transaction, secret_hash).await?;
                commit(transaction).await
            })
            .await
    }
}

async fn insert(connection: &mut PgConnection, session: &Session) -> PortResult<()> {
    let (key, proof) = match session.of {
        SessionOwner::Key(key) => (Some(key.0), None),
        SessionOwner::Token(proof) => (None, Some(proof)),
    };
    sqlx::query(sql!("sessions/insert"))
        .bind(session.secret_hash)
        .bind(key)
        .bind(proof)
        .bind(At(session.created_at))
        .bind(At(session.seen_at))
        .bind(At(session.expires_at))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}

async fn delete(connection: &mut PgConnection, secret_hash: [u8; 32]) -> PortResult<()> {
    sqlx::query(sql!("sessions/delete")).bind(secret_hash).execute(connection).await.map_err(translate)?;
    Ok(())
}

fn session(row: &PgRow) -> PortResult<(Session, Option<ApiKey>)> {
    let (key, proof) = (get::<Option<Uuid>>(row, 1)?, get::<Option<[u8; 32]>>(row, 2)?);
    let (of, key) = match (key, proof) {
        (Some(id), _) => (SessionOwner::Key(KeyId(id)), Some(key_from(row, 6)?)),
        (None, Some(proof)) => (SessionOwner::Token(proof), None),
        (None, None) => return Err(corrupt("a session of nobody")),
    };
    let session = Session {
        secret_hash: get(row, 0)?,
        of,
        created_at: timestamp(row, 3)?,
        seen_at: timestamp(row, 4)?,
        expires_at: timestamp(row, 5)?,
    };
    Ok((session, key))
}
