//! The review form: the fields of a document beside its pages.

use std::collections::HashMap;

use quire_application::review::{self, ReviewView, VersionHistoryEntry};
use quire_application::{App, governance};
use quire_domain::{FieldId, ReviewStatus, Role};
use quire_understanding::edit::ChangeType;
use quire_understanding::review_form::{
    FormLayout, GroupHead, GroupLayout, Lacking, RowLayout, SectionLayout, VisitLayout,
};
use quire_understanding::{Schema, SchemaKey, Scope, Value, empty_critical_keys};

use super::super::moments::Moment;
use super::super::visitor::Visitor;
use super::history::is_of_value;
use super::processing::NewerRun;
use super::row::{Row, RowContext, columns, date};
use super::titles;
use crate::ApiError;

/// The form beside the pages.
#[allow(clippy::struct_excessive_bools)] // Each decides about one control.
pub(super) struct ReviewForm {
    pub(super) run_id: String,
    pub(super) version: u32,
    /// The version and its author.
    pub(super) version_text: String,
    /// When the version was made.
    pub(super) made_at: Moment,
    pub(super) is_reviewed: bool,
    /// The reviewer and the time of the review.
    pub(super) reviewed: Option<(String, Moment)>,
    /// The titles of the critical keys without a value, as a JSON array.
    pub(super) empty_critical: String,
    pub(super) may_edit: bool,
    pub(super) may_operate: bool,
    /// Whether documents of this schema have visits.
    pub(super) has_visits: bool,
    pub(super) sections: Vec<FormSection>,
    /// Keys that a value can be added to.
    pub(super) keys: Vec<KeyChoice>,
    pub(super) visits: Vec<VisitChoice>,
    /// A run that is newer than the interpretation.
    pub(super) newer: Option<NewerRun>,
    /// How the schema was chosen, if no person named it.
    pub(super) choice: Option<SchemaChoice>,
}

/// A schema that was chosen automatically, or that none fits, and the schemas to choose from instead.
pub(super) struct SchemaChoice {
    pub(super) text: String,
    pub(super) none_fits: bool,
    /// Name, title and whether it is the one that is used.
    pub(super) schemas: Vec<(String, String, bool)>,
}

impl SchemaChoice {
    /// None if the schema was named, or if people have already edited what was found with it.
    async fn load(app: &App, visitor: &Visitor, found: &ReviewView) -> Result<Option<Self>, ApiError> {
        let none_fits = Schema::none_fits(&found.run);
        let was_chosen = found.active.made_by.as_ref().is_some_and(|made_by| !made_by.schema_fits.is_empty());
        if !none_fits && !was_chosen {
            return Ok(None);
        }
        let (language, words) = (visitor.language.as_str(), visitor.language.words());
        let schemas = governance::schema_titles(app, language).await?.into_iter().map(|schema| {
            let is_used = schema.name == found.schema.name;
            (schema.name, schema.title, is_used)
        });
        let text = if none_fits {
            words.get("review.no_schema_fits").to_owned()
        } else {
            words.with("review.schema_chosen", found.schema.title(language))
        };
        Ok(Some(Self { text, none_fits, schemas: schemas.collect() }))
    }
}

pub(super) struct FormSection {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) groups: Vec<VisitRows>,
    /// The text of an empty section.
    pub(super) nothing: Option<&'static str>,
}

/// Rows of one visit, or all rows of a section.
pub(super) struct VisitRows {
    pub(super) visit: Option<VisitHead>,
    pub(super) rows: Vec<Row>,
}

pub(super) struct VisitHead {
    /// Empty for fields of an unknown visit.
    pub(super) id: String,
    pub(super) title: String,
    pub(super) count: String,
}

pub(super) struct KeyChoice {
    pub(super) key: String,
    pub(super) title: String,
    pub(super) section: String,
    pub(super) value_type: &'static str,
    /// The columns of a table as JSON. Empty for other keys.
    pub(super) columns: String,
    pub(super) is_of_visit: bool,
}

pub(super) struct VisitChoice {
    pub(super) id: String,
    pub(super) title: String,
}

impl ReviewForm {
    pub(super) async fn load(
        app: &App,
        visitor: &Visitor,
        found: &ReviewView,
        newer: Option<NewerRun>,
    ) -> Result<Self, ApiError> {
        let records = match found.active.number {
            1 => Vec::new(),
            _ => review::versions(app, found.run.id).await?,
        };
        let choice = SchemaChoice::load(app, visitor, found).await?;
        Ok(Self { choice, ..Self::of(app, visitor, found, &records, newer) })
    }

