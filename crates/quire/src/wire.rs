//! Connects the adapters that the settings name: database, blob store, reader, interpreter and steps. Commands that need
//! a single adapter, such as `quire read`, name it themselves.

mod asker;
mod blobs;
mod document_intelligence;
mod embedder;
pub(crate) mod installations;
mod interpreter;
mod link;
mod model;
mod proposal;
pub(crate) mod reader;
mod redis;
pub(crate) mod schemas;
mod web;

use std::path::Path;
use std::sync::Arc;

use quire_application::document::pages::{ImageSettings, PageImages};
use quire_application::document::upload::FreeSpace;
use quire_application::engine::LeaseSettings;
use quire_application::events::EventFeed;
use quire_application::health::StorageCheck;
use quire_application::lanes::{ConnectorPermits, LanePermits};
use quire_application::operations::worker_too_old;
use quire_application::steps::{
    ConfidenceCalibrator, DocumentIntelligenceReader, EmbeddingStep, ExtractionStep, InterpretationStep,
    UnreadableSchema,
};
use quire_application::storage::OriginalsPolicy;
use quire_application::{App, AppSettings};
use quire_domain::{LaneName, Pipeline, StepName};
use quire_ports::{BlobStore, DocumentReader, Embedder, LanguageModel, MigrationStatus, Step, Store, Worker};
use quire_postgres::PgStore;
use quire_sqlite::{FileLock, LockError, SqliteStore};
use tokio_util::sync::CancellationToken;

pub(crate) use asker::asker;
pub(crate) use blobs::{blobs, blobs_of_any, check_blobs, identify_storage};
pub(crate) use document_intelligence::check_document_intelligence;
pub(crate) use embedder::{check_embedder, embedder, searcher};
pub(crate) use link::{missing_model_setting, redis_locks};
pub(crate) use model::{check_model, http_client, probe_model};
pub(crate) use proposal::model_name as proposal_model;
pub(crate) use redis::redis_address;
pub(crate) use web::check_web;
pub use web::web_reader;

use crate::config::{Config, DatabaseLocation, mask_url, to_std};
use crate::error::CommandError;
use crate::{Steps, StepsFuture};

/// Why a database that is being copied into cannot be used.
pub(crate) const UNFINISHED_COPY: &str = "a copy into this database was begun and is not finished; run the same `quire store copy` or `quire restore` \
     again. If its source is gone, `quire restore BACKUP --replace` or `quire migrate down --to 0 --yes` deletes what was copied";

/// The smallest scale of a page image, in pixels per point.
pub(crate) const MIN_SCALE: f32 = 0.1;

/// The steps that come with the program.
pub fn built_in_steps(config: Config, store: Store, lanes: Arc<LanePermits>) -> StepsFuture {
    Box::pin(async move {
        let is_wanted = |pipeline: Pipeline| config.scope.executes(pipeline);
        let mut pipelines = Vec::new();
        let model = model::language_model(&config, &store, &lanes).await?;
        let reader = Arc::new(reader::start(&config).await?);
        if is_wanted(Pipeline::Document) || is_wanted(Pipeline::Link) {
            lanes.register(&LaneName::ocr()).await;
        }
        if is_wanted(Pipeline::Document) {
            let service = document_intelligence::reader(&config, &store, &lanes).await?;
            let embedder = embedder(&config, &store, &lanes).await?;
            let steps =
                document_steps(&config, &store, &lanes, reader.clone(), service, model.clone(), embedder)?;
            pipelines.push((Pipeline::Document, steps));
        }
        if is_wanted(Pipeline::Proposal) {
            pipelines.extend(
                proposal::steps(&config, &store, model.clone())?.map(|steps| (Pipeline::Proposal, steps)),
            );
        }
        if is_wanted(Pipeline::Link) {
            let permits = Arc::new(ConnectorPermits(lanes.clone()));
            let reader = web_reader(&config, reader, permits)
                .map_err(|(key, rule)| CommandError::new(format!("{key} {rule}")))?;
            pipelines.push((Pipeline::Link, link::steps(&config, &store, reader, model).await?));
        }
        Ok(pipelines)
    })
}

