//! `GET /app/links/{id}`: a summary beside the text that it was made from.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::App;
use quire_application::link::{self, LinkSource, LinkStatus, LinkView};
use quire_domain::{Role, RunId, RunState, StepName};
use quire_understanding::summary::plain_text;
use serde_json::Value;

use super::marked::{self, MarkedPart};
use super::{failure, heading, load_frame, status, text, texts};
use crate::ApiError;
use crate::caller::Caller;
use crate::pages::frame::{Frame, page};
use crate::pages::moments::Moment;
use crate::pages::visitor::Visitor;
use crate::pages::words::Words;
use crate::request::Id;

/// Characters of the text that are shown. A page can have millions.
const SHOWN_CHARS: usize = 200_000;

#[derive(Template)]
#[template(path = "links/show.html")]
struct LinkPage {
    frame: Frame,
    link: LinkPart,
}

#[derive(Template)]
#[template(path = "links/now.html")]
struct LinkNow {
    frame: Frame,
    link: LinkPart,
}

struct LinkPart {
    id: String,
    heading: String,
    url: Option<String>,
    status: (&'static str, &'static str),
    /// How far the request is, in a sentence.
    progress: &'static str,
    created: Moment,
    failure: Option<(String, String)>,
    may_change: bool,
    may_retry: bool,
    summary: Option<SummaryView>,
    /// The text that was read.
    lines: Vec<Vec<MarkedPart>>,
    is_cut: bool,
    language: Option<String>,
}

struct SummaryView {
    id: String,
    text: String,
    key_ideas: Vec<String>,
    /// Sentences of the text, with their numbers from 1.
    quotes: Vec<(usize, String)>,
    tags: Vec<String>,
    made_by: String,
    language: String,
    is_read: bool,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    visitor: Visitor,
    Id(id): Id,
) -> Result<Response, ApiError> {
    let frame = load_frame(&app, visitor).await?;
    let link = load(&app, RunId(id), &actor, &frame).await?;
    page(&LinkPage { frame, link })
}

/// The same without the frame, for a page that is open.
pub(crate) async fn now(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    visitor: Visitor,
    Id(id): Id,
) -> Result<Response, ApiError> {
    let frame = load_frame(&app, visitor).await?;
    let link = load(&app, RunId(id), &actor, &frame).await?;
    page(&LinkNow { frame, link })
}

async fn load(app: &App, id: RunId, actor: &str, frame: &Frame) -> Result<LinkPart, ApiError> {
    let reached = link::status(app, id, actor).await?;
    let view = link::show(app, id, actor).await?;
    let quotes = quotes(&view);
    let (text, is_cut) = source_text(&view);
    let lines = marked::lines(&plain_text(text), &quotes);
    let marked: Vec<usize> = lines.iter().flatten().filter_map(|part| part.quote).collect();
    let quotes = quotes.into_iter().enumerate().map(|(number, quote)| (number + 1, quote));
    let quotes = quotes.filter(|(number, _)| marked.contains(number)).collect();
    let may_change = frame.visitor.may(Role::Operate);
    Ok(LinkPart {
        id: id.to_string(),
        heading: heading(&view.link),
        url: view.link.request.source.url().map(str::to_owned),
        status: status(&view.link, frame.words()),
        progress: progress(&reached, frame.words()),
        created: Moment::of(view.link.run.created_at),
        failure: failure(&view.link, frame.words()),
        may_change,
        may_retry: may_change && reached.can_retry,
        summary: summary(&view, quotes),
        language: view.page.as_ref().and_then(|page| page.language.clone()),
        lines,
        is_cut,
    })
}

fn progress(reached: &LinkStatus, words: &'static Words) -> &'static str {
    words.get(match (&reached.run.state, reached.stage) {
        (RunState::Queued { .. }, _) => "links.progress_waits",
        (RunState::Running { .. }, Some(StepName::LinkSummarization)) => "links.progress_summarises",
        (RunState::Running { .. }, _) => "links.progress_reads",
        (RunState::Completed { .. }, _) => "links.progress_done",
        _ => "links.progress_failed",
    })
}

fn summary(view: &LinkView, quotes: Vec<(usize, String)>) -> Option<SummaryView> {
    let summary = view.link.summary.as_ref()?;
    Some(SummaryView {
        id: summary.content.id.to_string(),
        text: text(&view.link, "summary_1000").unwrap_or_default().to_owned(),
        key_ideas: texts(&view.link, "key_ideas"),
        quotes,
        tags: texts(&view.link, "topic_tags"),
        made_by: summary.content.made_by.clone(),
        language: summary.content.language.clone(),
        is_read: summary.is_read,
    })
}

/// The sentences of the text that the summary quotes.
fn quotes(view: &LinkView) -> Vec<String> {
    let payload = view.link.summary.as_ref().map(|summary| &summary.content.payload);
    let quotes = payload.and_then(|payload| payload.get("extractive_quotes")?.as_array());
    let quotes = quotes.into_iter().flatten().filter_map(|quote| quote.get("text").and_then(Value::as_str));
    quotes.map(str::to_owned).collect()
}

/// The beginning of the text that was read, and whether there is more.
fn source_text(view: &LinkView) -> (&str, bool) {
    let text = match (&view.page, &view.link.request.source) {
        (Some(page), _) => &page.text,
        (None, LinkSource::Forward(forward)) => &forward.text,
        (None, LinkSource::Url { .. }) => "",
    };
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}
