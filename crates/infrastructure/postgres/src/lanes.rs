//! Lanes and the runs that wait in them.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Event, LaneClosing, LaneName, LanePause};
use quire_ports::{InstallationPermit, LaneOverview, Lanes, PortResult};
use quire_sql::{lane_not_found, row};
use sqlx::PgConnection;

use crate::database::{Tx, commit};
use crate::error::translate;
use crate::row::{StoredTime, bigint, text};
use crate::transition::append;
use crate::{PgStore, sql};

#[async_trait]
impl Lanes for PgStore {
    async fn register(&self, lanes: &[LaneName]) -> PortResult<()> {
        let mut names: Vec<_> = lanes.iter().map(LaneName::as_str).collect();
        // Every process uses the same order, so that no two processes deadlock.
        names.sort_unstable();
        let query = sqlx::query(sql!("lanes/register")).bind(names);
        self.database.execute(query).await.map(drop)
    }

    async fn list(&self) -> PortResult<Vec<LaneOverview>> {
        self.rows(|| sqlx::query(sql!("lanes/list")), row::lane_overview).await
    }

    async fn close(&self, lane: &LaneName, closing: &LaneClosing, closed: &Event) -> PortResult<bool> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                let changed = sqlx::query(sql!("lanes/close"))
                    .bind(lane.as_str())
                    .bind(StoredTime(closing.until))
                    .bind(text(&closing.reason))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?
                    .rows_affected();
                sqlx::query(sql!("lanes/forget_hosts"))
                    .bind(StoredTime(closed.at))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?;
                record(transaction, changed > 0, closed, false).await
            })
            .await
    }

    async fn pause(&self, lane: &LaneName, pause: &LanePause, paused: &Event) -> PortResult<bool> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                require(&mut transaction, lane).await?;
                let changed = sqlx::query(sql!("lanes/pause"))
                    .bind(lane.as_str())
                    .bind(StoredTime(pause.at))
                    .bind(text(&pause.by))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?
                    .rows_affected();
                record(transaction, changed > 0, paused, false).await
            })
            .await
    }

    async fn resume(&self, lane: &LaneName, at: Timestamp, resumed: &Event) -> PortResult<bool> {
        let changed = self
            .database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                require(&mut transaction, lane).await?;
                let changed = sqlx::query(sql!("lanes/resume"))
                    .bind(lane.as_str())
                    .bind(StoredTime(at))
                    .execute(&mut *transaction)
                    .await
                    .map_err(translate)?
                    .rows_affected();
                wake(&mut transaction, lane, usize::MAX).await?;
                record(transaction, changed > 0, resumed, true).await
            })
            .await?;
        self.notify_if(true);
        Ok(changed)
    }

    async fn wake(&self, lane: &LaneName, limit: usize) -> PortResult<usize> {
        let woken = self
            .database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                let woken = wake(&mut transaction, lane, limit).await?;
                if woken > 0 {
                    sqlx::query(sql!("runs/notify")).execute(&mut *transaction).await.map_err(translate)?;
                }
                commit(transaction).await?;
                Ok(woken)
            })
            .await?;
        self.notify_if(woken > 0);
        Ok(usize::try_from(woken).unwrap_or(usize::MAX))
    }

    async fn acquire_installation_permit(
        &self,
        lane: &LaneName,
        limit: u32,
    ) -> PortResult<Option<InstallationPermit>> {
        self.installation_permits.acquire(lane, limit).await
    }

    async fn free_installation_permits(&self, lane: &LaneName, limit: u32) -> PortResult<u32> {
        let free: i64 = self
            .database
            .with_timeout(async {
                let mut connection = self.database.begin().await?;
                let free = sqlx::query_scalar(sql!("lanes/free_installation_permits"))
                    .bind(lane.as_str())
                    .bind(i32::try_from(limit).unwrap_or(i32::MAX))
                    .fetch_one(&mut *connection)
                    .await
                    .map_err(translate)?;
                commit(connection).await?;
                Ok(free)
            })
            .await?;
        Ok(u32::try_from(free).unwrap_or(limit))
    }
}

async fn require(connection: &mut PgConnection, lane: &LaneName) -> PortResult<()> {
    let exists: bool = sqlx::query_scalar(sql!("lanes/exists"))
        .bind(lane.as_str())
        .fetch_one(connection)
        .await
        .map_err(translate)?;
    if exists { Ok(()) } else { Err(lane_not_found(lane)) }
}

async fn wake(connection: &mut PgConnection, lane: &LaneName, limit: usize) -> PortResult<u64> {
    let woken = sqlx::query(sql!("lanes/wake")).bind(lane.as_str()).bind(bigint(limit)).execute(connection);
    Ok(woken.await.map_err(translate)?.rows_affected())
}

/// Appends the event of a change, if there was one, and commits.
async fn record(mut transaction: Tx, changed: bool, event: &Event, notify: bool) -> PortResult<bool> {
    if changed {
        append(&mut transaction, std::slice::from_ref(event), notify).await?;
    } else if notify {
        sqlx::query(sql!("runs/notify")).execute(&mut *transaction).await.map_err(translate)?;
    }
    commit(transaction).await?;
    Ok(changed)
}
