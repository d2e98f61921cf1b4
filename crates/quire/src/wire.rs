//! Where concrete adapters are named, and nowhere else: which database, which files, which reader, which steps.

mod interpreting;
pub(crate) mod reading;
pub(crate) mod schemas;

use std::path::Path;
use std::sync::Arc;

use quire_api::StorageCheck;
use quire_application::document::pages::{ImageSettings, PageImages};
use quire_application::engine::LeaseSettings;
use quire_application::steps::{ConfidenceCalibrator, ExtractionStep, InterpretationStep};
use quire_connectors::blob::DiskBlobs;
use quire_domain::{Pipeline, StepName};
use quire_ports::{BlobStore, MigrationStatus, Step, Store};
use quire_postgres::PgStore;
use quire_sqlite::{FileLock, SqliteStore};

pub(crate) use interpreting::remote_model;

use crate::config::{Config, Location, masked, plain};
use crate::trouble::Trouble;
use crate::{Steps, StepsToCome};

/// The smallest scale of a page, in pixels per point.
const SMALLEST_SCALE: f32 = 0.1;

/// The steps that come with the program.
pub fn built_in_steps(config: Config, store: Store) -> StepsToCome {
    Box::pin(async move {
        let extraction = ExtractionStep {
            documents: store.documents.clone(),
            blobs: blobs(&config)?,
            reader: Arc::new(reading::start(&config).await?),
            max_bytes: config.reading.max_file_mb << 20,
        };
        let interpretation = InterpretationStep {
            history: store.history.clone(),
            blobs: extraction.blobs.clone(),
            governance: store.governance.clone(),
            interpreter: interpreting::interpreter(&config, &store)?,
            calibrator: ConfidenceCalibrator {
                calibration: store.calibration.clone(),
                policy: Arc::new(config.confidence.clone()),
            },
            clock: store.clock.clone(),
        };
        let steps: [(StepName, Arc<dyn Step>); 2] = [
            (StepName::Extraction, Arc::new(extraction)),
            (StepName::Interpretation, Arc::new(interpretation)),
        ];
        Ok(vec![(Pipeline::Document, Steps::from(steps))])
    })
}

/// A database that an engine works on.
pub(crate) struct Opened {
    pub(crate) store: Store,
    pub(crate) lease: LeaseSettings,
    /// On SQLite, held for as long as the engine works.
    _lock: Option<FileLock>,
}

/// Opens the database for an engine: alone and up to date on SQLite; on PostgreSQL, where others work too, only if
/// its schema is already the one this program knows.
pub(crate) async fn open_for_engine(config: &Config) -> Result<Opened, Trouble> {
    match config.location() {
        Location::Sqlite(path) => {
            let lock = create_and_lock(config, &path)?;
            let store = sqlite(config, &path)?;
            let applied = store.migrations.up(None).await?;
            if !applied.is_empty() {
                tracing::info!(versions = ?applied, "brought the database up to date");
            }
            schemas::seed(&store, config).await?;
            Ok(Opened { store, lease: LeaseSettings::Exclusive, _lock: Some(lock) })
        }
        Location::Postgres(url) => {
            make_folder(&config.storage.data)?;
            let store = postgres(config, &url).await?;
            require_current(&store).await?;
            schemas::seed(&store, config).await?;
            let lease = LeaseSettings::Renewed { term: config.engine.lease };
            Ok(Opened { store, lease, _lock: None })
        }
    }
}

/// Opens the database for a command, which may work beside a running server.
pub(crate) async fn open_beside(config: &Config) -> Result<Store, Trouble> {
    let store = open_existing(config).await?;
    require_current(&store).await?;
    Ok(store)
}

/// Opens the database for a command that a new machine may begin with: a SQLite file that is not there yet is made.
pub(crate) async fn open_or_create(config: &Config) -> Result<Store, Trouble> {
    match config.location() {
        Location::Sqlite(path) if !path.is_file() => {
            let (store, _lock) = open_for_migration(config, true).await?;
            store.migrations.up(None).await?;
            Ok(store)
        }
        _ => open_beside(config).await,
    }
}

/// Opens the database as it is, whatever the version of its schema. Creates nothing.
pub(crate) async fn open_existing(config: &Config) -> Result<Store, Trouble> {
    match config.location() {
        Location::Sqlite(path) => {
            require_file(&path)?;
            sqlite(config, &path)
        }
        Location::Postgres(url) => postgres(config, &url).await,
    }
}

