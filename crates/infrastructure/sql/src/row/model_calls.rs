//! Calls to language models.

use std::time::Duration;

use quire_domain::{ModelCallId, Pipeline, RunId, StepName};
use quire_ports::{DailyModelUsage, ModelCall, ModelUsage, PortResult};

use super::ColumnReader;
use crate::error::corrupt;

/// A row of `{model_call}`.
pub fn model_call(row: &dyn ColumnReader) -> PortResult<ModelCall> {
    Ok(ModelCall {
        id: ModelCallId(row.uuid("call_id")?),
        run_id: row.optional_uuid("call_run_id")?.map(RunId),
        step: row.optional_text("call_step_name")?.map(step).transpose()?,
        step_attempt: row.integer("call_step_attempt")?,
        credential: row.optional_string("call_credential")?,
        model: row.string("call_model")?,
        tokens_in: row.integer("call_tokens_in")?,
        tokens_out: row.integer("call_tokens_out")?,
        cost: row.optional_float("call_cost")?,
        latency: Duration::from_millis(row.integer("call_latency_ms")?),
        outcome: row.string("call_outcome")?,
        created_at: row.timestamp("call_created_at")?,
    })
}

/// A row of sums of calls.
pub fn model_usage(row: &dyn ColumnReader) -> PortResult<ModelUsage> {
    Ok(ModelUsage {
        calls: row.integer("usage_calls")?,
        failed: row.integer("usage_failed")?,
        tokens_in: row.integer("usage_tokens_in")?,
        tokens_out: row.integer("usage_tokens_out")?,
        cost: row.optional_float("usage_cost")?,
        latency: Duration::from_millis(row.integer("usage_latency_ms")?),
    })
}

/// A row of sums of the calls of a day.
pub fn daily_model_usage(row: &dyn ColumnReader) -> PortResult<DailyModelUsage> {
    Ok(DailyModelUsage {
        day: row.timestamp("usage_day")?,
        credential: row.optional_string("usage_credential")?,
        model: row.string("usage_model")?,
        usage: model_usage(row)?,
    })
}

/// The step of that name. No two pipelines have a step of the same name.
fn step(name: &str) -> PortResult<StepName> {
    let step = Pipeline::ALL.into_iter().find_map(|pipeline| pipeline.step(name).ok());
    step.ok_or_else(|| corrupt(format!("there is no step {name}")))
}
