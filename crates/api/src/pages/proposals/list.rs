//! `GET /app/proposals`: all proposal runs, and a form for a new idea.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use quire_application::App;
use quire_application::proposal::{self, ProposalFilter, ProposalSummary};
use quire_domain::proposal::Verdict;
use quire_domain::{Priority, Role};

use super::{heading, load_frame, number, verdict};
use crate::ApiError;
use crate::pages::address::{Paging, address};
use crate::pages::frame::{Choice, Frame, page};
use crate::pages::moments::Moment;
use crate::pages::runs;
use crate::pages::visitor::Visitor;
use crate::pages::words::Words;
use crate::request::Parameters;
use crate::rest::proposals::list::filter;
use crate::rest::proposals::names::STATUSES;

/// Runs per page.
const SHOWN: u32 = 30;
const DATE_RULE: &str = "must be a date, such as 2026-01-08";

#[derive(Template)]
#[template(path = "proposals/list.html")]
struct ProposalsPage {
    frame: Frame,
    /// Whether the visitor may send in ideas.
    may_propose: bool,
    /// Whether there is a model to ask.
    has_model: bool,
    asked: Asked,
    list: ProposalList,
}

#[derive(Template)]
#[template(path = "proposals/rows.html")]
struct ProposalRowsPart {
    frame: Frame,
    list: ProposalList,
}

/// What the filters ask for.
struct Asked {
    statuses: Vec<Choice>,
    types: Vec<Choice>,
    decisions: Vec<Choice>,
    min_confidence: String,
    from: String,
    until: String,
}

struct ProposalList {
    rows: Vec<ProposalRow>,
    total: String,
    is_filtered: bool,
    paging: Paging,
}

/// A run in the list.
struct ProposalRow {
    id: String,
    heading: String,
    summary: Option<String>,
    state: (&'static str, &'static str),
    is_revision: bool,
    is_urgent: bool,
    /// The verdict with its tone, and the weighted confidence.
    decision: Option<((&'static str, &'static str), String)>,
    created: Moment,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let frame = load_frame(&app, visitor).await?;
    let parameters = parameters.filled();
    let list = load(&app, &parameters, frame.words()).await?;
    page(&ProposalsPage {
        may_propose: frame.visitor.may(Role::Operate),
        has_model: app.has_proposal_model(),
        asked: Asked::of(&parameters, frame.words()),
        list,
        frame,
    })
}

/// The rows alone, for a page that is open.
pub(crate) async fn rows(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let frame = load_frame(&app, visitor).await?;
    let list = load(&app, &parameters.filled(), frame.words()).await?;
    page(&ProposalRowsPart { frame, list })
}

async fn load(app: &App, parameters: &Parameters, words: &'static Words) -> Result<ProposalList, ApiError> {
    let filter = ProposalFilter {
        created_from: day(parameters, "from", Time::midnight())?,
        created_until: day(parameters, "until", Time::MAX)?,
        limit: SHOWN,
        ..filter(parameters)?
    };
    let (runs, total) = proposal::list(app, &filter).await?;
    let names = ["status", "run_type", "decision", "min_confidence", "from", "until"];
    let chosen = names.map(|name| (name, parameters.non_empty(name).unwrap_or_default()));
    let from = |skip: u32| {
        let skip = if skip == 0 { String::new() } else { skip.to_string() };
        address("/app/proposals", &[&chosen[..], &[("offset", skip.as_str())]].concat())
    };
    let has_more = u64::from(filter.offset) + u64::from(SHOWN) < total;
    Ok(ProposalList {
        rows: runs.iter().map(|run| ProposalRow::of(run, words)).collect(),
        total: words.count("proposals.total", total),
        is_filtered: chosen.iter().any(|(_, value)| !value.is_empty()),
        paging: Paging::of(filter.offset, SHOWN, has_more, from),
    })
}

/// A time of a day, in UTC.
fn day(parameters: &Parameters, name: &str, time: Time) -> Result<Option<Timestamp>, ApiError> {
    let Some(date) = parameters.value::<Date>(name, DATE_RULE)? else { return Ok(None) };
    let at = date.to_datetime(time).to_zoned(TimeZone::UTC);
    at.map(|at| Some(at.timestamp())).map_err(|_| ApiError::invalid(name, DATE_RULE))
}

impl Asked {
    fn of(parameters: &Parameters, words: &'static Words) -> Self {
        let text = |name: &str| parameters.non_empty(name).unwrap_or_default().to_owned();
        let choices = |parameter: &str, names: &[(&'static str, &'static str)]| {
            let asked = parameters.non_empty(parameter);
            let choice = |&(value, name): &(&'static str, &'static str)| Choice {
                value,
                name: words.get(name),
                is_current: asked == Some(value),
            };
            names.iter().map(choice).collect::<Vec<_>>()
        };
        let states = ["runs.state_queued", "runs.state_running", "runs.state_completed", "runs.state_failed"];
        let states: Vec<_> = STATUSES.iter().zip(states).map(|((value, _), name)| (*value, name)).collect();
        let decisions = Verdict::ALL.map(|one| Choice {
            value: one.as_str(),
            name: verdict(one, words).0,
            is_current: parameters.non_empty("decision") == Some(one.as_str()),
        });
        Self {
            statuses: choices("status", &states),
            types: choices(
                "run_type",
                &[("initial", "proposals.type_initial"), ("revision", "proposals.type_revision")],
            ),
            decisions: decisions.into(),
            min_confidence: text("min_confidence"),
            from: text("from"),
            until: text("until"),
        }
    }
}

impl ProposalRow {
    fn of(summary: &ProposalSummary, words: &'static Words) -> Self {
        let decision = summary.verdict.zip(summary.confidence);
        Self {
            id: summary.run.id.to_string(),
            heading: heading(summary.title.as_deref(), &summary.idea),
            summary: summary.summary.clone(),
            state: runs::state(&summary.run.state, words),
            is_revision: summary.parent.is_some(),
            is_urgent: summary.run.priority == Priority::High,
            decision: decision.map(|(one, confidence)| (verdict(one, words), number(confidence, 4, words))),
            created: Moment::of(summary.run.created_at),
        }
    }
}
