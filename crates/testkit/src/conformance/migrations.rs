//! Migrations of the database, up and down.

use quire_domain::{DocumentId, Pipeline, Run};
use quire_ports::{MigrationStatus, MinuteMetrics, NewDocument, PortError};

use super::filled_tables::fill_every_table;
use super::interpretations::{add_field, edit};
use crate::fixture::{StoreFixture, at, document, document_run};

/// Proves R160, R209: each version goes down and up again with rows in every table, and the schema is the same afterwards.
/// Runs keep what they had.
pub async fn every_version_goes_down_and_up_again_with_rows_in_every_table(fixture: &StoreFixture) {
    let migrations = &fixture.store.migrations;
    let filled = fill_every_table(fixture).await;
    for table in fixture.sql.tables().await {
        assert!(fixture.count(&table).await > 0, "{table} has no row; add one to fill_every_table");
    }
    let before = (fixture.run(filled.completed).await, fixture.run(filled.waiting[0]).await);
    let newest = u32::try_from(migrations.status().await.unwrap().len()).unwrap();
    let latest = fixture.sql.schema().await;

    for version in (2..=newest).rev() {
        let schema = fixture.sql.schema().await;
        assert_eq!(migrations.down(version - 1).await.unwrap(), [version]);
        assert_ne!(fixture.sql.schema().await, schema, "version {version} changes something");
        assert_eq!(migrations.up(Some(version)).await.unwrap(), [version]);
        assert_same_lines(&fixture.sql.schema().await, &schema, version);
        assert_eq!(fixture.count("runs").await, 3);
        assert_eq!(migrations.down(version - 1).await.unwrap(), [version]);
    }
    assert!(
        fixture.sql.execute("SELECT 1 FROM step_progress").await.is_err(),
        "the migration down drops the table"
    );
    let all: Vec<u32> = (2..=newest).collect();
    assert_eq!(migrations.up(None).await.unwrap(), all);
    assert_same_lines(&fixture.sql.schema().await, &latest, newest);

    // What only a later version can hold is gone, and nothing else.
    let without_schema = |run: Run| Run { schema: None, ..run };
    let after = (fixture.run(filled.completed).await, fixture.run(filled.waiting[0]).await);
    assert_eq!((without_schema(before.0), without_schema(before.1)), after);
    let worker = fixture.worker(at(14)).await;
    assert_eq!(fixture.claim_one(worker, at(15)).await.run.id, filled.waiting[0]);
    fixture.complete_run(filled.waiting[0]).await;
    assert_eq!(fixture.claim_one(worker, at(17)).await.run.id, filled.waiting[1]);
}

fn assert_same_lines(found: &[String], expected: &[String], version: u32) {
    let missing: Vec<_> = expected.iter().filter(|line| !found.contains(line)).collect();
    let added: Vec<_> = found.iter().filter(|line| !expected.contains(line)).collect();
    assert!(
        missing.is_empty() && added.is_empty(),
        "version {version}: missing {missing:#?}, added {added:#?}"
    );
}

/// A migration of a large table that fails in the middle keeps the batches that are done, and continues behind them. It
/// cannot be turned round before it is finished.
pub async fn an_interrupted_migration_continues_where_it_was(fixture: &StoreFixture) {
    const DOCUMENTS: usize = 2500;
    let migrations = &fixture.store.migrations;
    let adding: Vec<_> = (0..DOCUMENTS)
        .map(|_| {
            let (documents, id) = (fixture.store.documents.clone(), DocumentId::new());
            tokio::spawn(async move {
                let run = document_run(id.into());
                documents
                    .add(NewDocument::uploaded_by("tester", &document(id), Some(&run)), at(0))
                    .await
                    .unwrap();
                id
            })
        })
        .collect();
    let mut ids = Vec::new();
    for added in adding {
        ids.push(added.await.unwrap());
    }
    ids.sort_unstable();
    let versions = migrations.status().await.unwrap();
    let intake = versions.iter().find(|one| one.name.ends_with("_intake")).unwrap().version;
    migrations.down(intake - 1).await.unwrap();

    // The migration fails at the last document until the row in its way is gone.
    let last = fixture.sql.id(ids[DOCUMENTS - 1].0);
    fixture.sql.refuse_updates("runs", &format!("NEW.subject_id = {last}")).await;
    migrations.up(Some(intake)).await.unwrap_err();
    let applied =
        |versions: &[MigrationStatus]| versions.iter().filter(|one| one.applied_at.is_some()).count();
    assert_eq!(applied(&migrations.status().await.unwrap()), intake as usize - 1);
    let done = "SELECT count(*) FROM runs WHERE listed_at IS NOT NULL";
    assert_eq!(fixture.sql.number(done).await, 2000, "two batches are done");
    let refused = migrations.down(0).await.unwrap_err().to_string();
    assert!(refused.contains(&format!("quire migrate up --to {intake}")), "{refused}");

    // A batch that is done is not done again.
    let first = fixture.sql.id(ids[0].0);
    fixture
        .sql
        .execute(&format!("UPDATE runs SET listed_at = NULL WHERE subject_id = {first}"))
        .await
        .unwrap();
    fixture.sql.allow_updates("runs").await;
    migrations.up(Some(intake)).await.unwrap();
    assert_eq!(fixture.sql.number(done).await, 2499);
    migrations.up(None).await.unwrap();
    assert_eq!(fixture.count("migration_progress").await, 0);
}

