//! Copies between SQLite and PostgreSQL, with rows in every table.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use async_trait::async_trait;
use quire_connectors::blob::DiskBlobs;
use quire_domain::{InstallationId, RunId};
use quire_ports::{CellType, DatabaseCell, DatabaseTable};
use quire_testkit::conformance::filled_tables::{FilledTables, fill_every_table};
use quire_testkit::fixture::at;
use quire_testkit::{FaultyBlobs, StoreFixture};
use tempfile::TempDir;

use super::*;

/// The end of a copy changes these on purpose: workers of the source hold no lease any more.
const CHANGED_AT_THE_END: [&str; 2] = ["ended_at", "held_at_end"];

/// An installation.
struct Place {
    fixture: StoreFixture,
    stores: InstallationStores,
    folder: TempDir,
}

impl Place {
    fn of(fixture: StoreFixture) -> Self {
        let folder = TempDir::new().unwrap();
        let blobs = Arc::new(DiskBlobs::open(folder.path().join("documents")).unwrap());
        Self { stores: InstallationStores { store: fixture.store.clone(), blobs }, fixture, folder }
    }

    async fn on_sqlite() -> Self {
        Self::of(quire_sqlite::testing::store_fixture().await)
    }

    async fn on_postgresql() -> Self {
        Self::of(quire_postgres::testing::store_fixture().await)
    }

    /// Puts rows into every table and a few files beside them, one of which is larger than a piece.
    async fn fill(&self) -> FilledTables {
        let filled = fill_every_table(&self.fixture).await;
        let id = self.stores.store.installation.installation_id().await.unwrap().unwrap();
        identity::write_id(&*self.stores.blobs, id).await.unwrap();
        let subjects = self.stores.store.tables.snapshot().await.unwrap().subjects(None, 10).await.unwrap();
        assert_eq!(subjects.len(), 2);
        for (subject, bytes) in subjects.iter().zip([1000, 9 << 20]) {
            for name in ["original.pdf", "runs/1/raw-text.txt"] {
                self.stores.blobs.put(&format!("{subject}/{name}"), vec![7; bytes]).await.unwrap();
            }
        }
        filled
    }

    /// Every row of every table. Values have the types that PostgreSQL knows.
    async fn dump(&self, types: &[DatabaseTable]) -> Vec<(String, DatabaseRow)> {
        let mut snapshot = self.stores.store.tables.snapshot().await.unwrap();
        let tables = snapshot.tables().to_vec();
        let mut dump = Vec::new();
        for (table, typed) in tables.iter().zip(types) {
            assert_eq!(table.name, typed.name);
            for row in snapshot.rows(table, None, 10_000).await.unwrap() {
                let cells = typed.columns.iter().map(|column| {
                    let place = table.columns.iter().position(|one| one.name == column.name).unwrap();
                    let is_changed = CHANGED_AT_THE_END.contains(&column.name.as_str());
                    let cell = if is_changed { DatabaseCell::Null } else { row[place].clone() };
                    cell.into_type(column.cell_type).unwrap()
                });
                dump.push((table.name.clone(), cells.collect()));
            }
        }
        dump
    }

    async fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        for folder in self.stores.store.tables.snapshot().await.unwrap().subjects(None, 10).await.unwrap() {
            for file in self.stores.blobs.files(&folder.to_string()).await.unwrap() {
                let content = self.stores.blobs.get(&file.name, file.bytes).await.unwrap();
                files.push((file.name, content));
            }
        }
        files.sort();
        files
    }
}

async fn copy_quietly(from: &InstallationStores, to: &InstallationStores) -> Result<CopyReport, CopyError> {
    copy(from, to, &()).await
}

