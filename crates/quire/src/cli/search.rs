//! `quire search`

use std::fmt::Write as _;
use std::io::{IsTerminal as _, stdout};

use clap::Args;
use quire_api::SearchResponse;
use quire_application::lanes::LanePermits;
use quire_application::search::{FoundSnippet, SearchError, SearchRequest, SearchResults, SearchSort};
use serde_json::json;

use super::output::{self, one_line};
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// Find documents by their words, values and properties
///
/// A query has words, "phrases", beginnings*, -words that must not occur, and filters such as species:canino,
/// `total_amount:>100`, uploaded:2024-01..2024-06, status:failed, reviewed:no, schema:NAME and language:es.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire search 'otitis externa'\n  \
    quire search '\"chronic otitis\" -draft reviewed:no'\n  \
    quire search 'total_amount:>100' --newest --json | jq '.items[].document.document_id'")]
pub(super) struct SearchCommand {
    /// Query. Several arguments are joined into one. Put -word inside quotes together with another word, or after --
    #[arg(required = true, num_args = 1.., value_name = "QUERY")]
    query: Vec<String>,
    /// Number of results
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,
    /// List the newest documents first instead of the best matches
    #[arg(long)]
    newest: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl SearchCommand {
    pub(super) async fn run(self, config: &Config) -> Result<String, CommandError> {
        let store = wire::open_for_command(config).await?;
        let searcher =
            wire::searcher(config, &store, &LanePermits::new(&store, config.lane_limits())).await?;
        let request = SearchRequest {
            text: self.query.join(" "),
            is_typing: false,
            sort: if self.newest { SearchSort::Newest } else { SearchSort::Best },
            limit: self.limit,
            after: None,
            facets: self.json,
        };
        let found = searcher.find(&request).await.map_err(|error| match error {
            SearchError::Query(problem) => CommandError::new(format!("the query cannot be read: {problem}")),
            error => CommandError::new(error.to_string()),
        })?;
        Ok(if self.json {
            output::json(&json!(SearchResponse::new(&request, found)))
        } else {
            to_text(&found, stdout().is_terminal())
        })
    }
}

fn to_text(found: &SearchResults, is_terminal: bool) -> String {
    let mut text = String::new();
    for correction in &found.corrections {
        let meant = correction.meant.join(", ");
        let _ = writeln!(text, "No document has \"{}\"; found {meant}.", correction.word);
    }
    if found.is_relaxed {
        text.push_str("Few or no documents have all words; those with some of them follow.\n");
    }
    for result in &found.items {
        let document = &result.document.overview.document;
        let page = result.snippet.as_ref().and_then(|snippet| snippet.page);
        let page = page.map(|page| format!("  page {page}")).unwrap_or_default();
        let _ = writeln!(text, "{}  {}{page}", document.id, one_line(&document.original_filename));
        if let Some(snippet) = &result.snippet {
            let _ = writeln!(text, "    {}", line_of(snippet, is_terminal));
        }
    }
    let total = found.total.map_or(0, |total| total.count);
    let more = if found.total.is_some_and(|total| total.is_lower_bound) { " or more" } else { "" };
    let _ = match total {
        0 => writeln!(text, "No document was found."),
        1 => writeln!(text, "1 document."),
        total => writeln!(text, "{total}{more} documents."),
    };
    text
}

/// The snippet in one line, with the hits in bold on a terminal.
fn line_of(snippet: &FoundSnippet, is_terminal: bool) -> String {
    let mut line = String::new();
    let mut end = 0;
    for hit in &snippet.highlights {
        line.push_str(&one_line(&snippet.text[end..hit.start]));
        let found = one_line(&snippet.text[hit.clone()]);
        let (bold, plain) = if is_terminal { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
        let _ = write!(line, "{bold}{found}{plain}");
        end = hit.end;
    }
    line.push_str(&one_line(&snippet.text[end..]));
    line
}
