//! Keys.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{KeyId, Roles};
use quire_ports::{ApiKey, Credentials, NewKey, PortError, PortResult};
use rusqlite::{OptionalExtension, Row, params};
use uuid::Uuid;

use crate::error::{corrupt, translate};
use crate::row::{get, micros, optional_timestamp, timestamp, uuid};
use crate::{SqliteStore, sql};

#[async_trait]
impl Credentials for SqliteStore {
    async fn create(&self, key: &NewKey) -> PortResult<()> {
        let key = key.clone();
        self.writer
            .write(move |connection| {
                let values = params![
                    key.id.0.as_bytes(),
                    key.name,
                    key.roles.to_string(),
                    key.secret_hash,
                    micros(key.created_at),
                ];
                let added = connection.execute(sql!("api_keys/insert"), values).map_err(translate)?;
                if added == 1 { Ok(()) } else { Err(taken(&key.name)) }
            })
            .await
    }

    async fn find(&self, id: KeyId) -> PortResult<Option<ApiKey>> {
        Ok(self.rows(sql!("api_keys/find"), [id.0.into_bytes()], key).await?.pop())
    }

    async fn list(&self) -> PortResult<Vec<ApiKey>> {
        self.rows(sql!("api_keys/list"), [], key).await
    }

    async fn revoke(&self, name_or_id: &str, at: Timestamp) -> PortResult<ApiKey> {
        let (name, id) = (name_or_id.to_owned(), Uuid::parse_str(name_or_id).unwrap_or_default());
        self.writer
            .write(move |connection| {
                let found = connection
                    .query_row(sql!("api_keys/find_by_name_or_id"), params![name, id.as_bytes()], |row| {
                        Ok(key(row))
                    })
                    .optional()
                    .map_err(translate)?;
                let found = found.unwrap_or_else(|| Err(PortError::NotFound(format!("key {name}"))))?;
                connection
                    .execute(sql!("api_keys/revoke"), params![found.key.id.0.as_bytes(), micros(at)])
                    .map_err(translate)?;
                Ok(ApiKey { revoked_at: found.revoked_at.or(Some(at)), ..found })
            })
            .await
    }

    async fn any(&self) -> PortResult<bool> {
        let found = self.rows(sql!("api_keys/any"), [], |row| get(row, 0)).await?;
        Ok(found.first().copied().unwrap_or_default())
    }
}

fn taken(name: &str) -> PortError {
    PortError::Conflict(format!("there is, or was, a key with the name {name}; choose another one"))
}

fn key(row: &Row<'_>) -> PortResult<ApiKey> {
    key_from(row, 0)
}

/// A key whose columns begin at that place.
pub(crate) fn key_from(row: &Row<'_>, first: usize) -> PortResult<ApiKey> {
    Ok(ApiKey {
        key: NewKey {
            id: KeyId(uuid(get(row, first)?)),
            name: get(row, first + 1)?,
            roles: Roles::parse(&get::<String>(row, first + 2)?).map_err(corrupt)?,
            secret_hash: get(row, first + 3)?,
            created_at: timestamp(get(row, first + 4)?)?,
        },
        revoked_at: optional_timestamp(get(row, first + 5)?)?,
    })
}
