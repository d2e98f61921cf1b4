//! Keys.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{KeyId, Roles};
use quire_ports::{ApiKey, Credentials, NewKey, PortError, PortResult};
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::database::commit;
use crate::error::{corrupt, translate};
use crate::row::{At, get, optional_timestamp, text, timestamp};
use crate::{PgStore, sql};

#[async_trait]
impl Credentials for PgStore {
    async fn create(&self, key: &NewKey) -> PortResult<()> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                let added = sqlx::query(sql!("api_keys/insert"))
                    .bind(key.id.0)
                    .bind(text(&key.name))
                    .bind(key.roles.to_string())
                    .bind(key.secret_hash)
                    .bind(At(key.created_at))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?
                    .rows_affected();
                commit(transaction).await?;
                if added == 1 { Ok(()) } else { Err(taken(&key.name)) }
            })
            .await
    }

    async fn find(&self, id: KeyId) -> PortResult<Option<ApiKey>> {
        Ok(self.rows(|| sqlx::query(sql!("api_keys/find")).bind(id.0), key).await?.pop())
    }

    async fn list(&self) -> PortResult<Vec<ApiKey>> {
        self.rows(|| sqlx::query(sql!("api_keys/list")), key).await
    }

    async fn revoke(&self, name_or_id: &str, at: Timestamp) -> PortResult<ApiKey> {
        let id = Uuid::parse_str(name_or_id).unwrap_or_default();
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                let rows = sqlx::query(sql!("api_keys/find_by_name_or_id"))
                    .bind(text(name_or_id))
                    .bind(id)
                    .fetch_all(&mut *transaction)
                    .await
                    .map_err(translate)?;
                let missing = || PortError::NotFound(format!("key {name_or_id}"));
                let found = key(rows.first().ok_or_else(missing)?)?;
                sqlx::query(sql!("api_keys/revoke"))
                    .bind(found.key.id.0)
                    .bind(At(at))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                commit(transaction).await?;
                Ok(ApiKey { revoked_at: found.revoked_at.or(Some(at)), ..found })
            })
            .await
    }

    async fn any(&self) -> PortResult<bool> {
        let found = self.rows(|| sqlx::query(sql!("api_keys/any")), |row| get(row, 0)).await?;
        Ok(found.first().copied().unwrap_or_default())
    }
}

fn taken(name: &str) -> PortError {
    PortError::Conflict(format!("there is, or was, a key with the name {name}; choose another one"))
}

fn key(row: &PgRow) -> PortResult<ApiKey> {
    key_from(row, 0)
}

/// A key whose columns begin at that place.
pub(crate) fn key_from(row: &PgRow, first: usize) -> PortResult<ApiKey> {
    Ok(ApiKey {
        key: NewKey {
            id: KeyId(get(row, first)?),
            name: get(row, first + 1)?,
            roles: Roles::parse(get(row, first + 2)?).map_err(corrupt)?,
            secret_hash: get(row, first + 3)?,
            created_at: timestamp(row, first + 4)?,
        },
        revoked_at: optional_timestamp(row, first + 5)?,
    })
}
