//! A run exceeded its time limit.

use jiff::Timestamp;

use super::running::require_running;
use super::{Effect, Transition, TransitionRefused, engine_failure, with_state};
use crate::event::EventType;
use crate::ids::RunId;
use crate::run::{FailureKind, FailureReason, FailureType, NewRun, Run, RunState};

pub(super) fn time_out(
    run: &Run,
    continued_by: Option<RunId>,
    at: Timestamp,
) -> Result<Transition, TransitionRefused> {
    let owned = require_running(run, "timed out")?;
    let record = engine_failure(
        run,
        FailureKind::TimedOut,
        FailureType::RunTimedOut,
        "the run took longer than its limit; try again, or raise run_limit of its pipeline",
    );
    let mut event = owned.event(EventType::RunTimedOut, run, at);
    event.failure = Some(record.clone());
    let next = Run {
        failed_attempts: run.failed_attempts + 1,
        ..with_state(
            run,
            RunState::TimedOut {
                started_at: owned.started_at,
                completed_at: at,
                reason: FailureReason { failure_type: FailureType::RunTimedOut, record: record.clone() },
            },
        )
    };
    let mut effects = vec![Effect::InterruptSteps(record), Effect::Record(event), Effect::PassTurn];
    effects.extend(continued_by.map(|id| Effect::Continue(NewRun::continuing(run, id))));
    Ok(Transition { from: run.fence, run: next, effects })
}
