//! `bench workers`: the processor time of a document with one worker and with two workers on one database. More workers must
//! not make the work of each more expensive.

use std::sync::Arc;
use std::time::Duration;

use quire_connectors::blob::DiskBlobs;
use quire_domain::RunStateName;
use quire_ports::{BlobStore, RunFilter};
use quire_testkit::documents::clinical_record;

use crate::blobs::upload;
use crate::database::{self, CommitGrouping, DatabaseKind};
use crate::drill::processes::{Environment, TestProcess, run_quire};
use crate::process::usage::UsageMeter;
use crate::report::{self, Measurement, Table, median};

/// The target: the processor time with two workers, relative to that with one.
const TARGET_RATIO: f64 = 1.1;
const REAL_STEPS: [&str; 2] = ["serve-api", "real"];
/// Parsers end and start, so that their processor time is read often.
const SAMPLE: Duration = Duration::from_millis(100);

/// The options of the benchmark.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct WorkersBenchOptions {
    /// How often both are measured.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Documents of a round.
    #[arg(long, default_value_t = 400)]
    documents: usize,
}

/// Measures both and prints the table. Returns whether the target is met.
pub async fn bench(options: WorkersBenchOptions) -> bool {
    let (mut ratios, mut one, mut two) = (Vec::new(), Vec::new(), Vec::new());
    // Round 0 is a warm-up.
    for round in 0..=options.rounds {
        let alone = seconds_per_document(1, options.documents).await;
        let together = seconds_per_document(2, options.documents).await;
        if round > 0 {
            ratios.push(together / alone);
            one.push(alone * 1000.0);
            two.push(together * 1000.0);
        }
    }
    let name = "processor time of a document, two workers relative to one";
    let table = Table {
        measurements: vec![Measurement::at_most(name, median(ratios), TARGET_RATIO, "×")],
        notes: vec![format!(
            "{:.1} ms a document with one worker, {:.1} ms with two",
            median(one),
            median(two)
        )],
    };
    report::print("Workers on one database", &table)
}

/// The processor time of all workers and their parsers for a document, while they drain a queue, in seconds.
async fn seconds_per_document(workers: usize, documents: usize) -> f64 {
    let database = database::create(DatabaseKind::Postgres, CommitGrouping::Default).await;
    let data = tempfile::tempdir().unwrap();
    let environment: Environment = vec![
        ("QUIRE_STORAGE_DATABASE", quire_postgres::testing::url()),
        ("QUIRE_DATABASE_SCHEMA", database.schema.clone()),
        ("QUIRE_STORAGE_DATA", data.path().to_str().unwrap().to_owned()),
        ("QUIRE_ENGINE_SLOTS", "2".to_owned()),
        ("QUIRE_READING_PARSERS", "1".to_owned()),
        ("QUIRE_LOG_LEVEL", "off".to_owned()),
    ];
    run_quire(&["migrate", "up"], &environment);
    let blobs: Arc<dyn BlobStore> = Arc::new(DiskBlobs::open(data.path().join("documents")).unwrap());
    let start = || TestProcess::start(&REAL_STEPS, &["worker"], &environment).0;
    let workers: Vec<TestProcess> = (0..workers).map(|_| start()).collect();
    let mut meters: Vec<UsageMeter> = workers.iter().map(|worker| UsageMeter::start(worker.0.id())).collect();
    // Starting is not work on a document.
    let before: f64 = meters.iter_mut().map(UsageMeter::cpu_seconds_now).sum();
    let file: Arc<[u8]> = clinical_record(2).into();
    for _ in 0..documents {
        upload(database.store.clone(), blobs.clone(), file.clone()).await;
    }
    let is_open = async |state| {
        let filter = RunFilter { state: Some(state), limit: 1, ..RunFilter::default() };
        !database.store.run_reader.runs(&filter).await.unwrap().is_empty()
    };
    while is_open(RunStateName::Queued).await || is_open(RunStateName::Running).await {
        meters.iter_mut().for_each(UsageMeter::sample);
        tokio::time::sleep(SAMPLE).await;
    }
    let after: f64 = meters.iter_mut().map(UsageMeter::cpu_seconds_now).sum();
    let completed =
        RunFilter { state: Some(RunStateName::Completed), limit: 100_000, ..RunFilter::default() };
    assert_eq!(database.store.run_reader.runs(&completed).await.unwrap().len(), documents);
    assert!(workers.into_iter().all(TestProcess::stop));
    (after - before) / documents as f64
}
