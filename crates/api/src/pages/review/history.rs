//! `GET /app/documents/{id}/versions`: who changed what and when, of all fields or of one.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::App;
use quire_application::review::{self, VersionHistoryEntry};
use quire_domain::{DocumentId, FieldId};
use quire_understanding::Field;
use quire_understanding::edit::{ChangeType, FieldChange};

use super::super::frame::page;
use super::super::moments::Moment;
use super::super::visitor::Visitor;
use super::super::words::Words;
use super::row::RowContext;
use super::titles;
use crate::ApiError;
use crate::request::{Id, Parameters, uuid};

#[derive(Template)]
#[template(path = "review/history.html")]
struct HistoryPart {
    words: &'static Words,
    versions: Vec<VersionRow>,
}

/// A version and its changes.
struct VersionRow {
    number: u32,
    by: String,
    at: Moment,
    is_active: bool,
    is_first: bool,
    changes: Vec<ChangeRow>,
}

struct ChangeRow {
    title: String,
    change_name: &'static str,
    old: Option<String>,
    new: Option<String>,
    /// The field that can be restored: it was deleted and has not come back.
    restore: Option<FieldId>,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let field = parameters.non_empty("field").map(|text| uuid("field", text)).transpose()?.map(FieldId);
    let found = review::show(&app, DocumentId(id)).await?;
    let records = review::versions(&app, found.run.id).await?;
    let words = visitor.language.words();
    let policy = app.confidence_policy();
    let context = RowContext { schema: &found.schema, policy, words, language: visitor.language };
    let is_listed = |row: &VersionRow| row.is_first || !row.changes.is_empty();
    let now = &found.active.data.fields;
    let rows = records.iter().rev().map(|record| version_row(&context, record, field, now));
    page(&HistoryPart { words, versions: rows.filter(is_listed).collect() })
}

fn version_row(
    context: &RowContext<'_>,
    record: &VersionHistoryEntry,
    field: Option<FieldId>,
    now: &[Field],
) -> VersionRow {
    let of = record.changes.iter().filter(|change| field.is_none_or(|field| field == change.field_id));
    VersionRow {
        number: record.number,
        by: record.created_by.clone().unwrap_or_else(|| context.words.get("review.automatic").to_owned()),
        at: Moment::of(record.created_at),
        is_active: record.is_active,
        is_first: record.number == 1,
        changes: of.map(|change| change_row(context, change, now)).collect(),
    }
}

/// Whether the change is of the value of a field, and not of its visit.
pub(super) fn is_of_value(change: &FieldChange) -> bool {
    change.field_path.rsplit('.').next() == Some("value")
}

fn change_row(context: &RowContext<'_>, change: &FieldChange, now: &[Field]) -> ChangeRow {
    let is_value = is_of_value(change);
    let change_name = match (change.change_type, is_value) {
        (ChangeType::Add, _) => "review.added",
        (ChangeType::Delete, _) => "review.deleted",
        (ChangeType::Update, true) => "review.changed",
        (ChangeType::Update, false) => "review.moved",
    };
    let shown =
        |value, is_there: bool| (is_value && is_there).then(|| context.shown(value, change.value_type));
    let is_deleted = change.change_type == ChangeType::Delete;
    ChangeRow {
        title: titles::of_key(context.schema, context.language, &change.field_key),
        change_name: context.words.get(change_name),
        old: shown(&change.old_value, change.change_type != ChangeType::Add),
        new: shown(&change.new_value, !is_deleted),
        restore: (is_deleted && now.iter().all(|field| field.field_id != change.field_id))
            .then_some(change.field_id),
    }
}
