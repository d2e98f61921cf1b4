//! Prints the outcome of a page, for people or as JSON.

use std::fmt::Write as _;

use quire_application::link::{LinkRun, StoredSummary};
use quire_domain::link::request_status;
use serde_json::{Value, json};

/// What became of an address.
pub(super) enum LinkOutcome {
    /// It was summarised, or failed.
    Ended(Box<LinkRun>),
    /// It is no address of a page.
    Refused(String),
}

impl LinkOutcome {
    pub(super) fn of(link: LinkRun) -> Self {
        Self::Ended(Box::new(link))
    }

    pub(super) fn is_summary(&self) -> bool {
        matches!(self, Self::Ended(link) if link.summary.is_some())
    }

    /// One line.
    pub(super) fn to_json(&self, url: &str) -> String {
        let line = match self {
            Self::Refused(message) => {
                json!({"url": url, "status": "error",
                       "error": {"error_code": "INVALID_REQUEST", "message": message}})
            }
            Self::Ended(link) => {
                let reason = link.run.state.reason();
                json!({
                    "url": url,
                    "request_id": link.run.id,
                    "status": request_status(&link.run.state),
                    "summary_id": link.summary.as_ref().map(|summary| summary.content.id),
                    "lang": link.summary.as_ref().map(|summary| &summary.content.language),
                    "made_by": link.summary.as_ref().map(|summary| &summary.content.made_by),
                    "summary": link.summary.as_ref().map(|summary| &summary.content.payload),
                    "error": reason.map(|reason| json!({
                        "error_code": reason.failure_type.as_str(),
                        "reason_code": reason.record.error_code,
                        "message": reason.record.message,
                    })),
                })
            }
        };
        format!("{line}\n")
    }

    pub(super) fn to_text(&self, url: &str) -> String {
        match self {
            Self::Refused(message) => format!("{url}\n  not summarised: {message}\n\n"),
            Self::Ended(link) => match (&link.summary, link.run.state.reason()) {
                (Some(summary), _) => text(url, summary),
                (None, Some(reason)) => {
                    let record = &reason.record;
                    format!("{url}\n  not summarised: {} ({})\n\n", record.message, record.error_code)
                }
                (None, None) => format!("{url}\n  not summarised\n\n"),
            },
        }
    }
}

fn text(url: &str, summary: &StoredSummary) -> String {
    let payload = &summary.content.payload;
    let of = |name: &str| payload.get(name).and_then(Value::as_str).unwrap_or_default();
    let title = payload.get("metadata").and_then(|metadata| metadata.get("title")).and_then(Value::as_str);
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{}\n{url}\n\n{}\n", title.unwrap_or(url), of("summary_1000"));
    let list = |name: &str| payload.get(name).and_then(Value::as_array).into_iter().flatten();
    for idea in list("key_ideas").filter_map(Value::as_str) {
        let _ = writeln!(text, "  - {idea}");
    }
    let tags: Vec<_> = list("topic_tags").filter_map(Value::as_str).collect();
    if !tags.is_empty() {
        let _ = writeln!(text, "\n{}", tags.join(" "));
    }
    let _ = writeln!(text, "(summarised by {})\n", summary.content.made_by);
    text
}
