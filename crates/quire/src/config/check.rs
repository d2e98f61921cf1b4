//! Checks the range of each value, and values that depend on each other.

use std::fmt::Display;
use std::ops::RangeInclusive;

use jiff::SignedDuration;
use quire_domain::credential::guessing_bits;

use super::location::DatabaseLocation;
use super::{
    Config, InterpreterChoice, PipelineSection, RequeueChoice, background, blobs, confidence,
    document_intelligence, web,
};
use crate::wire;

/// A token that takes fewer than 2^128 guesses is refused.
const MIN_TOKEN_BITS: f64 = 128.0;

/// More requests than a client can send.
const MAX_PER_MINUTE: u32 = 1_000_000;

/// Upper bounds that only a typing error exceeds.
const MAX_TOKENS: u64 = 1_000_000_000_000;
pub(super) const MAX_PRICE: f64 = 1_000_000.0;

/// A setting whose value breaks a rule.
#[derive(Debug)]
pub(super) struct InvalidSetting {
    pub(super) key: &'static str,
    pub(super) rule: String,
}

pub(super) fn check(config: &Config) -> Result<(), InvalidSetting> {
    DatabaseLocation::of(&config.storage.database, &config.storage.data)
        .map_err(|rule| InvalidSetting { key: "storage.database", rule })?;
    blobs::check(config)?;
    within("server.max_event_streams", &config.server.max_event_streams, 0..=100_000)?;
    within("server.max_event_streams_per_key", &config.server.max_event_streams_per_key, 1..=100_000)?;
    check_server(config)?;
    check_database(config)?;
    check_engine(config)?;
    within("lanes.max_concurrent_calls", &config.lanes.max_concurrent_calls, 1..=10_000)?;
    within("lanes.max_installation_calls", &config.lanes.max_installation_calls, 0..=100_000)?;
    background::check(&config.background, &config.redis)?;
    check_reading(config)?;
    document_intelligence::check(config)?;
    check_uploads(config)?;
    require(!config.schemas.default.trim().is_empty(), "schemas.default", || {
        "must be the name of a schema; `quire schema list` shows them".to_owned()
    })?;
    confidence::check(&config.confidence)?;
    check_model(config)?;
    within("search.dimension", &config.search.dimension, 0..=4_000)?;
    for (key, weight) in [
        ("search.weight_of_words", config.search.weight_of_words),
        ("search.weight_of_meaning", config.search.weight_of_meaning),
    ] {
        require((0.0..=100.0).contains(&weight), key, || "must be from 0 to 100".to_owned())?;
    }
    wire::check_embedder(config).map_err(|(key, rule)| InvalidSetting { key, rule })?;
    web::check(config)?;
    within("limits.uploads_per_minute", &config.limits.uploads_per_minute.number(), 0..=MAX_PER_MINUTE)?;
    within("limits.downloads_per_minute", &config.limits.downloads_per_minute.number(), 0..=MAX_PER_MINUTE)?;
    within("limits.megabytes_per_minute", &config.limits.megabytes_per_minute.number(), 0..=MAX_PER_MINUTE)?;
    within("limits.drawings_per_minute", &config.limits.drawings_per_minute.number(), 0..=MAX_PER_MINUTE)?;
    within("limits.connections", &config.limits.connections, 16..=1_000_000)?;
    within("limits.connections_per_client", &config.limits.connections_per_client, 4..=1_000_000)?;
    let client_timeout = config.limits.client_timeout;
    duration_within("limits.client_timeout", client_timeout, SignedDuration::from_millis(100)..=minutes(60))?;
    let pipelines = &config.pipelines;
    check_pipeline(&pipelines.document, &DOCUMENT)?;
    check_pipeline(&pipelines.proposal, &PROPOSAL)?;
    check_pipeline(&pipelines.link, &LINK)?;
    require(pipelines.document.requeue != RequeueChoice::Manual, DOCUMENT.requeue, || {
        "must be \"default\", \"none\" or \"auto\": an ended run of a document never changes; create a new run \
         instead"
            .to_owned()
    })
}

fn check_server(config: &Config) -> Result<(), InvalidSetting> {
    let token = config.server.auth_token.non_empty();
    require(token.is_none_or(|token| guessing_bits(token) >= MIN_TOKEN_BITS), "server.auth_token", || {
        "can be guessed; it must be random, such as the output of `openssl rand -hex 32`, or empty".to_owned()
    })?;
    let (idle, lifetime) = (config.server.session_idle, config.server.session_lifetime);
    duration_within("server.session_idle", idle, minutes(1)..=days(365))?;
    duration_within("server.session_lifetime", lifetime, minutes(1)..=days(365))?;
    duration_within("server.draft_wait", config.server.draft_wait, SignedDuration::ZERO..=minutes(10))?;
    duration_within("server.drain_delay", config.server.drain_delay, SignedDuration::ZERO..=minutes(10))?;
    require(idle <= lifetime, "server.session_idle", || {
        format!("must not be longer than server.session_lifetime, which is {lifetime:#}")
    })
}

