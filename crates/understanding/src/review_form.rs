//! Where each field stands in the review form: its section, its visit and the empty rows beside it.
//!
//! The schema decides the sections. A key without a value has an empty row, so that a reviewer sees what is missing.

use std::collections::{HashMap, HashSet};

use crate::visits::UNASSIGNED;
use crate::{Field, Schema, SchemaKey, Scope, VISIT_DATE, Value};

/// The section of fields whose keys the schema does not have.
pub const OTHER_SECTION: &str = "other";
/// The section of the visits, if the key of their date names no other one.
pub const VISITS_SECTION: &str = "visits";
/// The section for keys without a section of their own, if the schema has it.
pub const REPORT_SECTION: &str = "report_info";

/// Sorts after every date.
const NO_DATE: &str = "~";

/// The fields of a document, arranged for review.
#[derive(Clone, Debug, PartialEq)]
pub struct FormLayout<'a> {
    /// The sections that are shown, in the order of the schema.
    pub sections: Vec<SectionLayout<'a>>,
    /// The visits, by date. Those without a date come last.
    pub visits: Vec<VisitLayout<'a>>,
    /// Every key that a value can be added to, with its section, in the order of the sections.
    pub keys: Vec<(&'a SchemaKey, &'a str)>,
}

/// A section of the form.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionLayout<'a> {
    /// The id of the section.
    pub id: &'a str,
    /// The visits in the section of the visits, otherwise one group.
    pub groups: Vec<GroupLayout<'a>>,
    /// What the section lacks, if it is shown all the same.
    pub lacks: Option<Lacking>,
}

/// What a section lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// No visit was found.
    Visits,
    /// No field with an unknown key was found.
    OtherFields,
}

/// Rows that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupLayout<'a> {
    /// The visit that the rows belong to.
    pub head: GroupHead<'a>,
    /// How many of the rows have a value.
    pub fields: usize,
    /// The rows in the order of the schema. Date and reason of a visit come first.
    pub rows: Vec<RowLayout<'a>>,
}

/// What a group is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupHead<'a> {
    /// The document.
    Document,
    /// A visit.
    Visit(VisitLayout<'a>),
    /// A visit that is not known.
    UnknownVisit,
}

/// A visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitLayout<'a> {
    /// Its id in the fields.
    pub id: &'a str,
    /// Its date, if one of its fields has it.
    pub date: Option<&'a str>,
}

/// A row of the form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowLayout<'a> {
    /// A field.
    Field(&'a Field),
    /// A key without a value.
    Empty {
        /// The key.
        key: &'a SchemaKey,
        /// The visit that a value would belong to.
        visit: Option<&'a str>,
    },
}

impl RowLayout<'_> {
    /// The key of the row.
    pub fn key(&self) -> &str {
        match self {
            Self::Field(field) => &field.key,
            Self::Empty { key, .. } => &key.key,
        }
    }
}

impl<'a> FormLayout<'a> {
    /// Arranges the fields of a document by its schema.
    pub fn of(schema: &'a Schema, fields: &'a [Field]) -> Self {
        let arranging = Arranging::new(schema, fields);
        let groups = arranging.by_visit();
        let visits = groups.iter().filter_map(|group| match group.head {
            GroupHead::Visit(visit) => Some(visit),
            GroupHead::Document | GroupHead::UnknownVisit => None,
        });
        Self { visits: visits.collect(), keys: arranging.keys(), sections: arranging.sections(groups) }
    }
}

struct Arranging<'a> {
    schema: &'a Schema,
    fields: &'a [Field],
    /// The ids of all sections, in the order of the schema.
    sections: Vec<&'a str>,
    /// The section that shows the visits: the one of the key that says when a visit was.
    visits_section: &'a str,
}

impl<'a> Arranging<'a> {
    fn new(schema: &'a Schema, fields: &'a [Field]) -> Self {
        let date = schema.visit_date().and_then(|place| schema.keys[place].section.as_deref());
        let visits_section = date.unwrap_or(VISITS_SECTION);
        let mut sections: Vec<&str> = schema.sections.iter().map(|section| section.id.as_str()).collect();
        let has_visits = schema.keys.iter().any(|key| key.scope != Scope::Document);
        for (always, is_needed) in [(visits_section, has_visits), (OTHER_SECTION, true)] {
            if is_needed && !sections.contains(&always) {
                sections.push(always);
            }
        }
        Self { schema, fields, sections, visits_section }
    }

