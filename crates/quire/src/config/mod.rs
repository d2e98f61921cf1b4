//! The configuration. Every setting has its default in `quire.default.toml`; flags beat environment variables, which
//! beat the file, which beats the default. An unknown setting or an invalid value stops the start with its name.

mod aliases;
mod background;
mod blobs;
mod check;
mod confidence;
mod document_intelligence;
mod layers;
mod limits;
mod location;
mod model;
mod policy;
mod reading;
mod schemas;
mod server;
mod show;
mod uploads;
mod web;

use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use quire_domain::ClaimScope;
use quire_understanding::calibration::ConfidencePolicy;
use serde::{Deserialize, Deserializer};

pub use background::{BackgroundRetrySection, BackgroundSection, RedisSection};
pub use blobs::{AzureSection, BlobLocation, EncryptionChoice, S3Section};
pub use document_intelligence::DocumentIntelligenceSection;
pub use layers::{ConfigError, Flag, Layers};
pub use limits::{LimitsSection, PerMinute};
pub use location::DatabaseLocation;
pub use model::{HttpSection, InterpreterChoice, InterpreterSection, ModelSection};
pub(crate) use policy::to_std;
pub use reading::{ImagesSection, OcrSection, ReadingSection};
pub use schemas::SchemasSection;
pub use server::{Secret, ServerSection};
pub use show::mask_url;
pub use uploads::UploadsSection;
pub use web::{FirecrawlSection, WebSection};

/// The text of `quire.default.toml`: every setting, its default and the reason for it.
pub const DEFAULTS: &str = include_str!("../../../../quire.default.toml");

/// The configuration file in the working directory, read if it exists and no other is named.
const DEFAULT_FILE: &str = "quire.toml";

/// The environment variables that say where the database and the storage are begin like this.
const LOCATIONS: [&str; 4] =
    ["QUIRE_STORAGE_", "QUIRE_DATABASE_", "VET_RECORDS_DB_PATH", "VET_RECORDS_STORAGE_PATH"];

/// But credentials of object stores are better in a variable than in a file.
const CREDENTIALS: [&str; 2] = ["QUIRE_STORAGE_AZURE_", "QUIRE_STORAGE_S3_"];

/// Every setting in effect. `quire.default.toml` describes each.
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)] // Sections of the file.
pub struct Config {
    pub server: ServerSection,
    pub storage: StorageSection,
    pub database: DatabaseSection,
    pub engine: EngineSection,
    pub lanes: LanesSection,
    pub pipelines: PipelinesSection,
    pub background: BackgroundSection,
    pub redis: RedisSection,
    pub uploads: UploadsSection,
    pub limits: LimitsSection,
    pub reading: ReadingSection,
    pub document_intelligence: DocumentIntelligenceSection,
    pub schemas: SchemasSection,
    pub confidence: ConfidencePolicy,
    pub interpreter: InterpreterSection,
    pub model: ModelSection,
    pub http: HttpSection,
    pub web: WebSection,
    pub search: SearchSection,
    pub log: LogSection,
    /// The runs that this process claims. Commands set it, files do not.
    #[serde(skip)]
    pub scope: ClaimScope,
}

/// `[storage]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct StorageSection {
    pub data: PathBuf,
    pub documents: PathBuf,
    pub blobs: String,
    pub azure: AzureSection,
    pub s3: S3Section,
    pub database: String,
    #[serde(deserialize_with = "duration")]
    pub sweep_interval: SignedDuration,
}

/// `[database]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct DatabaseSection {
    pub max_connections: u32,
    #[serde(deserialize_with = "duration")]
    pub busy_timeout: SignedDuration,
    pub schema: String,
}

/// `[engine]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct EngineSection {
    pub slots: u32,
    #[serde(deserialize_with = "duration")]
    pub tick: SignedDuration,
    #[serde(deserialize_with = "duration")]
    pub lease: SignedDuration,
    #[serde(deserialize_with = "duration")]
    pub heartbeat: SignedDuration,
    #[serde(deserialize_with = "duration")]
    pub zombie_after: SignedDuration,
    #[serde(deserialize_with = "duration")]
    pub deadline_grace: SignedDuration,
    #[serde(deserialize_with = "duration")]
    pub shutdown_wait: SignedDuration,
    pub claim_limit: u32,
    pub retry: RetrySection,
}

/// `[engine.retry]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct RetrySection {
    pub base_delay_ms: u64,
    pub max_delay_ms: u64,
    pub jitter_ratio: f64,
}

