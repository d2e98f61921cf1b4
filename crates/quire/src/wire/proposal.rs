//! Creates the steps of the proposal pipeline.

use std::sync::Arc;

use quire_application::steps::LimitedStep;
use quire_application::steps::proposal::{AggregateStep, ExpandStep, PersonaReviewStep, ProposalModel};
use quire_domain::StepName;
use quire_domain::proposal::{Persona, check_weights};
use quire_ports::{LanguageModel, Step, Store};

use crate::Steps;
use crate::config::{Config, to_std};
use crate::error::CommandError;

/// The name of the model for proposals, if one is configured.
pub(crate) fn model_name(config: &Config) -> Option<String> {
    let is_configured = |text: &str| !text.trim().is_empty();
    let (model, name) = (&config.model, config.model.name.trim());
    let can_be_asked = is_configured(&model.url) || is_configured(&model.replay_from);
    (can_be_asked && is_configured(name)).then(|| name.to_owned())
}

/// The seven steps with this model. None if no model is configured: this process then leaves the runs of proposals to others.
pub(super) fn steps(
    config: &Config,
    store: &Store,
    model: Option<Arc<dyn LanguageModel>>,
) -> Result<Option<Steps>, CommandError> {
    check_weights(Persona::ALL.map(Persona::weight)).map_err(|error| CommandError::new(error.to_string()))?;
    let (Some(model), Some(_)) = (model, model_name(config)) else { return Ok(None) };
    let shared = ProposalModel {
        model,
        max_tokens: config.model.max_answer_tokens,
        proposals: store.proposals.clone(),
        clock: store.clock.clone(),
    };
    let limit = config.pipelines.proposal.step_limit.map(to_std);
    let limited = |step: Arc<dyn Step>| match limit {
        Some(limit) => Arc::new(LimitedStep { step, limit }),
        None => step,
    };
    let mut steps = Steps::new();
    steps.insert(StepName::Expand, limited(Arc::new(ExpandStep(shared.clone()))));
    for persona in Persona::ALL {
        steps.insert(persona.step(), limited(Arc::new(PersonaReviewStep(shared.clone()))));
    }
    steps.insert(StepName::AggregateDecision, limited(Arc::new(AggregateStep(shared))));
    Ok(Some(steps))
}
