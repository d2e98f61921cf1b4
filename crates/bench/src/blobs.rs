//! `bench blobs`: uploads to Azure Blob Storage (Azurite). Compares the upload of documents to a bare put of the same bytes with
//! the object store library, with the same rows written; and measures the memory of a large file.

use std::sync::Arc;
use std::time::Instant;

use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};
use quire_application::document::upload::{FirstRunOptions, Upload, UploadSettings, Uploader};
use quire_connectors::blob::ObjectBlobs;
use quire_connectors::blob::object::{AzureSettings, ObjectLocation, Repetition};
use quire_connectors::http::HttpOptions;
use quire_domain::Priority;
use quire_domain::reading::FileKind;
use quire_ports::{BlobStore, Store};
use quire_testkit::object_services::azure_container;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::api::baseline::{NewDocumentRow, PostgresRowWriter, RowWriter};
use crate::database::{self, CommitGrouping, DatabaseKind};
use crate::report::{self, Measurement, Table, median};

/// The targets: the rate relative to the bare put, and the memory of a large file.
const TARGET_RATE: f64 = 0.8;
const TARGET_MEMORY_MB: f64 = 50.0;
/// The pieces in which a file arrives.
const PIECE: usize = 64 << 10;

/// The options of the benchmark.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct BlobsBenchOptions {
    /// How often both are measured.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Documents of a round.
    #[arg(long, default_value_t = 200)]
    documents: usize,
    /// The size of a document, in KB.
    #[arg(long, default_value_t = 200)]
    kilobytes: usize,
    /// Uploads at the same time.
    #[arg(long, default_value_t = 4)]
    clients: usize,
    /// The size of the large file, in MB.
    #[arg(long, default_value_t = 1024)]
    large_mb: usize,
}

/// Measures all parts and prints the table. Returns whether all targets are met.
pub async fn bench(options: BlobsBenchOptions) -> bool {
    let container = azure_container().await;
    let settings = AzureSettings::of_connection_string(&container.connection_string()).unwrap();
    let location = ObjectLocation { container: container.name, prefix: String::new() };
    let blobs = ObjectBlobs::azure(&location, &settings, &HttpOptions::default(), Repetition::Short).unwrap();
    let blobs = Arc::new(blobs);
    // First, because the most memory that the process ever used is measured.
    let memory = memory_of_large_file(&*blobs, options.large_mb).await;

    let file: Arc<[u8]> = [&b"%PDF-1.7\n"[..], &vec![b'.'; options.kilobytes << 10]].concat().into();
    let database = database::create(DatabaseKind::Postgres, CommitGrouping::Default).await;
    let bare = BarePut {
        library: blobs.library(),
        rows: Arc::new(PostgresRowWriter::connect(&quire_postgres::testing::url(), &database.schema).await),
    };
    let (mut ratios, mut rates, mut bare_rates) = (Vec::new(), Vec::new(), Vec::new());
    // Round 0 is a warm-up.
    for round in 0..=options.rounds {
        let bare_rate = rate(options, || {
            let (bare, file) = (bare.clone(), file.clone());
            async move { bare.upload(&file).await }
        });
        let bare_rate = bare_rate.await;
        let ours = rate(options, || upload(database.store.clone(), blobs.clone(), file.clone())).await;
        if round > 0 {
            ratios.push(ours / bare_rate);
            rates.push(ours);
            bare_rates.push(bare_rate);
        }
    }
    let table = Table {
        measurements: vec![
            Measurement::at_least("uploads, relative to the bare put", median(ratios), TARGET_RATE, "×"),
            Measurement::at_most(
                format!("memory of a file of {} MB", options.large_mb),
                memory,
                TARGET_MEMORY_MB,
                " MB",
            ),
        ],
        notes: vec![format!(
            "{:.0} documents of {} KB a second, with the bare put {:.0}",
            median(rates),
            options.kilobytes,
            median(bare_rates)
        )],
    };
    report::print("Uploads to Azure Blob Storage", &table)
}

/// Documents a second, with some at a time.
async fn rate<F>(options: BlobsBenchOptions, upload: impl Fn() -> F) -> f64
where
    F: Future<Output = ()> + Send + 'static,
{
    let started = Instant::now();
    let mut uploads = JoinSet::new();
    for _ in 0..options.documents {
        if uploads.len() >= options.clients {
            uploads.join_next().await.unwrap().unwrap();
        }
        uploads.spawn(upload());
    }
    uploads.join_all().await;
    options.documents as f64 / started.elapsed().as_secs_f64()
}

/// The library alone, and the rows.
#[derive(Clone)]
struct BarePut {
    library: Arc<dyn ObjectStore>,
    rows: Arc<PostgresRowWriter>,
}

impl BarePut {
    async fn upload(&self, file: &[u8]) {
        let (document, run) = (Uuid::now_v7(), Uuid::now_v7());
        let path = format!("{document}/original.pdf");
        self.library.put(&Path::from(path.as_str()), file.to_vec().into()).await.unwrap();
        // As long as a hash.
        let mut hash = [0; 32];
        hash[..16].copy_from_slice(document.as_bytes());
        let size = i64::try_from(file.len()).unwrap();
        self.rows
            .add(NewDocumentRow { document, run, name: "record.pdf".to_owned(), size, hash, path })
            .await;
    }
}

/// Uploads a document in pieces.
pub async fn upload(store: Store, blobs: Arc<dyn BlobStore>, file: Arc<[u8]>) {
    let settings = UploadSettings {
        kinds: vec![FileKind::Pdf],
        max_bytes: 1 << 30,
        schema: "veterinary-record".to_owned(),
    };
    let mut upload = Upload::begin(store, blobs, Arc::new(settings));
    for piece in file.chunks(PIECE) {
        upload.write(piece).await.unwrap();
    }
    let first = FirstRunOptions {
        priority: Priority::Normal,
        correlation_id: Some("0123456789abcdef".to_owned()),
        extractor: None,
    };
    let uploader = Uploader { actor: "anonymous".to_owned(), key: None };
    upload.finish("record.pdf", Some(first), &uploader).await.unwrap();
}

/// The memory that the process needs, beyond what it needed before, to write a file of so many MB and to read it again, in MB.
async fn memory_of_large_file(blobs: &dyn BlobStore, megabytes: usize) -> f64 {
    let before = peak_memory_mb();
    let name = "large/file";
    let piece = vec![7; 1 << 20];
    let mut writer = blobs.begin(name).await.unwrap();
    for _ in 0..megabytes {
        writer.write(&piece).await.unwrap();
    }
    writer.finish().await.unwrap();
    let megabyte = 1_u64 << 20;
    for number in 0..megabytes as u64 {
        let range = number * megabyte..(number + 1) * megabyte;
        assert!(blobs.get_range(name, range).await.unwrap() == piece);
    }
    blobs.remove(name).await.unwrap();
    peak_memory_mb() - before
}

fn peak_memory_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0
}
