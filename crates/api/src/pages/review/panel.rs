//! The interpretation of a document, laid out for its review.

use std::collections::{HashMap, HashSet};

use quire_application::App;
use quire_application::review::{self, ReviewView, VersionHistoryEntry};
use quire_domain::{FieldId, ReviewStatus, Role};
use quire_understanding::edit::ChangeType;
use quire_understanding::{Field, Schema, SchemaKey, Scope, VISIT_DATE, Value, visits};

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
/// Identifies a person, so it is never shown.
const NOT_SHOWN: &str = "owner_id";

/// Sorts after every date.
const NO_DATE: &str = "~";

/// The panel beside the pages.
#[allow(clippy::struct_excessive_bools)] // Each decides about one control.
pub(super) struct Panel {
    pub(super) run_id: String,
    pub(super) version: u32,
    /// The version and its author.
    pub(super) told: String,
    /// When the version was made.
    pub(super) made_at: Moment,
    pub(super) is_reviewed: bool,
    /// The reviewer and the time of the review.
    pub(super) reviewed: Option<(String, Moment)>,
    pub(super) may_edit: bool,
    pub(super) may_operate: bool,
    /// Whether documents of this schema have visits.
    pub(super) has_visits: bool,
    pub(super) sections: Vec<Section>,
    /// Keys that a value can be added to.
    pub(super) keys: Vec<KeyChoice>,
    pub(super) visits: Vec<VisitChoice>,
    /// A run that is newer than the interpretation.
    pub(super) newer: Option<NewerRun>,
}

pub(super) struct Section {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) groups: Vec<Group>,
    /// The text of an empty section.
    pub(super) nothing: Option<&'static str>,
}

/// Rows of one visit, or all rows of a section.
pub(super) struct Group {
    pub(super) visit: Option<VisitHead>,
    /// The date of the visit; a missing date sorts last.
    on: String,
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
        let layout = Layout { context, detected: detected(records), found };
        let groups = layout.by_visit();
        let visits =
            groups.iter().filter_map(|group| group.visit.as_ref()).filter(|visit| !visit.id.is_empty());
        let visits = visits.map(|visit| VisitChoice { id: visit.id.clone(), title: visit.title.clone() });
        let by = |who: Option<&str>| who.unwrap_or(words.get("review.by_itself")).to_owned();
        let active = &found.active;
        let told = words.with("review.version", &active.number.to_string());
        let told = told.replacen("{}", &by(active.created_by.as_deref()), 1);
        let is_reviewed = found.document().review_status == ReviewStatus::Reviewed;
        let reviewed = found.overview.reviewed_at.filter(|_| is_reviewed).map(|at| {
            let text = words.with("review.reviewed_by", &by(found.overview.reviewed_by.as_deref()));
            (text, Moment::of(at))
        });
        Self {
            run_id: found.run.id.to_string(),
            version: active.number,
            told,
            made_at: Moment::of(active.created_at),
            is_reviewed,
            reviewed,
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

struct Layout<'a> {
    context: RowContext<'a>,
    detected: HashMap<FieldId, Value>,
    found: &'a ReviewView,
}

impl<'a> Layout<'a> {
    fn schema(&self) -> &'a Schema {
        self.context.schema
    }

