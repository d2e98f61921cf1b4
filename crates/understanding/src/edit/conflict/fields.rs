//! Edits of fields.

use quire_domain::ids::FieldId;

use super::matching::is_same_value;
use super::{Check, CheckedEdit, EditStatus};
use crate::edit::{EditOperation, VisitAssignment};
use crate::{Field, Value, ValueType};

impl<'f> Check<'f> {
    pub(super) fn update(
        &self,
        id: FieldId,
        value: Option<&Value>,
        value_type: Option<ValueType>,
        visit: Option<&VisitAssignment>,
    ) -> CheckedEdit {
        let was = self.versions.base_field(id);
        let requested = value.or(was.map(|was| &was.value)).cloned().unwrap_or_default();
        let target = visit.map(|visit| self.target(visit));
        let Some(now) = self.now(id, was) else {
            return self.update_of_deleted(was, requested, value_type, target.as_ref());
        };
        let kind = value_type.unwrap_or(now.value_type);
        let has_value =
            value.is_none_or(|value| kind == now.value_type && is_same_value(value, &now.value, kind));
        let has_visit = target.as_ref().is_none_or(|target| visit_of(target) == now.visit_id.as_deref());
        let is_untouched = was.is_some_and(|was| is_same_value(&was.value, &now.value, now.value_type));
        let status = match (has_value, has_visit) {
            (true, true) => EditStatus::Done,
            (true, false) => EditStatus::Free,
            _ if is_untouched => EditStatus::Free,
            _ => EditStatus::Conflict,
        };
        let retry = EditOperation::Update {
            field: now.field_id,
            value: value.filter(|_| !has_value).cloned(),
            value_type: value_type.filter(|_| !has_value),
            visit_id: target.filter(|_| !has_visit),
        };
        let checked = of_field(was, Some(now), requested);
        CheckedEdit { status, retry: (status != EditStatus::Done).then_some(retry), ..checked }
    }

    /// An update of a field that was deleted: insisting adds the field again.
    fn update_of_deleted(
        &self,
        was: Option<&'f Field>,
        requested: Value,
        value_type: Option<ValueType>,
        target: Option<&VisitAssignment>,
    ) -> CheckedEdit {
        let kind = |was: &Field| value_type.unwrap_or(was.value_type);
        // A newer run may have read the requested value itself, or somebody may have added it again.
        let is_there = was.is_some_and(|was| {
            self.versions.of_same_place(was).into_iter().any(|field| {
                is_same_value(&requested, &field.value, kind(was))
                    && (!self.versions.is_same_run() || self.versions.is_new(field))
            })
        });
        let is_done = is_there || requested.is_empty();
        let was_at = || was.and_then(|was| self.versions.active_visit(was.visit_id.as_deref()?));
        let visit_id = target.map_or_else(was_at, |target| visit_of(target).map(str::to_owned));
        let retry = was.filter(|_| !is_done).map(|was| EditOperation::Add {
            key: was.key.clone(),
            value: requested.clone(),
            value_type: Some(kind(was)),
            visit_id,
        });
        let status = if is_done { EditStatus::Done } else { EditStatus::Conflict };
        CheckedEdit { status, retry, ..of_field(was, None, requested) }
    }

    pub(super) fn delete(&self, id: FieldId) -> CheckedEdit {
        let was = self.versions.base_field(id);
        let now = self.now(id, was);
        let is_untouched = |now: &Field| {
            now.value.is_empty()
                || was.is_some_and(|was| is_same_value(&was.value, &now.value, now.value_type))
        };
        let status = match now {
            None => EditStatus::Done,
            Some(now) if is_untouched(now) => EditStatus::Free,
            Some(_) => EditStatus::Conflict,
        };
        let retry = now.map(|now| EditOperation::Delete { field: now.field_id });
        CheckedEdit { status, retry, ..of_field(was, now, Value::Null) }
    }

