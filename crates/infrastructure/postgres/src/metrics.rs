//! Metrics by the minute.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_ports::{MetricsHistory, MinuteMetrics, PortResult};
use quire_sql::row;
use sqlx::PgConnection;

use crate::database::commit;
use crate::error::translate;
use crate::row::{StoredTime, bigint};
use crate::{PgStore, sql};

#[async_trait]
impl MetricsHistory for PgStore {
    async fn add(&self, metrics: &[MinuteMetrics]) -> PortResult<()> {
        self.database
            .with_timeout(async {
                let mut minutes: Vec<&MinuteMetrics> = metrics.iter().collect();
                // Every process uses the same order, so that no two processes deadlock.
                minutes.sort_by_key(|minute| (minute.minute, minute.pipeline.as_str()));
                let mut transaction = self.database.begin().await?;
                for minute in minutes {
                    add(&mut transaction, minute).await?;
                }
                commit(transaction).await
            })
            .await
    }

    async fn between(&self, from: Timestamp, to: Timestamp) -> PortResult<Vec<MinuteMetrics>> {
        self.rows(
            || sqlx::query(sql!("metrics/between")).bind(StoredTime(from)).bind(StoredTime(to)),
            row::minute_metrics,
        )
        .await
    }
}

async fn add(connection: &mut PgConnection, minute: &MinuteMetrics) -> PortResult<()> {
    sqlx::query(sql!("metrics/add"))
        .bind(StoredTime(minute.minute))
        .bind(minute.pipeline.as_str())
        .bind(bigint(minute.started))
        .bind(bigint(minute.completed))
        .bind(bigint(minute.failed))
        .bind(bigint(minute.timed_out))
        .bind(bigint(minute.requeued))
        .bind(bigint(minute.step_retries))
        .bind(bigint(minute.recovered))
        .bind(bigint(minute.refused))
        .bind(bigint(minute.duration_ms))
        .bind(bigint(minute.queued))
        .bind(bigint(minute.oldest_ms))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}
