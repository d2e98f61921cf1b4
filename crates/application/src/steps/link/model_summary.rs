//! Asks a model for a summary. A long text is summarised in parts, whose notes are then summarised together.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use quire_domain::proposal::ModelParameters;
use quire_domain::{Failure, RunId, hex};
use quire_ports::{
    BYTES_PER_TOKEN, ChatMessage, ChatRole, Clock, LanguageModel, ModelRequest, ModelResponse, RunQueue,
    RunReader, StepContext, Store,
};
use quire_understanding::summary::{
    RESPONSE_SCHEMA, RESPONSE_SCHEMA_NAME, SummaryError, SummarySource, split, validate,
};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::summarization::{MadeSummary, invalid};
use crate::steps::error_code::database_failure;
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

/// The model that summarises.
pub struct SummaryModel {
    model: Arc<dyn LanguageModel>,
    max_tokens: u64,
    max_text_tokens: u64,
    clock: Arc<dyn Clock>,
    /// Stores the notes on each part as they come.
    queue: Arc<dyn RunQueue>,
    /// Has the notes that were stored.
    history: Arc<dyn RunReader>,
}

/// The answers about parts of a text that were stored, by their question.
type KeptNotes = HashMap<String, ModelResponse>;

impl SummaryModel {
    /// A model whose answers have at most `max_tokens` tokens. One text may use `max_text_tokens`, requests and answers
    /// together; what is beyond is not sent, and the summary says so. 0 is no limit.
    pub fn new(model: Arc<dyn LanguageModel>, max_tokens: u64, max_text_tokens: u64, store: &Store) -> Self {
        let (clock, queue, history) = (store.clock.clone(), store.queue.clone(), store.run_reader.clone());
        Self { model, max_tokens, max_text_tokens, clock, queue, history }
    }

    /// What the model proposes as a summary in this language, if it passes the validator.
    pub(super) async fn summarise(
        &self,
        context: &StepContext,
        source: &SummarySource<'_>,
        language: String,
        retry_of: Option<RunId>,
    ) -> Result<MadeSummary, Failure> {
        let sent = self.within_budget(source.text);
        let mut text = Cow::Borrowed(sent);
        let kept =
            if text.len() > PART_BYTES { self.kept(context, retry_of).await? } else { KeptNotes::new() };
        // The notes on a very long text are themselves long. Each round makes the text at least ten times shorter.
        while text.len() > PART_BYTES {
            let mut joined = Vec::new();
            for part in parts(&text) {
                joined.push(self.notes(context, part, &language, &kept).await?);
            }
            text = Cow::Owned(joined.join("\n\n"));
        }
        let text = match source.title {
            Some(title) => format!("# {title}\n\n{text}"),
            None => text.into_owned(),
        };
        let answer =
            self.ask(context, SUMMARISE, &text, &language, RESPONSE_SCHEMA_NAME, RESPONSE_SCHEMA).await?;
        let artifacts = vec![model_answer::artifact(&answer)];
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

    /// The notes that were stored by an earlier attempt or another worker at this run, and by the run that it repeats.
    async fn kept(&self, context: &StepContext, retry_of: Option<RunId>) -> Result<KeptNotes, Failure> {
        let mut kept = KeptNotes::new();
        for run in retry_of.into_iter().chain([context.run.id]) {
            let artifacts = self.history.artifacts(run).await.map_err(|error| database_failure(&error))?;
            kept.extend(model_answer::kept(&artifacts));
        }
        Ok(kept)
    }

    /// What a summary of the whole must contain of this part. The answer is stored before it is used, so that a run that is
    /// interrupted here does not pay for it again.
    async fn notes(
        &self,
        context: &StepContext,
        part: &str,
        language: &str,
        kept: &KeptNotes,
    ) -> Result<String, Failure> {
        let question = notes_key(part, language);
        if let Some(notes) = kept.get(&question).and_then(notes_of) {
            return Ok(notes);
        }
        let answer = self.ask(context, TAKE_NOTES, part, language, "notes", NOTES_SCHEMA).await?;
        let notes = notes_of(&answer)
            .ok_or_else(|| invalid(&SummaryError::NoObject).with_diagnosis(answer.text.clone()))?;
        let now = self.clock.now();
        model_answer::keep(&*self.queue, context, &question, &answer, now).await?;
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
            parameters: ModelParameters::default(),
            deadline: Some(context.deadline.clone()),
        };
        model_answer::ask(&*self.model, &request, &*self.clock).await
    }
}

/// What identifies the question for notes on a part: another prompt is another question.
fn notes_key(part: &str, language: &str) -> String {
    let hash = [TAKE_NOTES, NOTES_SCHEMA, language, part].into_iter().fold(Sha256::new(), |hash, text| {
        hash.chain_update((text.len() as u64).to_be_bytes()).chain_update(text)
    });
    hex(&hash.finalize())
}

/// The notes in an answer.
fn notes_of(answer: &ModelResponse) -> Option<String> {
    let answer: Value = serde_json::from_str(answer.json()).ok()?;
    let notes = answer["notes"].as_str()?.trim();
    (!notes.is_empty()).then(|| beginning(notes, NOTES_BYTES).to_owned())
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