/// Works as an installation does: a queued run is claimed, events get new ids, and what is final stays final.
async fn assert_works(place: &Place, waiting: RunId) {
    let fixture = &place.fixture;
    let before = fixture.store.run_reader.newest_event().await.unwrap();
    let worker = fixture.worker(at(100)).await;
    assert_eq!(fixture.claim_one(worker, at(101)).await.run.id, waiting);
    fixture.complete_run(waiting).await;
    assert!(fixture.store.run_reader.newest_event().await.unwrap() > before);
    for statement in [
        "UPDATE events SET event_type = 'RUN_FAILED'",
        "DELETE FROM artifacts",
        "DELETE FROM interpretation_versions",
        "UPDATE model_calls SET tokens_in = 0",
        "DELETE FROM governance_decisions",
        "UPDATE installation SET created_at = created_at",
    ] {
        assert!(fixture.sql.execute(statement).await.is_err(), "{statement}");
    }
    assert_eq!(fixture.store.tables.unfinished_copy().await.unwrap(), None);
    assert_eq!(fixture.store.tables.contradictions(10).await.unwrap(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_and_files_go_to_postgresql_and_back_unchanged() {
    let (laptop, server, back) =
        (Place::on_sqlite().await, Place::on_postgresql().await, Place::on_sqlite().await);
    let filled = laptop.fill().await;
    // Neither PostgreSQL's text nor its JSON can hold this character.
    laptop
        .fixture
        .sql
        .execute("UPDATE documents SET original_filename = 'a' || char(0) || 'b'")
        .await
        .unwrap();
    let report = copy_quietly(&laptop.stores, &server.stores).await.unwrap();
    assert_eq!((report.files, report.bytes), (4, 2 * 1000 + (18 << 20)));
    assert!(report.tables.iter().all(|(table, rows)| *rows > 0 || table == "x"), "{report:?}");
    copy_quietly(&server.stores, &back.stores).await.unwrap();

    let types = server.stores.store.tables.snapshot().await.unwrap().tables().to_vec();
    let dump = laptop.dump(&types).await;
    assert_eq!(server.dump(&types).await, dump);
    assert_eq!(back.dump(&types).await, dump);
    assert!(dump.iter().any(|(_, row)| row.contains(&DatabaseCell::Text("a\u{fffd}b".to_owned()))));
    for place in [&server, &back] {
        assert_eq!(place.files().await, laptop.files().await);
        assert_eq!(
            compare_ids(&place.stores.store, &*place.stores.blobs).await.unwrap(),
            Some(StorageMatch::Same)
        );
        assert_works(place, filled.waiting[0]).await;
    }
}

/// A database whose `insert` fails after a number of calls, as if the process was killed.
struct Interrupted {
    tables: Arc<dyn DatabaseTables>,
    left: Arc<AtomicUsize>,
}

struct InterruptedReceiver {
    receiver: Box<dyn TableReceiver>,
    left: Arc<AtomicUsize>,
}

fn interrupted() -> PortError {
    PortError::Unavailable { service: "database", reason: "rehearsed".to_owned(), contention: false }
}

#[async_trait]
impl DatabaseTables for Interrupted {
    async fn snapshot(&self) -> PortResult<Box<dyn TableSnapshot>> {
        self.tables.snapshot().await
    }

    async fn receive(&self, source: InstallationId) -> PortResult<Box<dyn TableReceiver>> {
        let receiver = self.tables.receive(source).await?;
        Ok(Box::new(InterruptedReceiver { receiver, left: self.left.clone() }))
    }

    async fn unfinished_copy(&self) -> PortResult<Option<InstallationId>> {
        self.tables.unfinished_copy().await
    }

    async fn forget_copy(&self) -> PortResult<()> {
        self.tables.forget_copy().await
    }

    async fn contradictions(&self, limit: usize) -> PortResult<Vec<String>> {
        self.tables.contradictions(limit).await
    }
}

impl InterruptedReceiver {
    fn count(&self) -> PortResult<()> {
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        left.map(drop).map_err(|_| interrupted())
    }
}

#[async_trait]
impl TableReceiver for InterruptedReceiver {
    fn tables(&self) -> &[DatabaseTable] {
        self.receiver.tables()
    }

    async fn progress(&mut self, part: &str) -> PortResult<CopyProgress> {
        self.receiver.progress(part).await
    }

    async fn record(&mut self, part: &str, progress: &CopyProgress) -> PortResult<()> {
        self.count()?;
        self.receiver.record(part, progress).await
    }

    async fn insert(
        &mut self,
        table: &DatabaseTable,
        rows: Vec<DatabaseRow>,
        progress: &CopyProgress,
    ) -> PortResult<()> {
        self.count()?;
        self.receiver.insert(table, rows, progress).await
    }

    async fn finish(&mut self, last_event_id: i64) -> PortResult<()> {
        self.count()?;
        self.receiver.finish(last_event_id).await
    }
}

/// A table with several batches.
async fn add_events(place: &Place) {
    let insert = "INSERT INTO events (at, event_type) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
                  WHERE i < 1200) SELECT i, 'DOCUMENT_LIST_VIEWED' FROM n";
    assert_eq!(place.fixture.sql.execute(insert).await, Ok(1200));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_copy_continues_and_duplicates_nothing() {
    for target in [Place::on_postgresql().await, Place::on_sqlite().await] {
        let source = Place::on_sqlite().await;
        let filled = source.fill().await;
        add_events(&source).await;
        let id = source.stores.store.installation.installation_id().await.unwrap();
        let mut interruptions = 0;
        loop {
            let tables = target.stores.store.tables.clone();
            let left = Arc::new(AtomicUsize::new(5));
            let store =
                Store { tables: Arc::new(Interrupted { tables, left }), ..target.stores.store.clone() };
            let to = InstallationStores { store, blobs: target.stores.blobs.clone() };
            match copy_quietly(&source.stores, &to).await {
                Ok(_) => break,
                Err(error) => assert_eq!(error, CopyError::Store(interrupted())),
            }
            assert_eq!(
                target.stores.store.tables.unfinished_copy().await.unwrap(),
                id,
                "nobody else may use it"
            );
            interruptions += 1;
        }
        assert!(interruptions >= 7, "{interruptions}");
        let types =
            Place::on_postgresql().await.stores.store.tables.snapshot().await.unwrap().tables().to_vec();
        assert_eq!(target.dump(&types).await, source.dump(&types).await);
        assert_eq!(target.files().await, source.files().await);
        assert_works(&target, filled.waiting[0]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_or_a_file_that_changed_in_the_target_is_found() {
    let (source, target) = (Place::on_sqlite().await, Place::on_postgresql().await);
    source.fill().await;
    let tables = target.stores.store.tables.clone();
    let count = target.stores.store.tables.snapshot().await.unwrap().tables().len();
    // It fails when only the end of the copy is left.
    let left = Arc::new(AtomicUsize::new(count + 1));
    let store = Store { tables: Arc::new(Interrupted { tables, left }), ..target.stores.store.clone() };
    let to = InstallationStores { store, blobs: target.stores.blobs.clone() };
    assert_eq!(copy_quietly(&source.stores, &to).await, Err(CopyError::Store(interrupted())));
    target.fixture.sql.execute("UPDATE documents SET original_filename = 'changed'").await.unwrap();
    let found = copy_quietly(&source.stores, &target.stores).await;
    assert_eq!(found, Err(CopyError::DifferentRows("documents".to_owned())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_with_anything_in_it_is_refused_and_left_as_it_is() {
    let (source, other) = (Place::on_sqlite().await, Place::on_sqlite().await);
    source.fill().await;
    other.fill().await;
    for target in [Place::on_postgresql().await, Place::on_sqlite().await] {
        // What `quire migrate up` leaves is no obstacle.
        super::super::identify(
            &target.stores.store,
            &*target.stores.blobs,
            super::super::OriginalsPolicy::Kept,
        )
        .await
        .unwrap();
        copy_quietly(&source.stores, &target.stores).await.unwrap();
        let types =
            Place::on_postgresql().await.stores.store.tables.snapshot().await.unwrap().tables().to_vec();
        let before = target.dump(&types).await;
        for from in [&source, &other] {
            let refused = copy_quietly(&from.stores, &target.stores).await.unwrap_err().to_string();
            assert!(refused.contains("not empty") || refused.contains("another installation"), "{refused}");
        }
        assert_eq!(target.dump(&types).await, before);
        assert_eq!(identity::copied_id(&*target.stores.blobs).await, Ok(None), "no mark is left");
        // An empty database beside the storage of another installation.
        let empty = Place::on_sqlite().await;
        let mixed =
            InstallationStores { store: empty.stores.store.clone(), blobs: target.stores.blobs.clone() };
        assert_eq!(copy_quietly(&other.stores, &mixed).await, Err(CopyError::StorageTaken));
    }
    std::fs::remove_file(source.folder.path().join("documents/installation-id")).unwrap();
    let target = Place::on_sqlite().await;
    assert_eq!(copy_quietly(&source.stores, &target.stores).await, Err(CopyError::WrongSourceStorage));
    assert_eq!(
        copy_quietly(&Place::on_sqlite().await.stores, &target.stores).await,
        Err(CopyError::NoSource)
    );
}

/// The types that PostgreSQL knows are the ones that SQLite's values can be read as.
#[tokio::test(flavor = "multi_thread")]
async fn both_databases_have_the_same_tables_and_columns() {
    let (sqlite, postgresql) = (Place::on_sqlite().await, Place::on_postgresql().await);
    let names = |tables: &[DatabaseTable]| -> Vec<(String, Vec<String>)> {
        let columns = |table: &DatabaseTable| {
            let mut names: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
            names.sort();
            names
        };
        tables.iter().map(|table| (table.name.clone(), columns(table))).collect()
    };
    let (one, other) = (
        sqlite.stores.store.tables.snapshot().await.unwrap(),
        postgresql.stores.store.tables.snapshot().await.unwrap(),
    );
    assert_eq!(names(one.tables()), names(other.tables()));
    assert!(
        other.tables().iter().all(|table| table.columns.iter().all(|one| one.cell_type != CellType::Unknown))
    );
    for place in [&sqlite, &postgresql] {
        let mut listed: Vec<String> = place
            .stores
            .store
            .tables
            .snapshot()
            .await
            .unwrap()
            .tables()
            .iter()
            .map(|one| one.name.clone())
            .collect();
        listed.sort();
        let missing =
            "a migration added or removed a table; change TABLES in infrastructure/sql/src/tables.rs";
        // The search index is made again from the rest.
        let mut tables = place.fixture.sql.tables().await;
        tables.retain(|table| !table.starts_with("search_"));
        assert_eq!(tables, listed, "{missing}");
    }
}

/// Counts what is told, and does something at the first step.
struct ToldProgress<F> {
    total: AtomicU64,
    done: AtomicU64,
    at_first: F,
}

impl<F> ToldProgress<F> {
    fn new(at_first: F) -> Self {
        Self { total: AtomicU64::default(), done: AtomicU64::default(), at_first }
    }
}

impl<F: Fn() + Send + Sync> Progress for ToldProgress<F> {
    fn begin(&self, steps: u64) {
        self.total.store(steps, Ordering::Relaxed);
    }

    fn done(&self, steps: u64) {
        if self.done.fetch_add(steps, Ordering::Relaxed) == 0 {
            (self.at_first)();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_does_as_much_as_it_said() {
    let (source, target) = (Place::on_sqlite().await, Place::on_postgresql().await);
    source.fill().await;
    let told = ToldProgress::new(|| ());
    copy(&source.stores, &target.stores, &told).await.unwrap();
    assert_eq!(told.done.into_inner(), told.total.into_inner());
}

/// A disk that is unmounted leaves an empty folder. Its files are not lost, and none may go to that folder.
#[tokio::test(flavor = "multi_thread")]
async fn a_storage_that_vanishes_during_a_copy_fails_it() {
    for is_source in [true, false] {
        let (source, target) = (Place::on_sqlite().await, Place::on_sqlite().await);
        source.fill().await;
        let place = if is_source { &source } else { &target };
        let (mounted, unmounted) =
            (place.folder.path().join("documents"), place.folder.path().join("unmounted"));
        let unmount = || {
            std::fs::rename(&mounted, &unmounted).unwrap();
            std::fs::create_dir(&mounted).unwrap();
        };
        let told = ToldProgress::new(unmount);
        let failed = copy(&source.stores, &target.stores, &told).await.unwrap_err();
        assert!(
            matches!(failed, CopyError::Store(PortError::Unavailable { service: "storage", .. })),
            "{failed}"
        );
        assert_eq!(std::fs::read_dir(&mounted).unwrap().count(), 0, "nothing was written to the wrong disk");
        std::fs::remove_dir(&mounted).unwrap();
        std::fs::rename(&unmounted, &mounted).unwrap();
        copy_quietly(&source.stores, &target.stores).await.unwrap();
        assert_eq!(target.files().await, source.files().await);
    }
}

/// The id of the target's database goes first. A call that was interrupted right then continues.
#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_was_interrupted_before_the_storage_lost_its_id_continues() {
    use super::super::{OriginalsPolicy, identify};
    let (source, target) = (Place::on_sqlite().await, Place::on_postgresql().await);
    source.fill().await;
    identify(&target.stores.store, &*target.stores.blobs, OriginalsPolicy::Kept).await.unwrap();
    let id = source.stores.store.installation.installation_id().await.unwrap().unwrap();
    identity::begin_copy(&target.stores.blobs, id).await.unwrap();
    drop(target.stores.store.tables.receive(id).await.unwrap());
    copy_quietly(&source.stores, &target.stores).await.unwrap();
    assert_eq!(target.files().await, source.files().await);
    let InstallationStores { store, blobs } = &target.stores;
    assert_eq!(compare_ids(store, &**blobs).await, Ok(Some(StorageMatch::Same)));
}

/// Two databases on one storage would remove each other's files.
#[tokio::test(flavor = "multi_thread")]
async fn a_target_with_the_storage_of_the_source_is_refused() {
    let (source, target) = (Place::on_sqlite().await, Place::on_postgresql().await);
    source.fill().await;
    // Another address of the same place.
    let folder = source.folder.path().join("mounted");
    std::os::unix::fs::symlink(source.folder.path().join("documents"), &folder).unwrap();
    let blobs = Arc::new(DiskBlobs::open(folder).unwrap());
    let shared = InstallationStores { store: target.stores.store.clone(), blobs };
    assert_eq!(copy_quietly(&source.stores, &shared).await, Err(CopyError::SameStorage));
    assert_eq!(target.stores.store.tables.unfinished_copy().await, Ok(None), "the target is as it was");
    let left: Vec<_> = std::fs::read_dir(source.folder.path().join("documents"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name.to_string_lossy().starts_with("probe-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// The empty file that tells two storages apart cannot be removed: the sweep does so later.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_the_comparison_that_cannot_be_removed_does_not_fail_the_copy() {
    let (source, target) = (Place::on_sqlite().await, Place::on_postgresql().await);
    let faulty = Arc::new(FaultyBlobs::new(target.stores.blobs.clone()));
    assert!(!is_same_storage(&*source.stores.blobs, &*faulty).await.unwrap());
    faulty.fail_all("remove");
    assert!(!is_same_storage(&*source.stores.blobs, &*faulty).await.unwrap());
    let same = FaultyBlobs::new(source.stores.blobs.clone());
    same.fail_all("remove");
    assert!(is_same_storage(&*source.stores.blobs, &same).await.unwrap());
    let left = target.stores.blobs.folders(None).await.unwrap().names;
    assert!(matches!(left.as_slice(), [one] if crate::storage::probe::is_probe(one)), "{left:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_that_continues_reports_what_the_interrupted_call_found() {
    let (source, whole, target) =
        (Place::on_sqlite().await, Place::on_sqlite().await, Place::on_postgresql().await);
    source.fill().await;
    let subjects = source.stores.store.tables.snapshot().await.unwrap().subjects(None, 10).await.unwrap();
    for subject in subjects {
        source.stores.blobs.remove(&format!("{subject}/original.pdf")).await.unwrap();
    }
    let expected = copy_quietly(&source.stores, &whole.stores).await.unwrap().faults;
    assert!(!expected.is_empty());
    let tables = target.stores.store.tables.clone();
    let count = target.stores.store.tables.snapshot().await.unwrap().tables().len();
    // It fails when only the end of the copy is left.
    let left = Arc::new(AtomicUsize::new(count + 1));
    let store = Store { tables: Arc::new(Interrupted { tables, left }), ..target.stores.store.clone() };
    let to = InstallationStores { store, blobs: target.stores.blobs.clone() };
    assert_eq!(copy_quietly(&source.stores, &to).await, Err(CopyError::Store(interrupted())));
    let report = copy_quietly(&source.stores, &target.stores).await.unwrap();
    assert_eq!((report.files, report.faults), (0, expected));
}