/// A database whose tables were made by another version of a migration is refused. Migrations that were applied before
/// there were checksums get theirs with the next migration.
pub async fn a_migration_that_was_changed_is_refused(fixture: &StoreFixture) {
    let migrations = &fixture.store.migrations;
    let unknown = "SELECT count(*) FROM schema_migrations WHERE checksum IS NULL";
    assert_eq!(fixture.sql.number(unknown).await, 0);
    fixture.sql.execute("UPDATE schema_migrations SET checksum = 'other' WHERE version = 2").await.unwrap();
    for refused in [
        migrations.status().await.map(drop),
        migrations.up(None).await.map(drop),
        migrations.down(0).await.map(drop),
    ] {
        let Err(PortError::Conflict(message)) = refused else { panic!("{refused:?}") };
        assert!(message.contains("0002_history has changed"), "{message}");
    }
    fixture.sql.execute("UPDATE schema_migrations SET checksum = NULL").await.unwrap();
    migrations.status().await.unwrap();
    migrations.up(None).await.unwrap();
    assert_eq!(fixture.sql.number(unknown).await, 0);
    migrations.status().await.unwrap();
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
    for table in ["certainties", "figures"] {
        assert_eq!(fixture.sql.number(&format!("SELECT count(*) FROM {table}")).await, 1, "{table}");
    }
    schema.up(None).await.unwrap();

    assert_eq!(fixture.store.documents.overview(document).await.unwrap(), before);
    assert_eq!(fixture.store.documents.count_awaiting_review(9).await.unwrap(), 1);
    assert_eq!(fixture.store.metrics.between(at(20), at(80)).await.unwrap(), [minute]);
    let base = fixture.active_version(run).await;
    fixture.store.reviews.save(&edit(&base, &[add_field("breed", "galgo")], at(9))).await.unwrap().unwrap();
    assert_eq!(fixture.active_version(run).await.number, 2, "versions are added as before");
}

/// A rolling upgrade: the newer program has migrated, and this one goes on beside it. It cannot revert what it does not know.
pub async fn a_newer_database_is_used_if_its_migrations_allow_this_program(fixture: &StoreFixture) {
    let migrations = &fixture.store.migrations;
    let known = migrations.newest_known();
    let newer = format!(
        "INSERT INTO schema_migrations (version, name, applied_at, checksum, oldest_program) \
         SELECT {}, '9999_newer', applied_at, 'x', {known} FROM schema_migrations WHERE version = 1",
        known + 1
    );
    fixture.sql.execute(&newer).await.unwrap();
    let status = migrations.status().await.unwrap();
    assert_eq!((status.len(), migrations.version().await.unwrap()), (known as usize, known + 1));
    assert!(status.iter().all(|one| one.applied_at.is_some() && one.oldest_program <= one.version));
    assert_eq!(migrations.up(None).await.unwrap(), Vec::<u32>::new());
    let down = migrations.down(known).await.unwrap_err().to_string();
    assert!(down.contains("use a newer program"), "{down}");
    for oldest in [(known + 1).to_string(), "NULL".to_owned()] {
        let contract =
            format!("UPDATE schema_migrations SET oldest_program = {oldest} WHERE version > {known}");
        fixture.sql.execute(&contract).await.unwrap();
        for refused in [migrations.status().await.map(drop), migrations.up(None).await.map(drop)] {
            let Err(PortError::Conflict(message)) = refused else { panic!("{refused:?}") };
            assert!(message.contains(&format!("is at version {}", known + 1)), "{message}");
        }
    }
}
