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
use super::row::{RowContext, json};
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
    how: &'static str,
    old: Option<String>,
    new: Option<String>,
    /// The change that restores a deleted value.
    restore: Option<RestoreButton>,
}

struct RestoreButton {
    field: FieldId,
    key: String,
    value: String,
    value_type: &'static str,
    /// The visit that it belonged to, if that still exists.
    visit: Option<String>,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let field = parameters.text("field").map(|text| uuid("field", text)).transpose()?.map(FieldId);
    let found = review::show(&app, DocumentId(id)).await?;
    let records = review::versions(&app, found.run.id).await?;
    let words = visitor.language.words();
    let policy = app.confidence_policy();
    let context = RowContext { schema: &found.schema, policy, words, language: visitor.language };
    let is_listed = |row: &VersionRow| row.is_first || !row.changes.is_empty();
    let mut versions = Vec::new();
    for record in records.iter().rev() {
        let mut row = version_row(&context, record, field);
        if row.changes.iter().any(|change| change.restore.is_some()) {
            let before = review::version(&app, found.run.id, record.number.saturating_sub(1)).await?;
            let before = before.map(|version| version.data.fields).unwrap_or_default();
            let restored = row.changes.iter_mut().filter_map(|change| change.restore.as_mut());
            restored
                .for_each(|restore| restore.visit = visit(restore.field, &before, &found.active.data.fields));
        }
        versions.push(row);
    }
    versions.retain(is_listed);
    page(&HistoryPart { words, versions })
}

/// The visit of a field before it was deleted, if the visit still exists.
fn visit(field: FieldId, before: &[Field], now: &[Field]) -> Option<String> {
    let visit = before.iter().find(|one| one.field_id == field)?.visit_id.clone()?;
    now.iter().any(|one| one.visit_id.as_ref() == Some(&visit)).then_some(visit)
}

fn version_row(context: &RowContext<'_>, record: &VersionHistoryEntry, field: Option<FieldId>) -> VersionRow {
    let of = record.changes.iter().filter(|change| field.is_none_or(|field| field == change.field_id));
    VersionRow {
        number: record.number,
        by: record.created_by.clone().unwrap_or_else(|| context.words.get("review.automatic").to_owned()),
        at: Moment::of(record.created_at),
        is_active: record.is_active,
        is_first: record.number == 1,
        changes: of.map(|change| change_row(context, change)).collect(),
    }
}

/// Whether the change is of the value of a field, and not of its visit.
pub(super) fn is_of_value(change: &FieldChange) -> bool {
    change.field_path.rsplit('.').next() == Some("value")
}

fn change_row(context: &RowContext<'_>, change: &FieldChange) -> ChangeRow {
    let is_value = is_of_value(change);
    let how = match (change.change_type, is_value) {
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
        how: context.words.get(how),
        old: shown(&change.old_value, change.change_type != ChangeType::Add),
        new: shown(&change.new_value, !is_deleted),
        restore: (is_deleted && !change.old_value.is_empty()).then(|| RestoreButton {
            field: change.field_id,
            key: change.field_key.clone(),
            value: json(&change.old_value),
            value_type: change.value_type.as_str(),
            visit: None,
        }),
    }
}
