//! `GET /app/links/{id}`: a summary beside the text that it was made from.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::link::{self, LinkSource, LinkView};
use quire_application::{App, events};
use quire_domain::{Role, RunId};
use quire_understanding::summary::plain_text;
use serde_json::Value;

use super::marked::{self, Part};
use super::{failure, status, text, texts, title};
use crate::ApiError;
use crate::caller::Caller;
use crate::pages::frame::{Frame, NavigationItem, page};
use crate::pages::visitor::Visitor;
use crate::request::Id;

#[derive(Template)]
#[template(path = "link.html")]
struct LinkPage {
    frame: Frame,
    id: String,
    title: String,
    url: Option<String>,
    status: &'static str,
    tone: &'static str,
    failure: Option<(String, String)>,
    may_change: bool,
    is_ended: bool,
    summary: Option<SummaryView>,
    /// The text that was read.
    lines: Vec<Vec<Part>>,
}

struct SummaryView {
    id: String,
    text: String,
    key_ideas: Vec<String>,
    tags: Vec<String>,
    made_by: String,
    language: String,
    is_read: bool,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    Id(id): Id,
    visitor: Visitor,
) -> Result<Response, ApiError> {
    let newest = events::newest(&app).await?;
    let view = link::show(&app, RunId(id), &actor).await?;
    let frame = Frame::new(visitor, NavigationItem::Links, &["links"], newest);
    let (status, tone) = status(&view.link, frame.words());
    page(&LinkPage {
        id: id.to_string(),
        title: title(&view.link),
        url: view.link.request.source.url().map(str::to_owned),
        status,
        tone,
        failure: failure(&view.link, frame.words()),
        may_change: frame.visitor.may(Role::Operate),
        is_ended: view.link.run.state.is_terminal(),
        lines: lines(&view),
        summary: summary(&view),
        frame,
    })
}

fn summary(view: &LinkView) -> Option<SummaryView> {
    let summary = view.link.summary.as_ref()?;
    Some(SummaryView {
        id: summary.content.id.to_string(),
        text: text(&view.link, "summary_1000").unwrap_or_default().to_owned(),
        key_ideas: texts(&view.link, "key_ideas"),
        tags: texts(&view.link, "topic_tags"),
        made_by: summary.content.made_by.clone(),
        language: summary.content.language.clone(),
        is_read: summary.is_read,
    })
}

/// The text that was read, with the sentences marked that the summary quotes.
fn lines(view: &LinkView) -> Vec<Vec<Part>> {
    let payload = view.link.summary.as_ref().map(|summary| &summary.content.payload);
    let quotes = payload.and_then(|payload| payload.get("extractive_quotes")?.as_array());
    let quotes = quotes.into_iter().flatten().filter_map(|quote| quote.get("text").and_then(Value::as_str));
    let quotes: Vec<String> = quotes.map(str::to_owned).collect();
    match (&view.page, &view.link.request.source) {
        (Some(page), _) => marked::lines(&plain_text(&page.text), &quotes),
        (None, LinkSource::Forward(forward)) => marked::lines(&forward.text, &quotes),
        (None, LinkSource::Url { .. }) => Vec::new(),
    }
}
