//! Calls to models, recorded in memory.

use std::sync::Mutex;

use async_trait::async_trait;
use jiff::Timestamp;
use quire_domain::RunId;
use quire_ports::{DailyModelUsage, MODEL_CALL_OK, ModelCall, ModelCalls, ModelUsage, PortError, PortResult};

/// A store of calls in memory, whose writes can fail.
#[derive(Default)]
pub struct RecordedCalls {
    calls: Mutex<Vec<ModelCall>>,
    is_down: Mutex<bool>,
}

impl RecordedCalls {
    /// All calls so far.
    pub fn all(&self) -> Vec<ModelCall> {
        self.calls.lock().unwrap().clone()
    }

    /// Whether each write fails from now on.
    pub fn set_down(&self, is_down: bool) {
        *self.is_down.lock().unwrap() = is_down;
    }
}

#[async_trait]
impl ModelCalls for RecordedCalls {
    async fn record(&self, calls: &[ModelCall]) -> PortResult<()> {
        if *self.is_down.lock().unwrap() {
            return Err(down("planned"));
        }
        let mut stored = self.calls.lock().unwrap();
        for call in calls {
            if !stored.iter().any(|one| one.id == call.id) {
                stored.push(call.clone());
            }
        }
        Ok(())
    }

    async fn of_run(&self, run: RunId) -> PortResult<Vec<ModelCall>> {
        Ok(self.all().into_iter().filter(|call| call.run_id == Some(run)).collect())
    }

    async fn usage_of_run(&self, run: RunId) -> PortResult<ModelUsage> {
        Ok(self.of_run(run).await?.iter().fold(ModelUsage::default(), |sum, call| added(&sum, call)))
    }

    async fn daily_usage(&self, _from: Timestamp, _before: Timestamp) -> PortResult<Vec<DailyModelUsage>> {
        Err(down("there are no days in memory"))
    }

    async fn tokens_since(&self, from: Timestamp) -> PortResult<u64> {
        let calls = self.all().into_iter().filter(|call| call.created_at >= from);
        Ok(calls.map(|call| call.tokens_in + call.tokens_out).sum())
    }
}

fn added(sum: &ModelUsage, call: &ModelCall) -> ModelUsage {
    ModelUsage {
        calls: sum.calls + 1,
        failed: sum.failed + u64::from(call.outcome != MODEL_CALL_OK),
        tokens_in: sum.tokens_in + call.tokens_in,
        tokens_out: sum.tokens_out + call.tokens_out,
        cost: call.cost.map(|cost| cost + sum.cost.unwrap_or_default()).or(sum.cost),
        latency: sum.latency + call.latency,
    }
}

fn down(reason: &str) -> PortError {
    PortError::Unavailable { service: "database", reason: reason.to_owned(), contention: false }
}
