//! Creates the steps of the link pipeline and the locks of its requests.

use std::sync::Arc;

use quire_application::steps::link::{
    LinkExtractionStep, LinkLocks, LinkStepContext, LinkSummarizationStep, SummaryModel,
};
use quire_connectors::lock::{RedisLockSettings, RedisLocks, SharedLocks};
use quire_domain::StepName;
use quire_ports::{LanguageModel, Step, Store, WebReader};

use super::redis::redis_address;
use crate::Steps;
use crate::config::{Config, to_std};
use crate::error::CommandError;

/// The two steps.
pub(super) async fn steps(
    config: &Config,
    store: &Store,
    reader: Arc<dyn WebReader>,
    model: Option<Arc<dyn LanguageModel>>,
) -> Result<Steps, CommandError> {
    let shared = LinkStepContext {
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
    let model = model.filter(|_| is_named).map(|model| SummaryModel {
        model,
        max_tokens: config.model.max_answer_tokens,
        max_text_tokens: config.model.max_tokens_per_document,
        clock: store.clock.clone(),
    });
    let summarization = LinkSummarizationStep {
        shared: shared.clone(),
        history: store.history.clone(),
        model,
        preferred_language: config.background.preferred_lang,
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
    let invalid = |rule: String| CommandError::new(format!("redis.url {rule}"));
    let locks = RedisLocks::new(RedisLockSettings {
        address: redis_address(redis).map_err(invalid)?,
        prefix: redis.prefix.clone(),
        ttl: std::time::Duration::from_millis(background.lock_ttl_ms),
        timeout: to_std(redis.socket_timeout),
        worker: crate::service::worker_name(),
    });
    let locks = locks.map_err(|error| invalid(error.to_string()))?;
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
