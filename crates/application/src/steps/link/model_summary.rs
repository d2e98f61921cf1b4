//! Asks a model for a summary. A long text is summarised in parts, whose notes are then summarised together.

use std::sync::Arc;

use quire_domain::Failure;
use quire_ports::{
    ChatMessage, ChatRole, Clock, LanguageModel, ModelErrorKind, ModelRequest, ModelResponse, StepContext,
};
use quire_understanding::summary::{
    RESPONSE_SCHEMA, RESPONSE_SCHEMA_NAME, SummaryError, SummarySource, split, validate,
};
use serde_json::Value;

use super::summarization::{MadeSummary, invalid};
use crate::steps::model_answer;

const SUMMARISE: &str = include_str!("prompts/summarise.md");
const TAKE_NOTES: &str = include_str!("prompts/take_notes.md");
const NOTES_SCHEMA: &str = include_str!("prompts/notes.schema.json");

/// How freely a model chooses its words.
const TEMPERATURE: f64 = 0.2;
/// The most characters of a text that a model gets at once.
const PART_CHARS: usize = 40_000;
/// About how many characters a token has.
const CHARS_PER_TOKEN: u64 = 3;

/// The model that summarises.
#[derive(Clone)]
pub struct SummaryModel {
    /// The model.
    pub model: Arc<dyn LanguageModel>,
    /// The most tokens of an answer.
    pub max_tokens: u64,
    /// The most tokens that one text may use. What is beyond is not sent. 0 is no limit.
    pub max_text_tokens: u64,
    /// The time of an answer.
    pub clock: Arc<dyn Clock>,
}

impl SummaryModel {
    /// What the model proposes as a summary in this language, if it passes the validator.
    pub(super) async fn summarise(
        &self,
        context: &StepContext,
        source: &SummarySource<'_>,
        language: String,
    ) -> Result<MadeSummary, Failure> {
        let mut artifacts = Vec::new();
        let text = self.within_budget(source.text);
        let parts = split(text, PART_CHARS);
        let text = if parts.len() <= 1 {
            text.to_owned()
        } else {
            let mut notes = Vec::with_capacity(parts.len());
            for part in parts {
                let answer = self.ask(context, TAKE_NOTES, part, &language, "notes", NOTES_SCHEMA).await?;
                let parsed = parse(&answer)?;
                notes.push(parsed["notes"].as_str().unwrap_or_default().to_owned());
                artifacts.push(model_answer::artifact(&answer));
            }
            notes.join("\n\n")
        };
        let text = match source.title {
            Some(title) => format!("# {title}\n\n{text}"),
            None => text,
        };
        let answer =
            self.ask(context, SUMMARISE, &text, &language, RESPONSE_SCHEMA_NAME, RESPONSE_SCHEMA).await?;
        artifacts.push(model_answer::artifact(&answer));
        let summary = validate(&parse(&answer)?, source).map_err(|error| invalid(&error))?;
        Ok(MadeSummary { summary, made_by: answer.model, language, artifacts })
    }

    /// The beginning of the text that the budget allows.
    fn within_budget<'t>(&self, text: &'t str) -> &'t str {
        if self.max_text_tokens == 0 {
            return text;
        }
        let chars =
            usize::try_from(self.max_text_tokens.saturating_mul(CHARS_PER_TOKEN)).unwrap_or(usize::MAX);
        text.char_indices().nth(chars).map_or(text, |(end, _)| &text[..end])
    }

    async fn ask(
        &self,
        context: &StepContext,
        prompt: &str,
        text: &str,
        language: &str,
        schema_name: &str,
        schema: &str,
    ) -> Result<ModelResponse, Failure> {
        let message = |role, text: String| ChatMessage { role, text };
        let request = ModelRequest {
            context: context.into(),
            model: None,
            messages: vec![
                message(ChatRole::System, prompt.replace("{language}", language)),
                message(ChatRole::User, text.to_owned()),
            ],
            schema_name: schema_name.to_owned(),
            response_schema: schema.to_owned(),
            max_tokens: self.max_tokens,
            temperature: TEMPERATURE,
            deadline: Some(context.deadline.clone()),
        };
        let response =
            self.model.ask(&request).await.map_err(|error| error.into_failure(self.clock.now()))?;
        if response.is_whole {
            return Ok(response);
        }
        let code = ModelErrorKind::AnswerInvalid.as_str();
        let message = "the answer of the model was cut off; raise model.max_answer_tokens";
        Err(Failure::permanent(code, message).with_diagnosis(response.text))
    }
}

fn parse(response: &ModelResponse) -> Result<Value, Failure> {
    serde_json::from_str(model_answer::json_of(response))
        .map_err(|_| invalid(&SummaryError::NoObject).with_diagnosis(response.text.clone()))
}