fn check_database(config: &Config) -> Result<(), InvalidSetting> {
    let database = &config.database;
    within("database.max_connections", &database.max_connections, 1..=1000)?;
    duration_within("database.busy_timeout", database.busy_timeout, SignedDuration::ZERO..=minutes(10))
}

fn check_engine(config: &Config) -> Result<(), InvalidSetting> {
    let engine = &config.engine;
    within("engine.slots", &engine.slots, 0..=1000)?;
    within("engine.claim_limit", &engine.claim_limit, 1..=10_000)?;
    duration_within("engine.tick", engine.tick, SignedDuration::from_millis(10)..=minutes(10))?;
    duration_within("engine.lease", engine.lease, SignedDuration::from_millis(100)..=minutes(60))?;
    duration_within("engine.heartbeat", engine.heartbeat, SignedDuration::from_millis(10)..=minutes(60))?;
    duration_within("engine.zombie_after", engine.zombie_after, SignedDuration::from_secs(1)..=days(365))?;
    duration_within("engine.deadline_grace", engine.deadline_grace, SignedDuration::ZERO..=minutes(60))?;
    duration_within("engine.shutdown_wait", engine.shutdown_wait, SignedDuration::ZERO..=minutes(60))?;
    require(engine.heartbeat < engine.lease, "engine.heartbeat", || {
        format!("must be shorter than engine.lease, which is {:#}", engine.lease)
    })?;
    let retry = engine.retry;
    within("engine.retry.base_delay_ms", &retry.base_delay_ms, 0..=60_000)?;
    within("engine.retry.max_delay_ms", &retry.max_delay_ms, 0..=300_000)?;
    within("engine.retry.jitter_ratio", &retry.jitter_ratio, 0.0..=1.0)?;
    require(retry.base_delay_ms <= retry.max_delay_ms, "engine.retry.base_delay_ms", || {
        format!("must not be more than engine.retry.max_delay_ms, which is {}", retry.max_delay_ms)
    })
}

fn check_reading(config: &Config) -> Result<(), InvalidSetting> {
    let reading = &config.reading;
    within("reading.parsers", &reading.parsers, 0..=256)?;
    // A parser with less memory cannot start.
    within("reading.memory_mb", &reading.memory_mb, 128..=1 << 20)?;
    duration_within("reading.time_limit", reading.time_limit, SignedDuration::from_secs(1)..=minutes(60))?;
    within("reading.max_file_mb", &reading.max_file_mb, 1..=2048)?;
    within("reading.max_pages", &reading.max_pages, 1..=1_000_000)?;
    within("reading.max_words", &reading.max_words, 1000..=100_000_000)?;
    within("reading.documents_per_parser", &reading.documents_per_parser, 1..=1_000_000)?;
    within("reading.ocr.memory_mb", &reading.ocr.memory_mb, 256..=1 << 20)?;
    duration_within(
        "reading.ocr.time_limit",
        reading.ocr.time_limit,
        SignedDuration::from_secs(1)..=minutes(60),
    )?;
    within("reading.images.parsers", &reading.images.parsers, 1..=64)?;
    duration_within(
        "reading.images.time_limit",
        reading.images.time_limit,
        SignedDuration::from_secs(1)..=minutes(60),
    )?;
    within("reading.images.max_scale", &reading.images.max_scale, 0.1..=10.0)?;
    within("reading.images.cache_mb", &reading.images.cache_mb, 1..=1 << 16)
}

fn check_uploads(config: &Config) -> Result<(), InvalidSetting> {
    let (upload_mb, read_mb) = (config.uploads.max_mb, config.reading.max_file_mb);
    within("uploads.max_mb", &upload_mb, 1..=2048)?;
    within("uploads.min_free_mb", &config.uploads.min_free_mb, 0..=1 << 30)?;
    require(upload_mb <= read_mb, "uploads.max_mb", || {
        format!(
            "must not be more than reading.max_file_mb, which is {read_mb}: every uploaded file must be readable"
        )
    })
}

