//! Error pages: what went wrong, and what to do.

use askama::Template;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use quire_domain::EventId;

use super::frame::{Frame, Part, page};
use super::visitor::Visitor;
use crate::{ApiError, AppState};

#[derive(Template)]
#[template(path = "trouble.html")]
struct ErrorPage {
    frame: Frame,
    title: &'static str,
    message: String,
    code: &'static str,
}

/// Answers a browser with an error page, and scripts with JSON.
pub(crate) async fn show(
    State(_): State<AppState>,
    visitor: Visitor,
    request: Request,
    next: Next,
) -> Response {
    let wants_page = wants_page(request.headers());
    let response = next.run(request).await;
    let error = response.extensions().get::<ApiError>().cloned();
    match error {
        Some(error) if wants_page => error_page(visitor, &error, &response).unwrap_or(response),
        _ => response,
    }
}

/// Whether the client is a browser that shows a page; scripts ask for another type.
pub(super) fn wants_page(headers: &HeaderMap) -> bool {
    let accepts = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accepts.is_some_and(|accept| accept.contains("text/html"))
}

/// The page for an error.
pub(super) fn error_page(visitor: Visitor, error: &ApiError, response: &Response) -> Option<Response> {
    let words = visitor.language.words();
    let name =
        if response.status() == StatusCode::NOT_FOUND { "trouble.nothing" } else { "trouble.not_possible" };
    let content = ErrorPage {
        title: words.get(name),
        message: error.message.clone(),
        code: error.code.as_str(),
        frame: Frame::new(visitor, Part::Inbox, &[], EventId(0)),
    };
    let mut shown = page(&content).ok()?;
    *shown.status_mut() = response.status();
    Some(shown)
}
