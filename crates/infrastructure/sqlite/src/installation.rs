//! The identity of the installation.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::InstallationId;
use quire_ports::{Installation, PortError, PortResult};
use quire_sql::row;
use rusqlite::params;

use crate::row::{execute, first, micros};
use crate::{SqliteStore, sql};

#[async_trait]
impl Installation for SqliteStore {
    async fn installation_id(&self) -> PortResult<Option<InstallationId>> {
        Ok(self.rows(sql!("installation/find"), [], row::installation_id).await?.pop())
    }

    async fn set_installation_id(&self, id: InstallationId) -> PortResult<InstallationId> {
        self.writer
            .write(move |connection| {
                let values = params![id.0.as_bytes(), micros(Timestamp::now())];
                execute(connection, sql!("installation/insert"), values)?;
                let stored = first(connection, sql!("installation/find"), [], row::installation_id)?;
                stored.ok_or_else(|| PortError::NotFound("the id of the installation".to_owned()))
            })
            .await
    }
}