/// Opens the database to change its schema. On SQLite no engine may be at work; the lock keeps one from starting.
pub(crate) async fn open_for_migration(
    config: &Config,
    create: bool,
) -> Result<(Store, Option<FileLock>), Trouble> {
    match config.location() {
        Location::Sqlite(path) => {
            if !create {
                require_file(&path)?;
            }
            let lock = create_and_lock(config, &path)?;
            Ok((sqlite(config, &path)?, Some(lock)))
        }
        Location::Postgres(url) => Ok((postgres(config, &url).await?, None)),
    }
}

/// Where files are kept.
pub(crate) fn blobs(config: &Config) -> Result<Arc<dyn BlobStore>, Trouble> {
    let folder = config.storage.data.join("documents");
    let opened = DiskBlobs::open(&folder);
    let blobs = opened.map_err(|error| Trouble::new(format!("{}: {error}", folder.display())))?;
    Ok(Arc::new(blobs))
}

/// What draws pages for people.
pub(crate) fn page_images(config: &Config, store: &Store, blobs: Arc<dyn BlobStore>) -> PageImages {
    let images = config.reading.images;
    let settings = ImageSettings {
        scales: (SMALLEST_SCALE, images.max_scale),
        kept: images.cache_mb << 20,
        largest: config.reading.max_file_mb << 20,
        at_once: images.parsers as usize,
    };
    PageImages::new(store.documents.clone(), blobs, Arc::new(reading::Drawing::new(config)), settings)
}

/// Whether the data folder can be written to.
pub(crate) fn storage_check(config: &Config) -> StorageCheck {
    let probe = config.storage.data.join(format!(".writable-{}", std::process::id()));
    StorageCheck::new(move || {
        std::fs::write(&probe, [])?;
        std::fs::remove_file(&probe)
    })
}

fn sqlite(config: &Config, path: &Path) -> Result<Store, Trouble> {
    let options = quire_sqlite::Options {
        busy_timeout: plain(config.database.busy_timeout),
        readers: config.database.max_connections as usize,
        ..quire_sqlite::Options::default()
    };
    let opened = SqliteStore::open(path, options);
    let store = opened.map_err(|error| Trouble::new(format!("{}: {error}", path.display())))?;
    Ok(store.into_store())
}

async fn postgres(config: &Config, url: &str) -> Result<Store, Trouble> {
    let database = &config.database;
    let options = quire_postgres::Options {
        max_connections: database.max_connections,
        schema: Some(database.schema.clone()).filter(|schema| !schema.is_empty()),
        acquire_timeout: plain(database.busy_timeout),
        ..quire_postgres::Options::default()
    };
    let connected = PgStore::connect(url, options).await;
    let store = connected.map_err(|error| Trouble::new(format!("{}: {error}", masked(url))))?;
    Ok(store.into_store())
}

fn create_and_lock(config: &Config, path: &Path) -> Result<FileLock, Trouble> {
    make_folder(&config.storage.data)?;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder)?;
    }
    Ok(FileLock::acquire(path)?)
}

fn make_folder(folder: &Path) -> Result<(), Trouble> {
    std::fs::create_dir_all(folder).map_err(|error| {
        Trouble::new(format!(
            "the folder {} cannot be created ({error}); choose another one with --data",
            folder.display()
        ))
    })
}

fn require_file(path: &Path) -> Result<(), Trouble> {
    if path.is_file() {
        return Ok(());
    }
    Err(Trouble::new(format!(
        "there is no database at {}; `quire serve` or `quire migrate up` creates it, --data or --database names \
         another one",
        path.display()
    )))
}

/// Refuses a database whose schema is older than this program's. (A newer one is refused by the store itself.)
async fn require_current(store: &Store) -> Result<(), Trouble> {
    let status = store.migrations.status().await?;
    let is_applied = |migration: &&MigrationStatus| migration.applied_at.is_some();
    let applied = status.iter().filter(is_applied).count();
    if applied == status.len() {
        return Ok(());
    }
    Err(Trouble::new(format!(
        "the database is at version {applied} and this program needs version {}; run `quire migrate up` first",
        status.len()
    )))
}