fn document_steps(
    config: &Config,
    store: &Store,
    lanes: &Arc<LanePermits>,
    reader: Arc<dyn DocumentReader>,
    document_intelligence: Option<DocumentIntelligenceReader>,
    model: Option<Arc<dyn LanguageModel>>,
    embedder: Arc<dyn Embedder>,
) -> Result<Steps, CommandError> {
    let extraction = ExtractionStep {
        document_intelligence,
        governance: store.governance.clone(),
        extractor: config.reading.extractor,
        documents: store.documents.clone(),
        blobs: blobs::step_blobs(config, store)?,
        reader,
        max_bytes: config.reading.max_file_mb << 20,
        lanes: lanes.clone(),
    };
    let interpretation = InterpretationStep {
        history: store.run_reader.clone(),
        blobs: extraction.blobs.clone(),
        governance: store.governance.clone(),
        interpreter: interpreter::create(config, store, model)?,
        calibrator: ConfidenceCalibrator {
            calibration: store.calibration.clone(),
            policy: Arc::new(config.confidence.clone()),
        },
        clock: store.clock.clone(),
        unreadable: UnreadableSchema::default(),
        kept_pages: config.search.enabled.then(Arc::default),
    };
    let embedding = EmbeddingStep {
        history: store.run_reader.clone(),
        blobs: extraction.blobs.clone(),
        embedder,
        clock: store.clock.clone(),
        kept_pages: interpretation.kept_pages.clone().unwrap_or_default(),
    };
    let steps: [(StepName, Arc<dyn Step>); 3] = [
        (StepName::Extraction, Arc::new(extraction)),
        (StepName::Interpretation, Arc::new(interpretation)),
        (StepName::Embedding, Arc::new(embedding)),
    ];
    Ok(Steps::from(steps))
}

/// A database opened for an engine.
pub(crate) struct EngineDatabase {
    pub(crate) store: Store,
    pub(crate) lease: LeaseSettings,
    /// SQLite: held as long as the engine runs, so that no second one starts.
    _lock: Option<FileLock>,
}

/// Opens the database for an engine. SQLite: takes the lock, creates the file and applies missing migrations.
/// PostgreSQL, which other workers share: refuses a database that lacks migrations.
pub(crate) async fn open_for_engine(
    config: &Config,
    originals: OriginalsPolicy,
) -> Result<EngineDatabase, CommandError> {
    match config.location() {
        DatabaseLocation::Sqlite(path) => {
            let lock = create_and_lock(config, &path)?;
            open_locked(config, &path, lock, originals).await
        }
        DatabaseLocation::Postgres(url) => {
            make_folder(&config.storage.data)?;
            let store = postgres(config, &url).await?;
            require_current(&store).await?;
            schemas::seed(&store, config).await?;
            let lease = LeaseSettings::Renewed { term: config.engine.lease };
            Ok(EngineDatabase { store, lease, _lock: None })
        }
    }
}

/// Opens a SQLite file whose lock is taken.
async fn open_locked(
    config: &Config,
    path: &Path,
    lock: FileLock,
    originals: OriginalsPolicy,
) -> Result<EngineDatabase, CommandError> {
    let store = sqlite(config, path)?;
    let applied = store.migrations.up(None).await?;
    if !applied.is_empty() {
        tracing::info!(versions = ?applied, "database migrated");
    }
    identify_storage(config, &store, originals).await?;
    schemas::seed(&store, config).await?;
    Ok(EngineDatabase { store, lease: LeaseSettings::Exclusive, _lock: Some(lock) })
}

/// Opens the database for an engine of a pipeline. None if another engine claims the runs of that pipeline.
pub(crate) async fn open_for_engine_if_idle(
    config: &Config,
    pipeline: Pipeline,
) -> Result<Option<EngineDatabase>, CommandError> {
    match config.location() {
        DatabaseLocation::Sqlite(path) => match lock(config, &path)? {
            Err(LockError::HeldByAnother { .. }) => Ok(None),
            lock => open_locked(config, &path, lock?, OriginalsPolicy::Kept).await.map(Some),
        },
        DatabaseLocation::Postgres(_) => {
            let store = open_for_command(config).await?;
            let now = store.clock.now();
            let claims = |worker: &Worker| worker.is_live(now) && worker.claims(pipeline);
            if store.workers.list().await?.iter().any(claims) {
                return Ok(None);
            }
            open_for_engine(config, OriginalsPolicy::Kept).await.map(Some)
        }
    }
}

/// Opens the database for a command. A server may be running on it.
pub(crate) async fn open_for_command(config: &Config) -> Result<Store, CommandError> {
    let store = open_existing(config).await?;
    require_current(&store).await?;
    Ok(store)
}

