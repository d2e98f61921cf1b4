//! `GET /app/documents/{id}/compare`: what differs between two versions of what was understood, of one run or of two.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::document;
use quire_application::review::{self, CompareError, ComparedVersions, VersionReference};
use quire_domain::{DocumentId, Run, RunState};
use quire_ports::InterpretationVersion;
use quire_understanding::Field;
use quire_understanding::compare::{Difference, FieldComparison, compare};

use super::super::frame::page;
use super::super::moments::Moment;
use super::super::visitor::Visitor;
use super::super::words::Words;
use super::row::Desk;
use super::titles;
use crate::request::{Id, Parameters};
use crate::{ApiError, Product};

#[derive(Template)]
#[template(path = "review/compare.html")]
struct Comparison {
    words: &'static Words,
    from: Vec<Choice>,
    to: Vec<Choice>,
    rows: Vec<Differs>,
    /// How many fields are the same, if there was something to compare.
    same: Option<String>,
}

/// A version that can be compared.
struct Choice {
    name: String,
    title: String,
    at: Moment,
    is_chosen: bool,
}

/// A field that differs.
struct Differs {
    title: String,
    how: &'static str,
    from: Option<String>,
    to: Option<String>,
}

pub(in super::super) async fn show(
    State(product): State<Product>,
    visitor: Visitor,
    Id(id): Id,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let id = DocumentId(id);
    let words = visitor.language.words();
    let (from, to) = (named(&parameters, "from")?, named(&parameters, "to")?);
    let compared = match review::versions_to_compare(&product.store, id, from, to).await {
        Ok(compared) => compared,
        Err(CompareError::NothingBefore) => {
            let (from, to, rows) = (Vec::new(), Vec::new(), Vec::new());
            return page(&Comparison { words, from, to, rows, same: None });
        }
        Err(error) => return Err(error.into()),
    };
    let desk =
        Desk { schema: &compared.schema, policy: &product.confidence, words, language: visitor.language };
    let found = compare(&compared.from.data.fields, &compared.to.data.fields, &compared.schema);
    let (same, rows): (Vec<_>, Vec<_>) =
        found.iter().partition(|row: &&FieldComparison<'_>| row.difference == Difference::Same);
    let known = choices(&product, words, id, &compared).await?;
    page(&Comparison {
        words,
        from: offered(&known, &compared.from),
        to: offered(&known, &compared.to),
        rows: rows.into_iter().filter_map(|row| differs(&desk, row)).collect(),
        same: Some(words.count("review.compare_same", same.len() as u64)),
    })
}

fn named(parameters: &Parameters, name: &str) -> Result<Option<VersionReference>, ApiError> {
    let parse = |text: &str| {
        text.parse()
            .map_err(|()| ApiError::invalid(name, "must be a run, or a run and a version such as RUN:3"))
    };
    parameters.text(name).map(parse).transpose()
}

/// A version by its name, with what it is called and when it was made.
type Known = (VersionReference, String, Moment);

/// The versions of the run that is reviewed, then what each run before has left, the newest first.
async fn choices(
    product: &Product,
    words: &'static Words,
    id: DocumentId,
    compared: &ComparedVersions,
) -> Result<Vec<Known>, ApiError> {
    let history = document::history(&product.store, id).await?;
    let runs: Vec<(usize, &Run)> = (1..).zip(history.runs.iter().map(|(run, _)| run)).collect();
    let completed = runs.iter().rev().filter(|(_, run)| matches!(run.state, RunState::Completed { .. }));
    let mut known = Vec::new();
    for (place, (number, run)) in completed.enumerate() {
        let title = words.with("review.compare_run", &number.to_string());
        if place == 0 {
            for version in review::versions(&product.store, run.id).await?.into_iter().rev() {
                let own = words.with("review.version_number", &version.number.to_string());
                let name = VersionReference { run: run.id, number: Some(version.number) };
                known.push((name, format!("{title}, {own}"), Moment::of(version.created_at)));
            }
        } else {
            let name = VersionReference { run: run.id, number: None };
            known.push((name, title, Moment::of(run.created_at)));
        }
    }
    // What was asked for by name is offered as well.
    for side in [&compared.from, &compared.to] {
        if !known.iter().any(|(name, _, _)| is(name, side)) {
            let name = VersionReference { run: side.data.processing_run_id, number: Some(side.number) };
            let title = words.with("review.version_number", &side.number.to_string());
            known.push((name, title, Moment::of(side.created_at)));
        }
    }
    Ok(known)
}

fn is(name: &VersionReference, version: &InterpretationVersion) -> bool {
    name.run == version.data.processing_run_id && name.number.is_none_or(|number| number == version.number)
}

fn offered(known: &[Known], chosen: &InterpretationVersion) -> Vec<Choice> {
    let offer = |(name, title, at): &Known| Choice {
        name: name.to_string(),
        title: title.clone(),
        at: at.clone(),
        is_chosen: is(name, chosen),
    };
    known.iter().map(offer).collect()
}

fn differs(desk: &Desk<'_>, row: &FieldComparison<'_>) -> Option<Differs> {
    let shown = |field: &Field| desk.shown(&field.value, field.value_type);
    let how = match row.difference {
        Difference::Same => return None,
        Difference::Changed => "review.changed",
        Difference::Added => "review.added",
        Difference::Removed => "review.deleted",
    };
    Some(Differs {
        title: titles::of_key(desk.schema, desk.language, &row.field()?.key),
        how: desk.words.get(how),
        from: row.from.map(shown),
        to: row.to.map(shown),
    })
}
