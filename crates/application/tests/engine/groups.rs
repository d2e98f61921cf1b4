//! Steps that run side by side: the five reviews of a proposal.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use jiff::SignedDuration;
use quire_application::engine::{Engine, EngineSettings, PipelineSetup};
use quire_application::lanes::{LaneLimits, LanePermits};
use quire_domain::StepStatus::{Failed, Succeeded};
use quire_domain::{
    EventType, Failure, LaneName, Pipeline, Priority, RequeuePolicy, RetryPolicy, RunId, StepName,
    StepStatus, SubjectId,
};
use quire_ports::{Breakpoint, Step, StepContext, StepOutput};
use quire_testkit::fixture::new_run;
use quire_testkit::steps;
use tokio::sync::{Barrier, Semaphore};

use crate::fixture::{EngineFixture, fail_policy, plan_of};

crate::on_each_store! {
    the_steps_of_a_group_run_side_by_side_and_are_recorded_in_order,
    a_step_that_gives_up_fails_the_run_when_the_others_have_stored_their_results,
    only_the_steps_that_failed_are_tried_again,
    a_step_is_tried_again_while_the_others_work,
    five_reviews_in_a_lane_of_four_keep_their_slot_and_burn_nothing,
    a_run_that_times_out_in_a_group_interrupts_all_its_steps,
}

const CRITIC: StepName = StepName::ReviewCritic;
const SECURITY: StepName = StepName::ReviewSecurity;

/// The steps of the group, in order.
fn reviews() -> &'static [StepName] {
    &Pipeline::Proposal.steps()[1..6]
}

/// A failed proposal may be retried at once.
fn policy() -> RetryPolicy {
    let requeue = RequeuePolicy::Manual { max_retries: 5, base_delay: SignedDuration::ZERO };
    RetryPolicy { requeue, ..fail_policy() }
}

type Count = Arc<AtomicUsize>;

/// The executions of steps, in the order in which they began.
type Calls = Arc<Mutex<Vec<(StepName, u32)>>>;

/// A step that notes its executions. Each makes an artifact with the name of its step.
fn noted_step<F, R>(work: F) -> (Arc<dyn Step>, Calls)
where
    F: Fn(StepContext) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Result<(), Failure>> + Send + 'static,
{
    let calls = Calls::default();
    let noted = calls.clone();
    let step = steps::step(move |context: StepContext| {
        noted.lock().unwrap().push((context.step, context.attempt));
        let (name, done) = (context.step, work(context));
        async move { done.await.map(|()| steps::artifact("ANSWER", name.as_str())) }
    });
    (step, calls)
}

fn times(calls: &Calls, step: StepName) -> usize {
    calls.lock().unwrap().iter().filter(|(called, _)| *called == step).count()
}

fn proposals(limit: Option<SignedDuration>, work: &Arc<dyn Step>) -> Vec<PipelineSetup> {
    let mut plan = plan_of(Pipeline::Proposal);
    plan.limit = limit.unwrap_or(SignedDuration::from_hours(1000));
    vec![PipelineSetup { steps: steps::for_every_step(&plan, work), plan, policy: policy() }]
}

async fn start(fixture: &EngineFixture, work: &Arc<dyn Step>) -> (Engine, RunId) {
    let new = new_run(Pipeline::Proposal, SubjectId::new(), Priority::Normal);
    fixture.store.queue.enqueue(&new, fixture.store.clock.now()).await.unwrap();
    let settings = EngineSettings { slots: 1, ..EngineFixture::settings() };
    (fixture.start_engine_with(settings, proposals(None, work)).await, new.id)
}

async fn statuses(fixture: &EngineFixture, run: RunId) -> Vec<StepStatus> {
    let steps = fixture.store.run_reader.steps(run).await.unwrap();
    let names: Vec<_> = steps.iter().map(|step| step.step).collect();
    assert_eq!(names, Pipeline::Proposal.steps()[..names.len()], "always in order");
    steps.into_iter().map(|step| step.status).collect()
}

/// Each review waits for the other four. The worker has one slot.
async fn the_steps_of_a_group_run_side_by_side_and_are_recorded_in_order(fixture: EngineFixture) {
    let barrier = Arc::new(Barrier::new(5));
    let (work, calls) = noted_step(move |context| {
        let barrier = barrier.clone();
        async move {
            if reviews().contains(&context.step) {
                barrier.wait().await;
            }
            Ok(())
        }
    });
    let (engine, run) = start(&fixture, &work).await;
    fixture.wait_for_state(run, "COMPLETED").await;
    assert_eq!(statuses(&fixture, run).await, [Succeeded; 7]);
    assert_eq!(calls.lock().unwrap().len(), 7);
    let events = fixture.events(run).await;
    let started = events.iter().filter(|event| event.event_type == EventType::StepStarted);
    let started: Vec<_> = started.map(|event| event.step.unwrap()).collect();
    assert_eq!(started, Pipeline::Proposal.steps());
    let last = events.iter().rposition(|event| event.step.is_some_and(|step| reviews().contains(&step)));
    let first = events.iter().position(|event| event.step == Some(StepName::AggregateDecision));
    assert!(last < first, "the next group begins after the last of them");
    assert_eq!(fixture.store.run_reader.artifacts(run).await.unwrap().len(), 7);
    engine.stop().await;
}

