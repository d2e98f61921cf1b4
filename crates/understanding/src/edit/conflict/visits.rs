//! Edits of whole visits.

use quire_domain::ids::FieldId;

use super::matching::is_same_value;
use super::{Check, CheckedEdit, EditStatus};
use crate::edit::{EditOperation, is_visit_id};
use crate::{Field, Value};

impl Check<'_> {
    pub(super) fn add_visit(&self, id: Option<&str>, metadata: &[(String, Value)]) -> CheckedEdit {
        let is_it = |visit: &&str| match id {
            Some(id) if self.versions.is_same_run() => *visit == id,
            _ => self.has_metadata(visit, metadata),
        };
        let mut new = self.versions.active_visits().filter(|visit| self.versions.is_new_visit(visit));
        if let Some(found) = new.find(is_it) {
            let fields = self.versions.active_fields(|field| field.visit_id.as_deref() == Some(found));
            return of_visit(EditStatus::Done, found, None, &fields);
        }
        let is_free = |id: &&str| is_visit_id(id) && !self.versions.has_active_visit(id);
        let visit_id = id.filter(is_free).map(str::to_owned);
        let again = EditOperation::AddVisit { visit_id, metadata: metadata.to_vec() };
        CheckedEdit { visit_id: id.map(str::to_owned), retry: Some(again), ..CheckedEdit::default() }
    }

    fn has_metadata(&self, visit: &str, metadata: &[(String, Value)]) -> bool {
        metadata.iter().all(|(key, value)| {
            is_same_value(value, &self.active_value(visit, key).0, self.versions.value_type(key, None))
        })
    }

    /// The value of a key of a visit in the active version, and its field.
    fn active_value(&self, visit: &str, key: &str) -> (Value, Option<FieldId>) {
        let fields =
            self.versions.active_fields(|field| field.key == key && field.visit_id.as_deref() == Some(visit));
        fields.first().map(|field| (field.value.clone(), Some(field.field_id))).unwrap_or_default()
    }

    pub(super) fn update_visit(&self, id: &str, metadata: &[(String, Value)]) -> CheckedEdit {
        let Some(visit) = self.target_visit(id) else {
            let left: Vec<_> = metadata.iter().filter(|(_, value)| !value.is_empty()).cloned().collect();
            let status = if left.is_empty() { EditStatus::Done } else { EditStatus::Conflict };
            let again = EditOperation::AddVisit { visit_id: Some(id.to_owned()), metadata: left };
            // An id that no visit can have was never one, so there is nothing to add again.
            let retry = (status == EditStatus::Conflict && is_visit_id(id)).then_some(again);
            return CheckedEdit { theirs_deleted: true, ..of_visit(status, id, retry, &[]) };
        };
        let mut checked = of_visit(EditStatus::Done, &visit, None, &[]);
        let mut left = Vec::new();
        for (key, requested) in metadata {
            let was =
                self.versions.base_fields(|field| field.key == *key && field.visit_id.as_deref() == Some(id));
            let was = was.first().map(|field| field.value.clone()).unwrap_or_default();
            let (theirs, field) = self.active_value(&visit, key);
            let kind = self.versions.value_type(key, None);
            checked.fields.extend(field);
            if is_same_value(requested, &theirs, kind) {
                continue;
            }
            left.push((key.clone(), requested.clone()));
            let is_conflict = !is_same_value(&was, &theirs, kind);
            if checked.status != EditStatus::Conflict {
                checked.status = if is_conflict { EditStatus::Conflict } else { EditStatus::Free };
                checked.theirs_deleted = is_conflict && theirs.is_empty();
                let (key, requested) = (Some(key.clone()), requested.clone());
                checked = CheckedEdit { key, was, theirs, requested, ..checked };
            }
        }
        let again = EditOperation::UpdateVisit { visit_id: visit, metadata: left };
        CheckedEdit { retry: (checked.status != EditStatus::Done).then_some(again), ..checked }
    }

    pub(super) fn delete_visit(&self, id: &str) -> CheckedEdit {
        let base = self.versions.base_fields(|field| field.visit_id.as_deref() == Some(id));
        match self.versions.active_visit(id) {
            None => CheckedEdit { theirs_deleted: true, ..of_visit(EditStatus::Done, id, None, &base) },
            Some(visit) => {
                let retry = EditOperation::DeleteVisit { visit_id: visit.clone() };
                of_visit(EditStatus::Free, &visit, Some(retry), &base)
            }
        }
    }

    pub(super) fn restore_visit(&self, id: &str) -> CheckedEdit {
        let status = match (self.versions.is_same_run(), self.versions.has_active_visit(id)) {
            (true, true) => EditStatus::Done,
            (true, false) => EditStatus::Free,
            (false, _) => EditStatus::Conflict,
        };
        let again = EditOperation::RestoreVisit { visit_id: id.to_owned() };
        of_visit(status, id, (status == EditStatus::Free).then_some(again), &[])
    }

    /// The id of a visit in the active version, or of one that the same request adds; none if it was deleted.
    pub(super) fn target_visit(&self, id: &str) -> Option<String> {
        let is_added = |edit: &EditOperation| matches!(edit, EditOperation::AddVisit { visit_id: Some(added), .. } if added == id);
        let added = || self.batch.iter().any(is_added).then(|| id.to_owned());
        self.versions.active_visit(id).or_else(added)
    }
}

fn of_visit(status: EditStatus, visit: &str, retry: Option<EditOperation>, fields: &[&Field]) -> CheckedEdit {
    CheckedEdit {
        status,
        visit_id: Some(visit.to_owned()),
        retry,
        fields: fields.iter().map(|field| field.field_id).collect(),
        ..CheckedEdit::default()
    }
}
