//! What calls to language models cost.

use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::{ModelCallId, RunId, StepName};

use crate::PortResult;

/// The outcome of a call that was answered. Another outcome is the code of its error.
pub const MODEL_CALL_OK: &str = "OK";
/// The outcome of a call whose run was stopped before the answer was there. Its tokens are not known.
pub const MODEL_CALL_CANCELLED: &str = "CANCELLED";

/// One request to a model and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelCall {
    /// The id.
    pub id: ModelCallId,
    /// The run for which the model was asked.
    pub run_id: Option<RunId>,
    /// The step of the run.
    pub step: Option<StepName>,
    /// The attempt at the step, from 1. 0 outside a step.
    pub step_attempt: u32,
    /// The name of the credential that asked for the work, if it is known.
    pub credential: Option<String>,
    /// The model that answered, or the one that was asked.
    pub model: String,
    /// Tokens of the request.
    pub tokens_in: u64,
    /// Tokens of the response.
    pub tokens_out: u64,
    /// The cost, if it is known.
    pub cost: Option<f64>,
    /// The time from the request to the end of the response.
    pub latency: Duration,
    /// [`MODEL_CALL_OK`], [`MODEL_CALL_CANCELLED`] or the code of the error.
    pub outcome: String,
    /// When the call ended.
    pub created_at: Timestamp,
}

/// Calls added up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelUsage {
    /// The number of calls.
    pub calls: u64,
    /// How many of them failed.
    pub failed: u64,
    /// Tokens of the requests.
    pub tokens_in: u64,
    /// Tokens of the responses.
    pub tokens_out: u64,
    /// The sum of the known costs. None if no cost is known.
    pub cost: Option<f64>,
    /// The time that the calls took together.
    pub latency: Duration,
}

impl std::ops::AddAssign<&Self> for ModelUsage {
    fn add_assign(&mut self, other: &Self) {
        self.calls += other.calls;
        self.failed += other.failed;
        self.tokens_in += other.tokens_in;
        self.tokens_out += other.tokens_out;
        self.cost = match (self.cost, other.cost) {
            (Some(one), Some(more)) => Some(one + more),
            (one, more) => one.or(more),
        };
        self.latency += other.latency;
    }
}

/// The calls of one day, credential and model added up.
#[derive(Clone, Debug, PartialEq)]
pub struct DailyModelUsage {
    /// The beginning of the day, which is midnight UTC.
    pub day: Timestamp,
    /// The credential that asked for the work, if it is known.
    pub credential: Option<String>,
    /// The model.
    pub model: String,
    /// The sums.
    pub usage: ModelUsage,
}

/// Stores calls to models. Calls are append-only, and the purge of a subject keeps them: they have no content, and a bill
/// does not change.
#[async_trait]
pub trait ModelCalls: Send + Sync {
    /// Stores these calls. A call that is stored already does not change.
    async fn record(&self, calls: &[ModelCall]) -> PortResult<()>;

    /// The calls of a run, oldest first.
    async fn of_run(&self, run: RunId) -> PortResult<Vec<ModelCall>>;

    /// The sums of a run.
    async fn usage_of_run(&self, run: RunId) -> PortResult<ModelUsage>;

    /// The sums of each day, credential and model from a time on and before another, in this order.
    async fn daily_usage(&self, from: Timestamp, before: Timestamp) -> PortResult<Vec<DailyModelUsage>>;

    /// All tokens since a time.
    async fn tokens_since(&self, from: Timestamp) -> PortResult<u64>;
}
