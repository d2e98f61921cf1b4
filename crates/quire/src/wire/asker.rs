//! Creates what answers questions about documents.

use std::sync::Arc;

use quire_application::ask::{AskModel, Asker};
use quire_application::lanes::LanePermits;
use quire_ports::Store;

use super::{model, searcher};
use crate::config::Config;
use crate::error::CommandError;

/// Answers questions with the configured model, if there is one. Its calls are made in the lane of its endpoint and recorded, like
/// those of a run, and have the limits that documents have.
pub(crate) async fn asker(
    config: &Config,
    store: &Store,
    lanes: &Arc<LanePermits>,
) -> Result<Asker, CommandError> {
    let settings = &config.model;
    let model = model::language_model(config, store, lanes).await?.map(|model| AskModel {
        model,
        redact: settings.redact,
        max_tokens: settings.max_answer_tokens,
        tokens_per_question: settings.max_tokens_per_document,
    });
    Ok(Asker::new(store.clone(), searcher(config, store, lanes).await?, model))
}