    fn is_hidden(&self, field: &Field) -> bool {
        self.schema.key(&field.key).is_some_and(|key| key.hidden)
    }

    /// The section of a field without a visit.
    fn section_of(&self, field: &Field) -> &'a str {
        match self.schema.key(&field.key) {
            None => OTHER_SECTION,
            // Date and reason of an unknown visit.
            Some(key) if key.scope == Scope::VisitHead => OTHER_SECTION,
            Some(key) if key.scope == Scope::Visit => self.visits_section,
            Some(key) => self.section_of_key(key),
        }
    }

    fn section_of_key(&self, key: &'a SchemaKey) -> &'a str {
        // The section of the visits shows only visits.
        let is_free = |section: &&str| key.scope != Scope::Document || *section != self.visits_section;
        let own = key.section.as_deref().filter(|section| self.sections.contains(section)).filter(is_free);
        let has_report = self.sections.contains(&REPORT_SECTION);
        own.unwrap_or(if has_report { REPORT_SECTION } else { OTHER_SECTION })
    }

    /// Every key, by its section.
    fn keys(&self) -> Vec<(&'a SchemaKey, &'a str)> {
        let shown = self.schema.keys.iter().filter(|key| !key.hidden);
        let mut keys: Vec<_> = shown.map(|key| (key, self.section_of_key(key))).collect();
        keys.sort_by_key(|(_, section)| self.sections.iter().position(|id| id == section));
        keys
    }

    /// The sections with rows, and those that say what they lack.
    fn sections(&self, visits: Vec<GroupLayout<'a>>) -> Vec<SectionLayout<'a>> {
        let mut visits = Some(visits);
        let section = |id: &'a str| {
            let is_of_visits = id == self.visits_section;
            let groups =
                if is_of_visits { visits.take().unwrap_or_default() } else { vec![self.of_document(id)] };
            let is_bare = groups.iter().all(|group| group.rows.is_empty());
            let lacks = if is_of_visits {
                groups.iter().all(|group| group.head == GroupHead::Document).then_some(Lacking::Visits)
            } else {
                (id == OTHER_SECTION && is_bare).then_some(Lacking::OtherFields)
            };
            (!is_bare || lacks.is_some()).then_some(SectionLayout { id, groups, lacks })
        };
        self.sections.iter().copied().filter_map(section).collect()
    }

    /// The rows of a section without visits: every key of the section, then other fields.
    fn of_document(&self, section: &str) -> GroupLayout<'a> {
        let mut own: Vec<&Field> = self
            .fields
            .iter()
            .filter(|field| field.visit_id.is_none() && !self.is_hidden(field))
            .filter(|field| self.section_of(field) == section)
            .collect();
        if section == OTHER_SECTION {
            own.extend(self.repeated_about_visits());
        }
        let keys = self.schema.keys.iter().filter(|key| key.scope == Scope::Document && !key.hidden);
        let keys = keys.filter(|key| self.section_of_key(key) == section);
        self.group(GroupHead::Document, &own, keys)
    }

    /// Fields that repeat a value about a visit itself.
    fn repeated_about_visits(&self) -> impl Iterator<Item = &'a Field> {
        let mut seen: HashSet<(&str, &str)> = HashSet::new();
        self.fields.iter().filter(move |field| {
            let Some(visit) = field.visit_id.as_deref() else { return false };
            let is_about = self.schema.scope(&field.key) == Scope::VisitHead;
            is_about && !seen.insert((visit, field.key.as_str()))
        })
    }

    /// The visits by date, visits without a date last, then fields of an unknown visit.
    fn by_visit(&self) -> Vec<GroupLayout<'a>> {
        let repeated: HashSet<_> = self.repeated_about_visits().map(|field| field.field_id).collect();
        // A record may have thousands of visits, so each field is looked at once.
        let (mut order, mut places) = (Vec::<(&'a str, Vec<&'a Field>)>::new(), HashMap::new());
        for field in self.fields.iter().filter(|field| !repeated.contains(&field.field_id)) {
            let Some(visit) = field.visit_id.as_deref().filter(|visit| *visit != UNASSIGNED) else {
                continue;
            };
            let place = *places.entry(visit).or_insert_with(|| {
                order.push((visit, Vec::new()));
                order.len() - 1
            });
            order[place].1.push(field);
        }
        order.sort_by_cached_key(|(_, own)| visit_date(own).unwrap_or(NO_DATE).to_owned());
        // A key without a value in any visit has its empty row in the newest visit.
        let newest = order.iter().rposition(|(_, own)| visit_date(own).is_some());
        let newest = newest.or(order.len().checked_sub(1));
        let found: HashSet<&str> = self.fields.iter().map(|field| field.key.as_str()).collect();
        let nowhere: Vec<&'a SchemaKey> =
            self.visit_keys().filter(|key| !found.contains(key.key.as_str())).collect();
        let mut groups: Vec<GroupLayout<'a>> = order
            .iter()
            .enumerate()
            .map(|(place, (visit, own))| {
                self.of_visit(visit, own, if newest == Some(place) { &nowhere } else { &[] })
            })
            .collect();
        if groups.is_empty() && !nowhere.is_empty() {
            groups.push(self.group(GroupHead::Document, &[], nowhere.into_iter()));
        }
        let is_left = |field: &&Field| match field.visit_id.as_deref() {
            None => self.section_of(field) == self.visits_section,
            Some(visit) => visit == UNASSIGNED,
        };
        let left: Vec<&'a Field> = self.fields.iter().filter(is_left).collect();
        if !left.is_empty() {
            groups.push(self.group(GroupHead::UnknownVisit, &left, std::iter::empty()));
        }
        groups
    }

    /// The keys of visits.
    fn visit_keys(&self) -> impl Iterator<Item = &'a SchemaKey> {
        self.schema.keys.iter().filter(|key| key.scope != Scope::Document && !key.hidden)
    }

    /// A visit has rows for the keys that every visit has, and for `others`.
    fn of_visit(&self, id: &'a str, own: &[&'a Field], others: &[&'a SchemaKey]) -> GroupLayout<'a> {
        let keys = self.visit_keys().filter(|key| {
            let is_usual = if key.scope == Scope::VisitHead { !key.optional } else { key.critical };
            is_usual || others.iter().any(|other| other.key == key.key)
        });
        self.group(GroupHead::Visit(VisitLayout { id, date: visit_date(own) }), own, keys)
    }

    /// The fields in the order of the schema, with empty rows for keys without a value.
    fn group(
        &self,
        head: GroupHead<'a>,
        fields: &[&'a Field],
        keys: impl Iterator<Item = &'a SchemaKey>,
    ) -> GroupLayout<'a> {
        let place = |name: &str| {
            let place = self.schema.keys.iter().position(|key| key.key == name);
            // Date and reason of a visit come first.
            (self.schema.scope(name) != Scope::VisitHead, place.unwrap_or(usize::MAX))
        };
        let visit = match head {
            GroupHead::Visit(visit) => Some(visit.id),
            GroupHead::Document | GroupHead::UnknownVisit => None,
        };
        let is_missing = |key: &&SchemaKey| fields.iter().all(|field| field.key != key.key);
        let mut rows: Vec<_> = fields.iter().copied().map(RowLayout::Field).collect();
        rows.extend(keys.filter(is_missing).map(|key| RowLayout::Empty { key, visit }));
        rows.sort_by_key(|row| place(row.key()));
        GroupLayout { head, fields: fields.len(), rows }
    }
}

/// When a visit was, if one of its fields says so.
fn visit_date<'a>(fields: &[&'a Field]) -> Option<&'a str> {
    let date = fields.iter().find(|field| field.key == VISIT_DATE && !field.value.is_empty());
    match date.map(|field| &field.value) {
        Some(Value::Text(date)) => Some(date),
        _ => None,
    }
}

#[cfg(test)]
#[path = "review_form_tests.rs"]
mod tests;