/// Opens the database for a command that also works without one: `None` if the SQLite file is missing or no migration
/// was applied yet. Creates nothing.
pub(crate) async fn open_if_present(config: &Config) -> Result<Option<Store>, CommandError> {
    if let DatabaseLocation::Sqlite(path) = config.location()
        && !path.is_file()
    {
        return Ok(None);
    }
    let store = open_existing(config).await?;
    if migration_counts(&store).await?.0 == 0 {
        return Ok(None);
    }
    require_current(&store).await?;
    Ok(Some(store))
}

/// Opens the database for a command that may be the first one on a machine: creates a missing SQLite file.
pub(crate) async fn open_or_create(config: &Config) -> Result<Store, CommandError> {
    match config.location() {
        DatabaseLocation::Sqlite(path) if !path.is_file() => {
            let (store, _lock) = open_for_migration(config, true).await?;
            store.migrations.up(None).await?;
            identify_storage(config, &store, OriginalsPolicy::Kept).await?;
            Ok(store)
        }
        _ => open_for_command(config).await,
    }
}

/// Opens an existing database, whatever its migrations.
pub(crate) async fn open_existing(config: &Config) -> Result<Store, CommandError> {
    match config.location() {
        DatabaseLocation::Sqlite(path) => {
            require_file(&path)?;
            sqlite(config, &path)
        }
        DatabaseLocation::Postgres(url) => postgres(config, &url).await,
    }
}

/// Opens the database to migrate it. SQLite: fails while an engine runs, and the lock keeps one from starting.
pub(crate) async fn open_for_migration(
    config: &Config,
    create: bool,
) -> Result<(Store, Option<FileLock>), CommandError> {
    match config.location() {
        DatabaseLocation::Sqlite(path) => {
            if !create {
                require_file(&path)?;
            }
            let lock = create_and_lock(config, &path)?;
            Ok((sqlite(config, &path)?, Some(lock)))
        }
        DatabaseLocation::Postgres(url) => Ok((postgres(config, &url).await?, None)),
    }
}

/// Applies migrations. Refused while a worker is live that may not work beside one of them; the lock of a SQLite file keeps
/// workers away.
pub(crate) async fn migrate_up(
    store: &Store,
    lock: Option<&FileLock>,
    to: Option<u32>,
) -> Result<Vec<u32>, CommandError> {
    if lock.is_none() {
        let status = store.migrations.status().await?;
        let workers = if has_workers(&status) { store.workers.list().await? } else { Vec::new() };
        if let Some(refused) = worker_too_old(&status, to, &workers, store.clock.now()) {
            return Err(refused.into());
        }
    }
    Ok(store.migrations.up(to).await?)
}

/// The migration that creates the table of workers.
const FIRST_VERSION_WITH_WORKERS: u32 = 3;

/// Whether the database can have workers.
pub(crate) fn has_workers(migrations: &[MigrationStatus]) -> bool {
    let mut applied = migrations.iter().filter(|migration| migration.applied_at.is_some());
    applied.any(|migration| migration.version == FIRST_VERSION_WITH_WORKERS)
}

/// Renders page images.
fn page_images(config: &Config, store: &Store, blobs: Arc<dyn BlobStore>) -> PageImages {
    let images = config.reading.images;
    let settings = ImageSettings {
        scales: (MIN_SCALE, images.max_scale),
        cache_bytes: images.cache_mb << 20,
        max_file_bytes: config.reading.max_file_mb << 20,
        max_concurrent: images.parsers as usize,
    };
    PageImages::new(store.documents.clone(), blobs, Arc::new(reader::PageRenderer::new(config)), settings)
}

/// Builds what the handlers and pages need. Cancelling `stop` ends event streams, which would otherwise keep the server
/// from stopping.
pub(crate) async fn app(
    config: &Config,
    store: &Store,
    lanes: &Arc<LanePermits>,
    stop: &CancellationToken,
) -> Result<App, CommandError> {
    let blobs = blobs(config, store)?;
    Ok(App::new(AppSettings {
        images: page_images(config, store, blobs.clone()),
        uploads: config.upload_settings(),
        free_space: free_space(config),
        confidence: config.confidence.clone(),
        events: EventFeed::new(store.run_reader.clone(), config.server.feed_limits(), stop.clone()),
        processing: config.uploads.processing,
        searcher: searcher(config, store, lanes).await?,
        asker: asker(config, store, lanes).await?,
        lanes: lanes.clone(),
        proposal_model: proposal::model_name(config),
        missing_model_setting: link::missing_model_setting(config),
        document_intelligence: config.document_intelligence.is_configured(),
        draft_wait: to_std(config.server.draft_wait),
        requeue: Pipeline::ALL.map(|pipeline| (pipeline, config.policy(pipeline).requeue)).to_vec(),
        store: store.clone(),
        blobs,
    }))
}