/// The security guardian fails at once, the others end afterwards; a retry asks nobody else.
async fn a_step_that_gives_up_fails_the_run_when_the_others_have_stored_their_results(
    fixture: EngineFixture,
) {
    let gate = Arc::new(Semaphore::new(0));
    let healthy = Arc::new(AtomicBool::new(false));
    let (permits, is_healthy) = (gate.clone(), healthy.clone());
    let (work, calls) = noted_step(move |context| {
        let (permits, is_healthy) = (permits.clone(), is_healthy.clone());
        async move {
            if is_healthy.load(Ordering::SeqCst) || context.step == StepName::Expand {
                return Ok(());
            }
            if context.step == SECURITY {
                return Err(Failure::permanent("BROKEN", "it is broken"));
            }
            permits.acquire().await.unwrap().forget();
            if context.step == CRITIC { Err(Failure::transient("FLAKY", "try again")) } else { Ok(()) }
        }
    });
    let (engine, run) = start(&fixture, &work).await;
    let has_failed = || async { fixture.event_types(run).await.contains(&EventType::StepFailed) };
    fixture.observer.wait_until(has_failed).await;
    assert_eq!(fixture.state(run).await, "RUNNING", "the others go on");
    gate.add_permits(4);
    fixture.wait_for_state(run, "FAILED").await;
    let failed = fixture.run(run).await;
    let reason = failed.state.reason().unwrap();
    assert_eq!((reason.record.error_code.as_str(), reason.record.stage), ("BROKEN", Some(SECURITY)));
    let expected = [Succeeded, Succeeded, Failed, Succeeded, Failed, Succeeded];
    assert_eq!(statuses(&fixture, run).await, expected);
    assert_eq!(times(&calls, CRITIC), 1, "no attempt is repeated for a run that fails");

    healthy.store(true, Ordering::SeqCst);
    fixture.store.queue.retry(run, policy().requeue, "alma", fixture.store.clock.now()).await.unwrap();
    fixture.wait_for_state(run, "COMPLETED").await;
    let again = calls.lock().unwrap()[6..].to_vec();
    let mut again: Vec<_> = again.into_iter().map(|(step, attempt)| (step.order(), attempt)).collect();
    again.sort_unstable();
    assert_eq!(again, [(2, 1), (4, 1), (6, 1)], "each unfinished step, and no other");
    engine.stop().await;
}

/// Two reviews fail once. The run waits for both without a slot.
async fn only_the_steps_that_failed_are_tried_again(fixture: EngineFixture) {
    let (work, calls) = noted_step(|context| async move {
        let is_flaky = [CRITIC, SECURITY].contains(&context.step) && context.attempt == 1;
        if is_flaky { Err(Failure::transient("FLAKY", "try again")) } else { Ok(()) }
    });
    let (engine, run) = start(&fixture, &work).await;
    fixture.breakpoints.wait_for(Breakpoint::AfterWait, 1).await;
    let waiting = fixture.run(run).await;
    assert_eq!((waiting.state.as_str(), waiting.failed_attempts), ("QUEUED", 0));
    fixture.wait_for_state_advancing(run, "COMPLETED").await;
    for (step, expected) in Pipeline::Proposal.steps().iter().zip([1, 1, 2, 1, 2, 1, 1]) {
        assert_eq!(times(&calls, *step), expected, "{step}");
    }
    assert!(calls.lock().unwrap().contains(&(CRITIC, 2)));
    assert_eq!(fixture.store.run_reader.artifacts(run).await.unwrap().len(), 7);
    engine.stop().await;
}

