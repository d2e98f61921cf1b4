//! `quire ask`

use std::fmt::Write as _;

use clap::Args;
use quire_api::AskResponse;
use quire_application::ask::{AskError, AskRequest, AskResult, DEFAULT_PASSAGES, MAX_PASSAGES, NoAnswer};
use quire_application::credential::LOCAL_NAME;
use quire_application::lanes::LanePermits;
use quire_application::search::SearchError;
use serde_json::json;

use super::output;
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// Who asks by this command.
const ACTOR: &str = LOCAL_NAME;

/// Ask a question about the documents, with a language model
///
/// Every sentence of the answer has the document, the page and the words that say it; sentences without are left out. Without a model
/// (model.url), or if it fails, the passages that fit best are printed alone.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire ask 'Which dogs had otitis?'\n  \
    quire ask 'What did we pay for cleaning?' --filter 'schema:invoice issue_date:2024' --json")]
pub(super) struct AskCommand {
    /// The question; several arguments are one question
    #[arg(required = true, num_args = 1.., value_name = "QUESTION")]
    question: Vec<String>,
    /// Ask only about the documents that this search finds
    #[arg(long, value_name = "QUERY")]
    filter: Option<String>,
    /// The number of passages
    #[arg(long, default_value_t = DEFAULT_PASSAGES, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_PASSAGES)))]
    limit: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl AskCommand {
    pub(super) async fn run(self, config: &Config) -> Result<String, CommandError> {
        let store = wire::open_for_command(config).await?;
        let asker = wire::asker(config, &store, &LanePermits::new(&store, config.lane_limits())).await?;
        let request = AskRequest {
            question: self.question.join(" "),
            filters: self.filter.unwrap_or_default(),
            limit: self.limit,
            correlation_id: None,
            actor: Some(ACTOR.to_owned()),
        };
        let result = asker.ask(&request).await.map_err(|error| match error {
            AskError::Question => CommandError::new(format!("the question {error}")),
            AskError::Filters => CommandError::new(format!("the filter {error}")),
            AskError::Search(SearchError::Query(problem)) => {
                CommandError::new(format!("--filter cannot be read: {problem}"))
            }
            error @ AskError::Search(_) => CommandError::new(error.to_string()),
        })?;
        Ok(if self.json { output::json(&json!(AskResponse::from(result))) } else { to_text(&result) })
    }
}

fn to_text(result: &AskResult) -> String {
    let name = |id: &str| {
        let passage = result.passages.iter().find(|passage| passage.id == id);
        passage.map_or_else(String::new, |passage| output::one_line(&passage.original_filename))
    };
    let mut text = String::new();
    match &result.answer {
        Ok(answer) => {
            for sentence in &answer.sentences {
                let _ = writeln!(text, "{}", output::one_line(&sentence.text));
                for one in &sentence.evidence {
                    let (page, quote) = (one.page.unwrap_or(1), output::one_line(&one.quote));
                    let _ = writeln!(text, "    {}, page {page}: \"{quote}\"", name(&one.passage));
                    let _ = writeln!(text, "    {}", one.document);
                }
            }
            if answer.left_out > 0 {
                let _ = writeln!(
                    text,
                    "{} left out, because no quote shows that they are right.",
                    sentences(answer.left_out)
                );
            }
        }
        Err(reason) => {
            let _ = writeln!(text, "{}", explanation(*reason));
            for passage in &result.passages {
                let page = passage.chunk.page.unwrap_or(1);
                let _ = writeln!(text, "{}  {}  page {page}", passage.chunk.document, name(&passage.id));
                let _ = writeln!(text, "    {}", output::one_line(&passage.chunk.text));
            }
        }
    }
    text
}

fn sentences(number: usize) -> String {
    if number == 1 { "1 sentence was".to_owned() } else { format!("{number} sentences were") }
}

fn explanation(reason: NoAnswer) -> String {
    match reason {
        NoAnswer::NotConfigured => {
            "No language model is configured (model.url); these passages fit best.".to_owned()
        }
        NoAnswer::NothingFound => "No document fits the question.".to_owned(),
        NoAnswer::NoEvidence => "The documents do not answer this; these passages fit best.".to_owned(),
        NoAnswer::Model(kind) => {
            format!("The language model gave no answer ({}); these passages fit best.", kind.as_str())
        }
    }
}
