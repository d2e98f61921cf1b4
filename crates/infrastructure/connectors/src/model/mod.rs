//! Language models behind an endpoint that is compatible with `OpenAI`'s chat completions API, hosted or local.
//!
//! One call of [`RemoteModel`] may take several requests: an endpoint refuses a feature that it does not support, or a model
//! fails and another one is asked. No model is asked twice: the attempts of a step are the only retries. Above it, a step may
//! ask again when an answer does not fit its schema.

mod breaker;
mod call_log;
mod embeddings;
mod endpoint;
mod failure;
mod features;
mod recording;
mod settings;
#[cfg(test)]
mod tests;
mod wire;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use quire_ports::{LanguageModel, ModelError, ModelErrorKind, ModelRequest, ModelResponse};

use self::breaker::Breaker;
pub use self::breaker::BreakerSettings;
pub use self::call_log::CallLog;
pub use self::embeddings::RemoteEmbedder;
use self::endpoint::Endpoint;
use self::failure::{FailedRequest, Remedy};
use self::features::EndpointFeatures;
pub use self::recording::{RecordingModel, ReplayingModel};
pub use self::settings::{ModelPrices, ModelSettings, ModelSettingsError};
use crate::http::HttpClient;

/// The models of an endpoint.
pub struct RemoteModel {
    endpoint: Endpoint,
    log: CallLog,
    known: Mutex<HashMap<String, Arc<KnownModel>>>,
}

/// What is known about a model of the endpoint since the process started.
struct KnownModel {
    features: Mutex<EndpointFeatures>,
    breaker: Breaker,
}

impl RemoteModel {
    /// Checks the settings. Sends nothing yet.
    pub fn new(http: HttpClient, settings: ModelSettings, log: CallLog) -> Result<Self, ModelSettingsError> {
        let headers = settings.check()?;
        Ok(Self { endpoint: Endpoint { http, headers, settings }, log, known: Mutex::default() })
    }

    fn known(&self, model: &str) -> Arc<KnownModel> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let breaker = self.endpoint.settings.breaker;
        let new = || {
            Arc::new(KnownModel {
                features: Mutex::new(EndpointFeatures::ALL),
                breaker: Breaker::new(breaker),
            })
        };
        known.entry(model.to_owned()).or_insert_with(new).clone()
    }

    /// Asks one model.
    async fn ask_model(&self, model: &str, request: &ModelRequest) -> Result<ModelResponse, FailedRequest> {
        if request.time_left().is_some_and(|left| left.is_zero()) {
            return Err(FailedRequest::no_time());
        }
        let known = self.known(model);
        known.breaker.permit(Instant::now()).map_err(FailedRequest::left_alone)?;
        let call = self.log.begin(&request.context, model);
        let outcome = self.send(model, &known, request).await;
        count(&outcome);
        call.end(&self.endpoint.settings, &outcome).await;
        match &outcome {
            Err(failed) if failed.error.kind == ModelErrorKind::Unavailable => {
                known.breaker.failed(Instant::now());
            }
            _ => known.breaker.succeeded(),
        }
        outcome
    }

    /// Sends a request, and again without each feature that the endpoint refuses. What it refused is remembered.
    async fn send(
        &self,
        model: &str,
        known: &KnownModel,
        request: &ModelRequest,
    ) -> Result<ModelResponse, FailedRequest> {
        let mut features = *known.features.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_remembered = true;
        loop {
            let timeout = self.endpoint.settings.timeout;
            let time = request.time_left().map_or(timeout, |left| left.min(timeout));
            let outcome = self.endpoint.send(model, request, features, time).await;
            let refusal = outcome.as_ref().err().and_then(|failed| failed.refusal.as_deref());
            if let Some(refusal) = refusal
                && let Some(fewer) = features.without_refused(refusal)
            {
                tracing::info!(
                    run_id = request.context.run_id.map(tracing::field::display),
                    correlation_id = request.context.correlation_id.as_deref(),
                    model,
                    ?fewer,
                    "the model endpoint does not support a feature, asking without it"
                );
                is_remembered &= !EndpointFeatures::is_refused_schema(refusal);
                features = fewer;
                continue;
            }
            if outcome.is_ok() && is_remembered {
                *known.features.lock().unwrap_or_else(PoisonError::into_inner) = features;
            }
            return outcome;
        }
    }
}

#[async_trait]
impl LanguageModel for RemoteModel {
    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let settings = &self.endpoint.settings;
        let first = request.model.as_ref().unwrap_or(&settings.name);
        let others = settings.fallback_models.iter().filter(|name| *name != first);
        let mut last: Option<ModelError> = None;
        for model in std::iter::once(first).chain(others) {
            let failed = match self.ask_model(model, request).await {
                Ok(response) => return Ok(response),
                Err(failed) => failed,
            };
            if failed.remedy == Remedy::None {
                return Err(combined(last, failed.error));
            }
            let error = combined(last, failed.error);
            tracing::warn!(
                run_id = request.context.run_id.map(tracing::field::display),
                correlation_id = request.context.correlation_id.as_deref(),
                model,
                code = error.kind.as_str(),
                "model failed"
            );
            last = Some(error);
        }
        // There is at least one model.
        Err(last.unwrap_or_else(|| FailedRequest::no_time().error))
    }
}

/// What the errors of two models, asked one after the other, mean for the run.
fn combined(earlier: Option<ModelError>, later: ModelError) -> ModelError {
    match earlier {
        // A provider that asks to wait closes the lane for its own time, whatever happened to other models.
        _ if later.kind == ModelErrorKind::RateLimited => later,
        // A model that is left alone tells less than one that was asked.
        Some(earlier) if later.retry_after.is_some() && earlier.retry_after.is_none() => earlier,
        Some(ModelError { retry_after: Some(earlier), .. }) => {
            ModelError { retry_after: later.retry_after.map(|later| later.min(earlier)), ..later }
        }
        _ => later,
    }
}

fn count(outcome: &Result<ModelResponse, FailedRequest>) {
    let code = outcome.as_ref().map_or_else(|failed| failed.error.kind.as_str(), |_| "OK");
    metrics::counter!("quire_model_calls_total", "outcome" => code).increment(1);
    let (tokens_in, tokens_out) = match outcome {
        Ok(response) => (response.tokens_in, response.tokens_out),
        Err(failed) => failed.usage.map_or((0, 0), |usage| (usage.prompt_tokens, usage.completion_tokens)),
    };
    metrics::counter!("quire_model_tokens_total", "direction" => "in").increment(tokens_in);
    metrics::counter!("quire_model_tokens_total", "direction" => "out").increment(tokens_out);
}
