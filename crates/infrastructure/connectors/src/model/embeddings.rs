//! Vectors from an endpoint that is compatible with `OpenAI`'s embeddings API.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::{Request, StatusCode};
use quire_ports::{
    EmbedRequest, Embedder, MODEL_RESERVE, ModelError, ModelErrorKind, ModelResponse, estimated_tokens,
};
use serde::Deserialize;
use serde_json::json;

use super::breaker::Breaker;
use super::endpoint::Endpoint;
use super::failure::FailedRequest;
use super::{CallLog, ModelSettings, ModelSettingsError, count};
use crate::http::{HttpClient, HttpLimits};
use crate::retry::retry_after;

/// The embedding model of an endpoint.
pub struct RemoteEmbedder {
    endpoint: Endpoint,
    log: CallLog,
    breaker: Breaker,
    /// The dimension of every vector: as configured, else that of the first answer.
    dimension: OnceLock<usize>,
    /// The model and the dimension that is asked of it.
    label: String,
}

impl RemoteEmbedder {
    /// Checks the settings. Sends nothing yet. A dimension of 0 is that of the model.
    pub fn new(
        http: HttpClient,
        settings: ModelSettings,
        dimension: usize,
        log: CallLog,
    ) -> Result<Self, ModelSettingsError> {
        let headers = settings.check()?;
        let known = OnceLock::new();
        if dimension > 0 {
            let _ = known.set(dimension);
        }
        let label = match dimension {
            0 => settings.name.clone(),
            dimension => format!("{}@{dimension}", settings.name),
        };
        let breaker = Breaker::new(settings.breaker);
        Ok(Self { endpoint: Endpoint { http, headers, settings }, log, breaker, dimension: known, label })
    }

    async fn send(&self, request: &EmbedRequest) -> Result<(Vec<Vec<f32>>, ModelResponse), FailedRequest> {
        let settings = &self.endpoint.settings;
        let mut body = json!({ "model": settings.name, "input": request.texts, "encoding_format": "float" });
        if self.label != settings.name {
            body["dimensions"] = json!(self.dimension.get());
        }
        let body = body.to_string();
        let estimated = estimated_tokens(body.len());
        let started = Instant::now();
        let answer = self.post(request, body).await?;
        let tokens_in = answer.usage.map_or(estimated, |usage| usage.prompt_tokens);
        let response = ModelResponse {
            text: String::new(),
            is_whole: true,
            model: answer.model.unwrap_or_else(|| settings.name.clone()),
            tokens_in,
            tokens_out: 0,
            cost: None,
            latency: started.elapsed(),
        };
        let vectors = self.checked(answer.data, request.texts.len())?;
        Ok((vectors, response))
    }

    async fn post(&self, request: &EmbedRequest, body: String) -> Result<EmbeddingsResponse, FailedRequest> {
        let settings = &self.endpoint.settings;
        let invalid = || {
            FailedRequest::new(ModelErrorKind::Refused, "the name of the model does not fit into search.url")
        };
        let address = settings.address(&settings.name).map_err(|_| invalid())?;
        let address = address.to_string().replace("/chat/completions", "/embeddings");
        let mut post = Request::post(address).body(Full::new(Bytes::from(body))).map_err(|_| invalid())?;
        post.headers_mut().extend(self.endpoint.headers.clone());
        let left =
            request.deadline.as_ref().map(|deadline| deadline.time_left().saturating_sub(MODEL_RESERVE));
        let time = left.map_or(settings.timeout, |left| left.min(settings.timeout));
        // Nothing is streamed, so there is no silence to be told from slowness.
        let limits = HttpLimits { time, idle: time, bytes: settings.max_response_bytes };
        let response = self.endpoint.http.open(post, limits).await;
        let mut response = response.map_err(|error| FailedRequest::transport(error, false))?;
        if response.status != StatusCode::OK {
            return Err(FailedRequest::status(
                response.status,
                retry_after(&response.headers),
                String::new(),
            ));
        }
        let body = response.body.collect().await.map_err(|error| FailedRequest::transport(error, false))?;
        serde_json::from_slice(&body).map_err(|_| {
            FailedRequest::new(
                ModelErrorKind::AnswerInvalid,
                "the embedding endpoint sent an invalid response; check that search.url is an OpenAI-compatible endpoint",
            )
        })
    }

    /// The vectors in the order of the texts: one for each text, all of one dimension, all of length 1.
    fn checked(&self, mut data: Vec<Item>, wanted: usize) -> Result<Vec<Vec<f32>>, FailedRequest> {
        let refused = |message: String| FailedRequest::new(ModelErrorKind::AnswerInvalid, message);
        data.sort_by_key(|item| item.index);
        let is_complete =
            data.len() == wanted && data.iter().zip(0..).all(|(item, place)| item.index == place);
        if !is_complete {
            return Err(refused(format!(
                "the embedding endpoint returned {} vectors for {wanted} texts; choose another model",
                data.len()
            )));
        }
        let mut vectors = Vec::with_capacity(wanted);
        for Item { embedding: mut vector, .. } in data {
            let dimension = *self.dimension.get_or_init(|| vector.len());
            if vector.len() != dimension || dimension == 0 {
                return Err(refused(format!(
                    "the embedding endpoint returned a vector of {} numbers where {dimension} were expected; check \
                     search.model and search.dimension",
                    vector.len()
                )));
            }
            if vector.iter().any(|number| !number.is_finite()) {
                return Err(refused("the embedding endpoint returned a vector that is no number".to_owned()));
            }
            normalise(&mut vector);
            vectors.push(vector);
        }
        Ok(vectors)
    }
}

/// Makes a vector have the length 1, unless it is zero.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
}

#[derive(Deserialize)]
struct EmbeddingsResponse {
    data: Vec<Item>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Item {
    #[serde(default)]
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Clone, Copy, Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: u64,
}

#[async_trait]
impl Embedder for RemoteEmbedder {
    fn model(&self) -> &str {
        &self.label
    }

    fn is_lexical(&self) -> bool {
        false
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Vec<Vec<f32>>, ModelError> {
        if request.texts.is_empty() {
            return Ok(Vec::new());
        }
        let no_time = request.deadline.as_ref().is_some_and(|left| left.time_left() <= MODEL_RESERVE);
        if no_time {
            return Err(FailedRequest::no_time().error);
        }
        let permit = self.breaker.permit(Instant::now());
        permit.map_err(|wait: Duration| FailedRequest::left_alone(wait).error)?;
        let call = self.log.begin(&request.context, &self.endpoint.settings.name);
        let (vectors, outcome) = match self.send(&request).await {
            Ok((vectors, response)) => (vectors, Ok(response)),
            Err(failed) => (Vec::new(), Err(failed)),
        };
        count(&outcome);
        call.end(&self.endpoint.settings, &outcome).await;
        match outcome {
            Ok(_) => {
                self.breaker.succeeded();
                Ok(vectors)
            }
            Err(failed) => {
                if failed.error.kind == ModelErrorKind::Unavailable {
                    self.breaker.failed(Instant::now());
                }
                Err(failed.error)
            }
        }
    }
}

#[cfg(test)]
#[path = "embeddings_tests.rs"]
mod tests;
