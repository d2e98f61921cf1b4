//! `GET /app/search`: one box, and the results as they are typed for.

mod facets;
mod results;

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::search::{self, SearchError, SearchRequest, SearchSort};
use quire_application::{App, events};
use quire_understanding::search::{
    MAX_PHRASE_WORDS, MAX_PREFIXES, MAX_QUERY_CHARS, MAX_QUERY_TERMS, QueryError,
};

use self::results::Results;
use super::frame::{Frame, NavigationItem, page};
use super::visitor::Visitor;
use super::words::{Language, Words};
use crate::ApiError;
use crate::request::Parameters;
use crate::rest::search::cursor::parse_cursor;

/// Results per page.
const SHOWN: u32 = 20;

#[derive(Template)]
#[template(path = "search/page.html")]
struct SearchPage {
    frame: Frame,
    query: String,
    found: SearchOutcome,
    /// Whether a model answers questions.
    answers: bool,
}

#[derive(Template)]
#[template(path = "search/results.html")]
struct ResultsPart {
    words: &'static Words,
    found: SearchOutcome,
}

/// What a query has led to.
enum SearchOutcome {
    /// Nothing was asked for.
    Nothing,
    /// The query cannot be read, for this reason.
    Refused(String),
    Results(Box<Results>),
}

impl SearchPage {
    /// The texts of the included results.
    fn words(&self) -> &'static Words {
        self.frame.words()
    }
}

impl ResultsPart {
    fn words(&self) -> &'static Words {
        self.words
    }
}

/// The page.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let newest = events::newest(&app).await?;
    let parameters = parameters.filled();
    let query = parameters.non_empty("q").unwrap_or_default().to_owned();
    let frame = Frame::new(visitor, NavigationItem::Search, &["search"], newest);
    let found = find(&app, &parameters, frame.language).await?;
    let answers = app.can_answer_questions();
    page(&SearchPage { frame, query, found, answers })
}

/// The results alone, while somebody types.
pub(crate) async fn results(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let words = visitor.language.words();
    let found = find(&app, &parameters.filled(), visitor.language).await?;
    page(&ResultsPart { words, found })
}

async fn find(app: &App, parameters: &Parameters, language: Language) -> Result<SearchOutcome, ApiError> {
    let words = language.words();
    let query = parameters.non_empty("q").unwrap_or_default();
    if query.trim().is_empty() {
        return Ok(SearchOutcome::Nothing);
    }
    let after = parameters.non_empty("cursor").map(parse_cursor).transpose()?;
    let is_typing = parameters.value::<bool>("typing", "must be true or false")?.unwrap_or(false);
    let request = SearchRequest {
        text: query.to_owned(),
        is_typing,
        sort: SearchSort::Best,
        limit: SHOWN,
        after,
        facets: true,
    };
    match search::search(app, &request).await {
        Ok(found) => {
            let titles = facets::titles(app, &found.facets, language).await;
            Ok(SearchOutcome::Results(Box::new(Results::of(found, &request, words, &titles))))
        }
        Err(SearchError::Query(problem)) => Ok(SearchOutcome::Refused(refusal(&problem, words))),
        Err(error) => Err(error.into()),
    }
}

fn refusal(problem: &QueryError, words: &Words) -> String {
    match problem {
        QueryError::TooLong => words.with("search.too_long", &MAX_QUERY_CHARS.to_string()),
        QueryError::TooManyTerms => words.with("search.too_many", &MAX_QUERY_TERMS.to_string()),
        QueryError::LongPhrase => words.with("search.long_phrase", &MAX_PHRASE_WORDS.to_string()),
        QueryError::TooManyPrefixes => words.with("search.many_prefixes", &MAX_PREFIXES.to_string()),
        QueryError::Filter { key, .. } => words.with("search.bad_filter", key),
    }
}

#[cfg(test)]
mod tests {
    use quire_application::ask::NoAnswer;

    use super::*;

    #[test]
    fn every_reason_for_no_answer_has_a_text() {
        for code in NoAnswer::codes() {
            let name = format!("search.ask_{code}");
            for language in Language::ALL {
                assert_ne!(language.words().get(&name), name);
            }
        }
    }
}
