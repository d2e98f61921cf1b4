//! What edits suggest about the schema, and what people decide about it.
//!
//! One edit that adds an unknown key or deletes a key says little. The same edit on many documents suggests that the
//! schema should change. Such edits are collected as candidates. People decide about them; an approval makes a new
//! version of the schema for later runs.

use jiff::Timestamp;
use quire_domain::{Event, EventType};
use serde::{Deserialize, Serialize};

use super::edit::{ChangeType, FieldChange};
use super::review_form::OTHER_SECTION;
use super::rules::label_form;
use super::{Evidence, Field, Schema, SchemaKey, ValueType, WordList};

/// A change of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SchemaChangeType {
    /// A key that the schema does not have.
    NewKey,
    /// A key gets another name that the schema does not have.
    KeyRename,
    /// A key that people delete.
    KeyDeprecation,
    /// Values that were found under one key belong to another.
    KeyMapping,
}

/// The status of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[allow(missing_docs)]
pub enum CandidateStatus {
    #[default]
    Pending,
    Approved,
    Rejected,
    Deferred,
}

/// A person's decision about a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionType {
    /// The schema changes.
    Approve,
    /// The schema does not change.
    Reject,
    /// Decide later.
    Defer,
    /// The key is critical. The candidate is pending again.
    FlagCritical,
}

macro_rules! names {
    ($kind:ident: $($variant:ident = $name:literal),+) => {
        impl $kind {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name that is stored and that the API shows.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// The value of that name.
            pub fn parse(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == name)
            }
        }
    };
}

names!(SchemaChangeType: NewKey = "NEW_KEY", KeyRename = "KEY_RENAME", KeyDeprecation = "KEY_DEPRECATION", KeyMapping = "KEY_MAPPING");
names!(CandidateStatus: Pending = "PENDING", Approved = "APPROVED", Rejected = "REJECTED", Deferred = "DEFERRED");
names!(DecisionType: Approve = "APPROVE", Reject = "REJECT", Defer = "DEFER", FlagCritical = "FLAG_CRITICAL");

/// The events of a decision: the decision itself, and the schema version if it made one.
pub fn decision_events(reviewer: &str, makes_version: bool, at: Timestamp) -> Vec<Event> {
    let event = |event_type| Event { actor: Some(reviewer.to_owned()), ..Event::new(event_type, at) };
    let mut events = vec![event(EventType::GovernanceDecisionRecorded)];
    events.extend(makes_version.then(|| event(EventType::SchemaVersionCreated)));
    events
}

/// An edit that says something about the schema.
#[derive(Clone, Debug, PartialEq)]
pub struct StructuralEdit {
    /// The suggested change.
    pub change: SchemaChangeType,
    /// The key that is replaced, if one is.
    pub source_key: Option<String>,
    /// The key that the change is about.
    pub target_key: String,
    /// Where the value stands in the document.
    pub evidence: Option<Evidence>,
    /// Whether a critical key is concerned.
    pub touches_critical: bool,
}

/// The changes of the schema that these edits suggest.
pub(super) fn structural_edits(
    before: &[Field],
    after: &[Field],
    changes: &[FieldChange],
    schema: &Schema,
) -> Vec<StructuralEdit> {
    let is_left = |key: &str| after.iter().any(|field| field.key == key);
    let mut added: Vec<&FieldChange> =
        changes.iter().filter(|change| change.change_type == ChangeType::Add).collect();
    let mut found = Vec::new();
    for gone in changes.iter().filter(|change| change.change_type == ChangeType::Delete) {
        if is_left(&gone.field_key) {
            continue;
        }
        let evidence = before.iter().find(|field| field.field_id == gone.field_id);
        let evidence = evidence.and_then(|field| field.evidence.clone());
        let moved = added.iter().position(|new| {
            !gone.old_value.is_empty() && new.new_value.is_same(&gone.old_value, gone.value_type)
        });
        let (change, source_key, target_key) = match moved.map(|place| added.remove(place)) {
            Some(new) if schema.key(&new.field_key).is_some() => {
                (SchemaChangeType::KeyMapping, Some(gone.field_key.clone()), new.field_key.clone())
            }
            Some(new) => (SchemaChangeType::KeyRename, Some(gone.field_key.clone()), new.field_key.clone()),
            None => (SchemaChangeType::KeyDeprecation, None, gone.field_key.clone()),
        };
        found.push(edit(change, source_key, target_key, evidence, schema));
    }
    let unknown = added.into_iter().filter(|new| schema.key(&new.field_key).is_none());
    found
        .extend(unknown.map(|new| edit(SchemaChangeType::NewKey, None, new.field_key.clone(), None, schema)));
    // Equal edits in one batch count once. The order is fixed, so that concurrent writers lock in the same order.
    let what = |edit: &StructuralEdit| (edit.change, edit.source_key.clone(), edit.target_key.clone());
    found.sort_by_key(what);
    found.dedup_by_key(|edit| what(edit));
    found
}

