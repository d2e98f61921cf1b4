//! A language model whose calls are made in a lane.

use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::LaneName;
use quire_ports::{LanguageModel, ModelError, ModelRequest, ModelResponse};

use super::LanePermits;
use super::lane_call::{LaneCall, ended};

/// Takes a permit of the lane for each call. A rate limit of the provider closes the lane. If the lane is full, closed or
/// paused, the model is not asked, and the run waits.
pub struct LaneModel {
    /// The model.
    pub model: Arc<dyn LanguageModel>,
    /// Its lane.
    pub lane: LaneName,
    /// The permits that all steps of the process share.
    pub lanes: Arc<LanePermits>,
}

#[async_trait]
impl LanguageModel for LaneModel {
    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let call = LaneCall::begin(&self.lanes, &self.lane).await?;
        ended(call, self.model.ask(request).await).await
    }
}
