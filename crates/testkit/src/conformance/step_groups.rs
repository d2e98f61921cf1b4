//! Steps that run side by side: the five reviews of a proposal.

use jiff::{SignedDuration, Timestamp};
use quire_domain::StepStatus::{Running, Succeeded};
use quire_domain::{
    Event, EventType, Orphaned, Pipeline, Priority, RecoveryPolicy, Run, RunChange, StepAttempt, StepName,
    SubjectId, Wait,
};
use quire_ports::{EventFilter, RunWrite, RunWriteOutcome};

use super::writes::{step_write, transition_write};
use crate::fixture::{StoreFixture, at, new_run};

/// The steps of the group, in order.
fn reviews() -> &'static [StepName] {
    &Pipeline::Proposal.steps()[1..6]
}

/// Claims a proposal run and records that it is expanded and that its reviews have started.
async fn claim_and_start_reviews(fixture: &StoreFixture) -> Run {
    let new = new_run(Pipeline::Proposal, SubjectId::new(), Priority::Normal);
    fixture.store.queue.enqueue(&new, at(0)).await.unwrap();
    let worker = fixture.worker(at(0)).await;
    let run = fixture.claim_one(worker, at(1)).await.run;
    let mut write = step_write(&run, &[EventType::StepSucceeded], StepName::Expand, at(2));
    for review in reviews() {
        write.events.extend(step_write(&run, &[EventType::StepStarted], *review, at(2)).events);
    }
    fixture.write(write).await;
    run
}

/// A write about one review.
fn review_write(run: &Run, kind: EventType, review: usize, when: Timestamp) -> RunWrite {
    step_write(run, &[kind], reviews()[review], when)
}

/// Proves R142 for steps that end in another order than they began.
pub async fn a_crash_in_a_group_keeps_its_successes_and_each_other_step_goes_on(fixture: &StoreFixture) {
    let run = claim_and_start_reviews(fixture).await;
    for review in [3, 0] {
        fixture.write(review_write(&run, EventType::StepSucceeded, review, at(3))).await;
    }
    let recovery = RecoveryPolicy::Requeue { max_claims: 3 };
    let orphaned = RunChange::Recover { recovery, orphaned: Orphaned::Alone };
    fixture.change_run(run.id, orphaned, at(4)).await;

    let events = fixture.events_of(EventFilter { run: Some(run.id), subject: None }).await;
    let interrupted = |event: &Event| event.event_type == EventType::StepFailed;
    let interrupted = events.iter().map(|recorded| &recorded.event).filter(|event| interrupted(event));
    let interrupted: Vec<_> = interrupted.map(|event| event.step.unwrap()).collect();
    assert_eq!(interrupted, [1, 2, 4].map(|review| reviews()[review]), "each ends, in order");

    let worker = fixture.worker(at(5)).await;
    let again = fixture.claim_one(worker, at(6)).await;
    assert_eq!(again.started_steps, [1, 2, 4].map(|review| StepAttempt::first(reviews()[review])));
    let steps = fixture.steps(run.id).await;
    assert_eq!(steps.iter().map(|step| step.step).collect::<Vec<_>>(), Pipeline::Proposal.steps()[..6]);
    let statuses: Vec<_> = steps.iter().map(|step| step.status).collect();
    assert_eq!(statuses, [Succeeded, Succeeded, Running, Running, Succeeded, Running]);
    let late = review_write(&run, EventType::StepSucceeded, 1, at(7));
    assert_eq!(fixture.store.queue.write(late).await.unwrap(), RunWriteOutcome::Refused);
}

/// Each step of a group counts its own attempts.
pub async fn the_steps_of_a_group_go_on_with_their_own_attempts_after_a_wait(fixture: &StoreFixture) {
    let run = claim_and_start_reviews(fixture).await;
    for review in [0, 2, 4] {
        fixture.write(review_write(&run, EventType::StepSucceeded, review, at(3))).await;
    }
    fixture.write(review_write(&run, EventType::StepPostponed, 3, at(4))).await;
    let wait = Wait {
        until: at(10),
        next: StepAttempt { step: reviews()[1], number: 2 },
        lane: None,
        failure: None,
        time_used: SignedDuration::from_secs(4),
    };
    let end = transition_write(&run, RunChange::Wait(wait), at(5)).transition;
    let failed = review_write(&run, EventType::StepFailed, 1, at(5));
    fixture.write(RunWrite { transition: end, ..failed }).await;
    fixture.store.queue.release_due(at(10), 10).await.unwrap();
    let worker = fixture.worker(at(10)).await;
    let again = fixture.claim_one(worker, at(10)).await;
    let next = [StepAttempt { step: reviews()[1], number: 2 }, StepAttempt::first(reviews()[3])];
    assert_eq!(again.started_steps, next);
}
