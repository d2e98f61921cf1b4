//! `GET /app/links`: send links, watch them and find summaries.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::link::{self, LinkFilter, LinkRun, SummaryFilter};
use quire_application::{App, events};
use quire_domain::Role;

use super::{failure, status, text, title};
use crate::ApiError;
use crate::caller::Caller;
use crate::pages::frame::{Frame, NavigationItem, page};
use crate::pages::moments::Moment;
use crate::pages::visitor::Visitor;
use crate::request::Parameters;

/// How many are shown.
const LIMIT: u32 = 100;

#[derive(Template)]
#[template(path = "links.html")]
struct LinksPage {
    frame: Frame,
    may_send: bool,
    query: String,
    list: LinkList,
}

#[derive(Template)]
#[template(path = "links_list.html")]
struct LinkListPart {
    frame: Frame,
    list: LinkList,
}

struct LinkList {
    rows: Vec<LinkRow>,
    is_search: bool,
}

struct LinkRow {
    id: String,
    title: String,
    url: Option<String>,
    status: &'static str,
    tone: &'static str,
    created: Moment,
    summary: Option<String>,
    failure: Option<(String, String)>,
    is_unread: bool,
    may_retry: bool,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    parameters: Parameters,
    visitor: Visitor,
) -> Result<Response, ApiError> {
    let query = parameters.text("q").unwrap_or_default().to_owned();
    let (frame, list) = load(&app, &query, &actor, visitor).await?;
    page(&LinksPage { may_send: frame.visitor.may(Role::Operate), frame, query, list })
}

/// The list without the frame, for a page that is open.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    parameters: Parameters,
    visitor: Visitor,
) -> Result<Response, ApiError> {
    let query = parameters.text("q").unwrap_or_default().to_owned();
    let (frame, list) = load(&app, &query, &actor, visitor).await?;
    page(&LinkListPart { frame, list })
}

async fn load(app: &App, query: &str, actor: &str, visitor: Visitor) -> Result<(Frame, LinkList), ApiError> {
    let newest = events::newest(app).await?;
    let frame = Frame::new(visitor, NavigationItem::Links, &["links"], newest);
    let links = if query.is_empty() {
        link::list(app, LinkFilter { limit: LIMIT, ..LinkFilter::default() }, actor).await?.0
    } else {
        let filter = SummaryFilter { text: Some(query.to_owned()), limit: LIMIT, ..SummaryFilter::default() };
        link::summaries(app, filter, actor).await?.items
    };
    let rows = links.iter().map(|link| LinkRow::of(link, &frame)).collect();
    Ok((frame, LinkList { rows, is_search: !query.is_empty() }))
}

impl LinkRow {
    fn of(link: &LinkRun, frame: &Frame) -> Self {
        let words = frame.words();
        let (status, tone) = status(link, words);
        let failure = failure(link, words);
        Self {
            id: link.run.id.to_string(),
            title: title(link),
            url: link.request.source.url().map(str::to_owned),
            status,
            tone,
            created: Moment::of(link.run.created_at),
            summary: text(link, "summary_250").map(str::to_owned),
            may_retry: failure.is_some() && frame.visitor.may(Role::Operate),
            failure,
            is_unread: link.summary.as_ref().is_some_and(|summary| !summary.is_read),
        }
    }
}
