//! Figures by the minute.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::Pipeline;
use quire_ports::{Metrics, MinuteMetrics, PortResult};
use sqlx::PgConnection;
use sqlx::postgres::PgRow;

use crate::database::commit;
use crate::error::{corrupt, translate};
use crate::row::{At, bigint, get, timestamp};
use crate::{PgStore, sql};

#[async_trait]
impl Metrics for PgStore {
    async fn add(&self, figures: &[MinuteMetrics]) -> PortResult<()> {
        self.database
            .bounded(async {
                let mut minutes: Vec<&MinuteMetrics> = figures.iter().collect();
                // The same order for every process, so that no two wait for each other.
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
        self.rows(|| sqlx::query(sql!("figures/between")).bind(At(from)).bind(At(to)), minute).await
    }
}

async fn add(connection: &mut PgConnection, minute: &MinuteMetrics) -> PortResult<()> {
    sqlx::query(sql!("figures/add"))
        .bind(At(minute.minute))
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

fn minute(row: &PgRow) -> PortResult<MinuteMetrics> {
    let number = |index| get::<i64>(row, index).map(i64::unsigned_abs);
    Ok(MinuteMetrics {
        minute: timestamp(row, 0)?,
        pipeline: Pipeline::parse(get(row, 1)?).map_err(corrupt)?,
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
    })
}
