//! Services outside: Redis and the language model.

use super::{CheckedInstallation, Finding};
use crate::wire;

pub(super) async fn redis(installation: &CheckedInstallation<'_>) -> Finding {
    let (redis, background) = (&installation.config.redis, &installation.config.background);
    if !redis.enabled || !background.redis_lock_enabled {
        return Finding::ok("turned off: link requests are locked in each process");
    }
    let checked = match wire::redis_locks(installation.config) {
        Ok(locks) => locks.check().await,
        Err(error) => return Finding::error(error.to_string(), "correct redis.url (REDIS_URL)"),
    };
    let remedy = "start it, correct redis.url, or set redis.enabled = false on a single machine";
    match checked {
        Ok(()) => Finding::ok("Redis answers"),
        Err(why) if redis.required || background.redis_lock_required => {
            Finding::error(format!("Redis is required and does not work: {why}"), remedy)
        }
        Err(why) => Finding::warning(
            format!("Redis does not work: {why}; link requests are locked in each process only"),
            remedy,
        ),
    }
}

pub(super) async fn model(installation: &CheckedInstallation<'_>) -> Finding {
    let config = installation.config;
    if !config.model.replay_from.trim().is_empty() {
        return Finding::ok("answers are replayed from model.replay_from");
    }
    if config.model.url.trim().is_empty() {
        return Finding::ok("none is configured");
    }
    match wire::probe_model(config).await {
        Err(why) => Finding::error(
            format!("the model endpoint does not work: {why}"),
            "start it, or correct model.url and http.proxy",
        ),
        Ok(401 | 403) => Finding::error("the model endpoint refuses the key", "correct model.api_key"),
        Ok(status) if status >= 500 => Finding::warning(
            format!("the model endpoint answers with status {status}"),
            "look at the endpoint's own log or status page",
        ),
        Ok(_) => Finding::ok("the model endpoint answers"),
    }
}
