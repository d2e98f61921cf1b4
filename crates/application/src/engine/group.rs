//! Executes the steps of a group side by side. What follows when one of them ends is decided in
//! `domain/run/step_group.rs`; here it is done. The outcome of a step is stored when it is there, whatever the others do.

use std::sync::Arc;

use jiff::Timestamp;
use quire_domain::{
    Event, EventType, Failure, GroupState, InterpretationId, RunChange, StepAttempt, StepGroup,
};
use quire_ports::{Clock, FirstVersion, StepOutput};
use tokio::runtime::Handle;
use tokio::task::{Id, JoinSet};

use super::execute::{Execution, StartedAttempt, artifact};
use super::persist::StepResults;
use crate::steps::StepErrorCode;

type StepOutcome = Result<StepOutput, Failure>;

/// What follows for a group after a write about it.
pub(super) enum GroupProgress {
    /// The group goes on.
    GoesOn,
    /// The group is done, and these attempts at the next group have begun.
    NextGroup(Vec<StartedAttempt>),
    /// The work is over: the run has ended, waits or is lost.
    Over,
}

/// A group of steps at work. Dropping it stops the steps.
pub(super) struct GroupWork {
    pub(super) group: StepGroup,
    tasks: JoinSet<StepOutcome>,
    /// The attempts that are running, each with its task.
    running: Vec<(Id, StartedAttempt)>,
    /// The attempts that found their lane busy. When another step of the group ends, its permit is free, and they are made
    /// again: the run keeps its slot for the others anyway.
    waiting_for_lane: Vec<StartedAttempt>,
}

impl GroupWork {
    fn new(attempts: &[StartedAttempt]) -> Self {
        let attempts: Vec<StepAttempt> = attempts.iter().map(|attempt| attempt.identity()).collect();
        Self {
            group: StepGroup::started(&attempts),
            tasks: JoinSet::new(),
            running: Vec::new(),
            waiting_for_lane: Vec::new(),
        }
    }

    pub(super) fn spawn(
        &mut self,
        attempt: StartedAttempt,
        task: impl Future<Output = StepOutcome> + Send + 'static,
        threads: &Handle,
    ) {
        let task = self.tasks.spawn_on(task, threads);
        self.running.push((task.id(), attempt));
    }

    /// The attempts that have begun and have not ended.
    pub(super) fn running(&self) -> impl Iterator<Item = StartedAttempt> {
        self.running.iter().map(|(_, attempt)| *attempt).chain(self.waiting_for_lane.iter().copied())
    }

    /// Holds back an attempt that found its lane busy, if another step is running.
    fn let_wait_for_lane(&mut self, attempt: StartedAttempt) -> bool {
        let waits = !self.running.is_empty();
        self.waiting_for_lane.extend(waits.then_some(attempt));
        waits
    }

    /// Stops the steps.
    pub(super) fn abort(&mut self) {
        self.tasks.abort_all();
    }

    /// Waits for the end of an attempt. None if the pause before the next attempt at a step ends earlier.
    async fn next(&mut self, clock: &dyn Clock) -> Option<(StartedAttempt, StepOutcome)> {
        let due = self.group.next_due();
        tokio::select! {
            ended = next_ended(&mut self.tasks, &mut self.running) => Some(ended),
            () = sleep_until(clock, due) => None,
        }
    }
}

async fn next_ended(
    tasks: &mut JoinSet<StepOutcome>,
    running: &mut Vec<(Id, StartedAttempt)>,
) -> (StartedAttempt, StepOutcome) {
    while let Some(ended) = tasks.join_next_with_id().await {
        let (id, outcome) = match ended {
            Ok((id, outcome)) => (id, Some(outcome)),
            Err(panicked) => (panicked.id(), None),
        };
        if let Some(place) = running.iter().position(|(task, _)| *task == id) {
            let (_, attempt) = running.remove(place);
            return (attempt, outcome.unwrap_or_else(|| Err(panicked(attempt))));
        }
    }
    std::future::pending().await
}

fn panicked(attempt: StartedAttempt) -> Failure {
    let message = format!("step {} stopped unexpectedly; please report this", attempt.step);
    Failure::transient(StepErrorCode::StepPanicked.as_str(), message)
}

async fn sleep_until(clock: &dyn Clock, at: Option<Timestamp>) {
    match at {
        Some(at) => clock.sleep(at.duration_since(clock.now()).try_into().unwrap_or_default()).await,
        None => std::future::pending().await,
    }
}

