//! Who looked at which document. Each look is an event of the history, written behind the answer and in batches: nobody waits
//! for it, and a page that asks for much costs few commits.

mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use quire_domain::{Event, EventType, Failure, Pipeline, RunId, SubjectId};
use quire_ports::{Clock, Store};
use tokio::sync::mpsc;
use uuid::Uuid;

pub use self::writer::AuditWriter;
use crate::ApiError;
use crate::caller::Caller;
use crate::request_id::RequestId;

/// Looks that may wait to be written.
const WAITING: usize = 4096;

/// What is seen at an address, and what it is called when it could be seen, or could not.
struct Look {
    route: &'static str,
    seen: EventType,
    failed: Option<EventType>,
}

const fn look(route: &'static str, seen: EventType, failed: Option<EventType>) -> Look {
    Look { route, seen, failed }
}

/// Every address that shows something of a document.
const LOOKS: &[Look] = &[
    look("/documents", EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    look("/documents/export", EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    look("/app", EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    look("/app/documents/{id}/runs", EventType::DocumentProcessingHistoryViewed, None),
    look("/app/documents/{id}/runs/list", EventType::DocumentProcessingHistoryViewed, None),
    look("/app/rows", EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    look("/documents/{id}", EventType::DocumentMetadataViewed, None),
    look("/documents/{id}/processing-history", EventType::DocumentProcessingHistoryViewed, None),
    look("/documents/{id}/jobs", EventType::DocumentProcessingHistoryViewed, None),
    look("/documents/{id}/review", EventType::DocumentReviewViewed, None),
    look("/documents/{id}/compare", EventType::DocumentReviewViewed, None),
    look("/runs/{id}", EventType::DocumentMetadataViewed, None),
    look("/runs/{id}/interpretations", EventType::DocumentReviewViewed, None),
    // Words of documents stand in its samples.
    look("/app/governance", EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    look(
        "/app/governance/candidates",
        EventType::DocumentListViewed,
        Some(EventType::DocumentListViewFailed),
    ),
    look(
        "/reviewer/structural-changes",
        EventType::DocumentListViewed,
        Some(EventType::DocumentListViewFailed),
    ),
    // The pages that people work in.
    look("/app/documents/{id}", EventType::DocumentReviewViewed, None),
    look("/app/documents/{id}/work", EventType::DocumentReviewViewed, None),
    look("/app/documents/{id}/versions", EventType::DocumentReviewViewed, None),
    look("/app/documents/{id}/compare", EventType::DocumentReviewViewed, None),
    look("/documents/{id}/pages", EventType::DocumentMetadataViewed, None),
    look(
        "/documents/{id}/download",
        EventType::DocumentOriginalAccessed,
        Some(EventType::DocumentOriginalAccessFailed),
    ),
    look(
        "/documents/{id}/pages/{number}/image",
        EventType::DocumentOriginalAccessed,
        Some(EventType::DocumentOriginalAccessFailed),
    ),
    look("/documents/{id}/pages/{number}", EventType::RawTextAccessed, Some(EventType::RawTextAccessFailed)),
    look("/runs/{id}/artifacts/raw-text", EventType::RawTextAccessed, Some(EventType::RawTextAccessFailed)),
];

/// Takes down who looked at what.
#[derive(Clone)]
pub struct Audit {
    waiting: mpsc::Sender<Event>,
    lost: Arc<AtomicU64>,
    clock: Arc<dyn Clock>,
}

impl Audit {
    /// Starts writing into that store, until the writer is told to finish.
    pub fn start(store: Store) -> (Self, AuditWriter) {
        let (waiting, received) = mpsc::channel(WAITING);
        let audit = Self { waiting, lost: Arc::default(), clock: store.clock.clone() };
        let writer = AuditWriter::start(store, received, audit.lost.clone());
        (audit, writer)
    }

    /// Takes down that somebody saw this document, or what this run found. Never waits: what there is no room for is counted.
    pub(crate) fn tell(
        &self,
        caller: Caller,
        event_type: EventType,
        subject: Option<SubjectId>,
        run: Option<RunId>,
    ) {
        self.add(self.event(caller, event_type, subject, run));
    }

    /// Takes down that somebody took this document out with others. Waits for room: there may be very many.
    pub(crate) async fn tell_each(&self, caller: &Caller, document: SubjectId, run: RunId) {
        let seen = self.event(caller.clone(), EventType::DocumentReviewViewed, Some(document), Some(run));
        if self.waiting.send(seen).await.is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn event(
        &self,
        caller: Caller,
        event_type: EventType,
        subject: Option<SubjectId>,
        run: Option<RunId>,
    ) -> Event {
        let pipeline = (subject.is_some() || run.is_some()).then_some(Pipeline::Document);
        let bare = Event::new(event_type, self.clock.now());
        Event { pipeline, subject, run, actor: Some(caller.0), ..bare }
    }

    fn add(&self, event: Event) {
        if self.waiting.try_send(event).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Answers, and takes down what was seen.
pub(crate) async fn note(State(audit): State<Audit>, request: Request, next: Next) -> Response {
    let Some(look) = look_of(&request) else { return next.run(request).await };
    let caller = Caller::of(request.extensions());
    let id = request.extensions().get::<RequestId>().map(|id| id.0.clone());
    let (subject, run) = whose(request.uri().path());
    let response = next.run(request).await;
    if response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED {
        audit.tell(caller, look.seen, subject, run);
    } else if let Some(failed) = look.failed {
        let failure = response.extensions().get::<ApiError>().map(|error| {
            Failure::permanent(error.code.as_str(), error.message.as_str()).record(None, id.as_deref())
        });
        audit.add(Event { failure, ..audit.event(caller, failed, subject, run) });
    }
    response
}

fn look_of(request: &Request) -> Option<&'static Look> {
    let route = request.extensions().get::<MatchedPath>()?;
    // Whoever asks for the head alone still learns the name of a file, and whether it is there.
    let looks = [Method::GET, Method::HEAD].contains(request.method());
    LOOKS.iter().find(|look| looks && look.route == route.as_str())
}

/// The document or the run that the path names.
fn whose(path: &str) -> (Option<SubjectId>, Option<RunId>) {
    let path = path.strip_prefix("/app").unwrap_or(path);
    let mut segments = path.split('/').skip(1);
    let (kind, id) = (segments.next(), segments.next().and_then(|id| Uuid::try_parse(id).ok()));
    match kind {
        Some("documents") => (id.map(SubjectId), None),
        Some("runs") => (None, id.map(RunId)),
        _ => (None, None),
    }
}

#[cfg(test)]
mod tests;
