//! `GET /app`: the documents, and `GET /app/rows`: a part of their list.

mod query;
mod row;

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
use self::row::Row;
use super::frame::{Frame, Part, page};
use super::visitor::Visitor;
use super::words::Words;
use crate::ApiError;
use crate::rest::documents::{least_confident, list};

/// How many are shown at once.
const SHOWN: u32 = 50;

#[derive(Template)]
#[template(path = "inbox.html")]
struct Inbox {
    frame: Frame,
    asked: InboxQuery,
    list: Listing,
    operates: bool,
}

#[derive(Template)]
#[template(path = "inbox_rows.html")]
struct RowsPart {
    list: Listing,
}

/// Some rows of the list, with what is known of the others.
struct Listing {
    words: &'static Words,
    rows: Vec<Row>,
    /// How many there are.
    total: Option<String>,
    /// The page that goes on where this part ends.
    next: Option<String>,
    /// Whether the search has ended before the list did.
    is_cut_short: bool,
}

impl Inbox {
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
    let asked = InboxQuery::of(query.as_deref().unwrap_or_default())?;
    // First where the history stands, then what there is: what happens in between is told twice and not missed.
    let newest = events::newest(&app).await?;
    let operates = visitor.may(Role::Operate);
    let frame = Frame::new(visitor, Part::Inbox, &["inbox"], newest);
    let list = listed(&app, &asked, frame.words(), operates).await?;
    page(&Inbox { frame, asked, list, operates })
}

/// A part of the list: those of some ids, or the next ones.
pub(crate) async fn rows(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    let asked = InboxQuery::of(query.as_deref().unwrap_or_default())?;
    let (words, operates) = (visitor.language.words(), visitor.may(Role::Operate));
    let list = if asked.ids.is_empty() {
        listed(&app, &asked, words, operates).await?
    } else {
        some(&app, &asked, words, operates).await?
    };
    page(&RowsPart { list })
}

async fn listed(
    app: &App,
    asked: &InboxQuery,
    words: &'static Words,
    operates: bool,
) -> Result<Listing, ApiError> {
    if asked.is_queue {
        return queued(app, asked, words, operates).await;
    }
    let request = ListRequest { limit: SHOWN, ..asked.request.clone() };
    let found = document::list(app, &request).await?;
    let DocumentList { items, total, next, is_cut_short } = found;
    Ok(Listing {
        rows: made(app, &items, words, operates).await?,
        total: total.map(|total| told(total, words)),
        next: next.map(|next| asked.address(&[("cursor", &list::cursor(next))])),
        is_cut_short,
        words,
    })
}

/// Those that wait for a person, the least certain first.
async fn queued(
    app: &App,
    asked: &InboxQuery,
    words: &'static Words,
    operates: bool,
) -> Result<Listing, ApiError> {
    let part = LeastConfidentQuery { after: asked.after_certainty, skip: 0, limit: SHOWN };
    let found = document::least_confident(app, part).await?;
    let next = found.next.map(|next| asked.address(&[("cursor", &least_confident::cursor(next))]));
    Ok(Listing {
        rows: in_order(made(app, &found.items, words, operates).await?, asked),
        total: found.total.map(|total| told(total, words)),
        next,
        is_cut_short: false,
        words,
    })
}

/// Rows with their places in the order that was asked for.
fn in_order(mut rows: Vec<Row>, asked: &InboxQuery) -> Vec<Row> {
    if asked.is_queue {
        rows.retain(|row| row.waits);
        for row in &mut rows {
            row.place = row.uncertainty;
            row.order = row.at.map_or_else(String::new, |at| format!("?sort=least_certain&at={at}"));
        }
    }
    rows
}

/// Those that were asked for by their ids, if the filters let them through. How many there are in all is told only where that
/// is known without looking for them.
async fn some(
    app: &App,
    asked: &InboxQuery,
    words: &'static Words,
    operates: bool,
) -> Result<Listing, ApiError> {
    let views = document::by_ids(app, &asked.ids, &asked.request).await?;
    let total = if asked.is_counted() { count(app, asked).await? } else { None };
    Ok(Listing {
        rows: in_order(made(app, &views, words, operates).await?, asked),
        total: total.map(|total| told(total, words)),
        next: None,
        is_cut_short: false,
        words,
    })
}

async fn count(app: &App, asked: &InboxQuery) -> Result<Option<DocumentCount>, ApiError> {
    if asked.is_queue {
        let none = LeastConfidentQuery { after: None, skip: 0, limit: 0 };
        return Ok(document::least_confident(app, none).await?.total);
    }
    let none = ListRequest { limit: 0, ..asked.request.clone() };
    Ok(document::list(app, &none).await?.total)
}

fn told(total: DocumentCount, words: &Words) -> String {
    let name = if total.is_lower_bound { "inbox.more_than" } else { "inbox.total" };
    words.count(name, total.count.into())
}

async fn made(
    app: &App,
    views: &[DocumentView],
    words: &'static Words,
    operates: bool,
) -> Result<Vec<Row>, ApiError> {
    let mut rows = Vec::with_capacity(views.len());
    for view in views {
        let step = match &view.overview.latest_run {
            Some(run) => run::current_step(app, run).await?,
            None => None,
        };
        rows.push(Row::of(view, step, app.confidence_policy(), words, operates));
    }
    Ok(rows)
}
