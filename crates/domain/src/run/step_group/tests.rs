use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::*;
use crate::pipeline::Pipeline;
use crate::run::{AfterFailure, Backoff, FailureKind};

const POLICY: Backoff = Backoff { max_attempts: 3, base_ms: 1000, max_ms: 5000, jitter_ratio: 0.2 };

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn reviews() -> &'static [StepName] {
    &Pipeline::Proposal.steps()[1..6]
}

fn group() -> StepGroup {
    StepGroup::started(&reviews().iter().copied().map(StepAttempt::first).collect::<Vec<_>>())
}

fn broken() -> Failure {
    Failure::permanent("BROKEN", "it is broken")
}

#[test]
fn a_step_that_gives_up_fails_the_run_after_the_others_have_ended() {
    let mut group = group();
    group.give_up(reviews()[3], broken());
    group.retry(reviews()[0], at(5));
    for step in &reviews()[1..3] {
        assert_eq!(group.state(), GroupState::Running);
        group.succeed(*step);
    }
    assert_eq!((group.next_due(), group.start_due(at(9))), (None, vec![]), "no attempt is made in vain");
    group.give_up(reviews()[4], broken());
    assert_eq!(group.state(), GroupState::Failed { step: reviews()[3], failure: broken() });
    assert_eq!(group.first_unfinished(), Some(reviews()[0]));
}

#[test]
fn the_rest_of_a_group_waits_together_until_all_of_it_may_go_on() {
    let mut group = group();
    for step in &reviews()[..3] {
        group.succeed(*step);
    }
    let asked = broken().record(None, None);
    group.retry(reviews()[3], at(2));
    group.postpone(reviews()[4], at(60), None, Some(asked.clone()));
    let next = StepAttempt { step: reviews()[3], number: 2 };
    let wait = GroupWait { until: at(60), next, is_postponed: true, lane: None, failure: Some(asked) };
    assert_eq!(group.state(), GroupState::Waiting(wait));
}

/// What happens next to the running steps: one of them ends in some way, or time passes.
#[derive(Clone, Debug)]
enum Happening {
    Success,
    Failure(FailureKind),
    Time(i64),
}

fn any_happening() -> impl Strategy<Value = (usize, Happening)> {
    let happening = prop_oneof![
        3 => Just(Happening::Success),
        3 => Just(Happening::Failure(FailureKind::Transient)),
        1 => Just(Happening::Failure(FailureKind::Permanent)),
        1 => (0i64..900).prop_map(|s| Happening::Failure(FailureKind::RateLimited { until: at(s) })),
        2 => (1i64..10).prop_map(Happening::Time),
    ];
    (0usize..5, happening)
}

proptest! {
    /// Whatever the steps of a group do, in any order: none runs again after its success, attempts count on one by one up
    /// to the limit, nothing waits while it could run, and the run fails, waits or goes on exactly when no step is running.
    #[test]
    fn any_order_of_outcomes_loses_no_success_and_ends_the_group_once(
        happenings in prop::collection::vec(any_happening(), 1..60),
        seed in any::<u64>(),
    ) {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut group = group();
        let mut now = 0;
        // What the group must be: the running attempts, the successes and the steps that gave up.
        let mut running: Vec<StepAttempt> = reviews().iter().copied().map(StepAttempt::first).collect();
        let (mut succeeded, mut gave_up): (Vec<StepName>, Vec<StepName>) = (vec![], vec![]);
        let mut made: Vec<StepAttempt> = running.clone();
        for (place, happening) in happenings {
            if group.state() != GroupState::Running {
                break;
            }
            let attempt = running[place % running.len()];
            let ended = !matches!(happening, Happening::Time(_));
            match happening {
                Happening::Time(seconds) => now += seconds,
                Happening::Success => {
                    group.succeed(attempt.step);
                    succeeded.push(attempt.step);
                }
                Happening::Failure(kind) => match POLICY.after(attempt.number, kind, at(now), &mut rng) {
                    AfterFailure::Retry { delay } => group.retry(attempt.step, at(now) + delay),
                    AfterFailure::Postpone { until } => group.postpone(attempt.step, until, None, None),
                    AfterFailure::GiveUp => {
                        group.give_up(attempt.step, broken());
                        gave_up.push(attempt.step);
                    }
                },
            }
            if ended {
                running.retain(|one| *one != attempt);
            }
            for started in group.start_due(at(now)) {
                prop_assert!(!succeeded.contains(&started.step) && gave_up.is_empty());
                let earlier = StepAttempt { number: started.number - 1, ..started };
                prop_assert!(made.contains(&earlier));
                prop_assert!(!made.contains(&started) && started.number <= POLICY.max_attempts);
                made.push(started);
                running.push(started);
            }
            match group.state() {
                GroupState::Running => prop_assert!(!running.is_empty()),
                GroupState::Succeeded => prop_assert_eq!(succeeded.len(), 5),
                GroupState::Failed { step, .. } => {
                    prop_assert!(running.is_empty() && gave_up.contains(&step));
                }
                GroupState::Waiting(wait) => {
                    prop_assert!(running.is_empty() && gave_up.is_empty() && succeeded.len() < 5);
                    prop_assert!(!succeeded.contains(&wait.next.step));
                    prop_assert!(group.next_due().is_none_or(|due| due <= wait.until));
                }
            }
            prop_assert_eq!(group.state() == GroupState::Running, !running.is_empty());
        }
    }
}
