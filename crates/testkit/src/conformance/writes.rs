//! The writes that cases make in place of an engine.

use jiff::Timestamp;
use quire_domain::run::apply;
use quire_domain::{ArtifactId, Event, EventType, Run, RunChange, RunId, StepName};
use quire_ports::{Artifact, RunWrite, RunWriteOutcome};

use crate::fixture::{StoreFixture, at};

/// A write about one step of a run.
pub(super) fn step_write(run: &Run, kinds: &[EventType], step: StepName, when: Timestamp) -> RunWrite {
    let events = kinds.iter().map(|kind| Event {
        step: Some(step),
        attempt: Some(1),
        started_at: (*kind != EventType::StepStarted).then_some(at(1)),
        ..Event::of_run(*kind, run, when)
    });
    RunWrite { events: events.collect(), ..empty_write(run, when) }
}

/// A write that ends a run.
pub(super) fn transition_write(run: &Run, change: RunChange, when: Timestamp) -> RunWrite {
    RunWrite { transition: Some(apply(run, change, when).unwrap()), ..empty_write(run, when) }
}

fn empty_write(run: &Run, when: Timestamp) -> RunWrite {
    RunWrite {
        run: run.clone(),
        at: when,
        events: Vec::new(),
        artifacts: Vec::new(),
        interpretation: None,
        proposal: Vec::new(),
        summary: None,
        text: None,
        transition: None,
        repeated: false,
    }
}

/// The artifact of a step that has read the text of a document.
pub(super) fn raw_text() -> Artifact {
    Artifact {
        id: ArtifactId::new(),
        artifact_type: "RAW_TEXT".to_owned(),
        payload: "{\"file\":\"raw-text.txt\"}".to_owned(),
        created_at: at(3),
    }
}

impl StoreFixture {
    /// Makes a write that the store must accept. Returns the events that the store added.
    pub(super) async fn write(&self, write: RunWrite) -> Vec<Event> {
        match self.store.queue.write(write).await.unwrap() {
            RunWriteOutcome::Accepted(added) => added,
            RunWriteOutcome::Refused => panic!("the write was refused"),
        }
    }

    /// Ends a running run in the name of its owner. Returns the events that the store added.
    pub(super) async fn change_run(&self, run: RunId, change: RunChange, when: Timestamp) -> Vec<Event> {
        let run = self.run(run).await;
        self.write(transition_write(&run, change, when)).await
    }

    /// Completes a running run, 6 seconds after the start of the test.
    pub async fn complete_run(&self, run: RunId) {
        self.change_run(run, RunChange::Complete, at(6)).await;
    }
}
