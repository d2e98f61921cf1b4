//! One call to a provider in its lane: the permit before it, and what a rate limit does after it.

use std::sync::Arc;
use std::time::Duration;

use quire_domain::{Failure, LaneName};
use quire_ports::{ModelError, ModelErrorKind};

use super::{LanePermit, LanePermits};

/// A call that has begun. Its permit is free again when it ends or is dropped.
pub struct LaneCall {
    permits: Arc<LanePermits>,
    lane: LaneName,
    permit: LanePermit,
}

/// There was no permit: the lane is full, closed or paused, and the run waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneWait {
    /// The lane in which the run waits.
    pub lane: LaneName,
    /// How long it waits if nothing wakes it before.
    pub wait: Duration,
}

impl LaneCall {
    /// Begins a call, if the lane has a permit for it.
    pub async fn begin(permits: &Arc<LanePermits>, lane: &LaneName) -> Result<Self, LaneWait> {
        match permits.try_acquire(lane).await {
            Ok(permit) => Ok(Self { permits: permits.clone(), lane: lane.clone(), permit }),
            Err(busy) => Err(LaneWait { lane: lane.clone(), wait: permits.longest_wait(busy) }),
        }
    }

    /// Ends the call. If the provider asked to wait, the lane is closed for that time, and only then is the permit free: a run
    /// that it wakes finds the lane closed.
    pub async fn end(self, retry_after: Option<Duration>, reason: &str) {
        if let Some(wait) = retry_after {
            self.permits.close_for(&self.lane, wait, reason).await;
        }
        drop(self.permit);
    }
}

/// Ends a call to a model with its answer. A rate limit names the lane in which the run waits.
pub(super) async fn ended<T>(call: LaneCall, answer: Result<T, ModelError>) -> Result<T, ModelError> {
    match answer {
        Err(error) if error.kind == ModelErrorKind::RateLimited => {
            let lane = Some(call.lane.clone());
            call.end(error.retry_after, &error.message).await;
            Err(ModelError { lane, ..error })
        }
        answer => {
            call.end(None, "").await;
            answer
        }
    }
}

impl From<LaneWait> for ModelError {
    fn from(LaneWait { lane, wait }: LaneWait) -> Self {
        let message = format!("lane {lane} is full, closed or paused; the run waits");
        Self { retry_after: Some(wait), lane: Some(lane), ..Self::new(ModelErrorKind::LaneBusy, message) }
    }
}

impl LaneWait {
    /// What a step returns that could not begin its call.
    pub fn into_failure(self, now: jiff::Timestamp) -> Failure {
        Failure::lane_busy(self.lane, now.checked_add(self.wait).unwrap_or(now))
    }
}
