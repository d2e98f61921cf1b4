//! Who looked at which document. Each look is an event of the history, written behind the answer and in batches: nobody waits
//! for it, and a page that asks for much costs few commits.

use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use quire_application::audit::{Access, AccessAudit};
use quire_domain::{EventType, Failure, RunId, SubjectId};
use uuid::Uuid;

use crate::ApiError;
use crate::caller::Caller;
use crate::middleware::request_id::RequestId;

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

/// Answers, and takes down what was seen.
pub(crate) async fn record(State(audit): State<AccessAudit>, request: Request, next: Next) -> Response {
    let Some(look) = look_of(&request) else { return next.run(request).await };
    let Caller(actor) = Caller::of(request.extensions());
    let id = request.extensions().get::<RequestId>().map(|id| id.0.clone());
    let (subject, run) = whose(request.uri().path());
    let response = next.run(request).await;
    if response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED {
        audit.record(Access { actor, event_type: look.seen, subject, run, failure: None });
    } else if let Some(event_type) = look.failed {
        let failure = response.extensions().get::<ApiError>().map(|error| {
            Failure::permanent(error.code.as_str(), error.message.as_str()).record(None, id.as_deref())
        });
        audit.record(Access { actor, event_type, subject, run, failure });
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
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_document_or_a_run() {
        let id = Uuid::now_v7();
        assert_eq!(whose(&format!("/documents/{id}/download")), (Some(SubjectId(id)), None));
        assert_eq!(whose(&format!("/app/documents/{id}/work")), (Some(SubjectId(id)), None));
        assert_eq!(whose(&format!("/runs/{id}/artifacts/raw-text")), (None, Some(RunId(id))));
        for nobodys in ["/documents", "/documents/export", "/documents/x", "/", ""] {
            assert_eq!(whose(nobodys), (None, None), "{nobodys}");
        }
    }
}
