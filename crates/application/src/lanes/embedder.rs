//! An embedding model whose calls are made in a lane.

use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::LaneName;
use quire_ports::{EmbedRequest, Embedder, ModelError};

use super::LanePermits;
use super::lane_call::{LaneCall, ended};

/// Takes a permit of the lane for each call, as [`super::LaneModel`] does.
pub struct LaneEmbedder {
    /// The embedding model.
    pub embedder: Arc<dyn Embedder>,
    /// Its lane.
    pub lane: LaneName,
    /// The permits that all steps of the process share.
    pub lanes: Arc<LanePermits>,
}

#[async_trait]
impl Embedder for LaneEmbedder {
    fn model(&self) -> &str {
        self.embedder.model()
    }

    fn is_lexical(&self) -> bool {
        self.embedder.is_lexical()
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Vec<Vec<f32>>, ModelError> {
        let call = LaneCall::begin(&self.lanes, &self.lane).await?;
        ended(call, self.embedder.embed(request).await).await
    }
}
