//! The identity of the installation.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::InstallationId;
use quire_ports::{Installation, PortError, PortResult};
use quire_sql::row;

use crate::database::commit;
use crate::error::translate;
use crate::row::StoredTime;
use crate::{PgStore, sql};

#[async_trait]
impl Installation for PgStore {
    async fn installation_id(&self) -> PortResult<Option<InstallationId>> {
        Ok(self.rows(|| sqlx::query(sql!("installation/find")), row::installation_id).await?.pop())
    }

    async fn set_installation_id(&self, id: InstallationId) -> PortResult<InstallationId> {
        self.database
            .bounded(async {
                let mut transaction = self.database.begin().await?;
                sqlx::query(sql!("installation/insert"))
                    .bind(id.0)
                    .bind(StoredTime(Timestamp::now()))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                commit(transaction).await
            })
            .await?;
        // A query of its own, so that it sees the id that another process committed meanwhile.
        let stored = self.installation_id().await?;
        stored.ok_or_else(|| PortError::NotFound("the id of the installation".to_owned()))
    }
}