impl Execution<'_> {
    /// Executes the attempts of a group, whose start is recorded, and the further attempts at its steps. Returns the first
    /// attempts at the next group, whose start is recorded too. None if the run has ended, waits or is lost.
    pub(super) async fn run_group(&mut self, attempts: Vec<StartedAttempt>) -> Option<Vec<StartedAttempt>> {
        let mut work = GroupWork::new(&attempts);
        for attempt in attempts {
            self.begin(&mut work, attempt);
        }
        let clock = self.engine.store.clock.clone();
        loop {
            let progress = match self.unless_stopped(work.next(&*clock)).await {
                Ok(Some((attempt, Err(failure))))
                    if failure.is_waiting() && work.let_wait_for_lane(attempt) =>
                {
                    continue;
                }
                Ok(Some((attempt, Ok(output)))) => self.succeeded(&mut work, attempt, output).await,
                Ok(Some((attempt, Err(failure)))) => self.failed(&mut work, attempt, failure).await,
                Ok(None) => self.start_due(&mut work).await,
                Err(stop) => {
                    self.stop(&mut work, &stop).await;
                    GroupProgress::Over
                }
            };
            match progress {
                GroupProgress::GoesOn => {}
                GroupProgress::NextGroup(next) => return Some(next),
                GroupProgress::Over => {
                    let _ = self.cancel.send(true);
                    return None;
                }
            }
            for attempt in std::mem::take(&mut work.waiting_for_lane) {
                self.begin(&mut work, attempt);
            }
        }
    }

    async fn succeeded(
        &mut self,
        work: &mut GroupWork,
        attempt: StartedAttempt,
        output: StepOutput,
    ) -> GroupProgress {
        let now = self.engine.store.clock.now();
        let succeeded = self.step_ended(EventType::StepSucceeded, attempt, now, None);
        let artifacts = output.artifacts.into_iter();
        let results = StepResults {
            artifacts: artifacts.map(|(kind, payload)| artifact(kind, payload, now)).collect(),
            interpretation: output.interpretation.map(|data| FirstVersion {
                id: InterpretationId::new(),
                data,
                made_by: output.made_by,
                schema: output.schema,
            }),
            proposal: output.proposal.into_iter().collect(),
            summary: output.summary,
            text: output.text.map(Arc::new),
        };
        work.group.succeed(attempt.step);
        self.write(work, attempt, vec![succeeded], results).await
    }

    /// Records what has become of an attempt and, in the same write, what follows for the run: the start of the next group,
    /// a wait or the end.
    pub(super) async fn write(
        &mut self,
        work: &GroupWork,
        attempt: StartedAttempt,
        mut events: Vec<Event>,
        results: StepResults,
    ) -> GroupProgress {
        match work.group.state() {
            GroupState::Running => self.go_on(work, attempt, events, results).await,
            GroupState::Waiting(wait) if self.passes_in_slot(&wait) => {
                self.go_on(work, attempt, events, results).await
            }
            GroupState::Waiting(wait) => {
                self.send_to_wait(attempt, events, results, wait).await;
                GroupProgress::Over
            }
            GroupState::Failed { step, failure } => {
                let change = RunChange::Fail { step, failure, requeue: self.setup.policy.requeue };
                self.let_go(attempt, events, results, change).await;
                GroupProgress::Over
            }
            GroupState::Succeeded => {
                let now = self.engine.store.clock.now();
                let next = self.setup.plan.attempts_after(attempt.step).into_iter();
                let next: Vec<StartedAttempt> = next.map(|next| StartedAttempt::new(next, now)).collect();
                if next.is_empty() {
                    self.let_go(attempt, events, results, RunChange::Complete).await;
                    return GroupProgress::Over;
                }
                events.extend(next.iter().map(|next| self.step_started(*next)));
                let is_stored = self.persist_progress(work, attempt, events, results).await;
                if is_stored { GroupProgress::NextGroup(next) } else { GroupProgress::Over }
            }
        }
    }

    async fn go_on(
        &mut self,
        work: &GroupWork,
        attempt: StartedAttempt,
        events: Vec<Event>,
        results: StepResults,
    ) -> GroupProgress {
        if self.persist_progress(work, attempt, events, results).await {
            GroupProgress::GoesOn
        } else {
            GroupProgress::Over
        }
    }

    /// Makes the next attempts at steps whose pause is over.
    async fn start_due(&mut self, work: &mut GroupWork) -> GroupProgress {
        let now = self.engine.store.clock.now();
        let due: Vec<StartedAttempt> =
            work.group.start_due(now).into_iter().map(|attempt| StartedAttempt::new(attempt, now)).collect();
        let Some(first) = due.first() else { return GroupProgress::GoesOn };
        let events = due.iter().map(|attempt| self.step_started(*attempt)).collect();
        let progress = self.go_on(work, *first, events, StepResults::default()).await;
        if matches!(progress, GroupProgress::GoesOn) {
            for attempt in due {
                self.begin(work, attempt);
            }
        }
        progress
    }
}
