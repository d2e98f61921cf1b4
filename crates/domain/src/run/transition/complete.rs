//! The last step of a run succeeded.

use jiff::Timestamp;

use super::running::require_running;
use super::{Effect, Transition, TransitionRefused, with_state};
use crate::event::EventType;
use crate::pipeline::Pipeline;
use crate::review::review_ended_by;
use crate::run::{Run, RunState};

pub(super) fn complete(run: &Run, at: Timestamp) -> Result<Transition, TransitionRefused> {
    let owned = require_running(run, "completed")?;
    let next = with_state(run, RunState::Completed { started_at: owned.started_at, completed_at: at });
    let mut effects = vec![Effect::Record(owned.event(EventType::RunCompleted, run, at))];
    if run.pipeline == Pipeline::Document {
        effects.push(Effect::EndReview(review_ended_by(run, at)));
    }
    effects.push(Effect::PassTurn);
    Ok(Transition { from: run.fence, run: next, effects })
}