/// Measures the free space of the data folder and of the storage folder, if there is one, which may be on another disk.
fn free_space(config: &Config) -> FreeSpace {
    let folders: Vec<_> =
        [config.storage.data.clone()].into_iter().chain(config.documents_folder()).collect();
    FreeSpace::new(config.uploads.min_free_mb << 20, move || {
        let mut least = u64::MAX;
        for folder in &folders {
            let disk = rustix::fs::statvfs(folder)?;
            least = least.min(disk.f_bavail.saturating_mul(disk.f_frsize));
        }
        Ok(least)
    })
}

/// Checks that the data folder is writable.
pub(crate) fn storage_check(config: &Config) -> StorageCheck {
    let probe = config.storage.data.join(format!(".writable-{}", std::process::id()));
    StorageCheck::new(move || {
        std::fs::write(&probe, [])?;
        std::fs::remove_file(&probe)
    })
}

fn sqlite(config: &Config, path: &Path) -> Result<Store, CommandError> {
    let options = quire_sqlite::SqliteOptions {
        busy_timeout: to_std(config.database.busy_timeout),
        readers: config.database.max_connections as usize,
        ..quire_sqlite::SqliteOptions::default()
    };
    let opened = SqliteStore::open(path, options);
    let store = opened.map_err(|error| CommandError::new(format!("{}: {error}", path.display())))?;
    Ok(store.into_store())
}

async fn postgres(config: &Config, url: &str) -> Result<Store, CommandError> {
    let database = &config.database;
    let options = quire_postgres::PostgresOptions {
        max_connections: database.max_connections,
        schema: Some(database.schema.clone()).filter(|schema| !schema.is_empty()),
        acquire_timeout: to_std(database.busy_timeout),
        ..quire_postgres::PostgresOptions::default()
    };
    let connected = PgStore::connect(url, options).await;
    let store = connected.map_err(|error| CommandError::new(format!("{}: {error}", mask_url(url))))?;
    Ok(store.into_store())
}

fn create_and_lock(config: &Config, path: &Path) -> Result<FileLock, CommandError> {
    Ok(lock(config, path)??)
}

fn lock(config: &Config, path: &Path) -> Result<Result<FileLock, LockError>, CommandError> {
    make_folder(&config.storage.data)?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder)?;
    }
    Ok(FileLock::acquire(path))
}

fn make_folder(folder: &Path) -> Result<(), CommandError> {
    std::fs::create_dir_all(folder).map_err(|error| {
        CommandError::new(format!(
            "cannot create the folder {} ({error}); choose another one with --data",
            folder.display()
        ))
    })
}

fn require_file(path: &Path) -> Result<(), CommandError> {
    if path.is_file() {
        return Ok(());
    }
    Err(CommandError::new(format!(
        "no database at {}; create it with `quire serve` or `quire migrate up`, or name another one with --data or \
         --database",
        path.display()
    )))
}

/// Refuses a database that lacks migrations of this program. (The store itself refuses a newer database.)
async fn require_current(store: &Store) -> Result<(), CommandError> {
    refuse_unfinished_copy(store).await?;
    let (applied, known) = migration_counts(store).await?;
    if applied == known {
        return Ok(());
    }
    Err(CommandError::new(format!(
        "the database is at version {applied} and this program needs version {known}; run `quire migrate up` first"
    )))
}

/// Refuses a database that has only a part of the rows of its source.
async fn refuse_unfinished_copy(store: &Store) -> Result<(), CommandError> {
    match store.tables.unfinished_copy().await? {
        None => Ok(()),
        Some(_) => Err(CommandError::new(UNFINISHED_COPY)),
    }
}

/// How many migrations the database has, and how many this program knows.
async fn migration_counts(store: &Store) -> Result<(usize, usize), CommandError> {
    let status = store.migrations.status().await?;
    let applied = status.iter().filter(|migration| migration.applied_at.is_some()).count();
    Ok((applied, status.len()))
}
