//! Records accesses to documents in the access audit.

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

/// A route that is audited: the event of an access, and the event of a failed one.
struct AuditedRoute {
    route: &'static str,
    seen: EventType,
    failed: Option<EventType>,
}

const fn audited(route: &'static str, seen: EventType, failed: Option<EventType>) -> AuditedRoute {
    AuditedRoute { route, seen, failed }
}

/// A question is sent, and its answer quotes documents.
const ASK: &str = "/ask";

/// Every route that shows a part of a document.
const AUDITED_ROUTES: &[AuditedRoute] = &[
    audited("/documents", EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    audited("/documents/export", EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    audited("/app", EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    audited("/app/documents/{id}/runs", EventType::DocumentProcessingHistoryViewed, None),
    audited("/app/documents/{id}/runs/list", EventType::DocumentProcessingHistoryViewed, None),
    audited("/app/rows", EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    // Results quote documents.
    audited("/app/search", EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    audited("/app/search/results", EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    audited("/search", EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    audited(ASK, EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    audited("/documents/{id}/hits", EventType::RawTextAccessed, Some(EventType::RawTextAccessFailed)),
    audited(
        "/documents/{id}/similar",
        EventType::DocumentListViewed,
        Some(EventType::DocumentListViewFailed),
    ),
    audited("/documents/{id}", EventType::DocumentMetadataViewed, None),
    audited("/documents/{id}/processing-history", EventType::DocumentProcessingHistoryViewed, None),
    audited("/documents/{id}/jobs", EventType::DocumentProcessingHistoryViewed, None),
    audited("/documents/{id}/review", EventType::DocumentReviewViewed, None),
    audited("/documents/{id}/compare", EventType::DocumentReviewViewed, None),
    audited("/runs/{id}", EventType::DocumentMetadataViewed, None),
    audited("/runs/{id}/interpretations", EventType::DocumentReviewViewed, None),
    // Samples quote documents.
    audited("/app/governance", EventType::DocumentListViewed, Some(EventType::DocumentListViewFailed)),
    audited(
        "/app/governance/candidates",
        EventType::DocumentListViewed,
        Some(EventType::DocumentListViewFailed),
    ),
    audited(
        "/reviewer/structural-changes",
        EventType::DocumentListViewed,
        Some(EventType::DocumentListViewFailed),
    ),
    // The pages of the web interface.
    audited("/app/documents/{id}", EventType::DocumentReviewViewed, None),
    audited("/app/documents/{id}/work", EventType::DocumentReviewViewed, None),
    audited("/app/documents/{id}/versions", EventType::DocumentReviewViewed, None),
    audited("/app/documents/{id}/compare", EventType::DocumentReviewViewed, None),
    audited("/documents/{id}/pages", EventType::DocumentMetadataViewed, None),
    audited(
        "/documents/{id}/download",
        EventType::DocumentOriginalAccessed,
        Some(EventType::DocumentOriginalAccessFailed),
    ),
    audited(
        "/documents/{id}/pages/{number}/image",
        EventType::DocumentOriginalAccessed,
        Some(EventType::DocumentOriginalAccessFailed),
    ),
    audited(
        "/documents/{id}/pages/{number}",
        EventType::RawTextAccessed,
        Some(EventType::RawTextAccessFailed),
    ),
    audited(
        "/runs/{id}/artifacts/raw-text",
        EventType::RawTextAccessed,
        Some(EventType::RawTextAccessFailed),
    ),
];

/// Runs the request and records the access.
pub(crate) async fn record(State(audit): State<AccessAudit>, request: Request, next: Next) -> Response {
    let Some(audited) = audited_route(&request) else { return next.run(request).await };
    let Caller(actor) = Caller::of(request.extensions());
    let id = request.extensions().get::<RequestId>().map(|id| id.0.clone());
    let (subject, run) = subject_of(request.uri().path());
    let response = next.run(request).await;
    if response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED {
        audit.record(Access { actor, event_type: audited.seen, subject, run, failure: None });
    } else if let Some(event_type) = audited.failed {
        let failure = response.extensions().get::<ApiError>().map(|error| {
            Failure::permanent(error.code.as_str(), error.message.as_str()).record(None, id.as_deref())
        });
        audit.record(Access { actor, event_type, subject, run, failure });
    }
    response
}

fn audited_route(request: &Request) -> Option<&'static AuditedRoute> {
    let route = request.extensions().get::<MatchedPath>()?;
    // A HEAD request also learns whether a file exists, and its name.
    let looks = [Method::GET, Method::HEAD].contains(request.method()) || route.as_str() == ASK;
    AUDITED_ROUTES.iter().find(|audited| looks && audited.route == route.as_str())
}

/// The document or run that the path names.
fn subject_of(path: &str) -> (Option<SubjectId>, Option<RunId>) {
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
    use crate::middleware::auth::roles;

    #[test]
    fn every_route_that_shows_documents_is_audited() {
        // Leads to another page.
        let shows_nothing = ["/app/documents/{id}/next"];
        let of_documents = ["/documents", "/search", "/app/documents", "/app/rows", "/app/search"];
        let shows = |path: &str| {
            let is_below = |start: &&str| path == *start || path.starts_with(&format!("{start}/"));
            of_documents.iter().any(is_below) && !shows_nothing.contains(&path)
        };
        for (method, path, _) in roles::TABLE.iter().chain(roles::PAGES) {
            if *method == "GET" && shows(path) {
                assert!(AUDITED_ROUTES.iter().any(|audited| audited.route == *path), "{path}");
            }
        }
    }

    #[test]
    fn a_path_names_a_document_or_a_run() {
        let id = Uuid::now_v7();
        assert_eq!(subject_of(&format!("/documents/{id}/download")), (Some(SubjectId(id)), None));
        assert_eq!(subject_of(&format!("/app/documents/{id}/work")), (Some(SubjectId(id)), None));
        assert_eq!(subject_of(&format!("/runs/{id}/artifacts/raw-text")), (None, Some(RunId(id))));
        for other in ["/documents", "/documents/export", "/documents/x", "/", ""] {
            assert_eq!(subject_of(other), (None, None), "{other}");
        }
    }
}
