//! The pages of links: send some, watch them, find and read their summaries.

pub(crate) mod detail;
pub(crate) mod list;
mod marked;

use quire_application::link::LinkRun;
use quire_domain::link::request_status;
use serde_json::Value;

use super::words::Words;

/// The status of a request in words, and its colour.
fn status(link: &LinkRun, words: &'static Words) -> (&'static str, &'static str) {
    match request_status(&link.run.state) {
        "pending" => (words.get("links.pending"), "waiting"),
        "processing" => (words.get("links.processing"), "processing"),
        "success" => (words.get("links.success"), "reviewed"),
        _ => (words.get("links.error"), "error"),
    }
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
fn title(link: &LinkRun) -> String {
    let metadata = link.summary.as_ref().and_then(|summary| summary.content.payload.get("metadata"));
    let title = metadata.and_then(|metadata| metadata.get("title")?.as_str());
    let forwarded = match &link.request.source {
        quire_application::link::LinkSource::Forward(forward) => {
            Some(forward.text.chars().take(80).collect::<String>())
        }
        quire_application::link::LinkSource::Url { .. } => None,
    };
    title
        .map(str::to_owned)
        .or(forwarded)
        .or_else(|| link.request.source.url().map(str::to_owned))
        .unwrap_or_default()
}
