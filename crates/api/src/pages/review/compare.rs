//! `GET /app/documents/{id}/compare`: the differences between two versions, of one run or of two.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::review::{
    self, CompareError, ComparedVersions, InterpretationVersion, VersionReference,
};
use quire_application::{App, document};
use quire_domain::{DocumentId, Run, RunState};
use quire_understanding::Field;
use quire_understanding::compare::{Difference, FieldComparison, compare};

use super::super::frame::page;
use super::super::moments::Moment;
use super::super::visitor::Visitor;
use super::super::words::Words;
use super::row::RowContext;
use super::titles;
use crate::ApiError;
use crate::request::{Id, Parameters};

#[derive(Template)]
#[template(path = "review/compare.html")]
struct ComparePart {
    words: &'static Words,
    from: Vec<VersionChoice>,
    to: Vec<VersionChoice>,
    rows: Vec<DifferenceRow>,
    /// The number of equal fields, if two versions were compared.
    same: Option<String>,
}

/// A version to choose.
struct VersionChoice {
    name: String,
    title: String,
    at: Moment,
    is_chosen: bool,
}

/// A field that differs.
struct DifferenceRow {
    title: String,
    change_name: &'static str,
    from: Option<String>,
    to: Option<String>,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let id = DocumentId(id);
    let words = visitor.language.words();
    let (from, to) = (named(&parameters, "from")?, named(&parameters, "to")?);
    let compared = match review::versions_to_compare(&app, id, from, to).await {
        Ok(compared) => compared,
        Err(CompareError::NothingBefore) => {
            let (from, to, rows) = (Vec::new(), Vec::new(), Vec::new());
            return page(&ComparePart { words, from, to, rows, same: None });
        }
        Err(error) => return Err(error.into()),
    };
    let context = RowContext {
        schema: &compared.schema,
        policy: app.confidence_policy(),
        words,
        language: visitor.language,
    };
    let found = compare(&compared.from.data.fields, &compared.to.data.fields, &compared.schema);
    let (same, rows): (Vec<_>, Vec<_>) =
        found.iter().partition(|row: &&FieldComparison<'_>| row.difference == Difference::Same);
    let versions = choices(&app, words, id, &compared).await?;
    page(&ComparePart {
        words,
        from: offered(&versions, &compared.from),
        to: offered(&versions, &compared.to),
        rows: rows.into_iter().filter_map(|row| difference_row(&context, row)).collect(),
        same: Some(words.count("review.compare_same", same.len() as u64)),
    })
}

fn named(parameters: &Parameters, name: &str) -> Result<Option<VersionReference>, ApiError> {
    let parse = |text: &str| {
        text.parse().map_err(|()| ApiError::invalid(name, "must be RUN_ID, or RUN_ID:NUMBER for one version"))
    };
    parameters.non_empty(name).map(parse).transpose()
}

/// A version, its title and its time.
type NamedVersion = (VersionReference, String, Moment);

/// The versions of the reviewed run, then the active version of each earlier run, newest first.
async fn choices(
    app: &App,
    words: &'static Words,
    id: DocumentId,
    compared: &ComparedVersions,
) -> Result<Vec<NamedVersion>, ApiError> {
    let history = document::history(app, id).await?;
    let runs: Vec<(usize, &Run)> = (1..).zip(history.runs.iter().map(|(run, _)| run)).collect();
    let completed = runs.iter().rev().filter(|(_, run)| matches!(run.state, RunState::Completed { .. }));
    let mut versions = Vec::new();
    for (place, (number, run)) in completed.enumerate() {
        let title = words.with("review.compare_run", &number.to_string());
        if place == 0 {
            for version in review::versions(app, run.id).await?.into_iter().rev() {
                let own = words.with("review.version_number", &version.number.to_string());
                let name = VersionReference { run: run.id, number: Some(version.number) };
                versions.push((name, format!("{title}, {own}"), Moment::of(version.created_at)));
            }
        } else {
            let name = VersionReference { run: run.id, number: None };
            versions.push((name, title, Moment::of(run.created_at)));
        }
    }
    // The compared versions are always among the choices.
    for side in [&compared.from, &compared.to] {
        if !versions.iter().any(|(name, _, _)| is(name, side)) {
            let name = VersionReference { run: side.data.processing_run_id, number: Some(side.number) };
            let title = words.with("review.version_number", &side.number.to_string());
            versions.push((name, title, Moment::of(side.created_at)));
        }
    }
    Ok(versions)
}

fn is(name: &VersionReference, version: &InterpretationVersion) -> bool {
    name.run == version.data.processing_run_id && name.number.is_none_or(|number| number == version.number)
}

fn offered(versions: &[NamedVersion], chosen: &InterpretationVersion) -> Vec<VersionChoice> {
    let offer = |(name, title, at): &NamedVersion| VersionChoice {
        name: name.to_string(),
        title: title.clone(),
        at: at.clone(),
        is_chosen: is(name, chosen),
    };
    versions.iter().map(offer).collect()
}

fn difference_row(context: &RowContext<'_>, row: &FieldComparison<'_>) -> Option<DifferenceRow> {
    let shown = |field: &Field| context.shown(&field.value, field.value_type);
    let change_name = match row.difference {
        Difference::Same => return None,
        Difference::Changed => "review.changed",
        Difference::Added => "review.added",
        Difference::Removed => "review.deleted",
    };
    Some(DifferenceRow {
        title: titles::of_key(context.schema, context.language, &row.field()?.key),
        change_name: context.words.get(change_name),
        from: row.from.map(shown),
        to: row.to.map(shown),
    })
}
