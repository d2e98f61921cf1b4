//! Connects the adapters that the settings name: database, blob store, reader, interpreter and steps. Commands that need
//! a single adapter, such as `quire read`, name it themselves.

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
use quire_application::lanes::LanePermits;
use quire_application::steps::{ConfidenceCalibrator, ExtractionStep, InterpretationStep, UnreadableSchema};
use quire_application::storage::{self, Identified, InstallationBlobs, Originals};
use quire_application::{App, AppSettings};
use quire_connectors::blob::DiskBlobs;
use quire_domain::{Pipeline, StepName};
use quire_ports::{BlobStore, LanguageModel, Lease, Reader, Step, Store, Worker};
use quire_postgres::PgStore;
use quire_sqlite::{FileLock, LockError, SqliteStore};
use tokio_util::sync::CancellationToken;

pub(crate) use model::{check_model, http_client};
pub(crate) use proposal::model_name as proposal_model;
pub(crate) use redis::redis_address;
pub(crate) use web::check_web;
pub use web::web_reader;

use crate::config::{Config, DatabaseLocation, mask_url, to_std};
use crate::error::CommandError;
use crate::{Steps, StepsFuture};

/// The smallest scale of a page image, in pixels per point.
pub(crate) const MIN_SCALE: f32 = 0.1;

/// The steps that come with the program.
pub fn built_in_steps(config: Config, store: Store, lanes: Arc<LanePermits>) -> StepsFuture {
    Box::pin(async move {
        let is_wanted = |pipeline: Pipeline| config.only.is_none_or(|only| only == pipeline);
        let mut pipelines = Vec::new();
        let model = model::language_model(&config, &store, &lanes).await?;
        let reader = Arc::new(reader::start(&config).await?);
        if is_wanted(Pipeline::Document) {
            let steps = document_steps(&config, &store, reader.clone(), model.clone())?;
            pipelines.push((Pipeline::Document, steps));
        }
        if is_wanted(Pipeline::Proposal) {
            pipelines.extend(
                proposal::steps(&config, &store, model.clone())?.map(|steps| (Pipeline::Proposal, steps)),
            );
        }
        if is_wanted(Pipeline::Link) {
            let reader = web_reader(&config, reader)
                .map_err(|(key, rule)| CommandError::new(format!("{key} {rule}")))?;
            pipelines.push((Pipeline::Link, link::steps(&config, &store, reader, model).await?));
        }
        Ok(pipelines)
    })
}

fn document_steps(
    config: &Config,
    store: &Store,
    reader: Arc<dyn Reader>,
    model: Option<Arc<dyn LanguageModel>>,
) -> Result<Steps, CommandError> {
    let extraction = ExtractionStep {
        documents: store.documents.clone(),
        blobs: blobs(config, store)?,
        reader,
        max_bytes: config.reading.max_file_mb << 20,
    };
    let interpretation = InterpretationStep {
        history: store.history.clone(),
        blobs: extraction.blobs.clone(),
        governance: store.governance.clone(),
        interpreter: interpreter::create(config, store, model)?,
        calibrator: ConfidenceCalibrator {
            calibration: store.calibration.clone(),
            policy: Arc::new(config.confidence.clone()),
        },
        clock: store.clock.clone(),
        unreadable: UnreadableSchema::default(),
    };
    let steps: [(StepName, Arc<dyn Step>); 2] =
        [(StepName::Extraction, Arc::new(extraction)), (StepName::Interpretation, Arc::new(interpretation))];
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
    originals: Originals,
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
    originals: Originals,
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

/// Opens the database for an engine. None if another engine works on it.
pub(crate) async fn open_for_engine_if_idle(config: &Config) -> Result<Option<EngineDatabase>, CommandError> {
    match config.location() {
        DatabaseLocation::Sqlite(path) => match lock(config, &path)? {
            Err(LockError::HeldByAnother { .. }) => Ok(None),
            lock => open_locked(config, &path, lock?, Originals::Kept).await.map(Some),
        },
        DatabaseLocation::Postgres(_) => {
            let store = open_for_command(config).await?;
            let now = store.clock.now();
            let is_live = |worker: &Worker| match worker.lease {
                Some(Lease::Until(until)) => until > now,
                Some(Lease::Exclusive) => true,
                None => false,
            };
            if store.workers.list().await?.iter().any(is_live) {
                return Ok(None);
            }
            open_for_engine(config, Originals::Kept).await.map(Some)
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
            identify_storage(config, &store, Originals::Kept).await?;
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

/// The blob store of the installation. It works only while the folder has the installation id of the database.
pub(crate) fn blobs(config: &Config, store: &Store) -> Result<Arc<dyn BlobStore>, CommandError> {
    let blobs = Arc::new(blobs_of_any(config)?);
    Ok(Arc::new(InstallationBlobs::new(blobs, store.installation.clone())))
}

/// The blob store, whatever installation it belongs to.
pub(crate) fn blobs_of_any(config: &Config) -> Result<DiskBlobs, CommandError> {
    let folder = config.documents_folder();
    let opened = DiskBlobs::open(&folder);
    opened.map_err(|error| CommandError::new(format!("{}: {error}", folder.display())))
}

/// Compares the installation ids of the database and the storage folder. If the database has none, both get one.
pub(crate) async fn identify_storage(
    config: &Config,
    store: &Store,
    originals: Originals,
) -> Result<Identified, CommandError> {
    let identified = storage::identify(store, &blobs_of_any(config)?, originals).await;
    identified.map_err(|error| CommandError::new(format!("{}: {error}", config.documents_folder().display())))
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
pub(crate) fn app(config: &Config, store: &Store, stop: &CancellationToken) -> Result<App, CommandError> {
    let blobs = blobs(config, store)?;
    Ok(App::new(AppSettings {
        images: page_images(config, store, blobs.clone()),
        uploads: config.upload_settings(),
        free_space: free_space(config),
        confidence: config.confidence.clone(),
        events: EventFeed::new(store.history.clone(), config.server.feed_limits(), stop.clone()),
        processing: config.uploads.processing,
        proposal_model: proposal::model_name(config),
        draft_wait: to_std(config.server.draft_wait),
        requeue: Pipeline::ALL.map(|pipeline| (pipeline, config.policy(pipeline).requeue)).to_vec(),
        store: store.clone(),
        blobs,
    }))
}

/// Measures the free space of the data folder and of the storage folder, which may be on another disk.
fn free_space(config: &Config) -> FreeSpace {
    let folders = [config.storage.data.clone(), config.documents_folder()];
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
    let (applied, known) = migration_counts(store).await?;
    if applied == known {
        return Ok(());
    }
    Err(CommandError::new(format!(
        "the database is at version {applied} and this program needs version {known}; run `quire migrate up` first"
    )))
}

/// How many migrations the database has, and how many this program knows.
async fn migration_counts(store: &Store) -> Result<(usize, usize), CommandError> {
    let status = store.migrations.status().await?;
    let applied = status.iter().filter(|migration| migration.applied_at.is_some()).count();
    Ok((applied, status.len()))
}
