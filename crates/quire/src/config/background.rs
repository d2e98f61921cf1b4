//! `[background]` and `[redis]`

use jiff::SignedDuration;
use quire_domain::Backoff;
use quire_domain::link::SummaryLanguage;
use serde::{Deserialize, Deserializer};

use super::check::{InvalidSetting, duration_within, require, within};
use super::{Secret, duration};
use crate::wire;

/// The longest prefix of keys in Redis.
const MAX_PREFIX: usize = 50;

/// `[background]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct BackgroundSection {
    pub redis_lock_enabled: bool,
    pub redis_lock_required: bool,
    pub lock_ttl_ms: u64,
    pub lock_skip_on_held: bool,
    #[serde(deserialize_with = "language")]
    pub preferred_lang: SummaryLanguage,
    pub retry: BackgroundRetrySection,
}

/// `[background.retry]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct BackgroundRetrySection {
    pub attempts: u32,
    pub base_delay_ms: u64,
    pub max_delay_ms: u64,
    pub jitter_ratio: f64,
}

/// `[redis]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct RedisSection {
    pub enabled: bool,
    pub required: bool,
    pub url: Secret,
    pub host: String,
    pub port: u16,
    pub db: u32,
    pub prefix: String,
    #[serde(deserialize_with = "duration")]
    pub socket_timeout: SignedDuration,
}

impl BackgroundSection {
    /// The delays between the attempts of a step.
    pub fn backoff(&self) -> Backoff {
        Backoff {
            max_attempts: self.retry.attempts,
            base_ms: self.retry.base_delay_ms,
            max_ms: self.retry.max_delay_ms,
            jitter_ratio: self.retry.jitter_ratio,
        }
    }
}

impl RedisSection {
    /// The URL of the server.
    pub fn url(&self) -> String {
        match self.url.non_empty() {
            Some(url) => url.to_owned(),
            None => format!("redis://{}:{}/{}", self.host.trim(), self.port, self.db),
        }
    }
}

pub(super) fn check(background: &BackgroundSection, redis: &RedisSection) -> Result<(), InvalidSetting> {
    within("background.lock_ttl_ms", &background.lock_ttl_ms, 1_000..=3_600_000)?;
    let retry = background.retry;
    within("background.retry.attempts", &retry.attempts, 1..=10)?;
    within("background.retry.base_delay_ms", &retry.base_delay_ms, 50..=60_000)?;
    within("background.retry.max_delay_ms", &retry.max_delay_ms, 100..=300_000)?;
    within("background.retry.jitter_ratio", &retry.jitter_ratio, 0.0..=1.0)?;
    require(retry.base_delay_ms <= retry.max_delay_ms, "background.retry.base_delay_ms", || {
        format!("must not be more than background.retry.max_delay_ms, which is {}", retry.max_delay_ms)
    })?;
    let is_used = redis.enabled && background.redis_lock_enabled;
    require(is_used || !background.redis_lock_required, "background.redis_lock_required", || {
        "must be false if redis.enabled or background.redis_lock_enabled is false".to_owned()
    })?;
    require(redis.enabled || !redis.required, "redis.required", || {
        "must be false if redis.enabled is false".to_owned()
    })?;
    within("redis.port", &redis.port, 1..=u16::MAX)?;
    let prefix = &redis.prefix;
    let is_prefix = prefix.chars().count() <= MAX_PREFIX && !prefix.contains(char::is_whitespace);
    require(is_prefix, "redis.prefix", || {
        format!("must have at most {MAX_PREFIX} characters and no white space")
    })?;
    let shortest = SignedDuration::from_millis(10);
    duration_within("redis.socket_timeout", redis.socket_timeout, shortest..=SignedDuration::from_mins(5))?;
    let key = if redis.url.non_empty().is_some() { "redis.url" } else { "redis.host" };
    wire::redis_address(redis).map(drop).map_err(|rule| InvalidSetting { key, rule })
}

fn language<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SummaryLanguage, D::Error> {
    let name = String::deserialize(deserializer)?;
    SummaryLanguage::parse(name.trim()).map_err(serde::de::Error::custom)
}
