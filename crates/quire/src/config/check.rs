//! Bounds and relations: what one value may be, and what two of them may be together.

use std::fmt::Display;
use std::ops::RangeInclusive;

use jiff::SignedDuration;

use super::location::Location;
use super::{Config, InterpreterChoice, PipelineConfig, RequeueChoice, confidence};
use crate::wire;

/// Shorter ones can be guessed.
const SHORTEST_TOKEN: usize = 16;

/// More often than a client could ask.
const MOST_PER_MINUTE: u32 = 1_000_000;

/// More than anybody could spend in a day.
const MOST_TOKENS: u64 = 1_000_000_000_000;
const MOST_PRICE: f64 = 1_000_000.0;

/// A rule that does not hold.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) key: &'static str,
    pub(super) rule: String,
}

pub(super) fn check(config: &Config) -> Result<(), Broken> {
    Location::of(&config.storage.database, &config.storage.data)
        .map_err(|rule| Broken { key: "storage.database", rule })?;
    within("server.max_event_streams", &config.server.max_event_streams, 0..=100_000)?;
    check_server(config)?;
    check_database(config)?;
    check_engine(config)?;
    check_reading(config)?;
    check_uploads(config)?;
    holds(!config.schemas.default.trim().is_empty(), "schemas.default", || {
        "must be the name of a schema; `quire schema list` shows them".to_owned()
    })?;
    confidence::check(&config.confidence)?;
    check_model(config)?;
    within("limits.uploads_per_minute", &config.limits.uploads_per_minute.number(), 0..=MOST_PER_MINUTE)?;
    within("limits.downloads_per_minute", &config.limits.downloads_per_minute.number(), 0..=MOST_PER_MINUTE)?;
    let pipelines = &config.pipelines;
    check_pipeline(&pipelines.document, &DOCUMENT)?;
    check_pipeline(&pipelines.proposal, &PROPOSAL)?;
    check_pipeline(&pipelines.link, &LINK)?;
    holds(pipelines.document.requeue != RequeueChoice::Manual, DOCUMENT.requeue, || {
        "must be \"default\", \"none\" or \"auto\": a document's run that ended never changes; create a new run \
         instead"
            .to_owned()
    })
}

fn check_server(config: &Config) -> Result<(), Broken> {
    let long_enough = config.server.auth_token.given().is_none_or(|token| token.len() >= SHORTEST_TOKEN);
    holds(long_enough, "server.auth_token", || {
        format!(
            "must have at least {SHORTEST_TOKEN} characters, so that nobody guesses it; leave it empty for none"
        )
    })?;
    let (idle, lifetime) = (config.server.session_idle, config.server.session_lifetime);
    lasting("server.session_idle", idle, minutes(1)..=days(365))?;
    lasting("server.session_lifetime", lifetime, minutes(1)..=days(365))?;
    holds(idle <= lifetime, "server.session_idle", || {
        format!("must not be longer than server.session_lifetime, which is {lifetime:#}")
    })
}

fn check_database(config: &Config) -> Result<(), Broken> {
    let database = &config.database;
    within("database.max_connections", &database.max_connections, 1..=1000)?;
    lasting("database.busy_timeout", database.busy_timeout, SignedDuration::ZERO..=minutes(10))
}

fn check_engine(config: &Config) -> Result<(), Broken> {
    let engine = &config.engine;
    within("engine.slots", &engine.slots, 0..=1000)?;
    within("engine.claim_limit", &engine.claim_limit, 1..=10_000)?;
    lasting("engine.tick", engine.tick, SignedDuration::from_millis(10)..=minutes(10))?;
    lasting("engine.lease", engine.lease, SignedDuration::from_millis(100)..=minutes(60))?;
    lasting("engine.heartbeat", engine.heartbeat, SignedDuration::from_millis(10)..=minutes(60))?;
    lasting("engine.zombie_after", engine.zombie_after, SignedDuration::from_secs(1)..=days(365))?;
    lasting("engine.deadline_grace", engine.deadline_grace, SignedDuration::ZERO..=minutes(60))?;
    lasting("engine.shutdown_wait", engine.shutdown_wait, SignedDuration::ZERO..=minutes(60))?;
    holds(engine.heartbeat < engine.lease, "engine.heartbeat", || {
        format!("must be shorter than engine.lease, which is {:#}", engine.lease)
    })?;
    let retry = engine.retry;
    within("engine.retry.base_delay_ms", &retry.base_delay_ms, 0..=60_000)?;
    within("engine.retry.max_delay_ms", &retry.max_delay_ms, 0..=300_000)?;
    within("engine.retry.jitter_ratio", &retry.jitter_ratio, 0.0..=1.0)?;
    holds(retry.base_delay_ms <= retry.max_delay_ms, "engine.retry.base_delay_ms", || {
        format!("must not be more than engine.retry.max_delay_ms, which is {}", retry.max_delay_ms)
    })
}

