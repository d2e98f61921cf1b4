//! The configuration: every setting has its default in `quire.default.toml`; flags beat environment variables,
//! which beat the file, which beats the default. Anything unknown or out of bounds stops the start by its name.

mod aliases;
mod check;
mod confidence;
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

use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use quire_understanding::calibration::ConfidencePolicy;
use serde::{Deserialize, Deserializer};

pub use layers::{ConfigError, Flag, Layers};
pub use limits::{Limits, PerMinute};
pub use location::Location;
pub use model::{Interpreter, InterpreterChoice, Model};
pub(crate) use policy::plain;
pub use reading::{Images, Ocr, Reading};
pub use schemas::Schemas;
pub use server::{Secret, Server};
pub use show::masked;
pub use uploads::Uploads;

/// The reference: every setting, its default and why.
pub const DEFAULTS: &str = include_str!("../../../../quire.default.toml");

/// The file that is read when none is named, if it is there.
const USUAL_FILE: &str = "quire.toml";

/// Every setting in effect. What each means is written in `quire.default.toml`.
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)] // Sections of the file.
pub struct Config {
    pub server: Server,
    pub storage: Storage,
    pub database: Database,
    pub engine: Engine,
    pub pipelines: Pipelines,
    pub uploads: Uploads,
    pub limits: Limits,
    pub reading: Reading,
    pub schemas: Schemas,
    pub confidence: ConfidencePolicy,
    pub interpreter: Interpreter,
    pub model: Model,
    pub search: Search,
    pub log: Log,
}

/// `[storage]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Storage {
    pub data: PathBuf,
    pub database: String,
}

/// `[database]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Database {
    pub max_connections: u32,
    #[serde(deserialize_with = "duration")]
    pub busy_timeout: SignedDuration,
    pub schema: String,
}

/// `[engine]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Engine {
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
    pub retry: Retry,
}

/// `[engine.retry]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Retry {
    pub base_delay_ms: u64,
    pub max_delay_ms: u64,
    pub jitter_ratio: f64,
}

/// `[pipelines.*]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Pipelines {
    pub document: PipelineConfig,
    pub proposal: PipelineConfig,
    pub link: PipelineConfig,
}

/// One of `[pipelines.*]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct PipelineConfig {
    #[serde(deserialize_with = "duration")]
    pub run_limit: SignedDuration,
    pub step_attempts: u32,
    pub requeue: RequeueChoice,
    pub max_claims: u32,
    /// Documents have no such setting: `check` refuses `requeue = "manual"` for them.
    #[serde(default)]
    pub max_retries: u32,
    #[serde(deserialize_with = "duration")]
    pub requeue_delay: SignedDuration,
    pub recovery: RecoveryChoice,
}

/// What becomes of a run that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum RequeueChoice {
    Default,
    None,
    Auto,
    Manual,
}

/// What becomes of a run whose worker died.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum RecoveryChoice {
    Default,
    Fail,
    Requeue,
}

/// `[search]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Search {
    pub enabled: bool,
}

/// `[log]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct Log {
    pub level: LogLevel,
    pub format: LogFormat,
}

/// How much is logged.
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

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum LogFormat {
    Auto,
    Json,
    Pretty,
}

impl Config {
    /// The configuration of this process: its file, its environment and these flags.
    pub fn load(file: Option<&Path>, flags: &[Flag]) -> Result<(Self, Layers), ConfigError> {
        let usual = Path::new(USUAL_FILE);
        let file = file.or_else(|| usual.is_file().then_some(usual));
        let environment = std::env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()));
        Self::from_layers(Layers::gather(file, environment, flags)?)
    }

    /// What these layers say, checked.
    pub fn from_layers(layers: Layers) -> Result<(Self, Layers), ConfigError> {
        let config: Self =
            serde_path_to_error::deserialize(toml::Value::Table(layers.nested())).map_err(|error| {
                layers.bad(&error.path().to_string(), error.inner().to_string().trim_end().to_owned())
            })?;
        check::check(&config).map_err(|broken| layers.bad(broken.key, broken.rule))?;
        Ok((config, layers))
    }

    /// Where the database is. The configuration was checked, so there is one.
    pub fn location(&self) -> Location {
        Location::of(&self.storage.database, &self.storage.data)
            .unwrap_or_else(|_| Location::usual(&self.storage.data))
    }
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
