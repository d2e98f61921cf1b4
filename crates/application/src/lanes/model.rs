//! A language model whose calls are made in a lane.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use quire_domain::LaneName;
use quire_ports::{Clock, LanguageModel, ModelError, ModelErrorKind, ModelRequest, ModelResponse};

use super::LanePermits;

/// Takes a permit of the lane for each call. A rate limit of the provider closes the lane. If the lane is full, closed or
/// paused, the model is not asked, and the run waits.
pub struct LaneModel {
    /// The model.
    pub model: Arc<dyn LanguageModel>,
    /// Its lane.
    pub lane: LaneName,
    /// The permits that all steps of the process share.
    pub lanes: Arc<LanePermits>,
    /// The clock of the store.
    pub clock: Arc<dyn Clock>,
}

#[async_trait]
impl LanguageModel for LaneModel {
    async fn ask(&self, request: &ModelRequest) -> Result<ModelResponse, ModelError> {
        let permit = self.lanes.try_acquire(&self.lane).await.map_err(|busy| {
            let now = self.clock.now();
            let wait = Duration::try_from(busy.until(now).duration_since(now)).unwrap_or_default();
            let message = format!("lane {} is full, closed or paused; the run waits", self.lane);
            let error = ModelError::new(ModelErrorKind::LaneBusy, message);
            ModelError { retry_after: Some(wait), lane: Some(self.lane.clone()), ..error }
        })?;
        let answer = self.model.ask(request).await;
        let answer = match answer {
            Err(error) if error.kind == ModelErrorKind::RateLimited => Err(self.closed(error).await),
            answer => answer,
        };
        // Only now, so that a run that is woken finds the lane closed.
        drop(permit);
        answer
    }
}

impl LaneModel {
    /// Closes the lane for as long as the provider asked to wait.
    async fn closed(&self, error: ModelError) -> ModelError {
        if let Some(until) = error.retry_after.and_then(|wait| self.clock.now().checked_add(wait).ok()) {
            self.lanes.close(&self.lane, until, &error.message).await;
        }
        ModelError { lane: Some(self.lane.clone()), ..error }
    }
}
