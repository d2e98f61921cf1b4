//! Metrics by the minute.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_ports::{MetricsHistory, MinuteMetrics, PortResult};
use quire_sql::row;
use rusqlite::params;

use crate::row::{execute, micros};
use crate::{SqliteStore, sql};

#[async_trait]
impl MetricsHistory for SqliteStore {
    async fn add(&self, metrics: &[MinuteMetrics]) -> PortResult<()> {
        let metrics = metrics.to_vec();
        self.writer
            .write(move |connection| {
                for minute in &metrics {
                    let values = params![
                        micros(minute.minute),
                        minute.pipeline.as_str(),
                        integer(minute.started),
                        integer(minute.completed),
                        integer(minute.failed),
                        integer(minute.timed_out),
                        integer(minute.requeued),
                        integer(minute.step_retries),
                        integer(minute.recovered),
                        integer(minute.refused),
                        integer(minute.duration_ms),
                        integer(minute.queued),
                        integer(minute.oldest_ms),
                    ];
                    execute(connection, sql!("metrics/add"), values)?;
                }
                Ok(())
            })
            .await
    }

    async fn between(&self, from: Timestamp, to: Timestamp) -> PortResult<Vec<MinuteMetrics>> {
        self.rows(sql!("metrics/between"), (micros(from), micros(to)), row::minute_metrics).await
    }
}

/// A counter as SQLite stores it.
fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
