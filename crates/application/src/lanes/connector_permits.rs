//! The permits of the process, for connectors.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use quire_domain::LaneName;
use quire_ports::{CallPermit, CallPermits};

use super::{LaneCall, LanePermits};

/// Gives connectors permits that all steps of the process share.
pub struct ConnectorPermits(pub Arc<LanePermits>);

#[async_trait]
impl CallPermits for ConnectorPermits {
    async fn permit(&self, lane: &LaneName) -> Result<CallPermit, Duration> {
        match LaneCall::begin(&self.0, lane).await {
            Ok(call) => Ok(Box::new(call)),
            Err(busy) => Err(busy.wait),
        }
    }

    async fn close(&self, lane: &LaneName, wait: Duration, reason: &str) {
        self.0.close_for(lane, wait, reason).await;
    }
}
