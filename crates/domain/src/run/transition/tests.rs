//! The state machine under generated sequences of changes, and by example where a requirement states a number.

use proptest::prelude::*;

use super::*;
use crate::event::EventType;
use crate::ids::SubjectId;
use crate::pipeline::Pipeline;
use crate::plan::StepAttempt;
use crate::run::{Backoff, Continuation, Priority, RetryPolicy};

fn new_run(pipeline: Pipeline) -> NewRun {
    NewRun {
        id: RunId::new(),
        pipeline,
        subject: SubjectId::new(),
        priority: Priority::Normal,
        correlation_id: Some("req-1".to_owned()),
        requested_by: None,
        extractor: None,
        continues: None,
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

const MINUTE: SignedDuration = SignedDuration::from_mins(1);
const MANUAL: RequeuePolicy = RequeuePolicy::Manual { max_retries: 5, base_delay: MINUTE };
const AUTO: RequeuePolicy = RequeuePolicy::Auto { max_claims: 3, base_delay: SignedDuration::from_secs(30) };

fn started(pipeline: Pipeline) -> Run {
    let (run, _) = create(&new_run(pipeline), at(0));
    apply(&run, start_change(), at(1)).unwrap().run
}

fn start_change() -> RunChange {
    RunChange::Start { worker: WorkerId::new(), limit: SignedDuration::from_secs(120) }
}

fn fail_change(pipeline: Pipeline, requeue: RequeuePolicy) -> RunChange {
    RunChange::Fail {
        step: pipeline.steps()[0],
        failure: Failure::transient("PROVIDER_DOWN", "the provider did not answer"),
        requeue,
    }
}

/// A wait until that second, after the worker held the run for `time_used` seconds.
fn wait_change(until: i64, time_used: i64) -> RunChange {
    RunChange::Wait(Wait {
        until: at(until),
        next: StepAttempt { step: StepName::Extraction, number: 2 },
        lane: None,
        failure: None,
        time_used: SignedDuration::from_secs(time_used),
    })
}

fn recorded(transition: &Transition) -> Vec<EventType> {
    transition
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Record(event) => Some(event.event_type),
            _ => None,
        })
        .collect()
}

/// Proves R132.
#[test]
fn a_run_is_created_queued_with_queued_at_and_no_retries() {
    let (run, event) = create(&new_run(Pipeline::Proposal), at(0));
    assert_eq!(run.state, RunState::Queued { available_at: None, lane: None });
    assert_eq!((run.queued_at, run.retry_count, run.failed_attempts), (at(0), 0, 0));
    assert_eq!(event.event_type, EventType::RunCreated);
}

/// Proves R133, R007.
#[test]
fn only_queued_runs_start_and_only_running_runs_end() {
    let (queued, _) = create(&new_run(Pipeline::Proposal), at(0));
    let running = started(Pipeline::Proposal);
    let ended = apply(&running, RunChange::Complete, at(2)).unwrap().run;
    for run in [&running, &ended] {
        assert!(matches!(apply(run, start_change(), at(3)), Err(TransitionRefused::NotQueued { .. })));
        assert!(matches!(apply(run, RunChange::Withdraw, at(3)), Err(TransitionRefused::NotQueued { .. })));
    }
    for run in [&queued, &ended] {
        for change in [
            RunChange::Complete,
            fail_change(Pipeline::Proposal, MANUAL),
            RunChange::TimeOut { continued_by: None },
            RunChange::Recover { recovery: RecoveryPolicy::Fail, orphaned: Orphaned::Alone },
            wait_change(9, 1),
            RunChange::HandBack,
        ] {
            assert!(matches!(apply(run, change, at(3)), Err(TransitionRefused::NotRunning { .. })));
        }
    }
}

