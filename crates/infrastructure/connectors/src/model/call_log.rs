//! The record of each call: tokens, cost, latency and outcome.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use quire_domain::ModelCallId;
use quire_ports::{
    CallContext, Clock, MODEL_CALL_CANCELLED, MODEL_CALL_OK, ModelCall, ModelCalls, ModelResponse,
};
use tokio::runtime::Handle;

use super::failure::FailedRequest;
use super::settings::ModelSettings;

/// How many calls are kept in memory while the store cannot be written.
const MAX_UNRECORDED: usize = 10_000;

/// Records calls in the store. What cannot be stored is kept and stored with the next call.
#[derive(Clone)]
pub struct CallLog(Arc<Records>);

struct Records {
    calls: Arc<dyn ModelCalls>,
    clock: Arc<dyn Clock>,
    unrecorded: Mutex<Vec<ModelCall>>,
}

/// A call that has begun. If it is dropped before it has an outcome, because its run was cancelled, has reached its limit or is
/// handed back at a shutdown, it is recorded as cancelled: the provider may bill it.
pub(super) struct CallInProgress {
    log: CallLog,
    started: Instant,
    /// None once it has ended.
    call: Option<ModelCall>,
}

impl CallLog {
    /// A log in this store, with its clock.
    pub fn new(calls: Arc<dyn ModelCalls>, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Records { calls, clock, unrecorded: Mutex::default() }))
    }

    /// Begins the record of a call to this model.
    pub(super) fn begin(&self, context: &CallContext, asked: &str) -> CallInProgress {
        let call = ModelCall {
            id: ModelCallId::new(),
            run_id: context.run_id,
            step: context.step,
            step_attempt: context.step_attempt,
            credential: context.credential.clone(),
            model: asked.to_owned(),
            tokens_in: 0,
            tokens_out: 0,
            cost: None,
            latency: std::time::Duration::ZERO,
            outcome: MODEL_CALL_CANCELLED.to_owned(),
            created_at: self.0.clock.now(),
        };
        CallInProgress { log: self.clone(), started: Instant::now(), call: Some(call) }
    }
}

impl CallInProgress {
    /// Records the outcome. A store that is down does not lose an answer that is paid for.
    pub(super) async fn end(
        mut self,
        settings: &ModelSettings,
        outcome: &Result<ModelResponse, FailedRequest>,
    ) {
        let Some(mut call) = self.take_call() else { return };
        match outcome {
            Ok(response) => {
                MODEL_CALL_OK.clone_into(&mut call.outcome);
                call.model.clone_from(&response.model);
                (call.tokens_in, call.tokens_out) = (response.tokens_in, response.tokens_out);
                (call.cost, call.latency) = (response.cost, response.latency);
            }
            Err(failed) => {
                failed.error.kind.as_str().clone_into(&mut call.outcome);
                if let Some(usage) = failed.usage {
                    (call.tokens_in, call.tokens_out) = (usage.prompt_tokens, usage.completion_tokens);
                    let priced = settings.cost(&call.model, usage.prompt_tokens, usage.completion_tokens);
                    call.cost = usage.cost.or(priced);
                }
            }
        }
        // In a task of its own: the caller may be stopped now, and the call is paid for.
        let _ = tokio::spawn(self.log.0.clone().store(call)).await;
    }

    /// The call with its time, once.
    fn take_call(&mut self) -> Option<ModelCall> {
        let call = self.call.take()?;
        Some(ModelCall { latency: self.started.elapsed(), created_at: self.log.0.clock.now(), ..call })
    }
}

impl Drop for CallInProgress {
    fn drop(&mut self) {
        let Some(call) = self.take_call() else { return };
        metrics::counter!("quire_model_calls_total", "outcome" => MODEL_CALL_CANCELLED).increment(1);
        match Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(self.log.0.clone().store(call))),
            Err(_) => self.log.0.unrecorded().push(call),
        }
    }
}

impl Records {
    async fn store(self: Arc<Self>, call: ModelCall) {
        let mut calls = std::mem::take(&mut *self.unrecorded());
        calls.push(call);
        if let Err(error) = self.calls.record(&calls).await {
            tracing::warn!(%error, calls = calls.len(), "calls to a model: write failed, will retry");
            let mut unrecorded = self.unrecorded();
            unrecorded.append(&mut calls);
            unrecorded.truncate(MAX_UNRECORDED);
        }
    }

    fn unrecorded(&self) -> std::sync::MutexGuard<'_, Vec<ModelCall>> {
        self.unrecorded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
