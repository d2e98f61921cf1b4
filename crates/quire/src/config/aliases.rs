//! Environment variables of other programs that also set a setting. No other module knows these names.

/// An environment variable that stands for a setting.
pub(super) struct Alias {
    /// Its name. A `QUIRE_` variable of the same key beats it.
    pub(super) name: &'static str,
    /// The key of the setting.
    pub(super) key: &'static str,
    /// Converts its value to a value of the key: `None` if it is empty, an error if it is invalid.
    pub(super) read: fn(&str) -> Result<Option<String>, &'static str>,
}

/// All aliases. `quire.default.toml` lists them.
pub(super) const ALIASES: &[Alias] = &[
    Alias { name: "AUTH_TOKEN", key: "server.auth_token", read: unchanged },
    Alias { name: "LOG_LEVEL", key: "log.level", read: level },
    Alias { name: "VET_RECORDS_DB_PATH", key: "storage.database", read: database },
    Alias { name: "VET_RECORDS_STORAGE_PATH", key: "storage.documents", read: folder },
    Alias { name: "VET_RECORDS_CORS_ORIGINS", key: "server.cors_origins", read: unchanged },
    Alias { name: "VET_RECORDS_RATE_LIMIT_UPLOAD", key: "limits.uploads_per_minute", read: per_minute },
    Alias { name: "VET_RECORDS_RATE_LIMIT_DOWNLOAD", key: "limits.downloads_per_minute", read: per_minute },
    Alias {
        name: "VET_RECORDS_CONFIDENCE_POLICY_VERSION",
        key: "confidence.policy_version",
        read: unchanged,
    },
    Alias { name: "VET_RECORDS_CONFIDENCE_LOW_MAX", key: "confidence.low_max", read: unchanged },
    Alias { name: "VET_RECORDS_CONFIDENCE_MID_MAX", key: "confidence.mid_max", read: unchanged },
    Alias {
        name: "VET_RECORDS_HUMAN_EDIT_NEUTRAL_CANDIDATE_CONFIDENCE",
        key: "confidence.human_edit_neutral",
        read: unchanged,
    },
    Alias { name: "FIRECRAWL_API_KEY", key: "web.firecrawl.api_key", read: unchanged },
    Alias { name: "FIRECRAWL_MAX_RESPONSE_SIZE_MB", key: "web.firecrawl.max_response_mb", read: unchanged },
    Alias { name: "VET_RECORDS_DISABLE_PROCESSING", key: "uploads.processing", read: inverted },
    Alias { name: "BACKGROUND_REDIS_LOCK_ENABLED", key: "background.redis_lock_enabled", read: flag },
    Alias { name: "BACKGROUND_REDIS_LOCK_REQUIRED", key: "background.redis_lock_required", read: flag },
    Alias { name: "BACKGROUND_LOCK_TTL_MS", key: "background.lock_ttl_ms", read: unchanged },
    Alias { name: "BACKGROUND_LOCK_SKIP_ON_HELD", key: "background.lock_skip_on_held", read: flag },
    Alias { name: "BACKGROUND_RETRY_ATTEMPTS", key: "background.retry.attempts", read: unchanged },
    Alias { name: "BACKGROUND_RETRY_BASE_DELAY_MS", key: "background.retry.base_delay_ms", read: unchanged },
    Alias { name: "BACKGROUND_RETRY_MAX_DELAY_MS", key: "background.retry.max_delay_ms", read: unchanged },
    Alias { name: "BACKGROUND_RETRY_JITTER_RATIO", key: "background.retry.jitter_ratio", read: unchanged },
    Alias { name: "MAX_CONCURRENT_CALLS", key: "lanes.max_concurrent_calls", read: unchanged },
    Alias { name: "PREFERRED_LANG", key: "background.preferred_lang", read: unchanged },
    Alias { name: "REDIS_ENABLED", key: "redis.enabled", read: flag },
    Alias { name: "REDIS_REQUIRED", key: "redis.required", read: flag },
    Alias { name: "REDIS_URL", key: "redis.url", read: unchanged },
    Alias { name: "REDIS_HOST", key: "redis.host", read: unchanged },
    Alias { name: "REDIS_PORT", key: "redis.port", read: unchanged },
    Alias { name: "REDIS_DB", key: "redis.db", read: unchanged },
    Alias { name: "REDIS_PREFIX", key: "redis.prefix", read: unchanged },
    Alias { name: "REDIS_SOCKET_TIMEOUT", key: "redis.socket_timeout", read: seconds },
];

/// The value itself, or `None` if it is blank.
#[allow(clippy::unnecessary_wraps)] // Has the signature of `Alias::read`.
fn unchanged(value: &str) -> Result<Option<String>, &'static str> {
    Ok(Some(value.trim().to_owned()).filter(|value| !value.is_empty()))
}

fn database(value: &str) -> Result<Option<String>, &'static str> {
    Ok(unchanged(value)?.map(|path| format!("sqlite:{path}")))
}

fn folder(value: &str) -> Result<Option<String>, &'static str> {
    if !value.is_empty() && value.trim().is_empty() {
        return Err("must be a folder");
    }
    unchanged(value)
}

fn flag(value: &str) -> Result<Option<String>, &'static str> {
    let inverted = inverted(value)?;
    Ok(inverted.map(|inverted| if inverted == "true" { "false".to_owned() } else { "true".to_owned() }))
}

/// A number of seconds, or a duration.
#[allow(clippy::unnecessary_wraps)] // Has the signature of `Alias::read`.
fn seconds(value: &str) -> Result<Option<String>, &'static str> {
    let value = unchanged(value)?;
    Ok(value.map(|text| if text.parse::<f64>().is_ok() { format!("{text}s") } else { text }))
}

fn inverted(value: &str) -> Result<Option<String>, &'static str> {
    match value.trim().to_lowercase().as_str() {
        "" => Ok(None),
        "true" | "1" | "yes" | "on" => Ok(Some("false".to_owned())),
        "false" | "0" | "no" | "off" => Ok(Some("true".to_owned())),
        _ => Err("must be true or false"),
    }
}

/// `10/minute` or `10`.
fn per_minute(value: &str) -> Result<Option<String>, &'static str> {
    let value = value.trim();
    let number = match value.split_once('/') {
        Some((number, "minute" | "min" | "m")) => number.trim(),
        Some(_) => return Err("must be a number per minute, such as 10/minute"),
        None => value,
    };
    match number.parse::<u32>() {
        _ if value.is_empty() => Ok(None),
        Ok(number) => Ok(Some(number.to_string())),
        Err(_) => Err("must be a number per minute, such as 10/minute"),
    }
}

/// A log level, also by the names that other programs use.
fn level(value: &str) -> Result<Option<String>, &'static str> {
    let level = match value.trim().to_lowercase().as_str() {
        "" => return Ok(None),
        "off" | "none" => "off",
        "critical" | "fatal" | "error" => "error",
        "warning" | "warn" => "warn",
        "info" | "notice" => "info",
        "debug" => "debug",
        "trace" => "trace",
        _ => return Err("must be off, error, warn, info, debug or trace"),
    };
    Ok(Some(level.to_owned()))
}
