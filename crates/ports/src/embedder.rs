//! Vectors of texts, for search by meaning.

use async_trait::async_trait;

use crate::{CallContext, Deadline, ModelError};

/// Texts whose vectors are wanted.
#[derive(Clone, Debug)]
pub struct EmbedRequest {
    /// The work for which they are wanted.
    pub context: CallContext,
    /// The texts. Never logged.
    pub texts: Vec<String>,
    /// The deadline. No request goes beyond it.
    pub deadline: Option<Deadline>,
}

/// Makes vectors of texts.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// The name and version of the model, which is stored with each vector. Vectors of different models are never compared.
    fn model(&self) -> &str;

    /// Whether the vectors tell how texts are written and nothing about their meaning.
    fn is_lexical(&self) -> bool;

    /// The vectors of the texts, in their order, of length 1 and of the same dimension.
    async fn embed(&self, request: EmbedRequest) -> Result<Vec<Vec<f32>>, ModelError>;
}