fn edit(
    change: SchemaChangeType,
    source_key: Option<String>,
    target_key: String,
    evidence: Option<Evidence>,
    schema: &Schema,
) -> StructuralEdit {
    let touches_critical =
        schema.is_critical(&target_key) || source_key.as_deref().is_some_and(|key| schema.is_critical(key));
    StructuralEdit { change, source_key, target_key, evidence, touches_critical }
}

/// The status of a candidate after a decision. None if the candidate is already decided for good.
pub fn status_after(status: CandidateStatus, decision: DecisionType) -> Option<CandidateStatus> {
    match (status, decision) {
        // The schema has changed. Another decision cannot undo that; another candidate can.
        (CandidateStatus::Approved, _) => None,
        (_, DecisionType::Approve) => Some(CandidateStatus::Approved),
        (_, DecisionType::Reject) => Some(CandidateStatus::Rejected),
        (_, DecisionType::Defer) => Some(CandidateStatus::Deferred),
        (_, DecisionType::FlagCritical) => Some(CandidateStatus::Pending),
    }
}

/// An approved change of the schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval<'c> {
    /// The key that is replaced, if one is.
    pub source_key: Option<&'c str>,
    /// The key that the change is about.
    pub target_key: &'c str,
    /// Whether that key becomes critical.
    pub critical: bool,
    /// Words before its values in the documents that suggest the change, the most frequent first.
    pub labels: Vec<String>,
}

impl Schema {
    /// The schema after an approval, and a summary of the change.
    pub fn with_approval(&self, change: SchemaChangeType, approval: &Approval<'_>) -> (Self, String) {
        let mut schema = self.clone();
        let target = approval.target_key;
        let summary = match (change, approval.source_key) {
            (SchemaChangeType::KeyDeprecation, _) => {
                schema.keys.retain(|key| key.key != target);
                format!("removed {target}")
            }
            (SchemaChangeType::KeyRename, Some(source)) => {
                schema.rename(source, target);
                format!("renamed {source} to {target}")
            }
            (SchemaChangeType::KeyMapping, Some(source)) => {
                schema.move_labels(source, target);
                format!("moved the labels of {source} to {target}")
            }
            (SchemaChangeType::NewKey | SchemaChangeType::KeyRename | SchemaChangeType::KeyMapping, _) => {
                schema.add_key_if_missing(target);
                format!("added {target}")
            }
        };
        let is_about_values = matches!(change, SchemaChangeType::NewKey | SchemaChangeType::KeyRename);
        let labels = if is_about_values { schema.add_labels(target, &approval.labels) } else { Vec::new() };
        let summary = match &labels[..] {
            [] => summary,
            labels => format!("{summary} with the labels {}", labels.join(", ")),
        };
        if approval.critical
            && let Some(key) = schema.keys.iter_mut().find(|key| key.key == target)
        {
            key.critical = true;
        }
        (schema, summary)
    }

    fn rename(&mut self, source: &str, target: &str) {
        let is_there = self.key(target).is_some();
        match self.keys.iter_mut().find(|key| key.key == source) {
            Some(key) if !is_there => target.clone_into(&mut key.key),
            _ => self.add_key_if_missing(target),
        }
    }

    /// Moves the labels of one key to another.
    fn move_labels(&mut self, source: &str, target: &str) {
        self.add_key_if_missing(target);
        let source = self.keys.iter_mut().find(|key| key.key == source);
        let labels = source.map(|key| std::mem::take(&mut key.labels)).unwrap_or_default();
        if let Some(target) = self.keys.iter_mut().find(|key| key.key == target) {
            target.labels.merge(&labels);
        }
    }

    /// Adds labels to a key, except those that another key has. They are labels of no key no more. Returns those that are new.
    fn add_labels(&mut self, target: &str, labels: &[String]) -> Vec<String> {
        let owner = |label: &String| {
            let form = label_form(label);
            self.keys.iter().find(|key| key.labels.iter().any(|own| label_form(own) == form))
        };
        let new: Vec<String> = labels.iter().filter(|label| owner(label).is_none()).cloned().collect();
        let others = self.other_labels.languages().map(|(language, words)| {
            let is_left = |word: &&String| !new.iter().any(|label| label_form(label) == label_form(word));
            (language.to_owned(), words.iter().filter(is_left).cloned().collect())
        });
        self.other_labels = WordList::by_language(others.collect::<Vec<(String, Vec<String>)>>());
        if let Some(key) = self.keys.iter_mut().find(|key| key.key == target) {
            key.labels.merge(&WordList::from(new.clone()));
        }
        new
    }

    fn add_key_if_missing(&mut self, name: &str) {
        if self.key(name).is_some() {
            return;
        }
        let other = self.sections.iter().find(|section| section.id == OTHER_SECTION);
        self.keys.push(SchemaKey {
            key: name.to_owned(),
            labels: WordList::from(vec![name.replace('_', " ")]),
            section: other.map(|section| section.id.clone()),
            value_type: ValueType::String,
            optional: true,
            ..SchemaKey::default()
        });
    }
}

#[cfg(test)]
#[path = "structural_change_tests.rs"]
mod tests;