/// Proves R135, R136.
#[test]
fn a_failed_proposal_is_retried_at_most_five_times_after_two_to_the_n_minutes() {
    let mut run = started(Pipeline::Proposal);
    for n in 1..=5 {
        run = apply(&run, fail_change(Pipeline::Proposal, MANUAL), at(10)).unwrap().run;
        assert_eq!(run.state.as_str(), "FAILED");
        let retried = apply(&run, RunChange::Retry { requeue: MANUAL }, at(100)).unwrap();
        assert_eq!(recorded(&retried), [EventType::RunRetried]);
        run = retried.run;
        assert_eq!((run.retry_count, run.queued_at), (n, at(100)));
        assert_eq!(run.state, RunState::Queued { available_at: Some(at(100 + 60 * (1 << n))), lane: None });
        assert!(matches!(
            apply(&run, RunChange::Retry { requeue: MANUAL }, at(100)),
            Err(TransitionRefused::NotFailed { .. })
        ));
        run = apply(&run, start_change(), at(5000)).unwrap().run;
    }
    run = apply(&run, fail_change(Pipeline::Proposal, MANUAL), at(9000)).unwrap().run;
    let refused = apply(&run, RunChange::Retry { requeue: MANUAL }, at(9001)).unwrap_err();
    assert_eq!(refused, TransitionRefused::RetriesSpent { max: 5 });
}

/// Proves R014: under every policy, an ended document run never changes.
#[test]
fn a_document_run_that_ended_never_changes() {
    let running = started(Pipeline::Document);
    let ends = [
        RunChange::Complete,
        RunChange::TimeOut { continued_by: None },
        fail_change(Pipeline::Document, RequeuePolicy::Never),
        RunChange::Recover { recovery: RecoveryPolicy::Fail, orphaned: Orphaned::Alone },
        RunChange::Cancel,
    ];
    for end in ends {
        let ended = apply(&running, end, at(2)).unwrap().run;
        for change in [
            start_change(),
            RunChange::Complete,
            RunChange::TimeOut { continued_by: None },
            fail_change(Pipeline::Document, AUTO),
            RunChange::Recover {
                recovery: RecoveryPolicy::Requeue { max_claims: 9 },
                orphaned: Orphaned::Alone,
            },
            wait_change(9, 1),
            RunChange::HandBack,
            RunChange::Retry { requeue: MANUAL },
            RunChange::Withdraw,
            RunChange::Cancel,
        ] {
            assert!(apply(&ended, change, at(3)).is_err());
        }
    }
}

/// Proves R167: under `auto` a failed attempt counts, waits longer each time, and fails the run at the limit.
#[test]
fn an_automatic_requeue_counts_attempts_and_gives_up_at_the_limit() {
    let mut run = started(Pipeline::Document);
    for (n, wait) in [(1, 60), (2, 120)] {
        let transition = apply(&run, fail_change(Pipeline::Document, AUTO), at(10)).unwrap();
        assert_eq!(recorded(&transition), [EventType::RunRequeued]);
        run = transition.run;
        assert_eq!((run.failed_attempts, run.retry_count), (n, n));
        assert_eq!(run.state, RunState::Queued { available_at: Some(at(10 + wait)), lane: None });
        run = apply(&run, start_change(), at(1000)).unwrap().run;
    }
    let last = apply(&run, fail_change(Pipeline::Document, AUTO), at(2000)).unwrap();
    assert_eq!(recorded(&last), [EventType::RunFailed]);
    assert_eq!(last.run.failed_attempts, 3);
    assert_eq!(last.run.state.reason().unwrap().failure_type, FailureType::ExtractionFailed);
}

#[test]
fn a_permanent_failure_is_never_requeued_and_a_rate_limit_is_waited_out() {
    let run = started(Pipeline::Document);
    let failed = |failure| RunChange::Fail { step: StepName::Interpretation, failure, requeue: AUTO };
    let end = apply(&run, failed(Failure::permanent("BROKEN", "it is broken")), at(10)).unwrap();
    assert_eq!(end.run.state.as_str(), "FAILED");
    let limited = Failure::new(FailureKind::RateLimited { until: at(9000) }, "RATE_LIMITED", "slow down");
    let wait = apply(&run, failed(limited), at(10)).unwrap();
    assert_eq!(wait.run.state, RunState::Queued { available_at: Some(at(9000)), lane: None });
}

