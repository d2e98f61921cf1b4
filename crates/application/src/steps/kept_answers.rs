//! Answers of models that need a second call, stored beside their document. If the second call has to wait for its lane, the
//! next attempt goes on from there and does not pay for the first answer again.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use quire_domain::{RunId, SubjectId};
use quire_ports::{BlobStore, KeptAnswers, ModelResponse, PortError};
use serde::{Deserialize, Serialize};

/// The size limit of a kept answer: 16 MB.
const MAX_BYTES: u64 = 16 << 20;

pub(super) struct KeptAnswerFiles {
    pub(super) blobs: Arc<dyn BlobStore>,
    pub(super) document: SubjectId,
    pub(super) run: RunId,
}

#[derive(Serialize, Deserialize)]
struct StoredAnswer {
    text: String,
    is_whole: bool,
    model: String,
    tokens_in: u64,
    tokens_out: u64,
    cost: Option<f64>,
    latency: Duration,
}

impl KeptAnswerFiles {
    /// The file of an answer. Another run asks anew.
    fn name(&self, question: &str) -> String {
        format!("{}/answers/{}-{question}.json", self.document, self.run)
    }
}

#[async_trait]
impl KeptAnswers for KeptAnswerFiles {
    async fn find(&self, question: &str) -> Option<ModelResponse> {
        let stored = match self.blobs.get(&self.name(question), MAX_BYTES).await {
            Ok(stored) => serde_json::from_slice::<StoredAnswer>(&stored).ok()?,
            Err(PortError::NotFound(_)) => return None,
            Err(error) => {
                tracing::warn!(%error, run_id = %self.run, "answer of the model: read failed, asking again");
                return None;
            }
        };
        let StoredAnswer { text, is_whole, model, tokens_in, tokens_out, cost, latency } = stored;
        Some(ModelResponse { text, is_whole, model, tokens_in, tokens_out, cost, latency })
    }

    async fn keep(&self, question: &str, answer: &ModelResponse) {
        let ModelResponse { text, is_whole, model, tokens_in, tokens_out, cost, latency } = answer.clone();
        let stored = StoredAnswer { text, is_whole, model, tokens_in, tokens_out, cost, latency };
        let Ok(stored) = serde_json::to_vec(&stored) else { return };
        if let Err(error) = self.blobs.put(&self.name(question), stored).await {
            tracing::warn!(%error, run_id = %self.run, "answer of the model: write failed");
        }
    }
}
