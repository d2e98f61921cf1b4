//! Calls to language models.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{RunId, StepName};
use quire_ports::{DailyModelUsage, MODEL_CALL_OK, ModelCall, ModelCalls, ModelUsage, PortResult};
use quire_sql::row;
use sqlx::PgConnection;

use crate::database::commit;
use crate::error::translate;
use crate::row::{StoredTime, bigint, int};
use crate::{PgStore, sql};

#[async_trait]
impl ModelCalls for PgStore {
    async fn record(&self, calls: &[ModelCall]) -> PortResult<()> {
        self.database
            .with_timeout(async {
                let mut transaction = self.database.begin().await?;
                for call in calls {
                    insert(&mut transaction, call).await?;
                }
                commit(transaction).await
            })
            .await
    }

    async fn of_run(&self, run: RunId) -> PortResult<Vec<ModelCall>> {
        self.rows(|| sqlx::query(sql!("model_calls/of_run")).bind(run.0), row::model_call).await
    }

    async fn usage_of_run(&self, run: RunId) -> PortResult<ModelUsage> {
        let query = || sqlx::query(sql!("model_calls/usage_of_run")).bind(run.0).bind(MODEL_CALL_OK);
        Ok(self.rows(query, row::model_usage).await?.into_iter().next().unwrap_or_default())
    }

    async fn daily_usage(&self, from: Timestamp, before: Timestamp) -> PortResult<Vec<DailyModelUsage>> {
        let query = || {
            sqlx::query(sql!("model_calls/daily_usage"))
                .bind(StoredTime(from))
                .bind(StoredTime(before))
                .bind(MODEL_CALL_OK)
        };
        self.rows(query, row::daily_model_usage).await
    }

    async fn tokens_since(&self, from: Timestamp) -> PortResult<u64> {
        let query = || sqlx::query(sql!("model_calls/tokens_since")).bind(StoredTime(from));
        let sums = self.rows(query, |row| row.integer("tokens")).await?;
        Ok(sums.first().copied().unwrap_or_default())
    }
}

async fn insert(connection: &mut PgConnection, call: &ModelCall) -> PortResult<()> {
    sqlx::query(sql!("model_calls/insert"))
        .bind(call.id.0)
        .bind(call.run_id.map(|run| run.0))
        .bind(call.step.map(StepName::as_str))
        .bind(int(call.step_attempt))
        .bind(&call.credential)
        .bind(&call.model)
        .bind(bigint(call.tokens_in))
        .bind(bigint(call.tokens_out))
        .bind(call.cost)
        .bind(i64::try_from(call.latency.as_millis()).unwrap_or(i64::MAX))
        .bind(&call.outcome)
        .bind(StoredTime(call.created_at))
        .execute(connection)
        .await
        .map_err(translate)?;
    Ok(())
}
