//! `GET /app/documents/{id}/versions`: who changed what, and when; of one field if one is named.

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
use super::row::{Desk, json};
use super::titles;
use crate::ApiError;
use crate::request::{Id, Parameters, uuid};

#[derive(Template)]
#[template(path = "review/history.html")]
struct History {
    words: &'static Words,
    versions: Vec<Made>,
}

/// A version and what made it.
struct Made {
    number: u32,
    by: String,
    at: Moment,
    is_active: bool,
    is_first: bool,
    changes: Vec<Changed>,
}

struct Changed {
    title: String,
    how: &'static str,
    old: Option<String>,
    new: Option<String>,
    /// What is needed to put back what was deleted.
    restore: Option<Restore>,
}

struct Restore {
    field: FieldId,
    key: String,
    value: String,
    value_type: &'static str,
    /// The visit that it belonged to, if that is still there.
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
    let desk = Desk { schema: &found.schema, policy, words, language: visitor.language };
    let is_told = |made: &Made| made.is_first || !made.changes.is_empty();
    let mut versions = Vec::new();
    for record in records.iter().rev() {
        let mut made = made(&desk, record, field);
        if made.changes.iter().any(|change| change.restore.is_some()) {
            let before = review::version(&app, found.run.id, record.number.saturating_sub(1)).await?;
            let before = before.map(|version| version.data.fields).unwrap_or_default();
            let restored = made.changes.iter_mut().filter_map(|change| change.restore.as_mut());
            restored
                .for_each(|restore| restore.visit = visit(restore.field, &before, &found.active.data.fields));
        }
        versions.push(made);
    }
    versions.retain(is_told);
    page(&History { words, versions })
}

/// The visit that a field belonged to before it was deleted, if there still is one.
fn visit(field: FieldId, before: &[Field], now: &[Field]) -> Option<String> {
    let visit = before.iter().find(|one| one.field_id == field)?.visit_id.clone()?;
    now.iter().any(|one| one.visit_id.as_ref() == Some(&visit)).then_some(visit)
}

fn made(desk: &Desk<'_>, record: &VersionHistoryEntry, field: Option<FieldId>) -> Made {
    let of = record.changes.iter().filter(|change| field.is_none_or(|field| field == change.field_id));
    Made {
        number: record.number,
        by: record.created_by.clone().unwrap_or_else(|| desk.words.get("review.automatic").to_owned()),
        at: Moment::of(record.created_at),
        is_active: record.is_active,
        is_first: record.number == 1,
        changes: of.map(|change| changed(desk, change)).collect(),
    }
}

/// Whether it changed the value of a field, and not where the field belongs.
pub(super) fn is_of_value(change: &FieldChange) -> bool {
    change.field_path.rsplit('.').next() == Some("value")
}

fn changed(desk: &Desk<'_>, change: &FieldChange) -> Changed {
    let is_value = is_of_value(change);
    let how = match (change.change_type, is_value) {
        (ChangeType::Add, _) => "review.added",
        (ChangeType::Delete, _) => "review.deleted",
        (ChangeType::Update, true) => "review.changed",
        (ChangeType::Update, false) => "review.moved",
    };
    let shown = |value, is_there: bool| (is_value && is_there).then(|| desk.shown(value, change.value_type));
    let is_deleted = change.change_type == ChangeType::Delete;
    Changed {
        title: titles::of_key(desk.schema, desk.language, &change.field_key),
        how: desk.words.get(how),
        old: shown(&change.old_value, change.change_type != ChangeType::Add),
        new: shown(&change.new_value, !is_deleted),
        restore: (is_deleted && !change.old_value.is_empty()).then(|| Restore {
            field: change.field_id,
            key: change.field_key.clone(),
            value: json(&change.old_value),
            value_type: change.value_type.as_str(),
            visit: None,
        }),
    }
}