    /// Nobody else can have changed a field that is not there. Versions of another run have other fields.
    pub(super) fn restore(&self, id: FieldId) -> CheckedEdit {
        let now = self.versions.unknown_field(id).or_else(|| self.versions.base_field(id));
        let status = match now {
            Some(_) => EditStatus::Done,
            None if self.versions.is_same_run() => EditStatus::Free,
            None => EditStatus::Conflict,
        };
        let again = EditOperation::Restore { field: id };
        let requested = now.map(|now| now.value.clone()).unwrap_or_default();
        let checked = of_field(None, now, requested);
        CheckedEdit { status, retry: (status == EditStatus::Free).then_some(again), ..checked }
    }

    pub(super) fn add(
        &self,
        key: &str,
        value: &Value,
        value_type: Option<ValueType>,
        visit_id: Option<&str>,
    ) -> CheckedEdit {
        let kind = self.versions.value_type(key, value_type);
        let visit = visit_id.map(|id| self.target_visit(id));
        let is_visit_deleted = visit.as_ref().is_some_and(Option::is_none);
        let visit = visit.flatten();
        let new = self.versions.active_fields(|field| {
            field.key == key && field.visit_id == visit && self.versions.is_new(field) && !is_visit_deleted
        });
        let same: Vec<_> = new
            .iter()
            .filter(|field| is_same_value(value, &field.value, kind))
            .map(|field| field.field_id)
            .collect();
        let other =
            new.into_iter().find(|field| !self.versions.is_repeatable(key) && !field.value.is_empty());
        let again = EditOperation::Add {
            key: key.to_owned(),
            value: value.clone(),
            value_type,
            visit_id: visit.clone(),
        };
        let (status, retry, other) = match other {
            _ if !same.is_empty() => (EditStatus::Done, None, None),
            Some(other) => {
                let (field, value) = (other.field_id, Some(value.clone()));
                let instead = EditOperation::Update { field, value, value_type: Some(kind), visit_id: None };
                (EditStatus::Conflict, Some(instead), Some(other))
            }
            None if is_visit_deleted => (EditStatus::Conflict, Some(again), None),
            None => (EditStatus::Free, Some(again), None),
        };
        CheckedEdit {
            status,
            key: Some(key.to_owned()),
            visit_id: visit_id.map(|id| visit.unwrap_or_else(|| id.to_owned())),
            theirs: other.map(|other| other.value.clone()).unwrap_or_default(),
            theirs_deleted: is_visit_deleted,
            requested: value.clone(),
            retry,
            fields: same.into_iter().chain(other.map(|other| other.field_id)).collect(),
            ..CheckedEdit::default()
        }
    }

    fn now(&self, id: FieldId, was: Option<&Field>) -> Option<&'f Field> {
        match was {
            Some(was) => self.versions.active_field(was),
            None => self.versions.unknown_field(id),
        }
    }

    /// The visit that a field is moved to, by its id in the active version.
    fn target(&self, visit: &VisitAssignment) -> VisitAssignment {
        match visit {
            VisitAssignment::To(id) => {
                VisitAssignment::To(self.target_visit(id).unwrap_or_else(|| id.clone()))
            }
            VisitAssignment::None => VisitAssignment::None,
        }
    }
}

fn of_field(was: Option<&Field>, now: Option<&Field>, requested: Value) -> CheckedEdit {
    let about = now.or(was);
    let value = |field: Option<&Field>| field.map(|field| field.value.clone()).unwrap_or_default();
    CheckedEdit {
        key: about.map(|field| field.key.clone()),
        visit_id: about.and_then(|field| field.visit_id.clone()),
        was: value(was),
        theirs: value(now),
        theirs_deleted: now.is_none(),
        requested,
        fields: was.into_iter().chain(now).map(|field| field.field_id).collect(),
        ..CheckedEdit::default()
    }
}

fn visit_of(assignment: &VisitAssignment) -> Option<&str> {
    match assignment {
        VisitAssignment::To(id) => Some(id),
        VisitAssignment::None => None,
    }
}
