//! Migrations of the database, up and down.

use quire_domain::{Pipeline, SubjectId};
use quire_ports::MinuteMetrics;

use super::interpretations::{add_field, edit};
use crate::fixture::{StoreFixture, at};

/// Proves R160: each migration down and up, with rows in the tables.
pub async fn migrating_down_and_up_again_restores_the_tables_and_keeps_the_runs(fixture: &StoreFixture) {
    let migrations = &fixture.store.migrations;
    let newest = u32::try_from(migrations.status().await.unwrap().len()).unwrap();
    let worker = fixture.worker(at(0)).await;
    let completed = fixture.enqueue(SubjectId::new(), at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    fixture.complete_run(completed).await;
    let subject = SubjectId::new();
    let waiting = [fixture.enqueue(subject, at(2)).await, fixture.enqueue(subject, at(3)).await];
    let before = (fixture.run(completed).await, fixture.run(waiting[0]).await);

    for to in (1..newest).rev() {
        assert_eq!(migrations.down(to).await.unwrap(), [to + 1]);
        let status = migrations.status().await.unwrap();
        assert_eq!(status.iter().filter(|m| m.applied_at.is_some()).count(), to as usize);
    }
    assert_eq!(fixture.count("runs").await, 3);
    assert!(
        fixture.sql.execute("SELECT 1 FROM step_progress").await.is_err(),
        "the migration down drops the table"
    );
    let all: Vec<u32> = (2..=newest).collect();
    assert_eq!(migrations.up(None).await.unwrap(), all);

    let after = (fixture.run(completed).await, fixture.run(waiting[0]).await);
    assert_eq!(before, after);
    let worker = fixture.worker(at(4)).await;
    assert_eq!(fixture.claim_one(worker, at(5)).await.run.id, waiting[0]);
    fixture.complete_run(waiting[0]).await;
    assert_eq!(fixture.claim_one(worker, at(7)).await.run.id, waiting[1]);
}

/// Migrating up again changes nothing. Migrating down to 0 drops everything.
pub async fn migrating_twice_does_nothing_the_second_time(fixture: &StoreFixture) {
    let migrations = &fixture.store.migrations;
    assert_eq!(migrations.up(None).await.unwrap(), Vec::<u32>::new());
    migrations.down(0).await.unwrap();
    assert!(fixture.sql.execute("SELECT 1 FROM runs").await.is_err());
    assert_eq!(migrations.down(0).await.unwrap(), Vec::<u32>::new());
    assert_eq!(migrations.up(Some(1)).await.unwrap(), [1]);
    assert!(!migrations.up(None).await.unwrap().is_empty());
}

/// Renaming tables and columns keeps what is in them, in both directions.
pub async fn migrating_over_renamed_tables_keeps_their_rows(fixture: &StoreFixture) {
    let (document, run, _) = fixture.interpreted_document().await;
    let minute = MinuteMetrics { completed: 3, ..MinuteMetrics::empty(at(20), Pipeline::Document) };
    fixture.store.metrics.add(std::slice::from_ref(&minute)).await.unwrap();
    let before = fixture.store.documents.overview(document).await.unwrap();
    assert!(before.confidence.is_some());

    let schema = &fixture.store.migrations;
    let versions = schema.status().await.unwrap();
    let renamed = versions.iter().find(|one| one.name.ends_with("_plain_names")).unwrap().version;
    schema.down(renamed - 1).await.unwrap();
    for table in ["certainties", "run_words", "figures"] {
        assert_eq!(fixture.sql.number(&format!("SELECT count(*) FROM {table}")).await, 1, "{table}");
    }
    schema.up(None).await.unwrap();

    assert_eq!(fixture.store.documents.overview(document).await.unwrap(), before);
    assert_eq!(fixture.store.documents.count_awaiting_review(9).await.unwrap(), 1);
    assert_eq!(fixture.store.metrics.between(at(20), at(80)).await.unwrap(), [minute]);
    assert_eq!(fixture.sql.number("SELECT count(*) FROM run_search_text").await, 1);
    let base = fixture.active_version(run).await;
    fixture.store.reviews.save(&edit(&base, &[add_field("breed", "galgo")], at(9))).await.unwrap().unwrap();
    assert_eq!(fixture.active_version(run).await.number, 2, "versions are added as before");
}
