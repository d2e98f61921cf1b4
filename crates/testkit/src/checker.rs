//! Judges a history. It reads only what is stored, events and tables, and says what in it must never be.
//!
//! The drills kill, stop and restart things at random and then ask this checker. It is itself tested with one
//! planted violation of each kind, because a checker that has never failed proves nothing.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;

use quire_domain::{
    Event, EventId, EventType, Fence, Pipeline, RecordedEvent, Run, RunId, StepName, StepStatus, SubjectId,
};
use quire_ports::{EventFilter, PortResult, RunFilter, StepProgress, Store};

/// What was found, and how much was looked at.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// Runs looked at.
    pub runs: usize,
    /// Events looked at.
    pub events: usize,
    /// Runs in each state.
    pub states: BTreeMap<&'static str, usize>,
    /// Attempts that ended with the run back in the queue.
    pub requeued: usize,
    /// Late writes that were refused.
    pub refused: usize,
    /// Attempts in all.
    pub attempts: usize,
    /// What must never be.
    pub violations: Vec<Violation>,
}

/// Something that must never be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// A run that was acknowledged is not there.
    RunLost(RunId),
    /// A run has not ended.
    NotEnded(RunId, &'static str),
    /// A run ended more than once, or not at all although it says so.
    EndedTimes(RunId, usize),
    /// A run's row and its history disagree about its end.
    EndDiffers(RunId, &'static str),
    /// Two runs of a subject were RUNNING at once.
    TwoRunning(SubjectId, RunId, RunId),
    /// An attempt started while another of the same run was open.
    StartedTwice(RunId),
    /// Something was recorded under a token that no longer held.
    StaleFence(RunId, EventType),
    /// A step succeeded in one attempt at the run and was done again in a later one.
    StepRepeated(RunId, StepName),
    /// A run completed without all its steps having succeeded.
    StepsMissing(RunId),
    /// The projection of a step differs from its last event.
    ProjectionDiffers(RunId, StepName),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// Everything the checker looks at.
#[derive(Debug, Clone, Default)]
pub struct StoredHistory {
    /// Runs that somebody was told are accepted.
    pub accepted: Vec<RunId>,
    /// Every run.
    pub runs: Vec<Run>,
    /// Every event, in order.
    pub events: Vec<RecordedEvent>,
    /// The projection, by run.
    pub steps: HashMap<RunId, Vec<StepProgress>>,
    /// The steps that a completed run must have had.
    pub plan: HashMap<Pipeline, Vec<StepName>>,
}

impl StoredHistory {
    /// Reads everything from a store.
    pub async fn load(
        store: &Store,
        accepted: Vec<RunId>,
        plan: HashMap<Pipeline, Vec<StepName>>,
    ) -> PortResult<Self> {
        let mut evidence = Self { accepted, plan, ..Self::default() };
        let mut filter = RunFilter { limit: 1000, ..RunFilter::default() };
        loop {
            let page = store.history.runs(&filter).await?;
            let Some(last) = page.last() else { break };
            filter.before = Some(last.id);
            evidence.runs.extend(page);
        }
        let mut after = EventId(0);
        loop {
            let page = store.history.events(after, EventFilter::default(), 5000).await?;
            let Some(last) = page.last() else { break };
            after = last.id;
            evidence.events.extend(page);
        }
        for run in &evidence.runs {
            evidence.steps.insert(run.id, store.history.steps(run.id).await?);
        }
        Ok(evidence)
    }

    /// The verdict.
    pub fn check(&self) -> CheckReport {
        let mut checked =
            CheckReport { runs: self.runs.len(), events: self.events.len(), ..CheckReport::default() };
        for run in &self.runs {
            *checked.states.entry(run.state.as_str()).or_default() += 1;
        }
        self.check_accepted(&mut checked);
        let mut by_run: HashMap<RunId, Vec<&Event>> = HashMap::new();
        for recorded in &self.events {
            if let Some(run) = recorded.event.run {
                by_run.entry(run).or_default().push(&recorded.event);
            }
        }
        for run in &self.runs {
            self.check_run(run, by_run.get(&run.id).map_or(&[][..], Vec::as_slice), &mut checked);
        }
        self.check_exclusion(&mut checked);
        checked
    }

    fn check_accepted(&self, checked: &mut CheckReport) {
        let present: HashSet<RunId> = self.runs.iter().map(|run| run.id).collect();
        let lost = self.accepted.iter().filter(|id| !present.contains(id));
        checked.violations.extend(lost.map(|id| Violation::RunLost(*id)));
    }

    fn check_run(&self, run: &Run, events: &[&Event], checked: &mut CheckReport) {
        let mut violations = Vec::new();
        let mut holder: Option<Fence> = None;
        let mut end: Option<EventType> = None;
        let mut ends = 0;
        let mut done: HashSet<StepName> = HashSet::new();
        for event in events {
            match event.event_type {
                EventType::RunStarted => {
                    checked.attempts += 1;
                    if holder.is_some() {
                        violations.push(Violation::StartedTwice(run.id));
                    }
                    holder = event.fence;
                }
                EventType::RunRetried => (ends, end) = (0, None),
                EventType::LateWriteRefused => checked.refused += 1,
                kind if kind.ends_attempt() => {
                    if kind != EventType::RunWithdrawn && (holder.is_none() || event.fence != holder) {
                        violations.push(Violation::StaleFence(run.id, kind));
                    }
                    holder = None;
                    if kind.ends_run() {
                        (ends, end) = (ends + 1, Some(kind));
                    } else {
                        checked.requeued += 1;
                    }
                }
                kind if kind.step_status().is_some() => {
                    if holder.is_none() || event.fence != holder {
                        violations.push(Violation::StaleFence(run.id, kind));
                    }
                    let Some(step) = event.step else { continue };
                    if kind == EventType::StepStarted && done.contains(&step) {
                        violations.push(Violation::StepRepeated(run.id, step));
                    }
                    if kind == EventType::StepSucceeded {
                        done.insert(step);
                    }
                }
                _ => {}
            }
        }
        if run.state.is_terminal() {
            if ends != 1 {
                violations.push(Violation::EndedTimes(run.id, ends));
            } else if end.is_some_and(|kind| state_after(kind) != run.state.as_str()) {
                violations.push(Violation::EndDiffers(run.id, run.state.as_str()));
            }
        } else {
            violations.push(Violation::NotEnded(run.id, run.state.as_str()));
        }
        if run.state.as_str() == "COMPLETED"
            && self.plan.get(&run.pipeline).is_some_and(|plan| plan.iter().any(|step| !done.contains(step)))
        {
            violations.push(Violation::StepsMissing(run.id));
        }
        self.check_projection(run, events, &mut violations);
        checked.violations.append(&mut violations);
    }

    /// After the end, each step must stand as its last event left it, or wait to be done again in a run that was
    /// given up before that.
    fn check_projection(&self, run: &Run, events: &[&Event], violations: &mut Vec<Violation>) {
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
            let given_up = progress.status == StepStatus::Pending && run.state.as_str() != "COMPLETED";
            if !given_up && last.get(&progress.step) != Some(&progress.status) {
                violations.push(Violation::ProjectionDiffers(run.id, progress.step));
            }
        }
    }

    /// In the order of the history, a subject never has two open attempts.
    fn check_exclusion(&self, checked: &mut CheckReport) {
        let mut running: HashMap<(Option<Pipeline>, SubjectId), RunId> = HashMap::new();
        for recorded in &self.events {
            let event = &recorded.event;
            let (Some(subject), Some(run)) = (event.subject, event.run) else { continue };
            let key = (event.pipeline, subject);
            if event.event_type == EventType::RunStarted {
                if let Some(other) = running.insert(key, run)
                    && other != run
                {
                    checked.violations.push(Violation::TwoRunning(subject, other, run));
                }
            } else if event.event_type.ends_attempt() && running.get(&key) == Some(&run) {
                running.remove(&key);
            }
        }
    }
}

fn state_after(end: EventType) -> &'static str {
    match end {
        EventType::RunCompleted => "COMPLETED",
        EventType::RunTimedOut => "TIMED_OUT",
        _ => "FAILED",
    }
}

#[cfg(test)]
#[path = "checker_tests.rs"]
mod tests;
