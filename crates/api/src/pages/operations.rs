//! `GET /app/operations`: the queue, the throughput, failures and workers.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use jiff::{SignedDuration, Timestamp};
use quire_application::operations::{
    self, LaneOverview, LeaseStatus, MinuteMetrics, OperationsOverview, Worker,
};
use quire_application::{App, events};
use quire_domain::{LaneName, LaneState, Pipeline, Role};

use super::frame::{Frame, NavigationItem, page};
use super::moments::{Moment, lasting};
use super::plot::{Plot, bars};
use super::runs::step_name;
use super::visitor::Visitor;
use super::words::Words;
use crate::ApiError;

#[derive(Template)]
#[template(path = "operations.html")]
struct OperationsPage {
    frame: Frame,
    may_operate: bool,
    now: OperationsView,
}

#[derive(Template)]
#[template(path = "operations_now.html")]
struct OperationsPart {
    frame: Frame,
    may_operate: bool,
    now: OperationsView,
}

/// The data of the page.
struct OperationsView {
    metrics: Vec<Metric>,
    plots: Vec<Plot>,
    failures: Vec<FailureRow>,
    lanes: Vec<LaneRow>,
    workers: Vec<WorkerRow>,
}

struct Metric {
    name: &'static str,
    value: String,
}

struct FailureRow {
    step: String,
    code: Option<String>,
    count: u64,
}

/// A lane, and the button that pauses or resumes it.
struct LaneRow {
    name: String,
    state: &'static str,
    tone: &'static str,
    until: Option<Moment>,
    paused_by: Option<String>,
    waiting: u64,
    /// When the first of them goes on by itself.
    next: Option<Moment>,
    is_open: bool,
}

struct WorkerRow {
    name: String,
    /// How many runs it executes at once, or that it is a server without slots.
    slots: String,
    seen: Moment,
    lease: &'static str,
    tone: &'static str,
}

pub(crate) async fn show(State(app): State<Arc<App>>, visitor: Visitor) -> Result<Response, ApiError> {
    let frame = framed(&app, visitor).await?;
    let now = view(&*operations::overview(&app).await?, frame.words());
    page(&OperationsPage { may_operate: frame.visitor.may(Role::Operate), frame, now })
}

/// The same without the frame, for a page that is open.
pub(crate) async fn now(State(app): State<Arc<App>>, visitor: Visitor) -> Result<Response, ApiError> {
    let frame = framed(&app, visitor).await?;
    let now = view(&*operations::overview(&app).await?, frame.words());
    page(&OperationsPart { may_operate: frame.visitor.may(Role::Operate), frame, now })
}

async fn framed(app: &App, visitor: Visitor) -> Result<Frame, ApiError> {
    let newest = events::newest(app).await?;
    Ok(Frame::new(visitor, NavigationItem::Operations, &["operations"], newest))
}

fn view(seen: &OperationsOverview, words: &'static Words) -> OperationsView {
    OperationsView {
        metrics: metrics(seen, words),
        plots: vec![
            throughput(seen, words, "operations.done_hour", SignedDuration::from_mins(1), 60),
            throughput(seen, words, "operations.done_day", SignedDuration::from_mins(15), 96),
            waiting(seen, words, "operations.waiting_hour", SignedDuration::from_mins(1), 60),
            waiting(seen, words, "operations.waiting_day", SignedDuration::from_mins(15), 96),
        ],
        failures: seen
            .failures
            .iter()
            .map(|one| FailureRow {
                step: step_name(one.step, words),
                code: one.error_code.clone(),
                count: one.count,
            })
            .collect(),
        lanes: seen.lanes.iter().map(|lane| lane_row(seen, lane, words)).collect(),
        workers: seen.workers.iter().map(|worker| worker_row(seen, worker, words)).collect(),
    }
}

fn metrics(seen: &OperationsOverview, words: &'static Words) -> Vec<Metric> {
    let queued: u64 = seen.depth.iter().map(|one| one.queued).sum();
    let oldest = seen.depth.iter().filter_map(|one| one.oldest_queued_at).min();
    let hour = seen.now.saturating_sub(SignedDuration::from_hours(1)).unwrap_or(Timestamp::MIN);
    let completed = |from: Timestamp| -> u64 {
        seen.minutes.iter().filter(|minute| minute.minute >= from).map(|minute| minute.completed).sum()
    };
    let duration: u64 = seen.completed().values().map(|completed| completed.duration_ms).sum();
    let mean = duration.checked_div(completed(Timestamp::MIN));
    let none = || "—".to_owned();
    let time =
        |milliseconds| lasting(SignedDuration::from_millis(i64::try_from(milliseconds).unwrap_or(0)), words);
    vec![
        Metric { name: words.get("operations.queued"), value: queued.to_string() },
        Metric {
            name: words.get("operations.oldest"),
            value: oldest.map_or_else(none, |at| lasting(seen.now.duration_since(at), words)),
        },
        Metric { name: words.get("operations.completed_hour"), value: completed(hour).to_string() },
        Metric { name: words.get("operations.completed_day"), value: completed(Timestamp::MIN).to_string() },
        Metric { name: words.get("operations.mean"), value: mean.map_or_else(none, time) },
    ]
}

