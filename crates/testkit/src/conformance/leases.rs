//! Who is working.

use jiff::SignedDuration;
use quire_domain::{RecoveryPolicy, SubjectId, WorkerId};
use quire_ports::{Lease, Worker};

use super::recovery::rules;
use crate::fixture::{StoreFixture, at};

/// A lease that expired can only be had again by claiming again.
pub async fn a_lease_that_has_ended_is_not_renewed_and_claims_nothing(fixture: &StoreFixture) {
    fixture.enqueue(SubjectId::new(), at(0)).await;
    let workers = &fixture.store.workers;
    let worker = fixture.worker(at(0)).await;
    assert!(workers.renew(worker, at(10), Lease::Until(at(25))).await.unwrap());
    assert!(!workers.renew(worker, at(25), Lease::Until(at(40))).await.unwrap());
    assert!(fixture.claim(worker, at(26), 10).await.is_empty());
    let resigned = fixture.worker(at(30)).await;
    workers.resign(resigned, at(31)).await.unwrap();
    assert!(!workers.renew(resigned, at(32), Lease::Until(at(47))).await.unwrap());
    assert!(fixture.claim(resigned, at(32), 10).await.is_empty());
    assert!(!workers.renew(WorkerId::new(), at(32), Lease::Until(at(47))).await.unwrap());
    let listed = workers.list().await.unwrap();
    assert_eq!(listed.len(), 2);
    assert_eq!((listed[0].id, listed[0].lease), (resigned, None));
    assert_eq!((listed[1].id, listed[1].lease), (worker, Some(Lease::Until(at(25)))));
}

/// Whoever holds the lock on the database knows that nobody else can be alive.
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
    };
    fixture.store.workers.register(&owner).await.unwrap();
    let recovered =
        fixture.store.recovery.recover_orphaned_runs(&rules(RecoveryPolicy::Fail), at(3), 10).await.unwrap();
    assert_eq!(recovered[0].run.id, run);
    // Its own lease does not run out.
    let much_later = at(1_000_000);
    let next = fixture.enqueue(SubjectId::new(), much_later).await;
    assert_eq!(fixture.claim_one(id, much_later).await.run.id, next);
    assert_eq!(
        fixture
            .store
            .recovery
            .recover_orphaned_runs(&rules(RecoveryPolicy::Fail), much_later, 10)
            .await
            .unwrap(),
        []
    );
    assert!(fixture.store.workers.renew(id, much_later, Lease::Exclusive).await.unwrap());
}

/// The registry does not grow with the years.
pub async fn workers_long_gone_are_forgotten_unless_they_own_something(fixture: &StoreFixture) {
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
