//! What an edit of an old version means for the version that is active now.
//!
//! Two people edit the same version, or a document is processed again while somebody edits it. The second batch is refused,
//! and this module says for each edit of the batch whether it is already made, can be made without loss, or contradicts the
//! other person; and which edit makes it on top of the active version.

mod fields;
mod matching;
mod visits;

use std::collections::HashSet;

use quire_domain::ids::FieldId;

use self::matching::Versions;
use super::EditOperation;
use crate::compare::{Difference, compare};
use crate::{Field, Schema, Value};

/// What became of a requested edit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EditStatus {
    /// The active version already is as requested.
    Done,
    /// Nobody else touched the field: the edit can be made.
    #[default]
    Free,
    /// Somebody else has changed or deleted the field: a person has to choose.
    Conflict,
}

impl EditStatus {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Done, Self::Free, Self::Conflict];

    /// The form that clients see.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "DONE",
            Self::Free => "FREE",
            Self::Conflict => "CONFLICT",
        }
    }
}

/// A requested edit, checked against the active version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckedEdit {
    /// Its place in the request, from 0.
    pub index: usize,
    /// What became of it.
    pub status: EditStatus,
    /// The key of the field; none for an edit of a whole visit.
    pub key: Option<String>,
    /// The visit of the field.
    pub visit_id: Option<String>,
    /// The value in the version that was edited.
    pub was: Value,
    /// The value in the active version.
    pub theirs: Value,
    /// Whether the active version no longer has the field, or its visit.
    pub theirs_deleted: bool,
    /// The value that was requested; null for a deletion.
    pub requested: Value,
    /// The edit that does it on top of the active version; none if nothing is left to do.
    pub retry: Option<EditOperation>,
    /// The fields of either version that the edit is about.
    pub fields: Vec<FieldId>,
}

/// A refused batch, edit by edit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConflictReport {
    /// Every requested edit, in order.
    pub edits: Vec<CheckedEdit>,
    /// How many other fields differ between the two versions.
    pub other_changes: usize,
}

/// Checks the edits that were requested for `base` against `active`. `schema` is that of the active version's run.
pub fn find_conflicts(
    base: &[Field],
    active: &[Field],
    is_same_run: bool,
    schema: &Schema,
    batch: &[EditOperation],
) -> ConflictReport {
    let check = Check { versions: Versions::new(base, active, is_same_run, schema), batch };
    let edits: Vec<CheckedEdit> = (0..batch.len()).map(|index| check.edit(index)).collect();
    let concerned: HashSet<FieldId> = edits.iter().flat_map(|edit| edit.fields.iter().copied()).collect();
    let is_concerned = |field: Option<&Field>| field.is_some_and(|field| concerned.contains(&field.field_id));
    let rows = compare(base, active, schema);
    let others = rows
        .iter()
        .filter(|row| row.difference != Difference::Same && !is_concerned(row.from) && !is_concerned(row.to));
    ConflictReport { other_changes: others.count(), edits }
}

struct Check<'f> {
    versions: Versions<'f>,
    batch: &'f [EditOperation],
}

impl Check<'_> {
    fn edit(&self, index: usize) -> CheckedEdit {
        let checked = match &self.batch[index] {
            EditOperation::Add { key, value, value_type, visit_id } => {
                self.add(key, value, *value_type, visit_id.as_deref())
            }
            EditOperation::Update { field, value, value_type, visit_id } => {
                self.update(*field, value.as_ref(), *value_type, visit_id.as_ref())
            }
            EditOperation::Delete { field } => self.delete(*field),
            EditOperation::Restore { field } => self.restore(*field),
            EditOperation::RestoreVisit { visit_id } => self.restore_visit(visit_id),
            EditOperation::AddVisit { visit_id, metadata } => self.add_visit(visit_id.as_deref(), metadata),
            EditOperation::UpdateVisit { visit_id, metadata } => self.update_visit(visit_id, metadata),
            EditOperation::DeleteVisit { visit_id } => self.delete_visit(visit_id),
        };
        if self.is_superseded(index) {
            return CheckedEdit { index, status: EditStatus::Done, retry: None, ..checked };
        }
        CheckedEdit { index, ..checked }
    }

    /// Whether a later edit of the same batch overwrites this one.
    fn is_superseded(&self, index: usize) -> bool {
        let EditOperation::Update { field, visit_id, .. } = &self.batch[index] else { return false };
        self.batch[index + 1..].iter().any(|later| match later {
            EditOperation::Delete { field: other } => other == field,
            EditOperation::Update { field: other, value: Some(_), .. } => {
                other == field && visit_id.is_none()
            }
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests;
