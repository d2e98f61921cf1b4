//! The pages of links: send some, watch them, find and read their summaries.

pub(crate) mod list;
mod marked;
pub(crate) mod show;

use quire_application::link::{LinkRun, LinkSource};
use quire_application::{App, events};
use quire_domain::link::request_status;
use serde_json::Value;

use super::frame::{Frame, NavigationItem};
use super::visitor::Visitor;
use super::words::Words;
use crate::ApiError;

/// Characters of a text that stands for a whole forwarded text.
const SHORT_TEXT: usize = 80;

async fn load_frame(app: &App, visitor: Visitor) -> Result<Frame, ApiError> {
    let newest = events::newest(app).await?;
    Ok(Frame::new(visitor, NavigationItem::Links, &["links"], newest))
}

/// The status of a request in words, and its tone.
fn status(link: &LinkRun, words: &'static Words) -> (&'static str, &'static str) {
    let (name, tone) = match request_status(&link.run.state) {
        "pending" => ("links.pending", "waiting"),
        "processing" => ("links.processing", "processing"),
        "success" => ("links.success", "reviewed"),
        _ => ("links.error", "error"),
    };
    (words.get(name), tone)
}

/// The code and the message of a failed request.
fn failure(link: &LinkRun, words: &Words) -> Option<(String, String)> {
    let record = &link.run.state.reason()?.record;
    Some((record.error_code.clone(), words.run_error(&record.error_code, &record.message)))
}

/// A text of a summary.
fn text<'l>(link: &'l LinkRun, name: &str) -> Option<&'l str> {
    link.summary.as_ref()?.content.payload.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// A list of texts of a summary.
fn texts(link: &LinkRun, name: &str) -> Vec<String> {
    let list = link.summary.as_ref().and_then(|summary| summary.content.payload.get(name)?.as_array());
    list.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The title of a summary, else the address, else the beginning of the forwarded text.
fn heading(link: &LinkRun) -> String {
    let metadata = link.summary.as_ref().and_then(|summary| summary.content.payload.get("metadata"));
    if let Some(title) = metadata.and_then(|metadata| metadata.get("title")?.as_str()) {
        return title.to_owned();
    }
    match &link.request.source {
        LinkSource::Url { normalized, .. } => normalized.clone(),
        LinkSource::Forward(forward) => {
            let short: String = forward.text.chars().take(SHORT_TEXT).collect();
            if short.len() < forward.text.len() { format!("{short}…") } else { short }
        }
    }
}
