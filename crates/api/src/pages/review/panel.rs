//! The interpretation of a document, laid out for its review.

use std::collections::{HashMap, HashSet};

use quire_application::App;
use quire_application::review::{self, ReviewView, VersionHistoryEntry};
use quire_domain::{FieldId, ReviewStatus, Role};
use quire_understanding::edit::ChangeType;
use quire_understanding::{Field, Schema, SchemaKey, Scope, VISIT_DATE, Value, empty_critical_keys, visits};

use super::super::moments::Moment;
use super::super::visitor::Visitor;
use super::history::is_of_value;
use super::processing::NewerRun;
use super::row::{Row, RowContext, date};
use super::titles;
use crate::ApiError;

/// Sections with more than the keys of the schema.
const VISITS: &str = "visits";
const OTHER: &str = "other";
/// The section for keys without a section of their own, if the schema has it.
const REPORT: &str = "report_info";

/// Sorts after every date.
const NO_DATE: &str = "~";

/// The panel beside the pages.
#[allow(clippy::struct_excessive_bools)] // Each decides about one control.
pub(super) struct Panel {
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
    pub(super) sections: Vec<PanelSection>,
    /// Keys that a value can be added to.
    pub(super) keys: Vec<KeyChoice>,
    pub(super) visits: Vec<VisitChoice>,
    /// A run that is newer than the interpretation.
    pub(super) newer: Option<NewerRun>,
}

pub(super) struct PanelSection {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) groups: Vec<Group>,
    /// The text of an empty section.
    pub(super) nothing: Option<&'static str>,
}

/// Rows of one visit, or all rows of a section.
pub(super) struct Group {
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
    pub(super) is_of_visit: bool,
}

pub(super) struct VisitChoice {
    pub(super) id: String,
    pub(super) title: String,
}

impl Panel {
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
        Ok(Self::of(app, visitor, found, &records, newer))
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
        let layout = Layout { context, detected: detected(records), fields: &found.active.data.fields };
        let groups = layout.by_visit();
        let visits =
            groups.iter().filter_map(|group| group.visit.as_ref()).filter(|visit| !visit.id.is_empty());
        let visits = visits.map(|visit| VisitChoice { id: visit.id.clone(), title: visit.title.clone() });
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
            has_visits: found.schema.keys.iter().any(|key| key.scope == Scope::Metadata),
            visits: visits.collect(),
            keys: layout.keys(),
            sections: layout.sections(groups),
            newer,
        }
    }
}

/// The extracted value of each field whose value people changed: the oldest change has it.
fn detected(records: &[VersionHistoryEntry]) -> HashMap<FieldId, Value> {
    let mut first: HashMap<FieldId, Option<Value>> = HashMap::new();
    let changes = records.iter().flat_map(|record| &record.changes);
    for change in changes.filter(|change| is_of_value(change)) {
        let found = (change.change_type == ChangeType::Update).then(|| change.old_value.clone());
        first.entry(change.field_id).or_insert(found);
    }
    first.into_iter().filter_map(|(field, value)| Some((field, value?))).collect()
}

/// When a visit was, if one of its fields says so.
fn visit_date<'f>(fields: &[&'f Field]) -> Option<&'f str> {
    let date = fields.iter().find(|field| field.key == VISIT_DATE && !field.value.is_empty());
    match date.map(|field| &field.value) {
        Some(Value::Text(date)) => Some(date),
        _ => None,
    }
}

struct Layout<'a> {
    context: RowContext<'a>,
    detected: HashMap<FieldId, Value>,
    fields: &'a [Field],
}

