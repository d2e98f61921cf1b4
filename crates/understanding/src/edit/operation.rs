//! What an edit asks for, and what became of it.

use crate::structural_change::StructuralEdit;
use crate::{Field, Value, ValueType};
use quire_domain::ids::FieldId;

/// One edit.
#[derive(Clone, Debug, PartialEq)]
pub enum EditOperation {
    /// Adds a field.
    Add {
        /// The key. It need not be in the schema.
        key: String,
        /// The value of the new field.
        value: Value,
        /// The type of the value. Without it, the type in the schema.
        value_type: Option<ValueType>,
        /// The visit of the field. It must exist.
        visit_id: Option<String>,
    },
    /// Changes the value of a field, its visit, or both.
    Update {
        /// The field to change.
        field: FieldId,
        /// The new value. Without it, the value stays.
        value: Option<Value>,
        /// The type of the new value. Without it, the type stays.
        value_type: Option<ValueType>,
        /// The new visit. Without it, the visit stays.
        visit_id: Option<VisitAssignment>,
    },
    /// Deletes a field.
    Delete {
        /// The field to delete.
        field: FieldId,
    },
    /// Brings back a deleted field as it last was, with its evidence. A field that is there stays as it is.
    Restore {
        /// The field to bring back.
        field: FieldId,
    },
    /// Adds a visit.
    AddVisit {
        /// The id of the visit. Without it, a new one.
        visit_id: Option<String>,
        /// Metadata keys with their values.
        metadata: Vec<(String, Value)>,
    },
    /// Changes the metadata of a visit. Null deletes a value.
    UpdateVisit {
        /// The visit to change.
        visit_id: String,
        /// Metadata keys with their values.
        metadata: Vec<(String, Value)>,
    },
    /// Deletes a visit and all its fields.
    DeleteVisit {
        /// The visit to delete.
        visit_id: String,
    },
    /// Brings back a deleted visit with the fields that were deleted with it.
    RestoreVisit {
        /// The visit to bring back.
        visit_id: String,
    },
}

/// The visit that a field moves to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VisitAssignment {
    /// Another visit.
    To(String),
    /// No visit.
    None,
}

/// Why a batch was refused. None of its edits is applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("changes[{index}].{member}: {message}")]
pub struct InvalidEdit {
    /// The index of the edit in the batch, from 0.
    pub index: usize,
    /// The member of the edit that is invalid.
    pub member: &'static str,
    /// What the member must be.
    pub message: String,
}

/// How a field changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum ChangeType {
    Add,
    Update,
    Delete,
}

impl ChangeType {
    /// The name that is stored and that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "ADD",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }

    /// The type of that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Add, Self::Update, Self::Delete].into_iter().find(|kind| kind.as_str() == name)
    }
}

/// One change of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldChange {
    /// Whether the field was added, updated or deleted.
    pub change_type: ChangeType,
    /// The field that changed.
    pub field_id: FieldId,
    /// The key of the field.
    pub field_key: String,
    /// The path of what changed: `fields.{field_id}.value`, or `.visit_id`.
    pub field_path: String,
    /// The type of the value.
    pub value_type: ValueType,
    /// The value before.
    pub old_value: Value,
    /// The value after.
    pub new_value: Value,
    /// The rule or model that found the old value.
    pub mapping_id: Option<String>,
}

/// The outcome of a batch of edits.
#[derive(Clone, Debug, PartialEq)]
pub struct EditOutcome {
    /// The fields of the new version.
    pub fields: Vec<Field>,
    /// The changes, in order. Without changes there is no new version.
    pub changes: Vec<FieldChange>,
    /// Edits that suggest a change of the schema.
    pub structural_edits: Vec<StructuralEdit>,
}
