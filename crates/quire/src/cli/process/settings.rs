//! What a result depends on besides its document, and what this command sets by itself.

use std::path::Path;

use jiff::SignedDuration;
use quire_application::document::content_hash;
use quire_application::steps::PROMPT_VERSION;
use quire_domain::hex;
use quire_ports::{PortError, Store};
use serde_json::{Value, json};

use crate::config::{Config, InterpreterChoice, RecoveryChoice, Storage};
use crate::trouble::Trouble;

/// How often a document may be under way when the process is killed before it counts as failed. Whoever stops a long
/// batch now and then must not lose a document to it; one that takes the process down with it ends all the same.
const MOST_KILLS: u32 = 100;
/// How long documents under way may take when the command is told to stop: they are resumed anyway.
const LAST_DOCUMENTS: SignedDuration = SignedDuration::from_secs(3);
/// Documents worked on at once for each core, unless somebody says how many.
const PER_CORE: u32 = 2;
/// Digits of a fingerprint that are kept.
const DIGITS: usize = 16;

/// The configuration with a state of its own, in which a document that was interrupted is resumed.
pub(super) fn of(config: &Config, state: &Path, jobs: Option<u32>) -> Config {
    let mut config = config.clone();
    // The schemas that somebody has added stay where they are.
    config.schemas.folder = config.schemas_folder().unwrap_or_default();
    config.storage = Storage { data: state.to_path_buf(), database: String::new() };
    config.pipelines.document.recovery = RecoveryChoice::Requeue;
    config.pipelines.document.max_claims = MOST_KILLS;
    config.engine.shutdown_wait = LAST_DOCUMENTS;
    match jobs {
        Some(jobs) => (config.reading.parsers, config.engine.slots) = (jobs, jobs),
        // A document that waits for the disk leaves its core to another.
        None if config.engine.slots == 0 => config.engine.slots = config.slots().saturating_mul(PER_CORE),
        None => {}
    }
    config
}

/// Who understands, and all that decides what a model is told.
fn interpreter(config: &Config) -> Value {
    let model = &config.model;
    match config.interpreter.kind {
        InterpreterChoice::Rules => json!("rules"),
        InterpreterChoice::Model => json!([
            model.url,
            model.name,
            PROMPT_VERSION,
            model.redact,
            model.max_answer_tokens,
            model.max_tokens_per_document
        ]),
    }
}

/// What stands for the program, the schema and all settings that decide what is understood. None if there is no such
/// schema.
pub(super) async fn fingerprint(
    config: &Config,
    store: &Store,
    schema: &str,
    language: Option<&str>,
) -> Result<Option<String>, Trouble> {
    let schema = match store.governance.current_schema(schema).await {
        Err(PortError::NotFound(_)) => return Ok(None),
        schema => schema?,
    };
    let ocr = &config.reading.ocr;
    let parts = json!({
        "program": env!("CARGO_PKG_VERSION"),
        "schema": schema.schema,
        "schema_version": schema.number,
        "language": language,
        "interpreter": interpreter(config),
        "confidence": config.confidence,
        "recognised": ocr.enabled.then_some(&ocr.languages),
    });
    let mut digits = hex(&content_hash(parts.to_string().as_bytes())?);
    digits.truncate(DIGITS);
    Ok(Some(digits))
}
