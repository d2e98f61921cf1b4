//! `GET /app/documents/{id}/runs`: the runs of a document, step by step.

mod timeline;

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use jiff::Timestamp;
use quire_application::document::{self, StepRecord};
use quire_application::{App, events};
use quire_domain::run::RunState;
use quire_domain::{DocumentId, Priority, Role, Run};

use self::timeline::{AttemptRow, attempts};
pub(super) use self::timeline::{name as step_name, status as step_status};
use super::frame::{Frame, NavigationItem, page};
use super::moments::{Moment, lasting};
use super::visitor::Visitor;
use super::words::Words;
use crate::ApiError;
use crate::request::Id;

#[derive(Template)]
#[template(path = "runs.html")]
struct RunsPage {
    frame: Frame,
    document: String,
    name: String,
    /// Whether the visitor may process it again.
    may_process: bool,
    list: RunList,
}

#[derive(Template)]
#[template(path = "runs_list.html")]
struct RunListPart {
    frame: Frame,
    list: RunList,
}

struct RunList {
    runs: Vec<RunRow>,
    leaves_out_older: bool,
}

struct RunRow {
    id: String,
    number: usize,
    state: &'static str,
    tone: &'static str,
    is_urgent: bool,
    created: Moment,
    took: Option<String>,
    /// Why it failed: the code and the message.
    failure: Option<(&'static str, String)>,
    attempts: Vec<AttemptRow>,
    may_withdraw: bool,
    may_cancel: bool,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Id(id): Id,
    visitor: Visitor,
) -> Result<Response, ApiError> {
    let (frame, list) = load(&app, DocumentId(id), visitor).await?;
    let document = document::find(&app, DocumentId(id)).await?;
    page(&RunsPage {
        document: id.to_string(),
        name: document.original_filename,
        may_process: app.is_processing_enabled() && frame.visitor.may(Role::Operate),
        frame,
        list,
    })
}

/// The same without the frame, for a page that is open.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Id(id): Id,
    visitor: Visitor,
) -> Result<Response, ApiError> {
    let (frame, list) = load(&app, DocumentId(id), visitor).await?;
    page(&RunListPart { frame, list })
}

async fn load(app: &App, id: DocumentId, visitor: Visitor) -> Result<(Frame, RunList), ApiError> {
    let newest = events::newest(app).await?;
    let history = document::history(app, id).await?;
    let frame = Frame::new(visitor, NavigationItem::Inbox, &["runs"], newest);
    let numbered = history.runs.iter().enumerate().rev();
    let runs = numbered
        .map(|(place, (run, steps))| RunRow::of(place + 1, run, steps, history.read_at, &frame))
        .collect();
    Ok((frame, RunList { runs, leaves_out_older: history.leaves_out_older }))
}

impl RunRow {
    fn of(number: usize, run: &Run, steps: &[StepRecord], now: Timestamp, frame: &Frame) -> Self {
        let words = frame.words();
        let (state, tone) = state(&run.state, words);
        let ended = run.state.completed_at();
        let took = run.state.started_at().zip(ended).map(|(start, end)| end.duration_since(start));
        let failure = run.state.reason();
        Self {
            id: run.id.to_string(),
            number,
            state,
            tone,
            is_urgent: run.priority == Priority::High,
            created: Moment::of(run.created_at),
            took: took.map(|took| lasting(took, words)),
            failure: failure.map(|reason| {
                let code = reason.failure_type.as_str();
                (code, words.run_error(code, &reason.record.message))
            }),
            attempts: attempts(steps, ended.unwrap_or(now), words),
            may_withdraw: matches!(run.state, RunState::Queued { .. }) && frame.visitor.may(Role::Operate),
            may_cancel: matches!(run.state, RunState::Running { .. }) && frame.visitor.may(Role::Operate),
        }
    }
}

/// The name of a state for people, and its tone.
pub(super) fn state(state: &RunState, words: &'static Words) -> (&'static str, &'static str) {
    let (name, tone) = match state {
        RunState::Queued { .. } => ("runs.state_queued", "waiting"),
        RunState::Running { .. } => ("runs.state_running", "processing"),
        RunState::Completed { .. } => ("runs.state_completed", "reviewed"),
        RunState::Failed { .. } => ("runs.state_failed", "error"),
        RunState::TimedOut { .. } => ("runs.state_timed_out", "error"),
    };
    (words.get(name), tone)
}
