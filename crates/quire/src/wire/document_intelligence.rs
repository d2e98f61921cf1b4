//! Creates the reader that uses Document Intelligence.

use std::sync::Arc;

use quire_application::lanes::LanePermits;
use quire_application::steps::{DocumentIntelligenceOptions, DocumentIntelligenceReader};
use quire_connectors::document_intelligence::{
    DocumentIntelligence, DocumentIntelligenceSettings, DocumentIntelligenceSettingsError,
};
use quire_domain::{LaneName, Pipeline};
use quire_ports::Store;

use super::model::{Invalid, http_client};
use crate::config::{Config, to_std};
use crate::error::CommandError;

/// The reader, if an endpoint is configured.
pub(super) async fn reader(
    config: &Config,
    store: &Store,
    lanes: &Arc<LanePermits>,
) -> Result<Option<DocumentIntelligenceReader>, CommandError> {
    let section = &config.document_intelligence;
    let Some(settings) = settings(config) else { return Ok(None) };
    let bad = |(key, rule): Invalid| CommandError::new(format!("{key} {rule}"));
    let http = http_client(config).map_err(bad)?;
    let analyser = DocumentIntelligence::new(http, settings).map_err(|error| bad(invalid(error)))?;
    lanes.register(&LaneName::document_intelligence()).await;
    Ok(Some(DocumentIntelligenceReader {
        analyser: Arc::new(analyser),
        queue: store.queue.clone(),
        history: store.run_reader.clone(),
        calls: store.model_calls.clone(),
        clock: store.clock.clone(),
        lanes: lanes.clone(),
        options: DocumentIntelligenceOptions {
            wait_in_slot: to_std(section.wait_in_slot),
            max_wait: section.max_wait,
            price_per_page: section.price_per_page(),
            max_cost_per_day: section.max_cost_per_day,
            fallback: section.fallback,
            max_attempts: config.policy(Pipeline::Document).backoff.max_attempts,
        },
    }))
}

/// Checks the settings.
pub(crate) fn check_document_intelligence(config: &Config) -> Result<(), Invalid> {
    settings(config).map_or(Ok(()), |settings| settings.check().map(drop).map_err(invalid))
}

fn settings(config: &Config) -> Option<DocumentIntelligenceSettings> {
    let section = &config.document_intelligence;
    section.is_configured().then(|| DocumentIntelligenceSettings {
        url: section.url.clone(),
        allow_http: section.allow_http,
        api_key: section.api_key.non_empty().unwrap_or_default().to_owned(),
        model: section.model.trim().to_owned(),
        key_value_pairs: section.key_value_pairs,
        timeout: to_std(section.timeout),
        poll_interval: to_std(section.poll_interval),
        max_response_bytes: usize::try_from(section.max_response_mb << 20).unwrap_or(usize::MAX),
    })
}

fn invalid(bad: DocumentIntelligenceSettingsError) -> Invalid {
    let key = match bad {
        DocumentIntelligenceSettingsError::Url | DocumentIntelligenceSettingsError::PlainHttp => {
            "document_intelligence.url"
        }
        DocumentIntelligenceSettingsError::ApiKey => "document_intelligence.api_key",
        DocumentIntelligenceSettingsError::Model => "document_intelligence.model",
    };
    (key, bad.to_string())
}