/// The metrics of each of the last `count` intervals, and the start of the first.
fn intervals(
    seen: &OperationsOverview,
    length: SignedDuration,
    count: usize,
) -> (Timestamp, Vec<Vec<&MinuteMetrics>>) {
    let seconds = length.as_secs();
    let last = seen.now.as_second().div_euclid(seconds);
    let first = last - i64::try_from(count).unwrap_or(0) + 1;
    let mut intervals = vec![Vec::new(); count];
    for minute in &seen.minutes {
        let place = minute.minute.as_second().div_euclid(seconds) - first;
        if let Some(interval) = usize::try_from(place).ok().and_then(|place| intervals.get_mut(place)) {
            interval.push(minute);
        }
    }
    (Timestamp::from_second(first * seconds).unwrap_or(seen.now), intervals)
}

fn throughput(
    seen: &OperationsOverview,
    words: &Words,
    name: &str,
    length: SignedDuration,
    count: usize,
) -> Plot {
    let (begins, intervals) = intervals(seen, length, count);
    let sums = |number: fn(&MinuteMetrics) -> u64| -> Vec<u64> {
        intervals.iter().map(|minutes| minutes.iter().map(|minute| number(minute)).sum()).collect()
    };
    let done = sums(|minute| minute.completed);
    let failed = sums(|minute| minute.failed + minute.timed_out);
    let totals = [done.iter().sum::<u64>(), failed.iter().sum::<u64>()];
    let summary = words.with("operations.done_summary", &totals[0].to_string()).replacen(
        "{}",
        &totals[1].to_string(),
        1,
    );
    plot(words.get(name), summary, &[("done", done), ("failed", failed)], begins)
}

fn waiting(
    seen: &OperationsOverview,
    words: &Words,
    name: &str,
    length: SignedDuration,
    count: usize,
) -> Plot {
    let (begins, intervals) = intervals(seen, length, count);
    let most = |minutes: &Vec<&MinuteMetrics>| minutes.iter().map(|minute| minute.queued).max().unwrap_or(0);
    let waiting: Vec<u64> = intervals.iter().map(most).collect();
    let top = waiting.iter().max().copied().unwrap_or(0);
    let summary = words.with("operations.waiting_summary", &top.to_string());
    plot(words.get(name), summary, &[("waiting", waiting)], begins)
}

fn plot(title: &str, summary: String, series: &[(&'static str, Vec<u64>)], begins: Timestamp) -> Plot {
    let (bars, top) = bars(series);
    Plot { title: title.to_owned(), summary, bars, top, begins: begins.to_string() }
}

/// How many runs wait in a lane. Those of a pipeline wait in the queue and not in its lane, and while it is paused none of them
/// is claimed.
fn waiting_in(seen: &OperationsOverview, one: &LaneOverview, state: LaneState) -> u64 {
    let pipeline = Pipeline::ALL.into_iter().find(|pipeline| one.lane.name == LaneName::pipeline(*pipeline));
    match pipeline.filter(|_| state == LaneState::Paused) {
        Some(pipeline) => {
            seen.depth.iter().filter(|depth| depth.pipeline == pipeline).map(|depth| depth.queued).sum()
        }
        None => one.waiting,
    }
}

fn lane_row(seen: &OperationsOverview, one: &LaneOverview, words: &'static Words) -> LaneRow {
    let state = one.lane.state(seen.now);
    let (name, tone, until) = match state {
        LaneState::Open => ("operations.lane_open", "reviewed", None),
        LaneState::Closed { until } => ("operations.lane_closed", "waiting", Some(Moment::of(until))),
        LaneState::Paused => ("operations.lane_paused", "error", None),
    };
    LaneRow {
        name: one.lane.name.to_string(),
        state: words.get(name),
        tone,
        until,
        paused_by: one.lane.paused.as_ref().map(|pause| pause.by.clone()),
        waiting: waiting_in(seen, one, state),
        next: one.next_at.map(Moment::of),
        is_open: state == LaneState::Open,
    }
}

fn worker_row(seen: &OperationsOverview, worker: &Worker, words: &'static Words) -> WorkerRow {
    let (lease, tone) = match seen.lease(worker) {
        LeaseStatus::Live => ("operations.lease_live", "reviewed"),
        LeaseStatus::Exclusive => ("operations.lease_exclusive", "reviewed"),
        LeaseStatus::Expired => ("operations.lease_expired", "error"),
        LeaseStatus::Ended => ("operations.lease_ended", ""),
    };
    WorkerRow {
        name: worker.name.clone(),
        slots: match worker.slots {
            0 => words.get("operations.no_slots").to_owned(),
            slots => slots.to_string(),
        },
        seen: Moment::of(worker.seen_at),
        lease: words.get(lease),
        tone,
    }
}
