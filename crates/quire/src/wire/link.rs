//! Creates the steps of the link pipeline and the locks of its requests.

use std::sync::Arc;

use quire_application::steps::link::{
    LinkExtractionStep, LinkLocks, LinkStepServices, LinkSummarizationStep, SummaryModel,
};
use quire_connectors::lock::{RedisLockSettings, RedisLocks, SharedLocks};
use quire_domain::StepName;
use quire_ports::{LanguageModel, Step, Store, WebReader};
use tokio::sync::Semaphore;

use super::redis::redis_address;
use crate::Steps;
use crate::config::{Config, to_std};
use crate::error::CommandError;

/// How many texts the built-in summariser ranks at once.
const RANKED_AT_ONCE: usize = 2;

/// The setting that is missing if a model is configured in part: an operator who set the other one expects its summaries.
pub(crate) fn missing_model_setting(config: &Config) -> Option<&'static str> {
    let is_set = |text: &str| !text.trim().is_empty();
    let model = &config.model;
    let can_be_asked = is_set(&model.url) || is_set(&model.replay_from);
    match (can_be_asked, is_set(&model.name)) {
        (true, false) => Some("model.name"),
        (false, true) => Some("model.url"),
        _ => None,
    }
}

/// The two steps.
pub(super) async fn steps(
    config: &Config,
    store: &Store,
    reader: Arc<dyn WebReader>,
    model: Option<Arc<dyn LanguageModel>>,
) -> Result<Steps, CommandError> {
    let shared = LinkStepServices {
        links: store.links.clone(),
        locks: LinkLocks {
            locks: Arc::new(locks(config).await?),
            skip_on_held: config.background.lock_skip_on_held,
            queue: store.queue.clone(),
            clock: store.clock.clone(),
        },
        clock: store.clock.clone(),
    };
    let is_named = super::proposal::model_name(config).is_some();
    let limits = (config.model.max_answer_tokens, config.model.max_tokens_per_document);
    let model = model.filter(|_| is_named).map(|model| SummaryModel::new(model, limits.0, limits.1, store));
    let summarization = LinkSummarizationStep {
        shared: shared.clone(),
        history: store.run_reader.clone(),
        model,
        preferred_language: config.background.preferred_lang,
        ranking: Arc::new(Semaphore::new(RANKED_AT_ONCE)),
    };
    let steps: [(StepName, Arc<dyn Step>); 2] = [
        (StepName::LinkExtraction, Arc::new(LinkExtractionStep { shared, reader })),
        (StepName::LinkSummarization, Arc::new(summarization)),
    ];
    Ok(Steps::from(steps))
}

/// The locks of requests. Without Redis the start goes on with the locks of this process, unless Redis is required.
async fn locks(config: &Config) -> Result<SharedLocks, CommandError> {
    let (background, redis) = (&config.background, &config.redis);
    if !redis.enabled || !background.redis_lock_enabled {
        tracing::warn!("requests of links are locked in this process only: Redis locks are turned off");
        return Ok(SharedLocks::local());
    }
    let locks = redis_locks(config)?;
    let is_required = background.redis_lock_required;
    if is_required || redis.required {
        locks.check().await.map_err(|why| {
            CommandError::new(format!(
                "Redis does not work: {why}; start it, correct redis.url, or set redis.required and \
                 background.redis_lock_required to false"
            ))
        })?;
    }
    Ok(SharedLocks::redis(locks, is_required))
}

/// The locks on the configured Redis server, which is not asked yet.
pub(crate) fn redis_locks(config: &Config) -> Result<RedisLocks, CommandError> {
    let invalid = |rule: String| CommandError::new(format!("redis.url {rule}"));
    let locks = RedisLocks::new(RedisLockSettings {
        address: redis_address(&config.redis).map_err(invalid)?,
        prefix: config.redis.prefix.clone(),
        ttl: std::time::Duration::from_millis(config.background.lock_ttl_ms),
        timeout: to_std(config.redis.socket_timeout),
        worker: crate::service::worker_name(),
    });
    locks.map_err(|error| invalid(error.to_string()))
}
