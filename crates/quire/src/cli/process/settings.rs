//! The configuration of this command, and a fingerprint of the settings that a result depends on.

use std::path::{Path, PathBuf};

use jiff::SignedDuration;
use quire_application::document::content_hash;
use quire_application::steps::PROMPT_VERSION;
use quire_domain::{ClaimScope, Pipeline, hex};
use quire_ports::{PortError, Store};
use quire_understanding::Schema;
use serde_json::{Value, json};

use crate::config::{Config, InterpreterChoice, RecoveryChoice, StorageSection};
use crate::error::CommandError;

/// How often a document may be interrupted by a kill before it counts as failed. High enough for a batch that is stopped
/// now and then; a document that crashes the process still fails in the end.
const MAX_INTERRUPTIONS: u32 = 100;
/// How long running documents may take after a signal. They are resumed by the next command.
const SHUTDOWN_WAIT: SignedDuration = SignedDuration::from_secs(3);
/// Documents processed at the same time per core, unless --jobs is given.
const PER_CORE: u32 = 2;
/// Hex digits of a fingerprint.
const DIGITS: usize = 16;

/// The configuration with its own state folder, in which interrupted documents are resumed.
pub(super) fn configure(config: &Config, state: &Path, jobs: Option<u32>) -> Config {
    let mut config = config.clone();
    // Schema files are still read from the original folder.
    config.schemas.folder = config.schemas_folder().unwrap_or_default();
    config.storage = StorageSection {
        data: state.to_path_buf(),
        documents: PathBuf::new(),
        blobs: String::new(),
        database: String::new(),
        ..config.storage
    };
    config.pipelines.document.recovery = RecoveryChoice::Requeue;
    config.pipelines.document.max_claims = MAX_INTERRUPTIONS;
    config.scope = ClaimScope::of_pipeline(Pipeline::Document);
    // Nobody searches the database of a batch.
    config.search.enabled = false;
    config.engine.shutdown_wait = SHUTDOWN_WAIT;
    match jobs {
        Some(jobs) => (config.reading.parsers, config.engine.slots) = (jobs, jobs),
        // While one document waits for the disk, another one uses the core.
        None if config.engine.slots == 0 => config.engine.slots = config.slots().saturating_mul(PER_CORE),
        None => {}
    }
    config
}

/// The interpreter and every setting that changes what is sent to a model.
fn interpreter(config: &Config) -> Value {
    let model = &config.model;
    match config.interpreter.kind {
        InterpreterChoice::Rules => json!("rules"),
        InterpreterChoice::Model => json!([
            model.url,
            model.name,
            model.fallback_models,
            PROMPT_VERSION,
            model.redact,
            model.max_answer_tokens,
            model.max_tokens_per_document
        ]),
    }
}

/// A fingerprint of the program, the schema and all settings that a result depends on. `None` if there is no such schema.
pub(super) async fn fingerprint(
    config: &Config,
    store: &Store,
    schema: &str,
    language: Option<&str>,
) -> Result<Option<String>, CommandError> {
    let schema = match store.governance.current_schema(schema).await {
        Err(PortError::NotFound(_)) => return Ok(None),
        schema => schema?,
    };
    // A choice among all schemas depends on all of them.
    let mut others = Vec::new();
    if schema.schema.name == Schema::AUTO {
        for name in store.governance.schema_names().await? {
            let number = store.governance.current_schema(&name).await?.number;
            others.push((name, number));
        }
    }
    let ocr = &config.reading.ocr;
    let parts = json!({
        "program": env!("CARGO_PKG_VERSION"),
        "schema": schema.schema,
        "schema_version": schema.number,
        "schemas": others,
        "language": language,
        "interpreter": interpreter(config),
        "confidence": config.confidence,
        "recognised": ocr.enabled.then_some(&ocr.languages),
        "covered_text": config.reading.covered_text,
    });
    let mut digits = hex(&content_hash(parts.to_string().as_bytes())?);
    digits.truncate(DIGITS);
    Ok(Some(digits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Layers;

    #[test]
    fn a_command_keeps_its_files_in_its_own_folder() {
        let variables =
            [("QUIRE_STORAGE_BLOBS", "s3://records"), ("QUIRE_STORAGE_DATABASE", "postgres://db/quire")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let layers = Layers::gather(None, variables.into_iter(), &[]).unwrap();
        let (config, _) = Config::from_layers(layers).unwrap();
        let config = configure(&config, Path::new("results/.quire"), None);
        assert_eq!(config.documents_folder().as_deref(), Some(Path::new("results/.quire/documents")));
        assert!(config.location().is_sqlite());
    }
}
