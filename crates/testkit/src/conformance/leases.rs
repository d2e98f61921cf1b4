//! Worker leases.

use jiff::SignedDuration;
use quire_domain::{ClaimScope, Pipeline, RecoveryPolicy, SubjectId, WorkerId};
use quire_ports::{ExpiredLeaseAction, Lease, Worker};

use super::recovery::{recover, rules};
use crate::fixture::{StoreFixture, at};

/// A lease that expired claims nothing, and its worker may renew it: the database may have been silent.
pub async fn an_expired_lease_claims_nothing_until_its_worker_renews_it(fixture: &StoreFixture) {
    let run = fixture.enqueue(SubjectId::new(), at(0)).await;
    let workers = &fixture.store.workers;
    let worker = fixture.worker(at(0)).await;
    assert!(workers.renew(worker, at(10), Lease::Until(at(25))).await.unwrap());
    assert!(fixture.claim(worker, at(25), 10).await.is_empty());
    assert!(workers.renew(worker, at(45), Lease::Until(at(60))).await.unwrap());
    assert_eq!(fixture.claim_one(worker, at(46)).await.run.id, run);
    let resigned = fixture.worker(at(30)).await;
    workers.resign(resigned, at(31)).await.unwrap();
    assert!(!workers.renew(resigned, at(32), Lease::Until(at(47))).await.unwrap());
    assert!(fixture.claim(resigned, at(32), 10).await.is_empty());
    assert!(!workers.renew(WorkerId::new(), at(32), Lease::Until(at(47))).await.unwrap());
    let listed = workers.list().await.unwrap();
    assert_eq!(listed.len(), 2);
    assert_eq!((listed[0].id, listed[0].lease), (resigned, None));
    assert_eq!((listed[1].id, listed[1].lease), (worker, Some(Lease::Until(at(60)))));
}

/// Recovery leaves expired leases alone when it is told to. When it ends one, its worker cannot renew it any more.
pub async fn a_lease_whose_runs_were_recovered_cannot_be_renewed(fixture: &StoreFixture) {
    let run = fixture.enqueue(SubjectId::new(), at(0)).await;
    let (workers, recovery) = (&fixture.store.workers, &fixture.store.recovery);
    let worker = fixture.worker(at(0)).await;
    let idle = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    let rules = rules(RecoveryPolicy::Requeue { max_claims: 3 });
    let left = recovery.recover_orphaned_runs(&rules, ExpiredLeaseAction::Leave, at(20), 10).await.unwrap();
    assert_eq!(left, []);
    assert_eq!(fixture.state(run).await, "RUNNING");
    assert!(workers.renew(worker, at(21), Lease::Until(at(36))).await.unwrap());
    assert_eq!(recover(fixture, RecoveryPolicy::Fail, at(30)).await, []);
    let ended = recovery.recover_orphaned_runs(&rules, ExpiredLeaseAction::End, at(40), 10).await.unwrap();
    assert_eq!(ended.len(), 1);
    assert!(!workers.renew(worker, at(41), Lease::Until(at(56))).await.unwrap());
    assert!(
        workers.renew(idle, at(41), Lease::Until(at(56))).await.unwrap(),
        "no run of its own was recovered"
    );
}

/// The worker that holds the lock on the database file knows that all other workers are gone.
pub async fn an_exclusive_worker_ends_every_other_lease(fixture: &StoreFixture) {
    let run = fixture.enqueue(SubjectId::new(), at(0)).await;
    let other = fixture.worker(at(0)).await;
    fixture.claim_one(other, at(1)).await;
    let id = WorkerId::new();
    let owner = Worker {
        id,
        name: "owner:1".to_owned(),
        slots: 2,
        started_at: at(2),
        seen_at: at(2),
        lease: Some(Lease::Exclusive),
        program: Some(7),
        scope: ClaimScope::parse("document,ocr").unwrap(),
    };
    fixture.store.workers.register(&owner).await.unwrap();
    let listed = fixture.store.workers.list().await.unwrap();
    assert!(listed.contains(&owner), "with its program and its scope: {listed:?}");
    let unlimited = listed.iter().find(|worker| worker.id == other).unwrap();
    assert_eq!((unlimited.program, &unlimited.scope), (None, &ClaimScope::default()));
    let recovered = recover(fixture, RecoveryPolicy::Fail, at(3)).await;
    assert_eq!(recovered[0].run.id, run);
    // Its own lease does not expire.
    let much_later = at(1_000_000);
    let next = fixture.enqueue(SubjectId::new(), much_later).await;
    assert_eq!(fixture.claim_one(id, much_later).await.run.id, next);
    assert_eq!(recover(fixture, RecoveryPolicy::Fail, much_later).await, []);
    assert!(fixture.store.workers.renew(id, much_later, Lease::Exclusive).await.unwrap());
}

/// The table of workers does not grow forever.
pub async fn old_workers_are_deleted_unless_they_own_a_run(fixture: &StoreFixture) {
    fixture.enqueue(SubjectId::new(), at(0)).await;
    let owner = fixture.worker(at(0)).await;
    fixture.claim_one(owner, at(1)).await;
    let idle = fixture.worker(at(1)).await;
    let two_days = SignedDuration::from_hours(48);
    let newest = fixture.worker(at(0) + two_days).await;
    let listed: Vec<_> =
        fixture.store.workers.list().await.unwrap().into_iter().map(|worker| worker.id).collect();
    assert_eq!(listed, [newest, owner]);
    assert!(!listed.contains(&idle));
}

/// A server without slots is listed with the workers, as live as they are, and claims nothing of a pipeline.
pub async fn a_server_without_slots_is_registered_beside_workers(fixture: &StoreFixture) {
    let id = WorkerId::new();
    let server = Worker {
        id,
        name: "server:1".to_owned(),
        slots: 0,
        started_at: at(0),
        seen_at: at(0),
        lease: Some(Lease::Until(at(15))),
        program: Some(7),
        scope: ClaimScope::default(),
    };
    fixture.store.workers.register(&server).await.unwrap();
    let listed = fixture.store.workers.list().await.unwrap();
    assert_eq!(listed, [server]);
    assert!(listed[0].is_live(at(14)) && !listed[0].is_live(at(15)));
    assert!(!Pipeline::ALL.into_iter().any(|pipeline| listed[0].claims(pipeline)));
    assert!(fixture.store.workers.renew(id, at(20), Lease::Until(at(35))).await.unwrap());
    fixture.store.workers.resign(id, at(21)).await.unwrap();
    let ended = fixture.store.workers.list().await.unwrap();
    assert!(ended[0].lease.is_none() && !ended[0].is_live(at(22)));
}
