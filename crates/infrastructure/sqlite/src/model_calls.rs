//! Calls to language models.

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{RunId, StepName};
use quire_ports::{DailyModelUsage, MODEL_CALL_OK, ModelCall, ModelCalls, ModelUsage, PortResult};
use quire_sql::row;
use rusqlite::{Connection, params};

use crate::row::{execute, micros};
use crate::{SqliteStore, sql};

#[async_trait]
impl ModelCalls for SqliteStore {
    async fn record(&self, calls: &[ModelCall]) -> PortResult<()> {
        let calls = calls.to_vec();
        self.writer.write(move |connection| calls.iter().try_for_each(|call| insert(connection, call))).await
    }

    async fn of_run(&self, run: RunId) -> PortResult<Vec<ModelCall>> {
        self.rows(sql!("model_calls/of_run"), [run.0.into_bytes()], row::model_call).await
    }

    async fn usage_of_run(&self, run: RunId) -> PortResult<ModelUsage> {
        let parameters = (run.0.into_bytes(), MODEL_CALL_OK);
        let sums = self.rows(sql!("model_calls/usage_of_run"), parameters, row::model_usage).await?;
        Ok(sums.into_iter().next().unwrap_or_default())
    }

    async fn daily_usage(&self, from: Timestamp, before: Timestamp) -> PortResult<Vec<DailyModelUsage>> {
        let parameters = (micros(from), micros(before), MODEL_CALL_OK);
        self.rows(sql!("model_calls/daily_usage"), parameters, row::daily_model_usage).await
    }

    async fn tokens_since(&self, from: Timestamp) -> PortResult<u64> {
        let query = sql!("model_calls/tokens_since");
        let sums = self.rows(query, [micros(from)], |row| row.integer("tokens")).await?;
        Ok(sums.first().copied().unwrap_or_default())
    }
}

fn insert(connection: &Connection, call: &ModelCall) -> PortResult<()> {
    let integer = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let values = params![
        call.id.0.as_bytes(),
        call.run_id.map(|run| run.0.into_bytes()),
        call.step.map(StepName::as_str),
        call.step_attempt,
        call.credential,
        call.model,
        integer(call.tokens_in),
        integer(call.tokens_out),
        call.cost,
        i64::try_from(call.latency.as_millis()).unwrap_or(i64::MAX),
        call.outcome,
        micros(call.created_at),
    ];
    execute(connection, sql!("model_calls/insert"), values).map(drop)
}
