//! `GET /app/links`: send links, watch them and find summaries.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::App;
use quire_application::link::{self, LinkFilter, LinkRun, SummaryFilter};
use quire_domain::Role;

use super::{failure, heading, load_frame, status, text};
use crate::ApiError;
use crate::caller::Caller;
use crate::pages::address::{Paging, address};
use crate::pages::frame::{Frame, page};
use crate::pages::moments::Moment;
use crate::pages::visitor::Visitor;
use crate::request::Parameters;

/// Links per page.
const SHOWN: u32 = 30;

#[derive(Template)]
#[template(path = "links/list.html")]
struct LinksPage {
    frame: Frame,
    may_send: bool,
    query: String,
    list: LinkList,
}

#[derive(Template)]
#[template(path = "links/rows.html")]
struct LinkRowsPart {
    frame: Frame,
    list: LinkList,
}

struct LinkList {
    rows: Vec<LinkRow>,
    total: String,
    is_search: bool,
    paging: Paging,
}

struct LinkRow {
    id: String,
    heading: String,
    url: Option<String>,
    status: (&'static str, &'static str),
    created: Moment,
    language: Option<String>,
    summary: Option<String>,
    failure: Option<(String, String)>,
    is_unread: bool,
    may_retry: bool,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    visitor: Visitor,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let frame = load_frame(&app, visitor).await?;
    let parameters = parameters.filled();
    let list = load(&app, &parameters, &actor, &frame).await?;
    let query = parameters.non_empty("q").unwrap_or_default().to_owned();
    page(&LinksPage { may_send: frame.visitor.may(Role::Operate), frame, query, list })
}

/// The rows alone, for a page that is open.
pub(crate) async fn rows(
    State(app): State<Arc<App>>,
    Caller(actor): Caller,
    visitor: Visitor,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let frame = load_frame(&app, visitor).await?;
    let list = load(&app, &parameters.filled(), &actor, &frame).await?;
    page(&LinkRowsPart { frame, list })
}

async fn load(app: &App, parameters: &Parameters, actor: &str, frame: &Frame) -> Result<LinkList, ApiError> {
    let query = parameters.non_empty("q").unwrap_or_default();
    let offset = parameters.within("offset", 0..=Paging::MAX_OFFSET)?.unwrap_or(0);
    let (links, total) = if query.is_empty() {
        let filter = LinkFilter { limit: SHOWN, offset, ..LinkFilter::default() };
        link::list(app, filter, actor).await?
    } else {
        let text = Some(query.to_owned());
        let filter = SummaryFilter { text, limit: SHOWN, offset, ..SummaryFilter::default() };
        let found = link::summaries(app, filter, actor).await?;
        (found.items, found.total)
    };
    let from = |skip: u32| {
        let skip = if skip == 0 { String::new() } else { skip.to_string() };
        address("/app/links", &[("q", query), ("offset", skip.as_str())])
    };
    let has_more = u64::from(offset) + u64::from(SHOWN) < total;
    Ok(LinkList {
        rows: links.iter().map(|link| LinkRow::of(link, frame)).collect(),
        total: frame.words().count("links.total", total),
        is_search: !query.is_empty(),
        paging: Paging::of(offset, SHOWN, has_more, from),
    })
}

impl LinkRow {
    fn of(link: &LinkRun, frame: &Frame) -> Self {
        let failure = failure(link, frame.words());
        Self {
            id: link.run.id.to_string(),
            heading: heading(link),
            url: link.request.source.url().map(str::to_owned),
            status: status(link, frame.words()),
            created: Moment::of(link.run.created_at),
            language: link.summary.as_ref().map(|summary| summary.content.language.clone()),
            summary: text(link, "summary_250").map(str::to_owned),
            may_retry: failure.is_some() && frame.visitor.may(Role::Operate),
            failure,
            is_unread: link.summary.as_ref().is_some_and(|summary| !summary.is_read),
        }
    }
}
