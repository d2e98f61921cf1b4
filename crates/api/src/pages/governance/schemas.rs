//! `GET /app/governance/schemas`: the schemas and their versions.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::App;
use quire_application::governance::{self, SchemaVersion, SchemaVersionSummary};
use quire_understanding::{Schema, SchemaKey, Scope, ValueType};

use super::{GovernanceTab, address, load_frame, tabs};
use crate::ApiError;
use crate::pages::frame::{Frame, Link, page};
use crate::pages::moments::Moment;
use crate::pages::visitor::Visitor;
use crate::pages::words::Words;
use crate::request::Parameters;

/// Versions that are listed.
const SHOWN: u32 = 100;

#[derive(Template)]
#[template(path = "governance/schemas.html")]
struct SchemasPage {
    frame: Frame,
    sheets: Vec<Link>,
    schemas: Vec<SchemaChoice>,
    title: String,
    name: String,
    number: u32,
    is_newest: bool,
    keys: Vec<KeyRow>,
    versions: Vec<VersionRow>,
    leaves_out_older: bool,
}

/// A schema to choose.
struct SchemaChoice {
    href: String,
    name: String,
    is_current: bool,
}

struct KeyRow {
    title: String,
    name: String,
    section: String,
    value_type: &'static str,
    marks: Vec<(&'static str, &'static str)>,
}

struct VersionRow {
    href: String,
    number: u32,
    is_shown: bool,
    made: Moment,
    by: String,
    summary: Option<String>,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let wanted = parameters.within("version", 1..=u32::MAX)?;
    let version = governance::schema_version(&app, parameters.non_empty("schema"), wanted).await?;
    let notes = governance::schema_versions(&app, &version.schema.name, SHOWN + 1).await?;
    let names = governance::schema_names(&app).await?;
    let frame = load_frame(&app, visitor).await?;
    page(&schemas_page(frame, version, &notes, &names))
}

fn schemas_page(
    frame: Frame,
    shown: SchemaVersion,
    notes: &[SchemaVersionSummary],
    names: &[String],
) -> SchemasPage {
    let SchemaVersion { schema, number, .. } = shown;
    let language = frame.language.as_str();
    let kept = notes.iter().take(SHOWN as usize);
    SchemasPage {
        sheets: tabs(GovernanceTab::Schemas),
        schemas: names.iter().map(|name| named(name, &schema.name)).collect(),
        title: schema.title(language).to_owned(),
        number,
        is_newest: notes.first().is_none_or(|newest| newest.number == number),
        keys: schema.keys.iter().map(|key| shown_key(&schema, key, language, frame.words())).collect(),
        versions: kept.map(|note| shown_version(&schema.name, note, number)).collect(),
        leaves_out_older: notes.len() > SHOWN as usize,
        name: schema.name,
        frame,
    }
}

fn named(name: &str, current: &str) -> SchemaChoice {
    let href = address("/app/governance/schemas", &[("schema", name)]);
    SchemaChoice { href, name: name.to_owned(), is_current: name == current }
}

fn shown_key(schema: &Schema, key: &SchemaKey, language: &str, words: &'static Words) -> KeyRow {
    let marks = [
        (key.critical, "governance.critical", "error"),
        (key.optional, "governance.optional", ""),
        (key.repeatable, "governance.repeatable", ""),
        (key.scope != Scope::Document || key.at_visits, "governance.per_visit", "ready"),
    ];
    KeyRow {
        title: key.title(language).to_owned(),
        name: key.key.clone(),
        section: key.section.as_deref().map_or("", |id| schema.section_title(id, language)).to_owned(),
        value_type: words.get(match key.value_type {
            ValueType::String => "governance.type_string",
            ValueType::Date => "governance.type_date",
            ValueType::Number => "governance.type_number",
            ValueType::Boolean => "governance.type_boolean",
            ValueType::Table => "governance.type_table",
            ValueType::Unknown => "governance.type_unknown",
        }),
        marks: marks
            .into_iter()
            .filter(|mark| mark.0)
            .map(|(_, name, tone)| (words.get(name), tone))
            .collect(),
    }
}

fn shown_version(schema: &str, note: &SchemaVersionSummary, shown: u32) -> VersionRow {
    let number = note.number.to_string();
    VersionRow {
        href: address("/app/governance/schemas", &[("schema", schema), ("version", &number)]),
        number: note.number,
        is_shown: note.number == shown,
        made: Moment::of(note.created_at),
        by: note.created_by.clone(),
        summary: note.change_summary.clone(),
    }
}
