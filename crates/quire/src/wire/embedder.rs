//! Creates what makes the vectors of texts.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use quire_application::lanes::{LaneEmbedder, LanePermits};
use quire_application::search::{LexicalEmbedder, SearchWeights, Searcher};
use quire_connectors::local_embedder::{LocalEmbedder, LocalModelError};
use quire_connectors::model::{CallLog, ModelPrices, ModelSettings, ModelSettingsError, RemoteEmbedder};
use quire_domain::LaneName;
use quire_ports::{Embedder, Store};

use super::model::{http_client, model_settings};
use crate::config::Config;
use crate::error::CommandError;

/// The key of an invalid setting and its rule.
type Invalid = (&'static str, String);

/// What makes vectors: the model of a folder, or one behind an endpoint, with its calls in the lane of the endpoint. Without both
/// it is the built-in one.
pub(crate) async fn embedder(
    config: &Config,
    store: &Store,
    lanes: &Arc<LanePermits>,
) -> Result<Arc<dyn Embedder>, CommandError> {
    let invalid = |(key, rule): Invalid| CommandError::new(format!("{key} {rule}"));
    if let Some(folder) = model_folder(config).filter(|_| config.search.enabled) {
        let model = loaded(folder).map_err(|bad| invalid(("search.model_folder", bad.to_string())))?;
        return Ok(model);
    }
    if config.search.url.trim().is_empty() || !config.search.enabled {
        return Ok(Arc::new(LexicalEmbedder));
    }
    let settings = settings(config);
    let lane = settings.endpoint_name().map_err(|bad| invalid(invalid_setting(bad)))?;
    let lane = LaneName::model(&lane).map_err(|error| invalid(("search.url", error.to_string())))?;
    let log = CallLog::new(store.model_calls.clone(), store.clock.clone());
    let http = http_client(config).map_err(invalid)?;
    let remote = RemoteEmbedder::new(http, settings, config.search.dimension as usize, log);
    let remote = remote.map_err(|bad| invalid(invalid_setting(bad)))?;
    lanes.register(&lane).await;
    Ok(Arc::new(LaneEmbedder { embedder: Arc::new(remote), lane, lanes: lanes.clone() }))
}

/// Searches the documents of a store.
pub(crate) async fn searcher(
    config: &Config,
    store: &Store,
    lanes: &Arc<LanePermits>,
) -> Result<Searcher, CommandError> {
    let embedder = if config.search.enabled { Some(embedder(config, store, lanes).await?) } else { None };
    let weights =
        SearchWeights { words: config.search.weight_of_words, meaning: config.search.weight_of_meaning };
    Ok(Searcher::new(store.clone(), embedder, weights))
}

/// Checks the settings of the endpoint.
pub(crate) fn check_embedder(config: &Config) -> Result<(), Invalid> {
    if let Some(folder) = model_folder(config) {
        if !config.search.url.trim().is_empty() {
            return Err(("search.model_folder", "must be empty if search.url is set; choose one".to_owned()));
        }
        return LocalEmbedder::check(folder).map_err(|bad| ("search.model_folder", bad.to_string()));
    }
    if config.search.url.trim().is_empty() {
        return Ok(());
    }
    if config.search.model.trim().is_empty() {
        return Err(("search.model", "must be the name of a model at search.url".to_owned()));
    }
    settings(config).check().map(drop).map_err(invalid_setting)
}

/// The model of a folder. Engine, searches and the indexer of a process share it.
fn loaded(folder: &Path) -> Result<Arc<LocalEmbedder>, LocalModelError> {
    static LOADED: Mutex<Option<(PathBuf, Weak<LocalEmbedder>)>> = Mutex::new(None);
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let known = loaded.as_ref().filter(|(known, _)| known == folder).and_then(|(_, model)| model.upgrade());
    if let Some(model) = known {
        return Ok(model);
    }
    let model = Arc::new(LocalEmbedder::open(folder)?);
    *loaded = Some((folder.to_owned(), Arc::downgrade(&model)));
    Ok(model)
}

/// The folder of a model on this machine, if one is named.
fn model_folder(config: &Config) -> Option<&Path> {
    let folder = config.search.model_folder.as_path();
    (!folder.as_os_str().is_empty()).then_some(folder)
}

fn settings(config: &Config) -> ModelSettings {
    ModelSettings {
        url: config.search.url.clone(),
        name: config.search.model.trim().to_owned(),
        fallback_models: Vec::new(),
        api_version: None,
        api_key: config.search.api_key.non_empty().map(str::to_owned),
        headers: String::new(),
        prices: ModelPrices::default(),
        ..model_settings(config)
    }
}

fn invalid_setting(bad: ModelSettingsError) -> Invalid {
    let key = if bad == ModelSettingsError::ApiKey { "search.api_key" } else { "search.url" };
    (key, bad.to_string())
}
