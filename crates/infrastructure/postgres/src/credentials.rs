//! API keys.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::KeyId;
use quire_ports::{ApiKey, Credentials, KeyRotation, NewKey, PortResult};
use quire_sql::{key_changed_meanwhile, key_name_taken, key_not_found, row};
use uuid::Uuid;

use crate::database::commit;
use crate::error::translate;
use crate::row::{StoredTime, first, text};
use crate::{PgStore, sql};

#[async_trait]
impl Credentials for PgStore {
    async fn create(&self, key: &NewKey) -> PortResult<()> {
        let query = sqlx::query(sql!("api_keys/insert"))
            .bind(key.id.0)
            .bind(text(&key.name))
            .bind(key.roles.to_string())
            .bind(key.secret_hash)
            .bind(StoredTime(key.created_at))
            .bind(key.expires_at.map(StoredTime));
        let added = self.database.execute(query).await?;
        if added == 1 { Ok(()) } else { Err(key_name_taken(&key.name)) }
    }

    async fn find(&self, id: KeyId) -> PortResult<Option<ApiKey>> {
        Ok(self.rows(|| sqlx::query(sql!("api_keys/find")).bind(id.0), row::api_key).await?.pop())
    }

    async fn named(&self, name_or_id: &str) -> PortResult<ApiKey> {
        let id = Uuid::parse_str(name_or_id).unwrap_or_default();
        let find = || sqlx::query(sql!("api_keys/find_by_name_or_id")).bind(text(name_or_id)).bind(id);
        let found = self.rows(find, row::api_key).await?.pop();
        found.ok_or_else(|| key_not_found(name_or_id))
    }

    async fn list(&self) -> PortResult<Vec<ApiKey>> {
        self.rows(|| sqlx::query(sql!("api_keys/list")), row::api_key).await
    }

    async fn rotate(&self, id: KeyId, rotation: &KeyRotation) -> PortResult<()> {
        let query = sqlx::query(sql!("api_keys/rotate"))
            .bind(id.0)
            .bind(rotation.replaces.secret_hash)
            .bind(StoredTime(rotation.replaces.until))
            .bind(rotation.secret_hash)
            .bind(StoredTime(rotation.at))
            .bind(rotation.expires_at.map(StoredTime));
        let rotated = self.database.execute(query).await?;
        if rotated == 1 { Ok(()) } else { Err(key_changed_meanwhile()) }
    }

    async fn revoke(&self, name_or_id: &str, at: Timestamp) -> PortResult<ApiKey> {
        let id = Uuid::parse_str(name_or_id).unwrap_or_default();
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                let rows = sqlx::query(sql!("api_keys/find_by_name_or_id"))
                    .bind(text(name_or_id))
                    .bind(id)
                    .fetch_all(&mut *transaction)
                    .await
                    .map_err(translate)?;
                let found = first(rows.first(), row::api_key)?;
                let found = found.ok_or_else(|| key_not_found(name_or_id))?;
                sqlx::query(sql!("api_keys/revoke"))
                    .bind(found.key.id.0)
                    .bind(StoredTime(at))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                commit(transaction).await?;
                Ok(ApiKey { revoked_at: found.revoked_at.or(Some(at)), ..found })
            })
            .await
    }

    async fn used(&self, id: KeyId, at: Timestamp) -> PortResult<()> {
        let query = sqlx::query(sql!("api_keys/use")).bind(id.0).bind(StoredTime(at));
        self.database.execute(query).await.map(drop)
    }

    async fn any(&self) -> PortResult<bool> {
        let found = self.rows(|| sqlx::query(sql!("api_keys/any")), |row| row.boolean("found")).await?;
        Ok(found.first().copied().unwrap_or_default())
    }
}