/// The others hold the slot anyway, so the run does not leave it for the pause.
async fn a_step_is_tried_again_while_the_others_work(fixture: EngineFixture) {
    let gate = Arc::new(Semaphore::new(0));
    let permits = gate.clone();
    let (work, calls) = noted_step(move |context| {
        let permits = permits.clone();
        async move {
            if context.step == CRITIC && context.attempt == 1 {
                return Err(Failure::transient("FLAKY", "try again"));
            }
            if reviews().contains(&context.step) && context.step != CRITIC {
                permits.acquire().await.unwrap().forget();
            }
            Ok(())
        }
    });
    let (engine, run) = start(&fixture, &work).await;
    fixture.wait_until_advancing(|| async { times(&calls, CRITIC) == 2 }).await;
    gate.add_permits(4);
    fixture.wait_for_state(run, "COMPLETED").await;
    let events = fixture.event_types(run).await;
    assert!(!events.contains(&EventType::RunRequeued), "{events:?}");
    assert_eq!(calls.lock().unwrap().len(), 8);
    engine.stop().await;
}

/// Proves E72: the fifth review finds the lane full. The run holds its slot for the other four anyway, so the fifth begins when
/// one of them ends, and nothing is sent back to the queue.
async fn five_reviews_in_a_lane_of_four_keep_their_slot_and_burn_nothing(fixture: EngineFixture) {
    let limits = LaneLimits { per_process: 4, per_installation: None, ocr: 4 };
    let fixture = EngineFixture { lanes: LanePermits::new(&fixture.store, limits), ..fixture };
    let lane = LaneName::model("test").unwrap();
    let gate = Arc::new(Semaphore::new(0));
    let (running, most, refused) = (Count::default(), Count::default(), Count::default());
    let (lanes, permits) = (fixture.lanes.clone(), gate.clone());
    let (now, peak, busy) = (running.clone(), most.clone(), refused.clone());
    let (work, calls) = noted_step(move |context| {
        let (lanes, permits, lane) = (lanes.clone(), permits.clone(), lane.clone());
        let (now, peak, busy) = (now.clone(), peak.clone(), busy.clone());
        async move {
            if !reviews().contains(&context.step) {
                return Ok(());
            }
            let permit = lanes.acquire(&lane).await;
            busy.fetch_add(usize::from(permit.is_err()), Ordering::SeqCst);
            let _permit = permit?;
            peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            permits.acquire().await.unwrap().forget();
            now.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
    });
    let (engine, run) = start(&fixture, &work).await;
    while refused.load(Ordering::SeqCst) == 0 || running.load(Ordering::SeqCst) < 4 {
        tokio::task::yield_now().await;
    }
    assert_eq!(fixture.state(run).await, "RUNNING");
    // Once the end of a review is stored, the engine knows that the fifth is held back.
    gate.add_permits(1);
    let succeeded = async |count| {
        let types = fixture.event_types(run).await;
        types.iter().filter(|kind| **kind == EventType::StepSucceeded).count() == count
    };
    fixture.observer.wait_until(|| succeeded(2)).await;
    gate.add_permits(4);
    fixture.wait_for_state(run, "COMPLETED").await;
    assert_eq!(most.load(Ordering::SeqCst), 4, "never five at once");
    assert_eq!(calls.lock().unwrap().len(), 8, "only the fifth was begun twice");
    let events = fixture.event_types(run).await;
    for wait in [EventType::RunRequeued, EventType::StepPostponed, EventType::StepFailed] {
        assert!(!events.contains(&wait), "{events:?}");
    }
    assert!(calls.lock().unwrap().iter().all(|(_, attempt)| *attempt == 1));
    assert_eq!(fixture.store.run_reader.artifacts(run).await.unwrap().len(), 7);
    engine.stop().await;
}

/// Proves R154 for the engine.
async fn a_run_that_times_out_in_a_group_interrupts_all_its_steps(fixture: EngineFixture) {
    let work = steps::step(|context: StepContext| async move {
        match context.step {
            StepName::Expand | CRITIC => Ok(StepOutput::default()),
            _ => std::future::pending().await,
        }
    });
    let new = new_run(Pipeline::Proposal, SubjectId::new(), Priority::Normal);
    fixture.store.queue.enqueue(&new, fixture.store.clock.now()).await.unwrap();
    let limit = Some(SignedDuration::from_secs(120));
    let engine = fixture.start_engine(proposals(limit, &work)).await;
    fixture.wait_for_state_advancing(new.id, "TIMED_OUT").await;
    let expected = [Succeeded, Failed, Succeeded, Failed, Failed, Failed];
    assert_eq!(statuses(&fixture, new.id).await, expected);
    let events = fixture.events(new.id).await;
    let interrupted = events.iter().filter(|event| event.event_type == EventType::StepFailed);
    let interrupted: Vec<_> = interrupted.map(|event| event.step.unwrap().order()).collect();
    assert_eq!(interrupted, [1, 3, 4, 5], "in order");
    assert_eq!(events.last().unwrap().event_type, EventType::RunTimedOut);
    engine.stop().await;
}
