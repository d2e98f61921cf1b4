//! Checks a stored history for violations of the engine's guarantees. It reads only events and tables.
//!
//! The drills kill, stop and restart processes at random and then run this checker. The tests of the checker plant one
//! violation of each kind, because a checker that has never failed proves nothing.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use quire_domain::{
    Event, EventId, EventType, Fence, Pipeline, RecordedEvent, Run, RunId, StepName, StepStatus, SubjectId,
};
use quire_ports::{EventFilter, PortResult, RunFilter, StepProgress, Store};

/// The result of a check.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// Runs checked.
    pub runs: usize,
    /// Events checked.
    pub events: usize,
    /// Runs in each state.
    pub states: BTreeMap<&'static str, usize>,
    /// Claims that ended with the run back in the queue, also to wait.
    pub requeued: usize,
    /// Late writes that were refused.
    pub refused: usize,
    /// All claims.
    pub claims: usize,
    /// Broken guarantees.
    pub violations: Vec<Violation>,
}

/// A broken guarantee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// An accepted run is missing.
    RunLost(RunId),
    /// A run has not ended.
    NotEnded(RunId, &'static str),
    /// A run with a terminal state did not end exactly once.
    EndedTimes(RunId, usize),
    /// The row of a run and its history differ about its end.
    EndDiffers(RunId, &'static str),
    /// Two runs of a subject were RUNNING at once.
    TwoRunning(SubjectId, RunId, RunId),
    /// An attempt started while another of the same run was open.
    StartedTwice(RunId),
    /// An event was recorded under a fence that was no longer valid.
    StaleFence(RunId, EventType),
    /// A step was started again after it had succeeded.
    StepRepeated(RunId, StepName),
    /// A run completed although not all its steps had succeeded.
    StepsMissing(RunId),
    /// The stored progress of a step differs from its last event.
    ProgressDiffers(RunId, StepName),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// Everything that the checker reads.
#[derive(Debug, Clone, Default)]
pub struct StoredHistory {
    /// Runs that a client was told are accepted.
    pub accepted: Vec<RunId>,
    /// Every run.
    pub runs: Vec<Run>,
    /// Every event, in order.
    pub events: Vec<RecordedEvent>,
    /// The progress of the steps, by run.
    pub steps: HashMap<RunId, Vec<StepProgress>>,
    /// The steps that a completed run must have.
    pub plan: HashMap<Pipeline, Vec<StepName>>,
}

impl StoredHistory {
    /// Reads everything from a store.
    pub async fn load(
        store: &Store,
        accepted: Vec<RunId>,
        plan: HashMap<Pipeline, Vec<StepName>>,
    ) -> PortResult<Self> {
        let mut history = Self { accepted, plan, ..Self::default() };
        let mut filter = RunFilter { limit: 1000, ..RunFilter::default() };
        loop {
            let page = store.run_reader.runs(&filter).await?;
            let Some(last) = page.last() else { break };
            filter.before = Some(last.id);
            history.runs.extend(page);
        }
        let mut after = EventId(0);
        loop {
            let page = store.run_reader.events(after, EventFilter::default(), 5000).await?;
            let Some(last) = page.last() else { break };
            after = last.id;
            history.events.extend(page);
        }
        for run in &history.runs {
            history.steps.insert(run.id, store.run_reader.steps(run.id).await?);
        }
        Ok(history)
    }

    /// Checks everything.
    pub fn check(&self) -> CheckReport {
        let mut report =
            CheckReport { runs: self.runs.len(), events: self.events.len(), ..CheckReport::default() };
        for run in &self.runs {
            *report.states.entry(run.state.as_str()).or_default() += 1;
        }
        self.check_accepted(&mut report);
        let mut by_run: HashMap<RunId, Vec<&Event>> = HashMap::new();
        for recorded in &self.events {
            if let Some(run) = recorded.event.run {
                by_run.entry(run).or_default().push(&recorded.event);
            }
        }
        for run in &self.runs {
            self.check_run(run, by_run.get(&run.id).map_or(&[][..], Vec::as_slice), &mut report);
        }
        self.check_exclusion(&mut report);
        report
    }

    fn check_accepted(&self, report: &mut CheckReport) {
        let present: HashSet<RunId> = self.runs.iter().map(|run| run.id).collect();
        let lost = self.accepted.iter().filter(|id| !present.contains(id));
        report.violations.extend(lost.map(|id| Violation::RunLost(*id)));
    }

    fn check_run(&self, run: &Run, events: &[&Event], report: &mut CheckReport) {
        let mut violations = Vec::new();
        let mut open_fence: Option<Fence> = None;
        let mut end: Option<EventType> = None;
        let mut ends = 0;
        let mut succeeded: HashSet<StepName> = HashSet::new();
        for event in events {
            match event.event_type {
                EventType::RunStarted => {
                    report.claims += 1;
                    if open_fence.is_some() {
                        violations.push(Violation::StartedTwice(run.id));
                    }
                    open_fence = event.fence;
                }
                EventType::RunRetried => (ends, end) = (0, None),
                EventType::LateWriteRefused => report.refused += 1,
                kind if kind.ends_claim() => {
                    if kind != EventType::RunWithdrawn && (open_fence.is_none() || event.fence != open_fence)
                    {
                        violations.push(Violation::StaleFence(run.id, kind));
                    }
                    open_fence = None;
                    if kind.ends_run() {
                        (ends, end) = (ends + 1, Some(kind));
                    } else {
                        report.requeued += 1;
                    }
                }
                kind if kind.step_status().is_some() => {
                    if open_fence.is_none() || event.fence != open_fence {
                        violations.push(Violation::StaleFence(run.id, kind));
                    }
                    let Some(step) = event.step else { continue };
                    if kind == EventType::StepStarted && succeeded.contains(&step) {
                        violations.push(Violation::StepRepeated(run.id, step));
                    }
                    if kind == EventType::StepSucceeded {
                        succeeded.insert(step);
                    }
                }
                _ => {}
            }
        }
        if run.state.is_terminal() {
            if ends != 1 {
                violations.push(Violation::EndedTimes(run.id, ends));
            } else if end.is_some_and(|kind| kind.run_state() != Some(run.state.name())) {
                violations.push(Violation::EndDiffers(run.id, run.state.as_str()));
            }
        } else {
            violations.push(Violation::NotEnded(run.id, run.state.as_str()));
        }
        if run.state.as_str() == "COMPLETED"
            && self
                .plan
                .get(&run.pipeline)
                .is_some_and(|plan| plan.iter().any(|step| !succeeded.contains(step)))
        {
            violations.push(Violation::StepsMissing(run.id));
        }
        self.check_progress(run, events, &mut violations);
        report.violations.append(&mut violations);
    }

    /// After the end of a run, the progress of each step must equal its last event. A step may be PENDING if the run did
    /// not complete: it was reopened and never started again.
    fn check_progress(&self, run: &Run, events: &[&Event], violations: &mut Vec<Violation>) {
        if !run.state.is_terminal() {
            return;
        }
        let mut last = HashMap::new();
        for event in events {
            if let (Some(step), Some(status)) = (event.step, event.event_type.step_status()) {
                last.insert(step, status);
            }
        }
        for progress in self.steps.get(&run.id).map_or(&[][..], Vec::as_slice) {
            let never_restarted = progress.status == StepStatus::Pending && run.state.as_str() != "COMPLETED";
            if !never_restarted && last.get(&progress.step) != Some(&progress.status) {
                violations.push(Violation::ProgressDiffers(run.id, progress.step));
            }
        }
    }

    /// A subject never has two open claims at the same time.
    fn check_exclusion(&self, report: &mut CheckReport) {
        let mut running: HashMap<(Option<Pipeline>, SubjectId), RunId> = HashMap::new();
        for recorded in &self.events {
            let event = &recorded.event;
            let (Some(subject), Some(run)) = (event.subject, event.run) else { continue };
            let key = (event.pipeline, subject);
            if event.event_type == EventType::RunStarted {
                if let Some(other) = running.insert(key, run)
                    && other != run
                {
                    report.violations.push(Violation::TwoRunning(subject, other, run));
                }
            } else if event.event_type.ends_claim() && running.get(&key) == Some(&run) {
                running.remove(&key);
            }
        }
    }
}

#[cfg(test)]
#[path = "checker_tests.rs"]
mod tests;
