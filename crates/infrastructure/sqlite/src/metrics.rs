//! Figures by the minute.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::Pipeline;
use quire_ports::{Metrics, MinuteMetrics, PortResult};
use rusqlite::params;

use crate::error::{corrupt, translate};
use crate::row::{get, micros, timestamp};
use crate::{SqliteStore, sql};

#[async_trait]
impl Metrics for SqliteStore {
    async fn add(&self, figures: &[MinuteMetrics]) -> PortResult<()> {
        let figures = figures.to_vec();
        self.writer
            .write(move |connection| {
                let mut statement = connection.prepare_cached(sql!("figures/add")).map_err(translate)?;
                for minute in &figures {
                    statement
                        .execute(params![
                            micros(minute.minute),
                            minute.pipeline.as_str(),
                            count(minute.started),
                            count(minute.completed),
                            count(minute.failed),
                            count(minute.timed_out),
                            count(minute.requeued),
                            count(minute.step_retries),
                            count(minute.recovered),
                            count(minute.refused),
                            count(minute.duration_ms),
                            count(minute.queued),
                            count(minute.oldest_ms),
                        ])
                        .map_err(translate)?;
                }
                Ok(())
            })
            .await
    }

    async fn between(&self, from: Timestamp, to: Timestamp) -> PortResult<Vec<MinuteMetrics>> {
        self.readers
            .read(move |connection| {
                let mut statement = connection.prepare_cached(sql!("figures/between")).map_err(translate)?;
                let mut rows = statement.query(params![micros(from), micros(to)]).map_err(translate)?;
                let mut minutes = Vec::new();
                while let Some(row) = rows.next().map_err(translate)? {
                    let number = |index| get::<i64>(row, index).map(i64::unsigned_abs);
                    minutes.push(MinuteMetrics {
                        minute: timestamp(get(row, 0)?)?,
                        pipeline: Pipeline::parse(&get::<String>(row, 1)?).map_err(corrupt)?,
                        started: number(2)?,
                        completed: number(3)?,
                        failed: number(4)?,
                        timed_out: number(5)?,
                        requeued: number(6)?,
                        step_retries: number(7)?,
                        recovered: number(8)?,
                        refused: number(9)?,
                        duration_ms: number(10)?,
                        queued: number(11)?,
                        oldest_ms: number(12)?,
                    });
                }
                Ok(minutes)
            })
            .await
    }
}

/// A counter as SQLite stores it.
fn count(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