fn check_reading(config: &Config) -> Result<(), Broken> {
    let reading = &config.reading;
    within("reading.parsers", &reading.parsers, 0..=256)?;
    // A parser that may not even hold itself and a small document could never start.
    within("reading.memory_mb", &reading.memory_mb, 128..=1 << 20)?;
    lasting("reading.time_limit", reading.time_limit, SignedDuration::from_secs(1)..=minutes(60))?;
    within("reading.max_file_mb", &reading.max_file_mb, 1..=2048)?;
    within("reading.max_pages", &reading.max_pages, 1..=1_000_000)?;
    within("reading.max_words", &reading.max_words, 1000..=100_000_000)?;
    within("reading.documents_per_parser", &reading.documents_per_parser, 1..=1_000_000)?;
    within("reading.ocr.memory_mb", &reading.ocr.memory_mb, 256..=1 << 20)?;
    lasting("reading.ocr.time_limit", reading.ocr.time_limit, SignedDuration::from_secs(1)..=minutes(60))?;
    within("reading.images.parsers", &reading.images.parsers, 1..=64)?;
    lasting(
        "reading.images.time_limit",
        reading.images.time_limit,
        SignedDuration::from_secs(1)..=minutes(60),
    )?;
    within("reading.images.max_scale", &reading.images.max_scale, 0.1..=10.0)?;
    within("reading.images.cache_mb", &reading.images.cache_mb, 1..=1 << 16)
}

fn check_uploads(config: &Config) -> Result<(), Broken> {
    let (taken, read) = (config.uploads.max_mb, config.reading.max_file_mb);
    within("uploads.max_mb", &taken, 1..=2048)?;
    holds(taken <= read, "uploads.max_mb", || {
        format!(
            "must not be more than reading.max_file_mb, which is {read}: what is taken in should be readable"
        )
    })
}

fn check_model(config: &Config) -> Result<(), Broken> {
    let model = &config.model;
    lasting("model.timeout", model.timeout, SignedDuration::from_millis(100)..=minutes(30))?;
    within("model.attempts", &model.attempts, 1..=10)?;
    within("model.max_answer_tokens", &model.max_answer_tokens, 16..=1_000_000)?;
    within("model.max_tokens_per_document", &model.max_tokens_per_document, 0..=MOST_TOKENS)?;
    within("model.max_tokens_per_day", &model.max_tokens_per_day, 0..=MOST_TOKENS)?;
    within("model.price_per_million_in", &model.price_per_million_in, 0.0..=MOST_PRICE)?;
    within("model.price_per_million_out", &model.price_per_million_out, 0.0..=MOST_PRICE)?;
    if config.interpreter.kind == InterpreterChoice::Rules {
        return Ok(());
    }
    holds(!model.name.trim().is_empty(), "model.name", || {
        "must name a model where interpreter.kind is \"model\"".to_owned()
    })?;
    let made = wire::remote_model(config).map(|_| ());
    made.map_err(|(key, rule)| Broken { key, rule })
}

/// The keys of one pipeline's settings.
struct Keys {
    run_limit: &'static str,
    step_attempts: &'static str,
    requeue: &'static str,
    max_claims: &'static str,
    max_retries: &'static str,
    requeue_delay: &'static str,
}

macro_rules! keys {
    ($pipeline:literal) => {
        Keys {
            run_limit: concat!("pipelines.", $pipeline, ".run_limit"),
            step_attempts: concat!("pipelines.", $pipeline, ".step_attempts"),
            requeue: concat!("pipelines.", $pipeline, ".requeue"),
            max_claims: concat!("pipelines.", $pipeline, ".max_claims"),
            max_retries: concat!("pipelines.", $pipeline, ".max_retries"),
            requeue_delay: concat!("pipelines.", $pipeline, ".requeue_delay"),
        }
    };
}

const DOCUMENT: Keys = keys!("document");
const PROPOSAL: Keys = keys!("proposal");
const LINK: Keys = keys!("link");

fn check_pipeline(pipeline: &PipelineConfig, keys: &Keys) -> Result<(), Broken> {
    lasting(keys.run_limit, pipeline.run_limit, SignedDuration::from_millis(10)..=days(7))?;
    within(keys.step_attempts, &pipeline.step_attempts, 1..=10)?;
    within(keys.max_claims, &pipeline.max_claims, 1..=100)?;
    within(keys.max_retries, &pipeline.max_retries, 0..=100)?;
    lasting(keys.requeue_delay, pipeline.requeue_delay, SignedDuration::ZERO..=days(1))
}

fn holds(rule: bool, key: &'static str, text: impl FnOnce() -> String) -> Result<(), Broken> {
    if rule { Ok(()) } else { Err(Broken { key, rule: text() }) }
}

fn within<T: PartialOrd + Display>(
    key: &'static str,
    value: &T,
    bounds: RangeInclusive<T>,
) -> Result<(), Broken> {
    holds(bounds.contains(value), key, || format!("must be between {} and {}", bounds.start(), bounds.end()))
}

fn lasting(
    key: &'static str,
    value: SignedDuration,
    bounds: RangeInclusive<SignedDuration>,
) -> Result<(), Broken> {
    holds(bounds.contains(&value), key, || {
        format!("must be between {:#} and {:#}", bounds.start(), bounds.end())
    })
}

fn minutes(count: i64) -> SignedDuration {
    SignedDuration::from_mins(count)
}

fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}