fn check_model(config: &Config) -> Result<(), InvalidSetting> {
    let model = &config.model;
    duration_within("model.timeout", model.timeout, SignedDuration::from_millis(100)..=minutes(30))?;
    duration_within(
        "model.idle_timeout",
        model.idle_timeout,
        SignedDuration::from_millis(100)..=minutes(30),
    )?;
    within("model.max_response_mb", &model.max_response_mb, 1..=256)?;
    within("model.breaker_failures", &model.breaker_failures, 0..=1000)?;
    duration_within(
        "model.breaker_pause",
        model.breaker_pause,
        SignedDuration::from_millis(100)..=minutes(30),
    )?;
    within("model.max_answer_tokens", &model.max_answer_tokens, 16..=1_000_000)?;
    within("model.max_tokens_per_document", &model.max_tokens_per_document, 0..=MAX_TOKENS)?;
    within("model.max_tokens_per_day", &model.max_tokens_per_day, 0..=MAX_TOKENS)?;
    within("model.price_per_million_in", &model.price_per_million_in, 0.0..=MAX_PRICE)?;
    within("model.price_per_million_out", &model.price_per_million_out, 0.0..=MAX_PRICE)?;
    require(model.prices().is_some(), "model.other_prices", || {
        "must be prices such as \"gpt-4o-mini = 0.15 / 0.60; qwen3 = 0 / 0\"".to_owned()
    })?;
    wire::http_client(config).map(drop).map_err(|(key, rule)| InvalidSetting { key, rule })?;
    let is_replayed = !model.replay_from.trim().is_empty();
    require(!is_replayed || model.record_to.trim().is_empty(), "model.replay_from", || {
        "must be empty if model.record_to is set".to_owned()
    })?;
    if config.interpreter.kind == InterpreterChoice::Rules || is_replayed {
        return Ok(());
    }
    require(!model.name.trim().is_empty(), "model.name", || {
        "must name a model if interpreter.kind is \"model\"".to_owned()
    })?;
    wire::check_model(config).map_err(|(key, rule)| InvalidSetting { key, rule })
}

/// The keys of one pipeline's settings, for messages.
struct PipelineKeys {
    run_limit: &'static str,
    step_limit: &'static str,
    step_attempts: &'static str,
    requeue: &'static str,
    max_claims: &'static str,
    max_retries: &'static str,
    requeue_delay: &'static str,
    continuations: &'static str,
}

macro_rules! keys {
    ($pipeline:literal) => {
        PipelineKeys {
            run_limit: concat!("pipelines.", $pipeline, ".run_limit"),
            step_limit: concat!("pipelines.", $pipeline, ".step_limit"),
            step_attempts: concat!("pipelines.", $pipeline, ".step_attempts"),
            requeue: concat!("pipelines.", $pipeline, ".requeue"),
            max_claims: concat!("pipelines.", $pipeline, ".max_claims"),
            max_retries: concat!("pipelines.", $pipeline, ".max_retries"),
            requeue_delay: concat!("pipelines.", $pipeline, ".requeue_delay"),
            continuations: concat!("pipelines.", $pipeline, ".continuations"),
        }
    };
}

const DOCUMENT: PipelineKeys = keys!("document");
const PROPOSAL: PipelineKeys = keys!("proposal");
const LINK: PipelineKeys = keys!("link");

fn check_pipeline(pipeline: &PipelineSection, keys: &PipelineKeys) -> Result<(), InvalidSetting> {
    duration_within(keys.run_limit, pipeline.run_limit, SignedDuration::from_millis(10)..=days(7))?;
    if let Some(limit) = pipeline.step_limit {
        let (least, most) = (SignedDuration::from_secs(10), SignedDuration::from_mins(30));
        duration_within(keys.step_limit, limit, least..=most)?;
    }
    within(keys.step_attempts, &pipeline.step_attempts, 1..=10)?;
    within(keys.max_claims, &pipeline.max_claims, 1..=100)?;
    within(keys.max_retries, &pipeline.max_retries, 0..=100)?;
    within(keys.continuations, &pipeline.continuations, 0..=1000)?;
    duration_within(keys.requeue_delay, pipeline.requeue_delay, SignedDuration::ZERO..=days(1))
}

pub(super) fn require(
    rule: bool,
    key: &'static str,
    text: impl FnOnce() -> String,
) -> Result<(), InvalidSetting> {
    if rule { Ok(()) } else { Err(InvalidSetting { key, rule: text() }) }
}

pub(super) fn within<T: PartialOrd + Display>(
    key: &'static str,
    value: &T,
    bounds: RangeInclusive<T>,
) -> Result<(), InvalidSetting> {
    require(bounds.contains(value), key, || {
        format!("must be between {} and {}", bounds.start(), bounds.end())
    })
}

pub(super) fn duration_within(
    key: &'static str,
    value: SignedDuration,
    bounds: RangeInclusive<SignedDuration>,
) -> Result<(), InvalidSetting> {
    require(bounds.contains(&value), key, || {
        format!("must be between {:#} and {:#}", bounds.start(), bounds.end())
    })
}

pub(super) fn minutes(count: i64) -> SignedDuration {
    SignedDuration::from_mins(count)
}

fn days(count: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * count)
}