#[test]
fn a_run_orphaned_with_others_is_not_blamed_and_comes_back_after_its_delay() {
    let delay = SignedDuration::from_secs(3);
    let shared = RunChange::Recover {
        recovery: RecoveryPolicy::Requeue { max_claims: 2 },
        orphaned: Orphaned::Together { delay },
    };
    let alone =
        RunChange::Recover { recovery: RecoveryPolicy::Requeue { max_claims: 2 }, orphaned: Orphaned::Alone };
    let mut run = started(Pipeline::Document);
    for n in 1..=4 {
        let requeued = apply(&run, shared.clone(), at(5)).unwrap();
        assert_eq!(recorded(&requeued), [EventType::RunRequeued]);
        assert_eq!(requeued.run.state, RunState::Queued { available_at: Some(at(8)), lane: None });
        assert_eq!((requeued.run.failed_attempts, requeued.run.counted_attempts()), (n, 0));
        run = apply(&requeued.run, start_change(), at(9)).unwrap().run;
    }
    let first = apply(&run, alone.clone(), at(10)).unwrap().run;
    assert_eq!((first.state.as_str(), first.counted_attempts()), ("QUEUED", 1));
    run = apply(&first, start_change(), at(11)).unwrap().run;
    assert_eq!(apply(&run, alone, at(12)).unwrap().run.state.as_str(), "FAILED");
}

/// A planned shutdown is not a failure of the run.
#[test]
fn a_run_that_is_handed_back_keeps_its_counters_and_its_place() {
    let run = started(Pipeline::Document);
    let mut back = apply(&run, RunChange::HandBack, at(9)).unwrap();
    assert_eq!((back.run.failed_attempts, back.run.retry_count, back.run.queued_at), (0, 0, run.queued_at));
    assert_eq!(back.run.state, RunState::Queued { available_at: None, lane: None });
    let step = RunningStep { step: StepName::Extraction, attempt: 1, started_at: Some(at(1)) };
    back.interrupt(&[step], WorkerId::new(), at(9));
    assert_eq!(recorded(&back), [EventType::StepFailed, EventType::RunRequeued]);
}

/// Proves R017 (the rule): a run that waits is still the front of its subject.
#[test]
fn a_run_that_waits_keeps_its_counters_and_its_place_and_its_limit_counts_the_time_it_was_held() {
    let mut run = started(Pipeline::Document);
    let queued_at = run.queued_at;
    for (round, left) in [(1, 100), (2, 80)] {
        let waiting = apply(&run, wait_change(100 * round + 50, 20), at(100 * round)).unwrap();
        assert_eq!(recorded(&waiting), [EventType::RunRequeued]);
        let Effect::Record(event) = &waiting.effects[0] else { panic!("{:?}", waiting.effects) };
        assert!(event.is_wait() && event.attempt == Some(2) && event.delay_ms == Some(50_000), "{event:?}");
        assert_eq!(waiting.turn(at(100 * round)), Some(Turn::Delayed));
        let Run { failed_attempts, retry_count, .. } = waiting.run;
        assert_eq!((failed_attempts, retry_count, waiting.run.queued_at), (0, 0, queued_at));
        run = apply(&waiting.run, start_change(), at(1000)).unwrap().run;
        let RunState::Running { deadline_at, .. } = run.state else { panic!("{:?}", run.state) };
        assert_eq!(deadline_at, Some(at(1000 + left)));
    }
    let back = apply(&run, RunChange::HandBack, at(2000)).unwrap().run;
    assert_eq!(back.time_used, SignedDuration::ZERO, "the next attempt has the whole limit");
}

/// Whatever the pipeline does after failures: nobody else starts the run again.
#[test]
fn a_cancelled_run_fails_for_good_and_may_be_retried_by_a_person() {
    let run = started(Pipeline::Proposal);
    let mut cancelled = apply(&run, RunChange::Cancel, at(9)).unwrap();
    assert_eq!(cancelled.run.state.reason().unwrap().failure_type, FailureType::Cancelled);
    assert_eq!(cancelled.run.state.completed_at(), Some(at(9)));
    let step = RunningStep { step: StepName::Expand, attempt: 1, started_at: Some(at(1)) };
    cancelled.interrupt(&[step], WorkerId::new(), at(9));
    assert_eq!(recorded(&cancelled), [EventType::StepFailed, EventType::RunCancelled]);
    assert!(cancelled.effects.contains(&Effect::PassTurn));
    let retried = apply(&cancelled.run, RunChange::Retry { requeue: MANUAL }, at(10)).unwrap();
    assert!(retried.effects.contains(&Effect::ResetSteps));
    assert_eq!((retried.run.failed_attempts, retried.run.retry_count), (1, 1));
    let (queued, _) = create(&new_run(Pipeline::Proposal), at(0));
    assert_eq!(apply(&queued, RunChange::Cancel, at(1)), Err(TransitionRefused::CancelQueued));
    assert!(TransitionRefused::CancelQueued.to_string().contains("withdraw"));
    assert!(matches!(
        apply(&cancelled.run, RunChange::Cancel, at(10)),
        Err(TransitionRefused::NotRunning { .. })
    ));
}

