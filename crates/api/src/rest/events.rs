//! `GET /events`: server-sent events.
//!
//! The first message, `ready`, has the current position. Each later message has the id where the next connection continues.
//! Events carry the id of a document but no content, and of a failure only its code.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use jiff::Timestamp;
use quire_application::App;
use quire_application::events::{self, EventFilter, FeedError, StartPosition, Subscription};
use quire_domain::{EventId, Pipeline, RecordedEvent, RunId, RunStateName, SubjectId};
use serde::Serialize;
use serde_json::json;
use tokio::time::{Instant, timeout_at};
use utoipa::ToSchema;

use crate::caller::Caller;
use crate::request::{Parameters, uuid};
use crate::rest::openapi::names;
use crate::serve::CloseAfter;
use crate::{ApiError, Code};

/// The longest silence of a connection. A heartbeat keeps it open.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a client waits before it connects again.
const RECONNECT: Duration = Duration::from_secs(1);
/// How long one connection lasts. The next one authenticates again, so that a revoked key cannot listen for ever.
const LIFETIME: Duration = Duration::from_mins(10);
const LAST_EVENT_ID: &str = "Last-Event-ID";

/// An event, in the data of a message.
#[derive(Serialize, ToSchema)]
#[schema(as = Event)]
pub(crate) struct EventResponse<'a> {
    #[schema(value_type = u64)]
    id: EventId,
    #[schema(value_type = names::EventType)]
    event_type: &'static str,
    at: Timestamp,
    #[schema(value_type = Option<names::Pipeline>)]
    pipeline: Option<&'static str>,
    /// If the subject is a document.
    #[schema(value_type = Option<Uuid>)]
    document_id: Option<SubjectId>,
    #[schema(value_type = Option<Uuid>)]
    subject_id: Option<SubjectId>,
    #[schema(value_type = Option<Uuid>)]
    run_id: Option<RunId>,
    #[schema(value_type = Option<names::StepName>)]
    step_name: Option<&'static str>,
    attempt: Option<u32>,
    /// The status of the run, or of the step if there is one, after this event.
    status: Option<&'static str>,
    error_code: Option<&'a str>,
    /// Why it happened. `REVIEW_REOPENED`: `REOPENED` by hand, `EDITED`, or `REPROCESSED` by a newer run. `RUN_REQUEUED`:
    /// `WAITING` if the run only waits.
    reason: Option<&'a str>,
}

/// A server-sent message. The stream has no end.
#[derive(ToSchema)]
#[schema(as = Message)]
#[allow(dead_code)] // Only the description reads it.
struct EventMessage {
    /// The `event_type`, or `ready` for the first message.
    #[schema(example = "RUN_COMPLETED")]
    event: Option<String>,
    /// Where the next connection continues, with `Last-Event-ID`.
    id: Option<String>,
    /// An `Event` as JSON; the first message has only an `id`.
    data: Option<String>,
    /// Milliseconds to wait before connecting again.
    retry: Option<u32>,
}

