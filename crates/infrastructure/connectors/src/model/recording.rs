//! Calls that are recorded in a folder and replayed from it, for tests, demonstrations and the comparison of prompts. A
//! recording has the texts of request and response, but no key.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use quire_domain::hex;
use quire_domain::proposal::ModelParameters;
use quire_ports::{ChatRole, LanguageModel, ModelError, ModelErrorKind, ModelRequest, ModelResponse};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// Asks another model and records each answer.
pub struct RecordingModel {
    /// The model.
    pub model: Arc<dyn LanguageModel>,
    /// The folder of the recordings.
    pub folder: PathBuf,
}

/// Answers with recordings and asks nobody.
pub struct ReplayingModel {
    /// The folder of the recordings.
    pub folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Recording {
    request: RecordedRequest,
    response: RecordedResponse,
}

/// Everything that the answer depends on.
#[derive(Serialize, Deserialize)]
struct RecordedRequest {
    model: Option<String>,
    messages: Vec<(String, String)>,
    schema_name: String,
    response_schema: String,
    max_tokens: u64,
    temperature: f64,
    /// Not written if nothing is set, so that earlier recordings are found.
    #[serde(default, skip_serializing_if = "is_default")]
    parameters: ModelParameters,
}

fn is_default(parameters: &ModelParameters) -> bool {
    *parameters == ModelParameters::default()
}

#[derive(Serialize, Deserialize)]
struct RecordedResponse {
    text: String,
    is_whole: bool,
    model: String,
    tokens_in: u64,
    tokens_out: u64,
    cost: Option<f64>,
    latency_ms: u64,
}

#[async_trait]
impl LanguageModel for RecordingModel {
    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let response = self.model.ask(request).await?;
        let recording = Recording { request: recorded(request), response: recorded_response(&response) };
        if let Err(error) = save(&self.folder, &recording).await {
            tracing::warn!(%error, "the answer of the model could not be recorded");
        }
        Ok(response)
    }
}

#[async_trait]
impl LanguageModel for ReplayingModel {
    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let file = self.folder.join(file_name(&recorded(request)));
        let recording = tokio::fs::read(file).await.ok();
        let recording = recording.and_then(|bytes| serde_json::from_slice::<Recording>(&bytes).ok());
        let Some(Recording { response, .. }) = recording else {
            let message = "there is no recording of this request in the folder model.replay_from; record it with model.record_to";
            return Err(ModelError::new(ModelErrorKind::Refused, message));
        };
        Ok(ModelResponse {
            text: response.text,
            is_whole: response.is_whole,
            model: response.model,
            tokens_in: response.tokens_in,
            tokens_out: response.tokens_out,
            cost: response.cost,
            latency: Duration::from_millis(response.latency_ms),
        })
    }
}

/// Writes a recording under a temporary name first, so that nobody reads half of it.
async fn save(folder: &Path, recording: &Recording) -> std::io::Result<()> {
    tokio::fs::create_dir_all(folder).await?;
    let name = file_name(&recording.request);
    let temporary = folder.join(format!("{name}.{}.tmp", uuid::Uuid::now_v7()));
    tokio::fs::write(&temporary, serde_json::to_vec_pretty(recording)?).await?;
    tokio::fs::rename(&temporary, folder.join(name)).await
}

/// The same request always has the same file.
fn file_name(request: &RecordedRequest) -> String {
    // Strings and numbers always serialize.
    let text = serde_json::to_vec(request).unwrap_or_default();
    format!("{}.json", hex(&Sha256::digest(&text)))
}

fn recorded(request: &ModelRequest) -> RecordedRequest {
    let messages = request.messages.iter().map(|message| {
        let role = match message.role {
            ChatRole::System => "system",
            ChatRole::User => "user",
            ChatRole::Assistant => "assistant",
        };
        (role.to_owned(), message.text.clone())
    });
    RecordedRequest {
        model: request.model.clone(),
        messages: messages.collect(),
        schema_name: request.schema_name.clone(),
        response_schema: request.response_schema.clone(),
        max_tokens: request.max_tokens,
        temperature: request.temperature,
        parameters: request.parameters,
    }
}

fn recorded_response(response: &ModelResponse) -> RecordedResponse {
    RecordedResponse {
        text: response.text.clone(),
        is_whole: response.is_whole,
        model: response.model.clone(),
        tokens_in: response.tokens_in,
        tokens_out: response.tokens_out,
        cost: response.cost,
        latency_ms: u64::try_from(response.latency.as_millis()).unwrap_or(u64::MAX),
    }
}