#[test]
fn a_run_that_timed_out_is_continued_by_a_run_that_names_it() {
    let run = started(Pipeline::Document);
    let id = RunId::new();
    let ended = apply(&run, RunChange::TimeOut { continued_by: Some(id) }, at(121)).unwrap();
    let Some(Effect::Continue(new)) = ended.effects.last() else { panic!("{:?}", ended.effects) };
    assert_eq!((new.id, new.subject, new.priority), (id, run.subject, run.priority));
    let (next, _) = create(new, at(121));
    assert_eq!(next.continues, Some(Continuation { run: run.id, number: 1 }));
    let policy = |continuations| RetryPolicy {
        backoff: Backoff { max_attempts: 1, base_ms: 1, max_ms: 1, jitter_ratio: 0.0 },
        requeue: RequeuePolicy::Never,
        recovery: RecoveryPolicy::Fail,
        continuations,
    };
    assert!(policy(2).continues_after_timeout(&next, StepName::Extraction));
    assert!(!policy(1).continues_after_timeout(&next, StepName::Extraction), "it is bounded");
    assert!(!policy(2).continues_after_timeout(&next, StepName::Interpretation), "nothing to continue");
}

/// Proves R195 (the rule): the same orphan under both recovery policies.
#[test]
fn an_orphaned_run_fails_or_is_requeued_by_policy() {
    let run = started(Pipeline::Document);
    let failed =
        apply(&run, RunChange::Recover { recovery: RecoveryPolicy::Fail, orphaned: Orphaned::Alone }, at(5))
            .unwrap();
    assert_eq!(recorded(&failed), [EventType::RunRecoveredAsFailed]);
    assert_eq!(failed.run.state.reason().unwrap().failure_type, FailureType::ProcessTerminated);
    assert_eq!(failed.run.state.completed_at(), Some(at(5)));

    let back =
        RunChange::Recover { recovery: RecoveryPolicy::Requeue { max_claims: 2 }, orphaned: Orphaned::Alone };
    let requeued = apply(&run, back.clone(), at(5)).unwrap();
    assert_eq!(recorded(&requeued), [EventType::RunRequeued]);
    assert_eq!(requeued.run.state, RunState::Queued { available_at: None, lane: None });
    assert!(requeued.effects.contains(&Effect::ResetSteps));
    let again = apply(&requeued.run, start_change(), at(6)).unwrap().run;
    let spent = apply(&again, back, at(7)).unwrap();
    assert_eq!(recorded(&spent), [EventType::RunRecoveredAsFailed]);
}

