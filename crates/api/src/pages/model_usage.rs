//! `GET /app/model-usage`: what requests to language models cost, by day, credential and model.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use jiff::{SignedDuration, Timestamp};
use quire_application::model_usage::{self, DailyModelUsage, ModelUsage};
use quire_application::{App, events};

use super::frame::{Frame, NavigationItem, page};
use super::moments::lasting;
use super::visitor::Visitor;
use super::words::Words;
use crate::ApiError;

#[derive(Template)]
#[template(path = "model_usage.html")]
struct ModelUsagePage {
    frame: Frame,
    total: UsageRow,
    days: Vec<DayRow>,
}

struct DayRow {
    day: String,
    credential: Option<String>,
    model: String,
    usage: UsageRow,
}

pub(super) struct UsageRow {
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) tokens_in: u64,
    pub(super) tokens_out: u64,
    pub(super) cost: Option<String>,
    pub(super) time: String,
}

pub(crate) async fn show(State(app): State<Arc<App>>, visitor: Visitor) -> Result<Response, ApiError> {
    let newest = events::newest(&app).await?;
    let report = model_usage::report(&app, None, None).await?;
    let frame = Frame::new(visitor, NavigationItem::Operations, &[], newest);
    let words = frame.words();
    page(&ModelUsagePage {
        total: UsageRow::of(&report.total, words),
        // The newest day first.
        days: report.days.into_iter().rev().map(|day| DayRow::of(day, words)).collect(),
        frame,
    })
}

impl DayRow {
    fn of(day: DailyModelUsage, words: &Words) -> Self {
        Self {
            day: date(day.day),
            credential: day.credential,
            model: day.model,
            usage: UsageRow::of(&day.usage, words),
        }
    }
}

impl UsageRow {
    pub(super) fn of(usage: &ModelUsage, words: &Words) -> Self {
        let time = SignedDuration::try_from(usage.latency).unwrap_or_default();
        let mark = words.get("frame.decimal_mark");
        Self {
            calls: usage.calls,
            failed: usage.failed,
            tokens_in: usage.tokens_in,
            tokens_out: usage.tokens_out,
            cost: usage.cost.map(|cost| format!("{cost:.4}").replace('.', mark)),
            time: lasting(time, words),
        }
    }
}

/// A day in UTC, which is not moved into the time zone of the reader.
fn date(day: Timestamp) -> String {
    day.strftime("%Y-%m-%d").to_string()
}
