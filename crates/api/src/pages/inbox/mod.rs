//! `GET /app`: the documents, and `GET /app/rows`: a part of their list.

mod query;
pub(super) mod row;

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use quire_application::document::{
    self, DocumentCount, DocumentList, DocumentView, LeastConfidentQuery, ListRequest,
};
use quire_application::{App, events, run};
use quire_domain::Role;

use self::query::{Choice, InboxQuery};
use self::row::DocumentRow;
use super::frame::{Frame, NavigationItem, page};
use super::visitor::Visitor;
use super::words::Words;
use crate::ApiError;
use crate::rest::documents::{least_confident, list};

/// Documents per page.
const SHOWN: u32 = 50;

#[derive(Template)]
#[template(path = "inbox.html")]
struct InboxPage {
    frame: Frame,
    asked: InboxQuery,
    list: Listing,
    operates: bool,
    exports: bool,
}

#[derive(Template)]
#[template(path = "inbox_rows.html")]
struct RowsPart {
    list: Listing,
}

/// Rows of the list and its paging.
struct Listing {
    words: &'static Words,
    rows: Vec<DocumentRow>,
    /// The number of documents in words.
    total: Option<String>,
    /// The address of the next page.
    next: Option<String>,
    /// Whether the search stopped at its limit.
    is_cut_short: bool,
}

impl InboxPage {
    fn t<'a>(&self, name: &'a str) -> &'a str {
        self.frame.t(name)
    }

    fn statuses(&self) -> Vec<Choice> {
        self.asked.statuses(self.frame.words())
    }

    fn orders(&self) -> Vec<Choice> {
        self.asked.orders(self.frame.words())
    }

    fn reviews(&self) -> Vec<Choice> {
        self.asked.reviews(self.frame.words())
    }
}

/// The page.
pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let query = InboxQuery::of(query.as_deref().unwrap_or_default())?;
    // The event position first, then the documents: an event in between is shown twice rather than missed.
    let newest = events::newest(&app).await?;
    let (operates, exports) = (visitor.may(Role::Operate), visitor.may(Role::Export));
    let frame = Frame::new(visitor, NavigationItem::Inbox, &["inbox"], newest);
    let list = load(&app, &query, frame.words(), operates).await?;
    page(&InboxPage { frame, asked: query, list, operates, exports })
}

/// A part of the list: the rows of some ids, or the next page.
pub(crate) async fn rows(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let query = InboxQuery::of(query.as_deref().unwrap_or_default())?;
    let (words, operates) = (visitor.language.words(), visitor.may(Role::Operate));
    let list = if query.ids.is_empty() {
        load(&app, &query, words, operates).await?
    } else {
        load_by_ids(&app, &query, words, operates).await?
    };
    page(&RowsPart { list })
}

async fn load(
    app: &App,
    query: &InboxQuery,
    words: &'static Words,
    operates: bool,
) -> Result<Listing, ApiError> {
    if query.is_queue {
        return load_queue(app, query, words, operates).await;
    }
    let request = ListRequest { limit: SHOWN, ..query.request.clone() };
    let found = document::list(app, &request).await?;
    let DocumentList { items, total, next, is_cut_short } = found;
    Ok(Listing {
        rows: rows_of(app, &items, words, operates).await?,
        total: total.map(|total| count_text(total, words)),
        next: next.map(|next| query.address(&[("cursor", &list::cursor(next))])),
        is_cut_short,
        words,
    })
}

/// The documents that wait for a review, least confident first.
async fn load_queue(
    app: &App,
    query: &InboxQuery,
    words: &'static Words,
    operates: bool,
) -> Result<Listing, ApiError> {
    let part = LeastConfidentQuery { after: query.after_confidence, skip: 0, limit: SHOWN };
    let found = document::least_confident(app, part).await?;
    let next = found.next.map(|next| query.address(&[("cursor", &least_confident::cursor(next))]));
    Ok(Listing {
        rows: in_order(rows_of(app, &found.items, words, operates).await?, query),
        total: found.total.map(|total| count_text(total, words)),
        next,
        is_cut_short: false,
        words,
    })
}

/// The rows with their places in the requested order.
fn in_order(mut rows: Vec<DocumentRow>, query: &InboxQuery) -> Vec<DocumentRow> {
    if query.is_queue {
        rows.retain(|row| row.waits);
        for row in &mut rows {
            row.list_sort_key = row.queue_sort_key;
            row.order =
                row.confidence_value.map_or_else(String::new, |at| format!("?sort=least_certain&at={at}"));
        }
    }
    rows
}

/// The rows of some ids that pass the filters. The total is given only where counting is cheap.
async fn load_by_ids(
    app: &App,
    query: &InboxQuery,
    words: &'static Words,
    operates: bool,
) -> Result<Listing, ApiError> {
    let views = document::by_ids(app, &query.ids, &query.request).await?;
    let total = if query.is_counted() { count(app, query).await? } else { None };
    Ok(Listing {
        rows: in_order(rows_of(app, &views, words, operates).await?, query),
        total: total.map(|total| count_text(total, words)),
        next: None,
        is_cut_short: false,
        words,
    })
}

async fn count(app: &App, query: &InboxQuery) -> Result<Option<DocumentCount>, ApiError> {
    if query.is_queue {
        let none = LeastConfidentQuery { after: None, skip: 0, limit: 0 };
        return Ok(document::least_confident(app, none).await?.total);
    }
    let none = ListRequest { limit: 0, ..query.request.clone() };
    Ok(document::list(app, &none).await?.total)
}

fn count_text(total: DocumentCount, words: &Words) -> String {
    let name = if total.is_lower_bound { "inbox.more_than" } else { "inbox.total" };
    words.count(name, total.count.into())
}

async fn rows_of(
    app: &App,
    views: &[DocumentView],
    words: &'static Words,
    operates: bool,
) -> Result<Vec<DocumentRow>, ApiError> {
    let mut rows = Vec::with_capacity(views.len());
    for view in views {
        let step = match &view.overview.latest_run {
            Some(run) => run::current_step(app, run).await?,
            None => None,
        };
        rows.push(DocumentRow::of(view, step, app.confidence_policy(), words, operates));
    }
    Ok(rows)
}
