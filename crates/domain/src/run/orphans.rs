//! Runs that lost their worker together. One of them may have ended the process, and which one is unknown. So none is
//! blamed; they come back at different moments, and each is worked on alone until it ends. The run that ends a process
//! alone is the one that did it.

use jiff::SignedDuration;
use rand::{Rng, RngExt};

use super::state::Run;

/// Runs that were orphaned together come back within this time.
const SPREAD: SignedDuration = SignedDuration::from_secs(5);

/// Whether a run lost its worker alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orphaned {
    /// The worker had no other run.
    Alone,
    /// The worker had other runs.
    Together {
        /// How long this run waits before it is claimed again, different for each run.
        delay: SignedDuration,
    },
}

impl Orphaned {
    /// For a run whose worker held that many runs, this one included.
    pub fn among(runs_of_worker: u32, rng: &mut impl Rng) -> Self {
        if runs_of_worker <= 1 {
            return Self::Alone;
        }
        let longest = i64::try_from(SPREAD.as_millis()).unwrap_or(i64::MAX);
        Self::Together { delay: SignedDuration::from_millis(rng.random_range(0..=longest)) }
    }
}

/// Whether a worker may start this run of those that are next in the queue. `first` is the first of them. A run that must
/// run alone starts when it is first and the worker has no other run. Until then other runs go past it, but once it is
/// first, they wait for it, so that nothing overtakes it for ever.
pub fn may_start(run: &Run, first: &Run, worker_is_idle: bool) -> bool {
    if first.must_run_alone() { worker_is_idle && run.id == first.id } else { !run.must_run_alone() }
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
                requested_by: None,
                extractor: None,
                continues: None,
            };
            Run { shared_orphanings: *shared_orphanings, ..create(&new, Timestamp::UNIX_EPOCH).0 }
        };
        shared_orphanings.iter().map(new).collect()
    }

    /// The places of the runs that a worker may start.
    fn started(shared_orphanings: &[u32], worker_is_idle: bool) -> Vec<usize> {
        let next = runs(shared_orphanings);
        let may_start = |place: &usize| may_start(&next[*place], &next[0], worker_is_idle);
        (0..next.len()).filter(may_start).collect()
    }

    #[test]
    fn a_run_that_must_run_alone_starts_alone_once_it_is_first() {
        assert_eq!(started(&[0, 0, 0], false), [0, 1, 2]);
        assert_eq!(started(&[0, 1, 0, 1], true), [0, 2], "others go past it");
        assert_eq!(started(&[1, 0, 0], true), [0]);
        assert_eq!(started(&[1, 1], true), [0]);
        assert_eq!(started(&[1, 0, 0], false), [0; 0], "others wait for it");
    }

    #[test]
    fn runs_orphaned_together_wait_for_different_times_within_the_spread() {
        let mut rng = StdRng::seed_from_u64(1);
        assert_eq!(Orphaned::among(1, &mut rng), Orphaned::Alone);
        let delays: std::collections::HashSet<_> = (0..50)
            .map(|_| match Orphaned::among(8, &mut rng) {
                Orphaned::Together { delay } => delay,
                Orphaned::Alone => panic!("eight runs are not alone"),
            })
            .collect();
        assert!(delays.len() > 40 && delays.iter().all(|delay| *delay <= SPREAD), "{delays:?}");
    }
}