impl<'a> Layout<'a> {
    fn schema(&self) -> &'a Schema {
        self.context.schema
    }

    fn row(&self, field: &Field) -> Row {
        let detected = self.detected.get(&field.field_id);
        self.context.row(field, detected.filter(|value| !value.is_same(&field.value, field.value_type)))
    }

    /// The sections in the order of the schema, and one for unknown keys.
    fn names(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.schema().sections.iter().map(|section| section.id.as_str()).collect();
        let has_visits = self.schema().keys.iter().any(|key| key.scope != Scope::Document);
        for (always, is_needed) in [(self.visits_section(), has_visits), (OTHER, true)] {
            if is_needed && !names.contains(&always) {
                names.push(always);
            }
        }
        names
    }

    /// The section that shows the visits: the one of the key that says when a visit was.
    fn visits_section(&self) -> &'a str {
        let date = self.schema().visit_date().and_then(|place| self.schema().keys[place].section.as_deref());
        date.unwrap_or(VISITS)
    }

    fn is_hidden(&self, field: &Field) -> bool {
        self.schema().key(&field.key).is_some_and(|key| key.hidden)
    }

    /// The section of fields without a visit.
    fn section_of(&self, field: &Field) -> &'a str {
        match self.schema().key(&field.key) {
            None => OTHER,
            // Date and reason of an unknown visit.
            Some(key) if key.scope == Scope::Metadata => OTHER,
            Some(key) if key.scope == Scope::Visit => self.visits_section(),
            Some(key) => self.section_of_key(key),
        }
    }

    fn section_of_key(&self, key: &'a SchemaKey) -> &'a str {
        let names = self.names();
        // The section of the visits shows only visits.
        let is_free = |section: &&str| key.scope != Scope::Document || *section != self.visits_section();
        let own = key.section.as_deref().filter(|section| names.contains(section)).filter(is_free);
        own.unwrap_or(if names.contains(&REPORT) { REPORT } else { OTHER })
    }

    fn title_of(&self, section: &str) -> String {
        titles::of_section(self.schema(), self.context.language, section)
    }

    fn sections(&self, visits: Vec<Group>) -> Vec<PanelSection> {
        let mut visits = Some(visits);
        let section = |name: &str| {
            let is_of_visits = name == self.visits_section();
            let groups = if is_of_visits {
                visits.take().unwrap_or_default()
            } else {
                vec![Group { visit: None, rows: self.rows(name) }]
            };
            let is_bare = groups.iter().all(|group| group.rows.is_empty());
            let nothing = match name {
                _ if is_of_visits => {
                    groups.iter().all(|group| group.visit.is_none()).then_some("review.no_visits")
                }
                OTHER => is_bare.then_some("review.no_other_fields"),
                _ => None,
            };
            let nothing = nothing.map(|name| self.context.words.get(name));
            let section = PanelSection { name: name.to_owned(), title: self.title_of(name), groups, nothing };
            (!is_bare || nothing.is_some()).then_some(section)
        };
        self.names().into_iter().filter_map(section).collect()
    }

    /// The rows of a section without visits: every key of the section, then other fields.
    fn rows(&self, section: &str) -> Vec<Row> {
        let own: Vec<&Field> = self
            .fields
            .iter()
            .filter(|field| field.visit_id.is_none() && !self.is_hidden(field))
            .filter(|field| self.section_of(field) == section)
            .collect();
        let twice: Vec<&Field> =
            if section == OTHER { self.repeated_about_visits().collect() } else { Vec::new() };
        let own = [own, twice].concat();
        let keys = self.schema().keys.iter().filter(|key| key.scope == Scope::Document && !key.hidden);
        let keys = keys.filter(|key| self.section_of_key(key) == section);
        self.laid_out(&own, keys, None)
    }

    /// Fields that repeat a value about a visit itself.
    fn repeated_about_visits(&self) -> impl Iterator<Item = &'a Field> {
        let mut seen: HashSet<(&str, &str)> = HashSet::new();
        self.fields.iter().filter(move |field| {
            let Some(visit) = field.visit_id.as_deref() else { return false };
            let is_about = self.schema().scope(&field.key) == Scope::Metadata;
            is_about && !seen.insert((visit, field.key.as_str()))
        })
    }

    /// The visits by date, visits without a date last, then fields of an unknown visit.
    fn by_visit(&self) -> Vec<Group> {
        let twice: HashSet<_> = self.repeated_about_visits().map(|field| field.field_id).collect();
        // A record may have thousands of visits, so each field is visited once.
        let (mut order, mut places) = (Vec::<(&str, Vec<&Field>)>::new(), HashMap::new());
        for field in self.fields.iter().filter(|field| !twice.contains(&field.field_id)) {
            let Some(visit) = field.visit_id.as_deref().filter(|visit| *visit != visits::UNASSIGNED) else {
                continue;
            };
            let place = *places.entry(visit).or_insert_with(|| {
                order.push((visit, Vec::new()));
                order.len() - 1
            });
            order[place].1.push(field);
        }
        order.sort_by_cached_key(|(_, own)| visit_date(own).unwrap_or(NO_DATE).to_owned());
        // A key without a value in any visit has its slot in the newest visit.
        let newest = order.iter().rposition(|(_, own)| visit_date(own).is_some());
        let newest = newest.or(order.len().checked_sub(1));
        let nowhere: Vec<&SchemaKey> = self.visit_keys().filter(|key| !self.has_field(key)).collect();
        let groups = order.iter().enumerate().map(|(place, (visit, own))| {
            self.group(visit, own, if newest == Some(place) { &nowhere } else { &[] })
        });
        let mut groups: Vec<Group> = groups.collect();
        if groups.is_empty() && !nowhere.is_empty() {
            groups.push(Group { visit: None, rows: self.laid_out(&[], nowhere.into_iter(), None) });
        }
        let is_left = |field: &&Field| match field.visit_id.as_deref() {
            None => self.section_of(field) == self.visits_section(),
            Some(visit) => visit == visits::UNASSIGNED,
        };
        let left: Vec<&Field> = self.fields.iter().filter(is_left).collect();
        if !left.is_empty() {
            groups.push(self.unassigned(&left));
        }
        groups
    }

    /// The keys of visits.
    fn visit_keys(&self) -> impl Iterator<Item = &'a SchemaKey> {
        self.schema().keys.iter().filter(|key| key.scope != Scope::Document && !key.hidden)
    }

    fn has_field(&self, key: &SchemaKey) -> bool {
        self.fields.iter().any(|field| field.key == key.key)
    }

    /// A visit has slots for the keys that every visit has, and for `others`.
    fn group(&self, visit: &str, own: &[&Field], others: &[&SchemaKey]) -> Group {
        let title = visit_date(own).map(|on| date(on, self.context.language));
        let title = title.unwrap_or_else(|| self.context.words.get("review.no_date").to_owned());
        let keys = self.visit_keys().filter(|key| {
            let is_usual = if key.scope == Scope::Metadata { !key.optional } else { key.critical };
            is_usual || others.iter().any(|other| other.key == key.key)
        });
        let head = VisitHead { id: visit.to_owned(), title, count: self.count(own) };
        Group { visit: Some(head), rows: self.laid_out(own, keys, Some(visit)) }
    }

    fn unassigned(&self, left: &[&Field]) -> Group {
        let title = self.context.words.get("review.unassigned").to_owned();
        let head = VisitHead { id: String::new(), title, count: self.count(left) };
        Group { visit: Some(head), rows: self.laid_out(left, std::iter::empty(), None) }
    }

    fn count(&self, fields: &[&Field]) -> String {
        self.context.words.count("review.values", fields.len() as u64)
    }

    /// The fields in the order of the schema, with empty rows for keys without a value.
    fn laid_out<'k>(
        &self,
        fields: &[&Field],
        keys: impl Iterator<Item = &'k SchemaKey>,
        visit: Option<&str>,
    ) -> Vec<Row> {
        let place = |name: &str| {
            let place = self.schema().keys.iter().position(|key| key.key == name);
            // Date and reason of a visit come first.
            (self.schema().scope(name) != Scope::Metadata, place.unwrap_or(usize::MAX))
        };
        let is_missing = |key: &&SchemaKey| fields.iter().all(|field| field.key != key.key);
        let mut rows: Vec<Row> = fields.iter().map(|field| self.row(field)).collect();
        rows.extend(keys.filter(is_missing).map(|key| self.context.slot(key, visit)));
        rows.sort_by_key(|row| place(&row.key));
        for at in 1..rows.len() {
            rows[at].is_again = rows[at].key == rows[at - 1].key;
        }
        rows
    }

    /// Every key, for adding a value.
    fn keys(&self) -> Vec<KeyChoice> {
        let names = self.names();
        let mut keys: Vec<&SchemaKey> = self.schema().keys.iter().filter(|key| !key.hidden).collect();
        keys.sort_by_key(|key| names.iter().position(|name| *name == self.section_of_key(key)));
        let choice = |key: &SchemaKey| KeyChoice {
            key: key.key.clone(),
            title: titles::of_key(self.schema(), self.context.language, &key.key),
            section: self.title_of(self.section_of_key(key)),
            value_type: key.value_type.as_str(),
            is_of_visit: key.scope != Scope::Document,
        };
        keys.into_iter().map(choice).collect()
    }
}

#[cfg(test)]
#[path = "panel_tests.rs"]
mod tests;