fn any_change(pipeline: Pipeline) -> impl Strategy<Value = RunChange> {
    let requeue = prop_oneof![Just(RequeuePolicy::Never), Just(AUTO), Just(MANUAL)];
    let recovery = prop_oneof![Just(RecoveryPolicy::Fail), Just(RecoveryPolicy::Requeue { max_claims: 3 })];
    let kind = prop_oneof![
        Just(FailureKind::Transient),
        Just(FailureKind::Permanent),
        Just(FailureKind::TimedOut),
        (0i64..900).prop_map(|s| FailureKind::RateLimited { until: at(s) }),
        (0i64..900).prop_map(|s| FailureKind::Postponed { until: at(s) }),
    ];
    let orphaned =
        prop_oneof![Just(Orphaned::Alone), Just(Orphaned::Together { delay: SignedDuration::from_secs(2) })];
    let step = prop::sample::select(pipeline.steps());
    prop_oneof![
        3 => Just(()).prop_map(|()| start_change()),
        1 => Just(RunChange::Complete),
        2 => (step, kind, requeue.clone()).prop_map(|(step, kind, requeue)| RunChange::Fail {
            step,
            failure: Failure::new(kind, "CODE", "message"),
            requeue,
        }),
        1 => Just(RunChange::TimeOut { continued_by: None }),
        2 => (recovery, orphaned).prop_map(|(recovery, orphaned)| RunChange::Recover { recovery, orphaned }),
        2 => (0i64..900, 0i64..200).prop_map(|(until, time_used)| wait_change(until, time_used)),
        1 => Just(RunChange::HandBack),
        2 => requeue.prop_map(|requeue| RunChange::Retry { requeue }),
        1 => Just(RunChange::Withdraw),
        1 => Just(RunChange::Cancel),
    ]
}

fn any_history() -> impl Strategy<Value = (Pipeline, Vec<RunChange>)> {
    prop::sample::select(&Pipeline::ALL[..])
        .prop_flat_map(|pipeline| (Just(pipeline), prop::collection::vec(any_change(pipeline), 1..40)))
}

proptest! {
    /// Proves R036, R134: in any sequence of changes, each attempt starts once and ends once, timestamps fit the
    /// state, and the counters never contradict each other.
    #[test]
    fn any_sequence_of_changes_keeps_the_invariants((pipeline, changes) in any_history()) {
        let (mut run, _) = create(&new_run(pipeline), at(0));
        let mut open_claim: Option<Fence> = None;
        for (second, change) in (1i64..).zip(changes) {
            let before = run.clone();
            let waits = matches!(change, RunChange::Wait(_));
            let Ok(transition) = apply(&run, change, at(second)) else {
                continue;
            };
            run = transition.run.clone();
            prop_assert_eq!(transition.from, before.fence);
            prop_assert_eq!(run.fence, before.fence.next());
            prop_assert!(run.failed_attempts >= run.retry_count && run.failed_attempts >= run.shared_orphanings);
            prop_assert_eq!(run.created_at, before.created_at);
            prop_assert_eq!(run.state.started_at().is_none(), matches!(run.state, RunState::Queued { .. })
                || run.state.reason().is_some_and(|r| r.failure_type == FailureType::Withdrawn));
            prop_assert_eq!(run.state.completed_at().is_some(), run.state.is_terminal());
            prop_assert_eq!(run.state.is_terminal() && !matches!(run.state, RunState::Completed { .. }),
                run.state.reason().is_some());
            if waits {
                prop_assert_eq!((run.failed_attempts, run.retry_count), (before.failed_attempts, before.retry_count));
                prop_assert_eq!(run.queued_at, before.queued_at);
                prop_assert!(!transition.rejoins_queue() && run.time_used >= before.time_used);
            } else if matches!(run.state, RunState::Queued { .. }) {
                prop_assert_eq!(run.time_used, SignedDuration::ZERO);
            } else {
                prop_assert_eq!(run.time_used, before.time_used);
            }
            if let RunState::Running { started_at, deadline_at, .. } = run.state {
                let whole = SignedDuration::from_secs(120);
                let left = deadline_at.unwrap().duration_since(started_at);
                prop_assert_eq!(left, whole.saturating_sub(run.time_used).max(SignedDuration::ZERO));
            }
            for effect in &transition.effects {
                let Effect::Record(event) = effect else { continue };
                match event.event_type {
                    EventType::RunStarted => {
                        prop_assert_eq!(open_claim, None);
                        open_claim = event.fence;
                    }
                    EventType::RunWithdrawn | EventType::RunRetried => prop_assert_eq!(open_claim, None),
                    _ => {
                        prop_assert!(event.event_type.ends_claim());
                        prop_assert_eq!(open_claim.take(), event.fence);
                    }
                }
            }
            prop_assert_eq!(open_claim.is_some(), matches!(run.state, RunState::Running { .. }));
            if before.state.is_terminal() {
                prop_assert!(pipeline != Pipeline::Document);
                prop_assert_eq!(run.state.as_str(), "QUEUED");
            }
        }
    }
}
