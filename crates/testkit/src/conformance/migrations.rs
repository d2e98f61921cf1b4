//! From one version to the next, and back.

use quire_domain::SubjectId;

use crate::fixture::{StoreFixture, at};

/// Proves R160: each step back and forth, with rows in the table.
pub async fn migrating_down_and_up_again_restores_the_schema_and_keeps_the_runs(fixture: &StoreFixture) {
    let schema = &fixture.store.migrations;
    let newest = u32::try_from(schema.status().await.unwrap().len()).unwrap();
    let worker = fixture.worker(at(0)).await;
    let done = fixture.enqueue(SubjectId::new(), at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    super::claiming::complete(fixture, done).await;
    let subject = SubjectId::new();
    let waiting = [fixture.enqueue(subject, at(2)).await, fixture.enqueue(subject, at(3)).await];
    let before = (
        fixture.store.history.run(done).await.unwrap(),
        fixture.store.history.run(waiting[0]).await.unwrap(),
    );

    for to in (1..newest).rev() {
        assert_eq!(schema.down(to).await.unwrap(), [to + 1]);
        let status = schema.status().await.unwrap();
        assert_eq!(status.iter().filter(|m| m.applied_at.is_some()).count(), to as usize);
    }
    assert_eq!(fixture.sql.number("SELECT count(*) FROM runs").await, 3);
    assert!(fixture.sql.execute("SELECT 1 FROM step_progress").await.is_err(), "it is gone with its version");
    let all: Vec<u32> = (2..=newest).collect();
    assert_eq!(schema.up(None).await.unwrap(), all);

    let after = (
        fixture.store.history.run(done).await.unwrap(),
        fixture.store.history.run(waiting[0]).await.unwrap(),
    );
    assert_eq!(before, after);
    let worker = fixture.worker(at(4)).await;
    assert_eq!(fixture.claim_one(worker, at(5)).await.run.id, waiting[0]);
    super::claiming::complete(fixture, waiting[0]).await;
    assert_eq!(fixture.claim_one(worker, at(7)).await.run.id, waiting[1]);
}

/// Running it again is safe, and nothing at all is left after going all the way down.
pub async fn migrating_twice_does_nothing_the_second_time(fixture: &StoreFixture) {
    let schema = &fixture.store.migrations;
    assert_eq!(schema.up(None).await.unwrap(), Vec::<u32>::new());
    schema.down(0).await.unwrap();
    assert!(fixture.sql.execute("SELECT 1 FROM runs").await.is_err());
    assert_eq!(schema.down(0).await.unwrap(), Vec::<u32>::new());
    assert_eq!(schema.up(Some(1)).await.unwrap(), [1]);
    assert!(!schema.up(None).await.unwrap().is_empty());
}
