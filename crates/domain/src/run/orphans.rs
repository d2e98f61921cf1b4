//! Runs that lost their worker together. One of them may have ended the process, and which one is unknown. So none is
//! blamed; they come back at different moments, and each is next worked on alone. The run that ends a process alone is
//! the one that did it.

use jiff::SignedDuration;
use rand::{Rng, RngExt};

use super::state::Run;

/// Runs that were orphaned together come back within this time.
const SPREAD: SignedDuration = SignedDuration::from_secs(5);

/// Whether a run lost its worker alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Company {
    /// The worker had no other run.
    Alone,
    /// The worker had other runs.
    Others {
        /// How long this run waits before it is claimed again, different for each run.
        delay: SignedDuration,
    },
}

impl Company {
    /// The company of a run whose worker held that many runs, this one included.
    pub fn of(held: u32, rng: &mut impl Rng) -> Self {
        if held <= 1 {
            return Self::Alone;
        }
        let longest = i64::try_from(SPREAD.as_millis()).unwrap_or(i64::MAX);
        Self::Others { delay: SignedDuration::from_millis(rng.random_range(0..=longest)) }
    }
}

/// How many of the next runs in the queue a worker may start at once. A run that must run alone waits until the worker
/// has no other run, and the runs behind it wait with it, so that nothing overtakes it for ever.
pub fn startable<'r>(next: impl IntoIterator<Item = &'r Run>, worker_is_idle: bool) -> usize {
    let mut together = 0;
    for run in next {
        if run.must_run_alone() {
            return if together == 0 && worker_is_idle { 1 } else { together };
        }
        together += 1;
    }
    together
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::ids::{RunId, SubjectId};
    use crate::pipeline::Pipeline;
    use crate::run::{NewRun, Priority, create};

    fn runs(shared_orphanings: &[u32]) -> Vec<Run> {
        let new = |shared_orphanings: &u32| {
            let new = NewRun {
                id: RunId::new(),
                pipeline: Pipeline::Document,
                subject: SubjectId::new(),
                priority: Priority::Normal,
                correlation_id: None,
                continues: None,
            };
            Run { shared_orphanings: *shared_orphanings, ..create(&new, Timestamp::UNIX_EPOCH).0 }
        };
        shared_orphanings.iter().map(new).collect()
    }

    #[test]
    fn a_run_that_must_run_alone_is_started_alone_and_overtaken_by_none() {
        assert_eq!(startable(&runs(&[0, 0, 0]), false), 3);
        assert_eq!(startable(&runs(&[0, 0, 1, 0]), true), 2);
        assert_eq!(startable(&runs(&[1, 0, 0]), true), 1);
        assert_eq!(startable(&runs(&[1, 1]), true), 1);
        assert_eq!(startable(&runs(&[1, 0, 0]), false), 0);
        assert_eq!(startable(&runs(&[]), true), 0);
    }

    #[test]
    fn runs_orphaned_together_wait_for_different_times_within_the_spread() {
        let mut rng = StdRng::seed_from_u64(1);
        assert_eq!(Company::of(1, &mut rng), Company::Alone);
        let delays: std::collections::HashSet<_> = (0..50)
            .map(|_| match Company::of(8, &mut rng) {
                Company::Others { delay } => delay,
                Company::Alone => panic!("eight runs are not alone"),
            })
            .collect();
        assert!(delays.len() > 40 && delays.iter().all(|delay| *delay <= SPREAD), "{delays:?}");
    }
}