    fn of(
        app: &App,
        visitor: &Visitor,
        found: &ReviewView,
        records: &[VersionHistoryEntry],
        newer: Option<NewerRun>,
    ) -> Self {
        let (language, words) = (visitor.language, visitor.language.words());
        let context = RowContext { schema: &found.schema, policy: app.confidence_policy(), words, language };
        let renderer = Renderer { context, detected: detected(records) };
        let layout = FormLayout::of(&found.schema, &found.active.data.fields);
        let by = |who: Option<&str>| who.unwrap_or(words.get("review.automatic")).to_owned();
        let active = &found.active;
        let version_text = words.with("review.version", &active.number.to_string());
        let version_text = version_text.replacen("{}", &by(active.created_by.as_deref()), 1);
        let is_reviewed = found.document.review_status == ReviewStatus::Reviewed;
        let reviewed = found.reviewed_at.filter(|_| is_reviewed).map(|at| {
            let text = words.with("review.reviewed_by", &by(found.reviewed_by.as_deref()));
            (text, Moment::of(at))
        });
        let empty_critical = empty_critical_keys(&active.data.fields, &found.schema);
        let empty_critical: Vec<String> =
            empty_critical.into_iter().map(|key| titles::of_key(&found.schema, language, &key.key)).collect();
        Self {
            run_id: found.run.id.to_string(),
            version: active.number,
            version_text,
            made_at: Moment::of(active.created_at),
            is_reviewed,
            reviewed,
            empty_critical: serde_json::to_string(&empty_critical).unwrap_or_else(|_| "[]".to_owned()),
            may_edit: visitor.may(Role::Review),
            may_operate: visitor.may(Role::Operate),
            has_visits: found.schema.keys.iter().any(|key| key.scope == Scope::VisitHead),
            visits: layout.visits.iter().map(|visit| renderer.visit_choice(*visit)).collect(),
            keys: layout.keys.iter().map(|(key, section)| renderer.key_choice(key, section)).collect(),
            sections: layout.sections.iter().map(|section| renderer.section(section)).collect(),
            newer,
            choice: None,
        }
    }
}

/// The value that Quire found, of each field whose value people changed: the oldest change has it.
fn detected(records: &[VersionHistoryEntry]) -> HashMap<FieldId, Value> {
    let mut first: HashMap<FieldId, Option<Value>> = HashMap::new();
    let changes = records.iter().flat_map(|record| &record.changes);
    for change in changes.filter(|change| is_of_value(change)) {
        let found = (change.change_type == ChangeType::Update).then(|| change.old_value.clone());
        first.entry(change.field_id).or_insert(found);
    }
    first.into_iter().filter_map(|(field, value)| Some((field, value?))).collect()
}

/// Renders the rows of a form.
struct Renderer<'a> {
    context: RowContext<'a>,
    detected: HashMap<FieldId, Value>,
}

impl Renderer<'_> {
    fn section(&self, section: &SectionLayout) -> FormSection {
        let lacks = section.lacks.map(|lacks| match lacks {
            Lacking::Visits => "review.no_visits",
            Lacking::OtherFields => "review.no_other_fields",
        });
        FormSection {
            name: section.id.to_owned(),
            title: self.title_of(section.id),
            groups: section.groups.iter().map(|group| self.group(group)).collect(),
            nothing: lacks.map(|name| self.context.words.get(name)),
        }
    }

    fn group(&self, group: &GroupLayout) -> VisitRows {
        let head = |id: &str, title| VisitHead {
            id: id.to_owned(),
            title,
            count: self.context.words.count("review.values", group.fields as u64),
        };
        let visit = match group.head {
            GroupHead::Document => None,
            GroupHead::Visit(visit) => Some(head(visit.id, self.title_of_visit(visit))),
            GroupHead::UnknownVisit => Some(head("", self.context.words.get("review.unassigned").to_owned())),
        };
        let mut rows: Vec<Row> = group.rows.iter().map(|row| self.row(*row)).collect();
        for at in 1..rows.len() {
            rows[at].is_again = rows[at].key == rows[at - 1].key;
        }
        VisitRows { visit, rows }
    }

    fn row(&self, row: RowLayout) -> Row {
        match row {
            RowLayout::Field(field) => {
                let detected = self.detected.get(&field.field_id);
                let detected = detected.filter(|value| !value.is_same(&field.value, field.value_type));
                self.context.row(field, detected)
            }
            RowLayout::Empty { key, visit } => self.context.slot(key, visit),
        }
    }

    fn title_of(&self, section: &str) -> String {
        titles::of_section(self.context.schema, self.context.language, section)
    }

    fn title_of_visit(&self, visit: VisitLayout) -> String {
        let no_date = || self.context.words.get("review.no_date").to_owned();
        visit.date.map_or_else(no_date, |on| date(on, self.context.language))
    }

    fn visit_choice(&self, visit: VisitLayout) -> VisitChoice {
        VisitChoice { id: visit.id.to_owned(), title: self.title_of_visit(visit) }
    }

    fn key_choice(&self, key: &SchemaKey, section: &str) -> KeyChoice {
        KeyChoice {
            key: key.key.clone(),
            columns: columns(key, self.context.language),
            title: titles::of_key(self.context.schema, self.context.language, &key.key),
            section: self.title_of(section),
            value_type: key.value_type.as_str(),
            is_of_visit: key.scope != Scope::Document,
        }
    }
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
