//! Upgrades while workers go on: which of them may work beside a migration.

use jiff::Timestamp;
use quire_ports::{MigrationStatus, Worker};

/// A worker that must stop before a migration is applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the worker {worker} knows migrations up to {program}, but migration {migration} needs workers that know {oldest}; stop \
     the worker, or first upgrade it to a version that knows {oldest}"
)]
pub struct WorkerTooOld {
    /// Its host and process.
    pub worker: String,
    /// The newest migration that its program knows.
    pub program: u32,
    /// The migration.
    pub migration: &'static str,
    /// The oldest program that may work beside it.
    pub oldest: u32,
}

/// The first live worker that may not work beside one of the missing migrations up to `to`.
///
/// A worker that registered no program is older than that record. It began on the version that its program knew, and the
/// database may have got further migrations since.
pub fn worker_too_old(
    migrations: &[MigrationStatus],
    to: Option<u32>,
    workers: &[Worker],
    now: Timestamp,
) -> Option<WorkerTooOld> {
    let applied = migrations.iter().filter(|migration| migration.applied_at.is_some()).map(|one| one.version);
    let current = applied.max().unwrap_or(0);
    let missing = || {
        let wanted = |version: u32| version > current && to.is_none_or(|to| version <= to);
        migrations.iter().filter(move |migration| wanted(migration.version))
    };
    workers.iter().filter(|worker| worker.is_live(now)).find_map(|worker| {
        let program = worker.program.unwrap_or(current);
        missing().find(|migration| program < migration.oldest_program).map(|migration| WorkerTooOld {
            worker: worker.name.clone(),
            program,
            migration: migration.name,
            oldest: migration.oldest_program,
        })
    })
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use quire_domain::{ClaimScope, WorkerId};
    use quire_ports::Lease;

    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn worker(program: Option<u32>, seconds: i64) -> Worker {
        Worker {
            id: WorkerId::new(),
            name: "there:1".to_owned(),
            slots: 1,
            started_at: NOW,
            seen_at: NOW,
            lease: Some(Lease::Until(NOW + SignedDuration::from_secs(seconds))),
            program,
            scope: ClaimScope::default(),
        }
    }

    /// Four migrations, of which two are applied. The third allows programs of version 2, the fourth none before it.
    fn migrations() -> Vec<MigrationStatus> {
        [(1, 1), (2, 2), (3, 2), (4, 4)]
            .map(|(version, oldest_program)| MigrationStatus {
                version,
                name: ["0001_a", "0002_b", "0003_expand", "0004_contract"][version as usize - 1],
                applied_at: (version <= 2).then_some(NOW),
                oldest_program,
            })
            .to_vec()
    }

    fn refused(to: Option<u32>, worker: Worker) -> Option<(&'static str, u32)> {
        worker_too_old(&migrations(), to, &[worker], NOW).map(|found| (found.migration, found.program))
    }

    #[test]
    fn a_live_worker_keeps_the_migrations_away_that_it_cannot_work_beside() {
        assert_eq!(refused(Some(3), worker(Some(2), 1)), None, "an expansion");
        assert_eq!(refused(None, worker(Some(2), 1)), Some(("0004_contract", 2)));
        assert_eq!(refused(None, worker(Some(3), 1)), Some(("0004_contract", 3)));
        assert_eq!(refused(None, worker(Some(4), 1)), None);
        assert_eq!(refused(Some(3), worker(Some(1), 1)), Some(("0003_expand", 1)));
        assert_eq!(refused(None, worker(Some(1), 0)), None, "its lease has ended");
        assert_eq!(refused(Some(2), worker(Some(1), 1)), None, "nothing is applied");
    }

    #[test]
    fn a_worker_without_a_record_has_the_version_of_the_database() {
        assert_eq!(refused(Some(3), worker(None, 1)), None);
        assert_eq!(refused(None, worker(None, 1)), Some(("0004_contract", 2)));
    }
}
