//! The record of each call: tokens, cost, latency and outcome.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use quire_domain::ModelCallId;
use quire_ports::{CallContext, Clock, MODEL_CALL_OK, ModelCall, ModelCalls, ModelResponse};

use super::failure::FailedRequest;
use super::settings::ModelSettings;

/// How many calls are kept in memory while the store cannot be written.
const MAX_UNRECORDED: usize = 10_000;

/// Records calls in the store. What cannot be stored is kept and stored with the next call.
pub struct CallLog {
    calls: Arc<dyn ModelCalls>,
    clock: Arc<dyn Clock>,
    unrecorded: Mutex<Vec<ModelCall>>,
}

impl CallLog {
    /// A log in this store, with its clock.
    pub fn new(calls: Arc<dyn ModelCalls>, clock: Arc<dyn Clock>) -> Self {
        Self { calls, clock, unrecorded: Mutex::default() }
    }

    /// Records a call that took this long. A store that is down does not lose an answer that is paid for.
    pub(super) async fn record(
        &self,
        context: &CallContext,
        settings: &ModelSettings,
        asked: &str,
        outcome: &Result<ModelResponse, FailedRequest>,
        took: Duration,
    ) {
        let mut call = ModelCall {
            id: ModelCallId::new(),
            run_id: context.run_id,
            step: context.step,
            step_attempt: context.step_attempt,
            credential: context.credential.clone(),
            model: asked.to_owned(),
            tokens_in: 0,
            tokens_out: 0,
            cost: None,
            latency: took,
            outcome: MODEL_CALL_OK.to_owned(),
            created_at: self.clock.now(),
        };
        match outcome {
            Ok(response) => {
                call.model.clone_from(&response.model);
                (call.tokens_in, call.tokens_out) = (response.tokens_in, response.tokens_out);
                (call.cost, call.latency) = (response.cost, response.latency);
            }
            Err(failed) => {
                failed.error.kind.as_str().clone_into(&mut call.outcome);
                if let Some(usage) = failed.usage {
                    (call.tokens_in, call.tokens_out) = (usage.prompt_tokens, usage.completion_tokens);
                    let priced = settings.cost(asked, usage.prompt_tokens, usage.completion_tokens);
                    call.cost = usage.cost.or(priced);
                }
            }
        }
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