/// Streams events as they happen.
///
/// A stream of server-sent events without end. The first message, `ready`, has the current position. Each later message is
/// named by its `event_type`, has the `id` where the next connection continues, and an `Event` as its data.
#[utoipa::path(
    get,
    path = "/events",
    tag = "events",
    operation_id = "follow_events",
    params(
        ("document_id" = Option<Uuid>, Query, description = "Filter: events of this document."),
        ("run_id" = Option<Uuid>, Query, description = "Filter: events of this run."),
        ("last_event_id" = Option<u64>, Query, description = "Continue after this event; the header takes precedence."),
        ("Last-Event-ID" = Option<String>, Header, description = "Continue after this event; an empty header is ignored.",
            pattern = "^[0-9]{0,18}$"),
    ),
    responses((status = 200, description = "A stream of messages without end.", body = EventMessage, content_type = "text/event-stream")),
)]
pub(crate) async fn follow(
    State(app): State<Arc<App>>,
    caller: Option<Extension<Caller>>,
    headers: HeaderMap,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let id = |name| parameters.raw(name).map(|text| uuid(name, text)).transpose();
    let (run, subject) = (id("run_id")?.map(RunId), id("document_id")?.map(SubjectId));
    let filter = EventFilter { run, subject };
    let key = caller.as_ref().map(|Extension(Caller(name))| name.as_str());
    let subscription = events::subscribe(&app, start_position(&headers, &parameters)?, filter, key).await?;
    let mut response = Sse::new(messages(subscription)).into_response();
    // A client that reads ends its stream in time. The connection of any other is closed soon after.
    response.extensions_mut().insert(CloseAfter(LIFETIME + HEARTBEAT));
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    // Proxies that know this header do not buffer the stream.
    let unbuffered = (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response.headers_mut().insert(unbuffered.0, unbuffered.1);
    Ok(response)
}

/// The header takes precedence: a browser that reconnects sends it, with the parameter still in the URL.
fn start_position(headers: &HeaderMap, parameters: &Parameters) -> Result<StartPosition, ApiError> {
    // An unreadable header is not a number either.
    let header = headers.get(LAST_EVENT_ID).map(|value| value.to_str().unwrap_or("?"));
    let header = header.filter(|text| !text.is_empty()).map(|text| event_id(LAST_EVENT_ID, text));
    let parameter = parameters.raw("last_event_id").map(|text| event_id("last_event_id", text));
    let (header, parameter) = (header.transpose()?, parameter.transpose()?);
    Ok(header.or(parameter).map_or(StartPosition::Now, StartPosition::After))
}

fn event_id(name: &str, text: &str) -> Result<EventId, ApiError> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let id = text.parse().ok().filter(|_| is_number).map(EventId);
    id.ok_or_else(|| ApiError::invalid(name, "must be the id of an event: the id of the last message"))
}

/// The state of a stream.
enum StreamState {
    Ready(Subscription),
    Following(Subscription),
}

fn messages(subscription: Subscription) -> impl Stream<Item = Result<Event, Infallible>> {
    let end = Instant::now() + LIFETIME;
    stream::unfold(StreamState::Ready(subscription), move |stage| async move {
        let (message, subscription) = match stage {
            StreamState::Ready(subscription) => (ready(subscription.position()), subscription),
            StreamState::Following(mut subscription) => (next(&mut subscription, end).await?, subscription),
        };
        Some((Ok(message), StreamState::Following(subscription)))
    })
}

/// The next event, or a heartbeat after a silence; none when the stream must end.
async fn next(subscription: &mut Subscription, end: Instant) -> Option<Event> {
    let now = Instant::now();
    if now >= end {
        return None;
    }
    match timeout_at((now + HEARTBEAT).min(end), subscription.next()).await {
        Ok(event) => event.as_ref().map(event_message),
        // An id without data is no event: it moves the client past events that its filter skips.
        Err(_) => Some(Event::default().comment("nothing new").id(subscription.position().0.to_string())),
    }
}

fn ready(position: EventId) -> Event {
    let data = json!({ "id": position }).to_string();
    Event::default().event("ready").id(position.0.to_string()).retry(RECONNECT).data(data)
}

fn event_message(recorded: &RecordedEvent) -> Event {
    let event = &recorded.event;
    let step_status = event.event_type.step_status().map(crate::rest::runs::step_status);
    let is_of_document = event.pipeline == Some(Pipeline::Document);
    let response = EventResponse {
        id: recorded.id,
        event_type: event.event_type.as_str(),
        at: event.at,
        pipeline: event.pipeline.map(Pipeline::as_str),
        document_id: event.subject.filter(|_| is_of_document),
        subject_id: event.subject,
        run_id: event.run,
        step_name: event.step.map(quire_domain::StepName::as_str),
        attempt: event.attempt,
        status: step_status.or(event.event_type.run_state().map(RunStateName::as_str)),
        error_code: event.error_code(),
        reason: event.reason.as_deref(),
    };
    // Ids and names can always be written as JSON.
    let data = serde_json::to_string(&response).unwrap_or_default();
    Event::default().id(recorded.id.0.to_string()).event(response.event_type).data(data)
}

impl From<FeedError> for ApiError {
    fn from(error: FeedError) -> Self {
        let message = error.to_string();
        match error {
            FeedError::Full => Self::new(Code::ServiceUnavailable, message),
            FeedError::FullForKey { .. } => Self::new(Code::RateLimited, message),
            FeedError::Ahead { newest } => {
                Self::invalid(LAST_EVENT_ID, &format!("{message}; begin without it"))
                    .with(json!({ "parameter": LAST_EVENT_ID, "newest": newest }))
            }
            FeedError::Other(error) => error.into(),
        }
    }
}
