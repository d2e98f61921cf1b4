//! `bench copy`: moves an installation from SQLite and a folder to PostgreSQL and Azure Blob Storage (Azurite). Compares
//! `quire store copy` to a bare loop that reads and writes the same rows and files, one after the other, and checks nothing.

use std::sync::Arc;
use std::time::Instant;

use quire_application::storage::{self, InstallationStores, OriginalsPolicy};
use quire_connectors::blob::object::{AzureSettings, ObjectLocation, Repetition};
use quire_connectors::blob::{DiskBlobs, ObjectBlobs};
use quire_connectors::http::HttpOptions;
use quire_ports::{
    BlobRoot, CopyProgress, DatabaseCell, DatabaseRow, DatabaseTable, TableReceiver, TableSnapshot,
};
use quire_testkit::object_services::{TestContainer, azure_container};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::blobs::upload;
use crate::database::{self, CommitGrouping, Database, DatabaseKind};
use crate::report::{self, Measurement, Table, median};

/// The target: the rate relative to the bare loop.
const TARGET_RATE: f64 = 0.7;
/// The rows of a statement.
const ROWS: u32 = 500;
/// The files that `quire store copy` has in the air.
const FILES: usize = 8;

/// The options of the benchmark.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct CopyBenchOptions {
    /// How often both are measured.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Documents of the installation.
    #[arg(long, default_value_t = 2000)]
    documents: usize,
    /// The size of a document, in KB.
    #[arg(long, default_value_t = 200)]
    kilobytes: usize,
}

/// Measures both and prints the table. Returns whether the target is met.
pub async fn bench(options: CopyBenchOptions) -> bool {
    let container = azure_container().await;
    let folder = tempfile::tempdir().unwrap();
    let (_database, source) = source(folder.path(), options).await;
    let (mut ratios, mut concurrent, mut rates) = (Vec::new(), Vec::new(), Vec::new());
    // Round 0 is a warm-up.
    for round in 0..=options.rounds {
        let mut bare_times = Vec::new();
        for files in [1, FILES] {
            let (_bare_database, bare) = target(&container, &format!("bare-{round}-{files}")).await;
            let started = Instant::now();
            copy_without_checks(&source, &bare, files).await;
            bare_times.push(started.elapsed().as_secs_f64());
        }
        let (_own_database, own) = target(&container, &format!("own-{round}")).await;
        let started = Instant::now();
        let report = storage::copy(&source, &own, &()).await.unwrap();
        let own_time = started.elapsed().as_secs_f64();
        assert_eq!(report.files, options.documents as u64);
        assert!(report.faults.is_empty());
        if round > 0 {
            ratios.push(bare_times[0] / own_time);
            concurrent.push(bare_times[1] / own_time);
            rates.push(options.documents as f64 / own_time);
        }
    }
    let name = "copy of an installation, relative to a bare loop";
    let table = Table {
        measurements: vec![Measurement::at_least(name, median(ratios), TARGET_RATE, "×")],
        notes: vec![format!(
            "{:.0} documents of {} KB a second; {:.2}× of the same loop with {FILES} files at once",
            median(rates),
            options.kilobytes,
            median(concurrent)
        )],
    };
    report::print("Copies to PostgreSQL and Azure Blob Storage", &table)
}

/// An installation with documents.
async fn source(folder: &std::path::Path, options: CopyBenchOptions) -> (Database, InstallationStores) {
    let database = database::create(DatabaseKind::Sqlite, CommitGrouping::Default).await;
    let blobs: Arc<dyn BlobRoot> = Arc::new(DiskBlobs::open(folder).unwrap());
    storage::identify(&database.store, &*blobs, OriginalsPolicy::Kept).await.unwrap();
    let file: Arc<[u8]> = [&b"%PDF-1.7\n"[..], &vec![b'.'; options.kilobytes << 10]].concat().into();
    let mut uploads = JoinSet::new();
    for _ in 0..options.documents {
        if uploads.len() >= FILES {
            uploads.join_next().await.unwrap().unwrap();
        }
        uploads.spawn(upload(database.store.clone(), blobs.clone(), file.clone()));
    }
    uploads.join_all().await;
    let stores = InstallationStores { store: database.store.clone(), blobs };
    (database, stores)
}

/// An empty database, and an empty place in the container.
async fn target(container: &TestContainer, prefix: &str) -> (Database, InstallationStores) {
    let database = database::create(DatabaseKind::Postgres, CommitGrouping::Default).await;
    let settings = AzureSettings::of_connection_string(&container.connection_string()).unwrap();
    let location = ObjectLocation { container: container.name.clone(), prefix: prefix.to_owned() };
    let blobs = ObjectBlobs::azure(&location, &settings, &HttpOptions::default(), Repetition::Short);
    let stores = InstallationStores { store: database.store.clone(), blobs: Arc::new(blobs.unwrap()) };
    (database, stores)
}

/// The bare loop.
async fn copy_without_checks(from: &InstallationStores, to: &InstallationStores, files: usize) {
    let id = from.store.installation.installation_id().await.unwrap().unwrap();
    let mut snapshot = from.store.tables.snapshot().await.unwrap();
    let mut receiver = to.store.tables.receive(id).await.unwrap();
    let (sources, targets) = (snapshot.tables().to_vec(), receiver.tables().to_vec());
    for (source, target) in sources.iter().zip(&targets) {
        copy_rows(&mut *snapshot, &mut *receiver, source, target).await;
    }
    let (mut last, mut copies): (Option<Uuid>, JoinSet<()>) = (None, JoinSet::new());
    loop {
        let subjects = snapshot.subjects(last, ROWS).await.unwrap();
        last = subjects.last().copied().or(last);
        if subjects.is_empty() {
            break;
        }
        for subject in subjects {
            if copies.len() >= files {
                copies.join_next().await.unwrap().unwrap();
            }
            let (from, to) = (from.blobs.clone(), to.blobs.clone());
            copies.spawn(async move {
                for file in from.files(&subject.to_string()).await.unwrap() {
                    let content = from.get(&file.name, file.bytes).await.unwrap();
                    to.put(&file.name, content).await.unwrap();
                }
            });
        }
    }
    copies.join_all().await;
}

async fn copy_rows(
    snapshot: &mut dyn TableSnapshot,
    receiver: &mut dyn TableReceiver,
    source: &DatabaseTable,
    target: &DatabaseTable,
) {
    let mut last: Option<DatabaseRow> = None;
    loop {
        let rows = snapshot.rows(source, last.as_ref(), ROWS).await.unwrap();
        let Some(newest) = rows.last() else { return };
        last = Some(source.key.iter().map(|index| newest[*index].clone()).collect());
        let is_last = rows.len() < ROWS as usize;
        let convert = |row: DatabaseRow| -> DatabaseRow {
            let place = |name: &str| source.columns.iter().position(|column| column.name == name);
            let cell = |column: &quire_ports::Column| match place(&column.name) {
                Some(place) => row[place].clone().into_type(column.cell_type).unwrap(),
                // Only PostgreSQL has the transaction of an event.
                None => DatabaseCell::Integer(0),
            };
            target.columns.iter().map(cell).collect()
        };
        let rows = rows.into_iter().map(convert).collect();
        receiver.insert(target, rows, &CopyProgress::default()).await.unwrap();
        if is_last {
            return;
        }
    }
}
