//! The writer's behaviour on failures: refused operations, locks, a full disk.

use std::sync::Arc;
use std::sync::mpsc;

use quire_domain::SubjectId;
use quire_ports::{Migrations, PortError, RunQueue};
use quire_testkit::fixture::{at, document_run};

use super::*;
use crate::SqliteStore;

async fn store(folder: &tempfile::TempDir, options: SqliteOptions) -> Arc<SqliteStore> {
    let store = SqliteStore::open(&folder.path().join("quire.db"), options).unwrap();
    store.up(None).await.unwrap();
    Arc::new(store)
}

/// Makes the writer wait, so that the operations that are sent meanwhile end up in one group.
async fn hold(store: &Arc<SqliteStore>) -> (mpsc::Sender<()>, tokio::task::JoinHandle<()>) {
    let (release, gate) = mpsc::channel::<()>();
    let (inside, mut entered) = tokio::sync::mpsc::unbounded_channel();
    let held = store.clone();
    let holding = tokio::spawn(async move {
        let wait = move |_: &Connection| {
            inside.send(()).unwrap();
            gate.recv().unwrap();
            Ok(())
        };
        held.writer.write(wait).await.unwrap();
    });
    entered.recv().await.unwrap();
    (release, holding)
}

#[tokio::test]
async fn one_refusal_in_a_group_does_not_undo_its_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, SqliteOptions::default()).await;
    let (release, holding) = hold(&store).await;
    let refused = |store: Arc<SqliteStore>| async move {
        let broken = |connection: &Connection| {
            connection
                .execute("INSERT INTO minute_metrics (minute, pipeline) VALUES (0, 'link')", [])
                .map_err(translate)?;
            connection
                .execute("INSERT INTO minute_metrics (minute, pipeline) VALUES (7, 'x')", [])
                .map_err(translate)
        };
        store.writer.write(broken).await
    };
    let mut accepted = Vec::new();
    let mut tasks = Vec::new();
    for _ in 0..3 {
        let new = document_run(SubjectId::new());
        accepted.push(new.id);
        let queue = store.clone();
        tasks.push(tokio::spawn(async move { queue.enqueue(&new, at(0)).await.map(drop) }));
        let failing = refused(store.clone());
        tasks.push(tokio::spawn(async move { failing.await.map(drop) }));
    }
    release.send(()).unwrap();
    holding.await.unwrap();
    let mut outcomes = Vec::new();
    for task in tasks {
        outcomes.push(task.await.unwrap().is_ok());
    }
    assert_eq!(outcomes, [true, false, true, false, true, false]);
    for id in accepted {
        assert_eq!(quire_ports::RunReader::run(&*store, id).await.unwrap().id, id);
    }
    let left = store
        .writer
        .write(|c| {
            c.query_row("SELECT count(*) FROM minute_metrics", [], |row| row.get::<_, i64>(0))
                .map_err(translate)
        })
        .await
        .unwrap();
    assert_eq!(left, 0, "a refused operation leaves nothing, not even what it had written before");
}

/// Proves R020 on its store: while another process writes, the store answers that it is busy. Afterwards it works
/// again.
#[tokio::test]
async fn a_locked_database_is_said_to_be_busy_and_works_again_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions { busy_timeout: Duration::from_millis(20), ..SqliteOptions::default() };
    let store = store(&folder, options).await;
    let other = Connection::open(folder.path().join("quire.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let new = document_run(SubjectId::new());
    let busy = store.enqueue(&new, at(0)).await.unwrap_err();
    assert!(busy.is_contention(), "{busy}");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.enqueue(&new, at(0)).await.unwrap().id, new.id);
}

#[tokio::test]
async fn a_full_disk_is_said_to_be_full_loses_nothing_and_works_again_with_room() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, SqliteOptions::default()).await;
    let limit = |pages: i64| {
        store.writer.write(move |c| {
            c.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |row| row.get::<_, i64>(0))
                .map_err(translate)
        })
    };
    limit(1).await.unwrap(); // SQLite raises this to the current size, so no page fits.
    let mut accepted = Vec::new();
    let full = loop {
        let new = document_run(SubjectId::new());
        match store.enqueue(&new, at(0)).await {
            Ok(run) => accepted.push(run.id),
            Err(error) => break error,
        }
        assert!(accepted.len() < 100_000, "the disk does not fill");
    };
    assert_eq!(full, PortError::Full { service: "database" });
    assert!(full.is_retryable() && !full.is_in_doubt(), "nothing was stored");
    for id in &accepted {
        assert_eq!(quire_ports::RunReader::run(&*store, *id).await.unwrap().id, *id);
    }
    limit(1_000_000).await.unwrap();
    store.enqueue(&document_run(SubjectId::new()), at(0)).await.unwrap();
}

#[test]
fn errors_of_sqlite_never_name_a_file() {
    let missing = Path::new("/nowhere/at/all/quire.db");
    let error = SqliteStore::open(missing, SqliteOptions::default()).map(drop).unwrap_err();
    assert!(!error.to_string().contains("nowhere"), "{error}");
}

#[tokio::test]
async fn an_operation_that_panics_fails_alone_and_the_store_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder, SqliteOptions { readers: 1, ..SqliteOptions::default() }).await;
    let (release, holding) = hold(&store).await;
    let new = document_run(SubjectId::new());
    let (panicking, neighbour) = (store.clone(), store.clone());
    let panicking = tokio::spawn(async move {
        let broken = |connection: &Connection| -> PortResult<()> {
            connection
                .execute("INSERT INTO minute_metrics (minute, pipeline) VALUES (0, 'link')", [])
                .map_err(translate)?;
            panic!("rehearsed")
        };
        panicking.writer.write(broken).await
    });
    let id = new.id;
    let neighbour = tokio::spawn(async move { neighbour.enqueue(&new, at(0)).await });
    release.send(()).unwrap();
    holding.await.unwrap();
    assert_eq!(panicking.await.unwrap(), Err(panicked()));
    assert_eq!(neighbour.await.unwrap().unwrap().id, id);
    store.enqueue(&document_run(SubjectId::new()), at(1)).await.unwrap();

    for _ in 0..2 {
        let broken = store.readers.read(|_| -> PortResult<i64> { panic!("rehearsed") });
        assert_eq!(broken.await, Err(panicked()));
    }
    let count = |connection: &Connection| {
        connection.query_row("SELECT count(*) FROM minute_metrics", [], |row| row.get(0)).map_err(translate)
    };
    assert_eq!(store.readers.read(count).await, Ok(0), "what the operation wrote is rolled back");
}
