//! Asks a model for a summary. A long text is summarised in parts, whose notes are then summarised together.

use std::borrow::Cow;
use std::sync::Arc;

use quick_cache::sync::Cache;
use quire_domain::Failure;
use quire_ports::{
    BYTES_PER_TOKEN, ChatMessage, ChatRole, Clock, LanguageModel, ModelRequest, ModelResponse, StepContext,
};
use quire_understanding::summary::{
    RESPONSE_SCHEMA, RESPONSE_SCHEMA_NAME, SummaryError, SummarySource, split, validate,
};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::summarization::{MadeSummary, invalid};
use crate::steps::model_answer;

const SUMMARISE: &str = include_str!("prompts/summarise.md");
const TAKE_NOTES: &str = include_str!("prompts/take_notes.md");
const NOTES_SCHEMA: &str = include_str!("prompts/notes.schema.json");

/// How freely a model chooses its words.
const TEMPERATURE: f64 = 0.2;
/// The most bytes of a text that a model gets at once. Bytes and not characters: those of other scripts cost more tokens.
const PART_BYTES: usize = 40_000;
/// The most bytes of the notes on a part.
const NOTES_BYTES: usize = 2_000;
/// How many notes are remembered.
const REMEMBERED: usize = 500;

/// The model that summarises.
pub struct SummaryModel {
    model: Arc<dyn LanguageModel>,
    max_tokens: u64,
    max_text_tokens: u64,
    clock: Arc<dyn Clock>,
    /// Notes on parts of texts whose summary is not finished, so that a run that had to wait does not ask for them again.
    notes: Cache<[u8; 32], Arc<Notes>>,
}

/// The notes on a part of a text, and the answer that has them.
struct Notes {
    text: String,
    answer: ModelResponse,
}

impl SummaryModel {
    /// A model whose answers have at most `max_tokens` tokens. One text may use `max_text_tokens`, requests and answers
    /// together; what is beyond is not sent, and the summary says so. 0 is no limit.
    pub fn new(
        model: Arc<dyn LanguageModel>,
        max_tokens: u64,
        max_text_tokens: u64,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { model, max_tokens, max_text_tokens, clock, notes: Cache::new(REMEMBERED) }
    }

    /// What the model proposes as a summary in this language, if it passes the validator.
    pub(super) async fn summarise(
        &self,
        context: &StepContext,
        source: &SummarySource<'_>,
        language: String,
    ) -> Result<MadeSummary, Failure> {
        let mut artifacts = Vec::new();
        let sent = self.within_budget(source.text);
        let mut text = Cow::Borrowed(sent);
        // The notes on a very long text are themselves long. Each round makes the text at least ten times shorter.
        while text.len() > PART_BYTES {
            let mut joined = Vec::new();
            for part in parts(&text) {
                let notes = self.notes(context, part, &language).await?;
                artifacts.push(model_answer::artifact(&notes.answer));
                joined.push(notes.text.clone());
            }
            text = Cow::Owned(joined.join("\n\n"));
        }
        let text = match source.title {
            Some(title) => format!("# {title}\n\n{text}"),
            None => text.into_owned(),
        };
        let answer =
            self.ask(context, SUMMARISE, &text, &language, RESPONSE_SCHEMA_NAME, RESPONSE_SCHEMA).await?;
        artifacts.push(model_answer::artifact(&answer));
        let mut summary = validate(&parse(&answer)?, source).map_err(|error| invalid(&error))?;
        if sent.len() < source.text.len() {
            summary.insights.add_caution(&left_out(sent, source.text));
        }
        Ok(MadeSummary { summary, made_by: answer.model, language, artifacts })
    }

    /// The beginning of the text that the budget allows. It leaves room for the answer, and for the notes, which are written
    /// once and read once.
    fn within_budget<'t>(&self, text: &'t str) -> &'t str {
        if self.max_text_tokens == 0 {
            return text;
        }
        let budget = self.max_text_tokens.saturating_mul(BYTES_PER_TOKEN);
        let answer = self.max_tokens.saturating_mul(BYTES_PER_TOKEN).min(budget / 2);
        let notes = 2 * NOTES_BYTES as u64;
        // The last part is shorter than the others, and its notes may not be.
        let texts = (budget - answer).saturating_sub(notes).max(budget / 4);
        let bytes = texts.saturating_mul(PART_BYTES as u64) / (PART_BYTES as u64 + notes);
        beginning(text, usize::try_from(bytes).unwrap_or(usize::MAX))
    }

    /// What a summary of the whole must contain of this part.
    async fn notes(&self, context: &StepContext, part: &str, language: &str) -> Result<Arc<Notes>, Failure> {
        let key = Sha256::new().chain_update(language).chain_update([0]).chain_update(part).finalize().into();
        if let Some(notes) = self.notes.get(&key) {
            return Ok(notes);
        }
        let answer = self.ask(context, TAKE_NOTES, part, language, "notes", NOTES_SCHEMA).await?;
        let parsed = parse(&answer)?;
        let text = parsed["notes"].as_str().map(str::trim).filter(|text| !text.is_empty());
        let text =
            text.ok_or_else(|| invalid(&SummaryError::NoObject).with_diagnosis(answer.text.clone()))?;
        let notes = Arc::new(Notes { text: beginning(text, NOTES_BYTES).to_owned(), answer });
        self.notes.insert(key, notes.clone());
        Ok(notes)
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
        model_answer::ask(&*self.model, &request, &*self.clock).await
    }
}

/// The parts that a model gets one after the other.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for part in split(text, PART_BYTES) {
        if part.len() <= PART_BYTES {
            parts.push(part);
            continue;
        }
        let widest = part.chars().map(char::len_utf8).max().unwrap_or(1);
        parts.extend(split(part, PART_BYTES / widest));
    }
    parts
}

/// At most so many bytes of a text, in whole characters.
fn beginning(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// What readers are told about a text that the budget has cut.
fn left_out(sent: &str, whole: &str) -> String {
    format!(
        "Only the first {} of {} characters of the text were summarised, because of model.max_tokens_per_document.",
        sent.chars().count(),
        whole.chars().count()
    )
}

fn parse(response: &ModelResponse) -> Result<Value, Failure> {
    serde_json::from_str(response.json())
        .map_err(|_| invalid(&SummaryError::NoObject).with_diagnosis(response.text.clone()))
}
