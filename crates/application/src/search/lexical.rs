//! Vectors without a model, on this machine.

use async_trait::async_trait;
use quire_ports::{EmbedRequest, Embedder, ModelError, ModelErrorKind};
use quire_understanding::search::hashed_vector;

/// Vectors of hashed words and parts of words. They tell how texts are written, and nothing about their meaning.
#[derive(Clone, Copy, Debug, Default)]
pub struct LexicalEmbedder;

#[async_trait]
impl Embedder for LexicalEmbedder {
    fn model(&self) -> &'static str {
        "lexical-2"
    }

    fn is_lexical(&self) -> bool {
        true
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Vec<Vec<f32>>, ModelError> {
        // The texts of a long document take a while, and requests must not wait for them.
        let vectors = move || request.texts.iter().map(|text| hashed_vector(text)).collect();
        let made = tokio::task::spawn_blocking(vectors).await;
        made.map_err(|_| ModelError::new(ModelErrorKind::Unavailable, "the vectors cannot be computed"))
    }
}
