//! Lanes and the runs that wait in them.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{Event, LaneClosing, LaneName, LanePause};
use quire_ports::{InstallationPermit, LaneOverview, Lanes, PortResult};
use quire_sql::{lane_not_found, row};
use rusqlite::{Connection, params};

use crate::queue::row_limit;
use crate::row::{execute, micros, scalar};
use crate::transition::append;
use crate::{SqliteStore, sql};

#[async_trait]
impl Lanes for SqliteStore {
    async fn register(&self, lanes: &[LaneName]) -> PortResult<()> {
        let lanes = lanes.to_vec();
        self.writer
            .write(move |connection| {
                for lane in &lanes {
                    execute(connection, sql!("lanes/register"), [lane.as_str()])?;
                }
                Ok(())
            })
            .await
    }

    async fn list(&self) -> PortResult<Vec<LaneOverview>> {
        self.rows(sql!("lanes/list"), (), row::lane_overview).await
    }

    async fn close(&self, lane: &LaneName, closing: &LaneClosing, closed: &Event) -> PortResult<bool> {
        let (lane, closing, closed) = (lane.clone(), closing.clone(), closed.clone());
        self.writer
            .write(move |connection| {
                let values = params![lane.as_str(), micros(closing.until), closing.reason];
                let changed = execute(connection, sql!("lanes/close"), values)? > 0;
                execute(connection, sql!("lanes/forget_hosts"), [micros(closed.at)])?;
                if changed {
                    append(connection, &closed)?;
                }
                Ok(changed)
            })
            .await
    }

    async fn pause(&self, lane: &LaneName, pause: &LanePause, paused: &Event) -> PortResult<bool> {
        let (lane, pause, paused) = (lane.clone(), pause.clone(), paused.clone());
        self.writer
            .write(move |connection| {
                require(connection, &lane)?;
                let values = params![lane.as_str(), micros(pause.at), pause.by];
                let changed = execute(connection, sql!("lanes/pause"), values)? > 0;
                if changed {
                    append(connection, &paused)?;
                }
                Ok(changed)
            })
            .await
    }

    async fn resume(&self, lane: &LaneName, at: Timestamp, resumed: &Event) -> PortResult<bool> {
        let (lane, resumed) = (lane.clone(), resumed.clone());
        let changed = self
            .writer
            .write(move |connection| {
                require(connection, &lane)?;
                let changed =
                    execute(connection, sql!("lanes/resume"), params![lane.as_str(), micros(at)])? > 0;
                execute(connection, sql!("lanes/wake"), params![lane.as_str(), i64::MAX])?;
                if changed {
                    append(connection, &resumed)?;
                }
                Ok(changed)
            })
            .await?;
        self.notify_if(true);
        Ok(changed)
    }

    async fn wake(&self, lane: &LaneName, limit: usize) -> PortResult<usize> {
        let lane = lane.clone();
        let woken = self
            .writer
            .write(move |connection| {
                execute(connection, sql!("lanes/wake"), params![lane.as_str(), row_limit(limit)])
            })
            .await?;
        self.notify_if(woken > 0);
        Ok(woken)
    }

    // One process at most works on this database, and it counts its own calls.

    async fn acquire_installation_permit(
        &self,
        _: &LaneName,
        _: u32,
    ) -> PortResult<Option<InstallationPermit>> {
        Ok(Some(Box::new(())))
    }

    async fn free_installation_permits(&self, _: &LaneName, limit: u32) -> PortResult<u32> {
        Ok(limit)
    }
}

fn require(connection: &Connection, lane: &LaneName) -> PortResult<()> {
    if scalar(connection, sql!("lanes/exists"), [lane.as_str()])? {
        Ok(())
    } else {
        Err(lane_not_found(lane))
    }
}
