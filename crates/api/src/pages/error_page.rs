//! What goes wrong with a page is told on a page.

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
struct Trouble {
    frame: Frame,
    title: &'static str,
    message: String,
    code: &'static str,
}

/// Answers browsers that look at a page with a page; scripts, which ask for parts and change things, with what they know.
pub(crate) async fn show(
    State(_): State<AppState>,
    visitor: Visitor,
    request: Request,
    next: Next,
) -> Response {
    let looks = looks(request.headers());
    let response = next.run(request).await;
    let error = response.extensions().get::<ApiError>().cloned();
    match error {
        Some(error) if looks => made(visitor, &error, &response).unwrap_or(response),
        _ => response,
    }
}

/// Whether a browser shows to somebody what it gets; scripts say that they want something else.
pub(super) fn looks(headers: &HeaderMap) -> bool {
    let accepts = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accepts.is_some_and(|accept| accept.contains("text/html"))
}

/// The page that tells what went wrong.
pub(super) fn made(visitor: Visitor, error: &ApiError, response: &Response) -> Option<Response> {
    let words = visitor.language.words();
    let name =
        if response.status() == StatusCode::NOT_FOUND { "trouble.nothing" } else { "trouble.not_possible" };
    let trouble = Trouble {
        title: words.get(name),
        message: error.message.clone(),
        code: error.code.as_str(),
        frame: Frame::new(visitor, Part::Inbox, &[], EventId(0)),
    };
    let mut shown = page(&trouble).ok()?;
    *shown.status_mut() = response.status();
    Some(shown)
}
