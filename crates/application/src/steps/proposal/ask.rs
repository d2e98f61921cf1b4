//! Asks a model for a step of a proposal run.

use std::sync::Arc;

use quire_domain::Failure;
use quire_domain::proposal::{InvalidMember, ModelParameters};
use quire_ports::{
    ChatMessage, Clock, LanguageModel, ModelErrorKind, ModelRequest, ModelResponse, PortError,
    ProposalRequest, ProposalRun, Proposals, StepContext,
};

use crate::steps::StepErrorCode;
use crate::steps::model_answer;
pub(super) use crate::steps::model_answer::artifact;

/// What the steps of a proposal run share.
#[derive(Clone)]
pub struct ProposalModel {
    /// The model.
    pub model: Arc<dyn LanguageModel>,
    /// The most tokens of an answer.
    pub max_tokens: u64,
    /// What was asked, and what earlier steps made of it.
    pub proposals: Arc<dyn Proposals>,
    /// The time of an answer.
    pub clock: Arc<dyn Clock>,
}

/// What a step asks a model.
pub(super) struct Question {
    pub(super) messages: Vec<ChatMessage>,
    pub(super) schema_name: &'static str,
    pub(super) response_schema: &'static str,
    pub(super) model: String,
    pub(super) temperature: f64,
    pub(super) parameters: ModelParameters,
}

/// The parameters of a request. Those of a run from before they were checked are not sent.
pub(super) fn parameters(request: &ProposalRequest) -> ModelParameters {
    ModelParameters::read(&request.parameters).unwrap_or_default()
}

impl ProposalModel {
    /// The run of a step with what is stored about it.
    pub(super) async fn load(&self, context: &StepContext) -> Result<ProposalRun, Failure> {
        self.proposals.proposal(context.run.id).await.map_err(|error| stored(&error))
    }

    /// Asks once.
    pub(super) async fn ask(
        &self,
        context: &StepContext,
        question: Question,
    ) -> Result<ModelResponse, Failure> {
        let request = ModelRequest {
            context: context.into(),
            model: Some(question.model),
            messages: question.messages,
            schema_name: question.schema_name.to_owned(),
            response_schema: question.response_schema.to_owned(),
            max_tokens: question
                .parameters
                .max_tokens
                .map_or(self.max_tokens, |wanted| wanted.min(self.max_tokens)),
            temperature: question.temperature,
            parameters: question.parameters,
            deadline: Some(context.deadline.clone()),
        };
        model_answer::ask(&*self.model, &request, &*self.clock).await
    }
}

/// The failure of a step whose model answered something else than it was asked for. Asking again is up to a person: it
/// costs, and the same model may well do the same.
pub(super) fn invalid_answer(error: &InvalidMember, response: &ModelResponse) -> Failure {
    let message = format!("the answer of the model does not have the required form: {error}");
    Failure::permanent(ModelErrorKind::AnswerInvalid.as_str(), message).with_diagnosis(response.text.clone())
}

/// The failure of a step that lacks what an earlier one should have stored.
pub(super) fn missing(what: &str) -> Failure {
    Failure::permanent(
        StepErrorCode::StepInputMissing.as_str(),
        format!("{what} is missing; send the idea again"),
    )
}

/// The failure of a step that could not read from the database.
pub(super) fn stored(error: &PortError) -> Failure {
    match error {
        PortError::NotFound(_) => missing("what was asked of this run"),
        error if error.is_retryable() => {
            Failure::transient(StepErrorCode::StoreUnavailable.as_str(), error.to_string())
        }
        error => Failure::permanent(StepErrorCode::StepInputMissing.as_str(), error.to_string()),
    }
}
