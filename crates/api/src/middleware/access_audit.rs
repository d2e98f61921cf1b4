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
    use crate::routes::tests::routes_in_source;

    /// Every other route. Before you add one here, make sure that its response shows no part of a document.
    const SHOWS_NO_DOCUMENT: &[(&str, &str)] = &[
        // Changes. Each is an event of its own, with who made it.
        ("POST", "/documents"),
        ("POST", "/documents/upload"),
        ("POST", "/documents/{id}/reprocess"),
        ("PATCH", "/documents/{id}/language"),
        ("POST", "/documents/{id}/hide"),
        ("DELETE", "/documents/{id}/hide"),
        ("POST", "/documents/{id}/reviewed"),
        ("DELETE", "/documents/{id}/reviewed"),
        ("POST", "/runs/{id}/interpretations"),
        ("POST", "/runs/{id}/withdraw"),
        ("POST", "/runs/{id}/cancel"),
        ("POST", "/runs/{id}/retry"),
        ("POST", "/reviewer/structural-changes/{id}/decision"),
        // Ids, states, counts and names of keys.
        ("GET", "/calibration"),
        ("GET", "/events"),
        ("GET", "/lanes"),
        ("POST", "/lanes/{name}/pause"),
        ("POST", "/lanes/{name}/resume"),
        ("GET", "/model-usage"),
        ("GET", "/reviewer/schema/current"),
        ("GET", "/reviewer/governance/audit-trail"),
        ("GET", "/app/model-usage"),
        ("GET", "/app/operations"),
        ("GET", "/app/operations/now"),
        ("GET", "/app/governance/schemas"),
        ("GET", "/app/governance/trail"),
        ("GET", "/app/governance/reliability"),
        // Leads to another page.
        ("GET", "/app/documents/{id}/next"),
        // Proposals and links.
        ("POST", "/v1/full-review"),
        ("POST", "/v1/expand-idea"),
        ("POST", "/v1/review-idea"),
        ("GET", "/v1/runs"),
        ("GET", "/v1/runs/{id}"),
        ("POST", "/v1/runs/{id}/retry"),
        ("POST", "/v1/runs/{id}/revisions"),
        ("GET", "/v1/runs/{first}/diff/{second}"),
        ("POST", "/v1/requests"),
        ("GET", "/v1/requests/{id}"),
        ("GET", "/v1/requests/{id}/status"),
        ("POST", "/v1/requests/{id}/retry"),
        ("GET", "/v1/summaries"),
        ("GET", "/v1/summaries/{id}"),
        ("PATCH", "/v1/summaries/{id}"),
        ("DELETE", "/v1/summaries/{id}"),
        ("GET", "/app/proposals"),
        ("GET", "/app/proposals/rows"),
        ("GET", "/app/proposals/{id}"),
        ("GET", "/app/proposals/{id}/now"),
        ("GET", "/app/proposals/{first}/compare/{second}"),
        ("GET", "/app/links"),
        ("GET", "/app/links/rows"),
        ("GET", "/app/links/{id}"),
        ("GET", "/app/links/{id}/now"),
        // The program itself.
        ("GET", "/health"),
        ("GET", "/health/live"),
        ("GET", "/health/ready"),
        ("GET", "/metrics"),
        ("GET", "/version"),
        ("GET", "/openapi.json"),
        ("GET", "/docs"),
        ("GET", "/docs/style.css"),
        ("GET", "/errors"),
        ("GET", "/errors/style.css"),
        ("GET", "/errors/{code}"),
        ("GET", "/"),
        ("GET", "/app/login"),
        ("POST", "/app/login"),
        ("POST", "/app/logout"),
        ("GET", "/app/session"),
        ("POST", "/app/preferences"),
        ("GET", "/assets/{folder}/{*name}"),
    ];

    #[test]
    fn every_route_is_audited_or_listed_as_one_that_shows_no_document() {
        let routes = routes_in_source();
        let is_audited = |method: &str, path: &str| {
            (method == "GET" || path == ASK) && AUDITED_ROUTES.iter().any(|audited| audited.route == path)
        };
        for (method, path) in &routes {
            let is_listed = SHOWS_NO_DOCUMENT.contains(&(method, path));
            assert!(
                is_audited(method, path) != is_listed,
                "{method} {path} must be in AUDITED_ROUTES or in SHOWS_NO_DOCUMENT, and not in both"
            );
        }
        for (method, path) in SHOWS_NO_DOCUMENT {
            assert!(
                routes.contains(&((*method).to_owned(), (*path).to_owned())),
                "no route: {method} {path}"
            );
        }
        for AuditedRoute { route, .. } in AUDITED_ROUTES {
            assert!(routes.iter().any(|(_, path)| path == route), "no route: {route}");
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