    fn fields(&self) -> &'a [Field] {
        &self.found.active.data.fields
    }

    fn row(&self, field: &Field) -> Row {
        let detected = self.detected.get(&field.field_id);
        self.context.row(field, detected.filter(|value| !value.is_same(&field.value, field.value_type)))
    }

    /// The sections in the order of the schema, and one for unknown keys.
    fn names(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.schema().panels.iter().map(|panel| panel.id.as_str()).collect();
        for always in [VISITS, OTHER] {
            let is_needed =
                always == OTHER || self.schema().keys.iter().any(|key| key.scope != Scope::Document);
            if is_needed && !names.contains(&always) {
                names.push(always);
            }
        }
        names
    }

    /// The section of a field without a visit.
    fn section_of(&self, field: &Field) -> &'a str {
        match self.schema().key(&field.key) {
            None => OTHER,
            // Date and reason of an unknown visit.
            Some(key) if key.scope == Scope::Metadata => OTHER,
            Some(key) if key.scope == Scope::Visit => VISITS,
            Some(key) => self.place_of(key),
        }
    }

    fn place_of(&self, key: &'a SchemaKey) -> &'a str {
        let names = self.names();
        let own = key.panel.as_deref().filter(|panel| names.contains(panel));
        own.unwrap_or(if names.contains(&REPORT) { REPORT } else { OTHER })
    }

    fn title_of(&self, section: &str) -> String {
        titles::of_section(self.schema(), self.context.language, section)
    }

    fn sections(&self, visits: Vec<Group>) -> Vec<Section> {
        let mut visits = Some(visits);
        let section = |name: &str| {
            let groups = match name {
                VISITS => visits.take().unwrap_or_default(),
                _ => vec![Group { visit: None, on: String::new(), rows: self.rows(name) }],
            };
            let nothing = match name {
                VISITS => Some("review.no_visits"),
                OTHER => Some("review.no_others"),
                _ => None,
            };
            let is_bare = groups.iter().all(|group| group.rows.is_empty());
            Section {
                name: name.to_owned(),
                title: self.title_of(name),
                groups,
                nothing: nothing.filter(|_| is_bare).map(|name| self.context.words.get(name)),
            }
        };
        self.names().into_iter().map(section).collect()
    }

    /// The rows of a section without visits: every key of the section, then other fields.
    fn rows(&self, section: &str) -> Vec<Row> {
        let own: Vec<&Field> = self
            .fields()
            .iter()
            .filter(|field| field.visit_id.is_none() && field.key != NOT_SHOWN)
            .filter(|field| self.section_of(field) == section)
            .collect();
        let twice: Vec<&Field> =
            if section == OTHER { self.repeated_about_visits().collect() } else { Vec::new() };
        let own = [own, twice].concat();
        let keys = self.schema().keys.iter().filter(|key| key.scope == Scope::Document);
        let keys = keys.filter(|key| key.panel.as_deref() == Some(section));
        self.laid_out(&own, keys, None)
    }

    /// Fields that repeat a value about a visit itself.
    fn repeated_about_visits(&self) -> impl Iterator<Item = &'a Field> {
        let mut told: HashSet<(&str, &str)> = HashSet::new();
        self.fields().iter().filter(move |field| {
            let Some(visit) = field.visit_id.as_deref() else { return false };
            let is_about = self.schema().scope(&field.key) == Scope::Metadata;
            is_about && !told.insert((visit, field.key.as_str()))
        })
    }

    /// The visits by date, visits without a date last, then fields of an unknown visit.
    fn by_visit(&self) -> Vec<Group> {
        let twice: HashSet<_> = self.repeated_about_visits().map(|field| field.field_id).collect();
        // A record may have thousands of visits, so each field is visited once.
        let (mut order, mut places) = (Vec::<(&str, Vec<&Field>)>::new(), HashMap::new());
        for field in self.fields().iter().filter(|field| !twice.contains(&field.field_id)) {
            let Some(visit) = field.visit_id.as_deref().filter(|visit| *visit != visits::UNASSIGNED) else {
                continue;
            };
            let place = *places.entry(visit).or_insert_with(|| {
                order.push((visit, Vec::new()));
                order.len() - 1
            });
            order[place].1.push(field);
        }
        let groups = order.iter().map(|(visit, own)| self.group(visit, own));
        let mut groups: Vec<Group> = groups.collect();
        groups.sort_by(|one, other| one.on.cmp(&other.on));
        let is_left = |field: &&Field| match field.visit_id.as_deref() {
            None => self.section_of(field) == VISITS,
            Some(visit) => visit == visits::UNASSIGNED,
        };
        let left: Vec<&Field> = self.fields().iter().filter(is_left).collect();
        if !left.is_empty() {
            groups.push(self.unassigned(&left));
        }
        groups
    }

    fn group(&self, visit: &str, own: &[&Field]) -> Group {
        let on = own.iter().find(|field| field.key == VISIT_DATE && !field.value.is_empty());
        let (on, title) = match on.map(|field| &field.value) {
            Some(Value::Text(on)) => (on.clone(), date(on, self.context.language)),
            _ => (NO_DATE.to_owned(), self.context.words.get("review.no_date").to_owned()),
        };
        // Keys that every visit shows, even without a value.
        let keys = self.schema().keys.iter().filter(|key| match key.scope {
            Scope::Metadata => !key.optional,
            Scope::Visit => key.critical,
            Scope::Document => false,
        });
        let head = VisitHead { id: visit.to_owned(), title, count: self.count(own) };
        Group { visit: Some(head), on, rows: self.laid_out(own, keys, Some(visit)) }
    }

    fn unassigned(&self, left: &[&Field]) -> Group {
        let title = self.context.words.get("review.unassigned").to_owned();
        let head = VisitHead { id: String::new(), title, count: self.count(left) };
        Group {
            visit: Some(head),
            on: NO_DATE.to_owned(),
            rows: self.laid_out(left, std::iter::empty(), None),
        }
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
        let mut keys: Vec<&SchemaKey> =
            self.schema().keys.iter().filter(|key| key.key != NOT_SHOWN).collect();
        keys.sort_by_key(|key| names.iter().position(|name| *name == self.place_of(key)));
        let choice = |key: &SchemaKey| KeyChoice {
            key: key.key.clone(),
            title: titles::of_key(self.schema(), self.context.language, &key.key),
            section: self.title_of(key.panel.as_deref().unwrap_or(REPORT)),
            value_type: key.value_type.as_str(),
            is_of_visit: key.scope != Scope::Document,
        };
        keys.into_iter().map(choice).collect()
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use quire_domain::InterpretationId;
    use quire_understanding::ValueType;
    use quire_understanding::edit::FieldChange;

    use super::*;

    fn change(field_id: FieldId, change_type: ChangeType, part: &str, old: &str) -> FieldChange {
        FieldChange {
            change_type,
            field_id,
            field_key: "breed".to_owned(),
            field_path: format!("fields.{field_id}.{part}"),
            value_type: ValueType::String,
            old_value: Value::Text(old.to_owned()),
            new_value: Value::Null,
            mapping_id: None,
        }
    }

    fn version(number: u32, changes: Vec<FieldChange>) -> VersionHistoryEntry {
        VersionHistoryEntry {
            id: InterpretationId::new(),
            number,
            is_active: false,
            created_at: Timestamp::UNIX_EPOCH,
            created_by: None,
            made_by: None,
            changes,
        }
    }

    #[test]
    fn the_extracted_value_is_what_the_oldest_change_replaced() {
        let (edited, added, moved) = (FieldId::new(), FieldId::new(), FieldId::new());
        let records = [
            version(2, vec![change(edited, ChangeType::Update, "value", "Beagle")]),
            version(3, vec![change(added, ChangeType::Add, "value", "")]),
            version(4, vec![change(edited, ChangeType::Update, "value", "Boxer")]),
            version(5, vec![change(added, ChangeType::Update, "value", "Collie")]),
            version(6, vec![change(moved, ChangeType::Update, "visit_id", "visit-001")]),
        ];
        let detected = detected(&records);
        assert_eq!(detected.get(&edited), Some(&Value::Text("Beagle".to_owned())));
        assert_eq!(detected.len(), 1, "what a person added was not detected, and what moved kept its value");
    }
}
