//! API keys.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::KeyId;
use quire_ports::{ApiKey, Credentials, KeyRotation, NewKey, PortResult};
use quire_sql::{key_changed_meanwhile, key_name_taken, key_not_found, row};
use rusqlite::params;
use uuid::Uuid;

use crate::row::{execute, first, micros};
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
                    key.expires_at.map(micros),
                ];
                let added = execute(connection, sql!("api_keys/insert"), values)?;
                if added == 1 { Ok(()) } else { Err(key_name_taken(&key.name)) }
            })
            .await
    }

    async fn find(&self, id: KeyId) -> PortResult<Option<ApiKey>> {
        Ok(self.rows(sql!("api_keys/find"), [id.0.into_bytes()], row::api_key).await?.pop())
    }

    async fn named(&self, name_or_id: &str) -> PortResult<ApiKey> {
        let (name, id) = by_name_or_id(name_or_id);
        let query = sql!("api_keys/find_by_name_or_id");
        let found = self.rows(query, (name, id.into_bytes()), row::api_key).await?.pop();
        found.ok_or_else(|| key_not_found(name_or_id))
    }

    async fn list(&self) -> PortResult<Vec<ApiKey>> {
        self.rows(sql!("api_keys/list"), [], row::api_key).await
    }

    async fn rotate(&self, id: KeyId, rotation: &KeyRotation) -> PortResult<()> {
        let rotation = *rotation;
        self.writer
            .write(move |connection| {
                let values = params![
                    id.0.as_bytes(),
                    rotation.replaces.secret_hash,
                    micros(rotation.replaces.until),
                    rotation.secret_hash,
                    micros(rotation.at),
                    rotation.expires_at.map(micros),
                ];
                let rotated = execute(connection, sql!("api_keys/rotate"), values)?;
                if rotated == 1 { Ok(()) } else { Err(key_changed_meanwhile()) }
            })
            .await
    }

    async fn revoke(&self, name_or_id: &str, at: Timestamp) -> PortResult<ApiKey> {
        let (name, id) = by_name_or_id(name_or_id);
        self.writer
            .write(move |connection| {
                let query = sql!("api_keys/find_by_name_or_id");
                let found = first(connection, query, params![name, id.as_bytes()], row::api_key)?;
                let found = found.ok_or_else(|| key_not_found(&name))?;
                execute(connection, sql!("api_keys/revoke"), params![found.key.id.0.as_bytes(), micros(at)])?;
                Ok(ApiKey { revoked_at: found.revoked_at.or(Some(at)), ..found })
            })
            .await
    }

    async fn used(&self, id: KeyId, at: Timestamp) -> PortResult<()> {
        self.writer
            .write(move |connection| {
                execute(connection, sql!("api_keys/use"), params![id.0.as_bytes(), micros(at)]).map(drop)
            })
            .await
    }

    async fn any(&self) -> PortResult<bool> {
        let found = self.rows(sql!("api_keys/any"), [], |row| row.boolean("found")).await?;
        Ok(found.first().copied().unwrap_or_default())
    }
}

/// A text as a name, and as an id. A text that is no id becomes one that no key has.
fn by_name_or_id(text: &str) -> (String, Uuid) {
    (text.to_owned(), Uuid::parse_str(text).unwrap_or_default())
}