/// `[lanes]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct LanesSection {
    pub max_concurrent_calls: u32,
    pub max_installation_calls: u32,
}

/// `[pipelines.*]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct PipelinesSection {
    pub document: PipelineSection,
    pub proposal: PipelineSection,
    pub link: PipelineSection,
}

/// One of `[pipelines.*]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct PipelineSection {
    #[serde(deserialize_with = "duration")]
    pub run_limit: SignedDuration,
    /// Only proposals have this setting: the steps of other pipelines end with their run.
    #[serde(default, deserialize_with = "optional_duration")]
    pub step_limit: Option<SignedDuration>,
    /// Links have no such setting: theirs is `background.retry.attempts`.
    #[serde(default = "one")]
    pub step_attempts: u32,
    pub requeue: RequeueChoice,
    pub max_claims: u32,
    /// Documents have no such setting: `check` refuses `requeue = "manual"` for them.
    #[serde(default)]
    pub max_retries: u32,
    #[serde(deserialize_with = "duration")]
    pub requeue_delay: SignedDuration,
    pub recovery: RecoveryChoice,
    /// Only documents have this setting: other pipelines leave nothing to continue.
    #[serde(default)]
    pub continuations: u32,
}

/// `requeue` of a pipeline: what happens to a failed run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum RequeueChoice {
    Default,
    None,
    Auto,
    Manual,
}

/// `recovery` of a pipeline: what happens to a run whose worker died.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum RecoveryChoice {
    Default,
    Fail,
    Requeue,
}

/// `[search]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct SearchSection {
    pub enabled: bool,
    pub url: String,
    pub model: String,
    pub api_key: Secret,
    pub model_folder: PathBuf,
    pub dimension: u32,
    pub weight_of_words: f64,
    pub weight_of_meaning: f64,
}

/// `[log]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct LogSection {
    pub level: LogLevel,
    pub format: LogFormat,
}

/// `level` of `[log]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// `format` of `[log]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum LogFormat {
    Auto,
    Json,
    Pretty,
}

impl Config {
    /// Loads the configuration of this process from its file, its environment and these flags.
    pub fn load(file: Option<&Path>, flags: &[Flag]) -> Result<(Self, Layers), ConfigError> {
        let default = Path::new(DEFAULT_FILE);
        let file = file.or_else(|| default.is_file().then_some(default));
        let environment = std::env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()));
        Self::from_layers(Layers::gather(file, environment, flags)?)
    }

    /// The configuration of another installation: of its data folder, or of its configuration file. The environment of this
    /// process says nothing about where that one is.
    pub fn of_installation(place: &Path) -> Result<Self, ConfigError> {
        let begins = |name: &str, prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        let is_elsewhere = |name: &str| begins(name, &LOCATIONS) && !begins(name, &CREDENTIALS);
        let environment = std::env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
            .filter(|(name, _)| !is_elsewhere(name));
        let layers = if place.is_dir() || !place.exists() && place.extension().is_none() {
            let data =
                Flag { name: "--data", key: "storage.data", value: place.to_string_lossy().into_owned() };
            Layers::gather(None, environment, &[data])?
        } else {
            Layers::gather(Some(place), environment, &[])?
        };
        Ok(Self::from_layers(layers)?.0)
    }

    /// Deserializes and checks the settings of these layers.
    pub fn from_layers(layers: Layers) -> Result<(Self, Layers), ConfigError> {
        let config: Self =
            serde_path_to_error::deserialize(toml::Value::Table(layers.nested())).map_err(|error| {
                layers.invalid(&error.path().to_string(), error.inner().to_string().trim_end().to_owned())
            })?;
        check::check(&config).map_err(|invalid| layers.invalid(invalid.key, invalid.rule))?;
        Ok((config, layers))
    }

    /// The location of the database. `storage.database` was checked, so it is valid.
    pub fn location(&self) -> DatabaseLocation {
        DatabaseLocation::of(&self.storage.database, &self.storage.data)
            .unwrap_or_else(|_| DatabaseLocation::default_in(&self.storage.data))
    }
}

fn one() -> u32 {
    1
}

fn optional_duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SignedDuration>, D::Error> {
    duration(deserializer).map(Some)
}

fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SignedDuration, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.parse::<SignedDuration>() {
        Ok(duration) if !duration.is_negative() => Ok(duration),
        _ => Err(serde::de::Error::custom(
            "must be a duration such as \"500ms\", \"15s\", \"2h\" or \"1h 30m\"",
        )),
    }
}

#[cfg(test)]
mod tests;
