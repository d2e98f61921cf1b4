//! Edits of an interpretation. A batch of edits makes one new version, or none if an edit is invalid.

pub mod conflict;
pub mod entered_text;
mod operation;

pub use operation::{ChangeType, EditOperation, EditOutcome, FieldChange, InvalidEdit, VisitAssignment};

use super::schema::is_key_name;
use super::structural_change;
use super::{Field, Origin, Schema, SchemaKey, Scope, Value, ValueType, visits};
use quire_domain::ids::FieldId;

/// The longest text of a field, in characters.
const MAX_TEXT_CHARS: usize = 10_000;
/// The most fields of an interpretation.
const MAX_FIELDS: usize = 5_000;

/// Fields of earlier versions of the run that an edit may bring back.
#[derive(Clone, Copy, Debug, Default)]
pub struct RestorableFields<'f> {
    /// The fields that the batch restores, as they were before they were deleted: see [`restored_by`].
    pub deleted: &'f [Field],
    /// The fields of the first version, as they were found.
    pub found: &'f [Field],
}

/// Applies a batch of edits to the fields of a version. A field that a person adds gets the confidence `neutral`. A field
/// that gets back the value and the visit that it was found with is as it was found: the correction is undone, and teaches
/// nothing.
pub fn apply_edits(
    before: &[Field],
    earlier: RestorableFields<'_>,
    schema: &Schema,
    neutral: f64,
    batch: &[EditOperation],
) -> Result<EditOutcome, InvalidEdit> {
    let RestorableFields { deleted, found } = earlier;
    let mut progress =
        EditInProgress { schema, neutral, deleted, fields: before.to_vec(), changes: Vec::new() };
    for (index, edit) in batch.iter().enumerate() {
        progress.apply(edit).map_err(|InvalidMember(member, message)| InvalidEdit {
            index,
            member,
            message,
        })?;
    }
    let is_changed = |field: &Field| progress.changes.iter().any(|change| change.field_id == field.field_id);
    for field in progress.fields.iter_mut().filter(|field| is_changed(field)) {
        if let Some(found) = found.iter().find(|found| is_undone(field, found)) {
            *field = found.clone();
        }
    }
    // Whether a field is critical depends on the schema alone.
    for field in &mut progress.fields {
        field.is_critical = schema.is_critical(&field.key);
    }
    // What is brought back is as it was, and suggests nothing.
    let is_new = |change: &&FieldChange| deleted.iter().all(|field| field.field_id != change.field_id);
    let new: Vec<FieldChange> = progress.changes.iter().filter(is_new).cloned().collect();
    let structural_edits = structural_change::structural_edits(before, &progress.fields, &new, schema);
    Ok(EditOutcome { fields: progress.fields, changes: progress.changes, structural_edits })
}

/// Whether a field again has the value and the visit that it was found with.
fn is_undone(field: &Field, found: &Field) -> bool {
    field.field_id == found.field_id
        && field.value_type == found.value_type
        && field.value.is_same(&found.value, found.value_type)
        && field.visit_id == found.visit_id
}

/// Whether a batch brings back this field, which the version that it edits no longer has.
pub fn restored_by(batch: &[EditOperation], field: &Field) -> bool {
    batch.iter().any(|edit| match edit {
        EditOperation::Restore { field: wanted } => *wanted == field.field_id,
        EditOperation::RestoreVisit { visit_id } => field.visit_id.as_ref() == Some(visit_id),
        _ => false,
    })
}

/// The member of an edit that is invalid, and what it must be.
struct InvalidMember(&'static str, String);

fn invalid<T>(member: &'static str, message: impl Into<String>) -> Result<T, InvalidMember> {
    Err(InvalidMember(member, message.into()))
}

struct EditInProgress<'s> {
    schema: &'s Schema,
    neutral: f64,
    /// The fields that can be brought back.
    deleted: &'s [Field],
    fields: Vec<Field>,
    changes: Vec<FieldChange>,
}

impl EditInProgress<'_> {
    fn apply(&mut self, edit: &EditOperation) -> Result<(), InvalidMember> {
        match edit {
            EditOperation::Add { key, value, value_type, visit_id } => {
                if let Some(visit_id) = visit_id {
                    self.require_visit(visit_id)?;
                }
                self.add(key, value.clone(), *value_type, visit_id.clone())
            }
            EditOperation::Update { field, value, value_type, visit_id } => {
                let index = self.index_of(*field)?;
                if let Some(value) = value {
                    self.set(index, value.clone(), *value_type)?;
                }
                match visit_id {
                    Some(VisitAssignment::To(visit_id)) => self.assign(index, Some(visit_id.clone())),
                    Some(VisitAssignment::None) => self.assign(index, None),
                    None => Ok(()),
                }
            }
            EditOperation::Delete { field } => {
                let index = self.index_of(*field)?;
                self.remove(index);
                Ok(())
            }
            EditOperation::Restore { field } => self.restore(*field),
            EditOperation::RestoreVisit { visit_id } => self.restore_visit(visit_id),
            EditOperation::AddVisit { visit_id, metadata } => self.add_visit(visit_id.as_deref(), metadata),
            EditOperation::UpdateVisit { visit_id, metadata } => self.update_visit(visit_id, metadata),
            EditOperation::DeleteVisit { visit_id } => self.delete_visit(visit_id),
        }
    }

    fn add(
        &mut self,
        key: &str,
        value: Value,
        value_type: Option<ValueType>,
        visit_id: Option<String>,
    ) -> Result<(), InvalidMember> {
        if !is_key_name(key) {
            return invalid("key", "must be lower-case letters, digits and underscores, such as due_date");
        }
        if self.fields.len() >= MAX_FIELDS {
            return invalid(
                "op",
                format!("the document has {MAX_FIELDS} fields, which is the limit; delete one first"),
            );
        }
        let value_type = value_type.or_else(|| self.schema.key(key).map(|key| key.value_type));
        let value_type = value_type.unwrap_or(ValueType::String);
        let value = checked_value(value, value_type, self.schema.key(key))?;
        let field = Field::new(key, value, value_type, Origin::Human, self.neutral);
        let field = Field { visit_id, ..field };
        self.record_change(ChangeType::Add, &field, "value", Value::Null, field.value.clone());
        self.fields.push(field);
        Ok(())
    }

    /// Sets the value of a field, if it differs.
    fn set(
        &mut self,
        index: usize,
        value: Value,
        value_type: Option<ValueType>,
    ) -> Result<(), InvalidMember> {
        let field = &self.fields[index];
        let value_type = value_type.unwrap_or(field.value_type);
        let value = checked_value(value, value_type, self.schema.key(&field.key))?;
        if value_type == field.value_type && value.is_same(&field.value, value_type) {
            return Ok(());
        }
        let field = Field { value, value_type, ..entered_by_person(field.clone()) };
        let old = self.fields[index].value.clone();
        self.record_change(ChangeType::Update, &field, "value", old, field.value.clone());
        self.fields[index] = field;
        Ok(())
    }

    /// Moves a field to another visit, or to none.
    fn assign(&mut self, index: usize, visit_id: Option<String>) -> Result<(), InvalidMember> {
        if let Some(visit_id) = &visit_id {
            self.require_visit(visit_id)?;
        }
        let field = self.fields[index].clone();
        if field.visit_id != visit_id {
            let value = |visit: &Option<String>| visit.clone().map_or(Value::Null, Value::Text);
            self.record_change(
                ChangeType::Update,
                &field,
                "visit_id",
                value(&field.visit_id),
                value(&visit_id),
            );
            self.fields[index] = Field { visit_id, ..entered_by_person(field) };
        }
        Ok(())
    }

    fn remove(&mut self, index: usize) {
        let field = self.fields.remove(index);
        self.record_change(ChangeType::Delete, &field, "value", field.value.clone(), Value::Null);
    }

    fn restore(&mut self, id: FieldId) -> Result<(), InvalidMember> {
        if self.fields.iter().any(|field| field.field_id == id) {
            return Ok(());
        }
        let Some(deleted) = self.deleted.iter().find(|field| field.field_id == id) else {
            return invalid("field_id_not_found", "no such field was deleted in this run");
        };
        // The visit of the field may be gone for good.
        let visit_id = deleted.visit_id.clone().filter(|visit| visits::visit_exists(&self.fields, visit));
        self.bring_back(Field { visit_id, ..deleted.clone() });
        Ok(())
    }

    fn restore_visit(&mut self, visit_id: &str) -> Result<(), InvalidMember> {
        let deleted: Vec<Field> = self
            .deleted
            .iter()
            .filter(|field| field.visit_id.as_deref() == Some(visit_id))
            .cloned()
            .collect();
        if deleted.is_empty() && !visits::visit_exists(&self.fields, visit_id) {
            return invalid("visit_id_not_found", "no such visit was deleted in this run");
        }
        for field in deleted {
            if self.fields.iter().all(|one| one.field_id != field.field_id) {
                self.bring_back(field);
            }
        }
        Ok(())
    }

    fn bring_back(&mut self, field: Field) {
        self.record_change(ChangeType::Add, &field, "value", Value::Null, field.value.clone());
        self.fields.push(field);
    }

    fn add_visit(
        &mut self,
        visit_id: Option<&str>,
        metadata: &[(String, Value)],
    ) -> Result<(), InvalidMember> {
        let visit_id = match visit_id {
            Some(wanted) if !is_visit_id(wanted) => {
                return invalid("visit_id", "must be 1 to 64 letters, digits, - or _, and not `unassigned`");
            }
            Some(wanted) if visits::visit_exists(&self.fields, wanted) => {
                return invalid("visit_id", "names an existing visit; use op UPDATE, or another id");
            }
            Some(wanted) => wanted.to_owned(),
            None => FieldId::new().to_string(),
        };
        if metadata.iter().all(|(_, value)| value.is_empty()) {
            return invalid("visit", "must have at least one value, such as visit_date");
        }
        self.set_metadata(&visit_id, metadata)
    }

    fn update_visit(&mut self, visit_id: &str, metadata: &[(String, Value)]) -> Result<(), InvalidMember> {
        self.require_visit(visit_id)?;
        self.set_metadata(visit_id, metadata)
    }

    /// Sets the metadata of a visit.
    fn set_metadata(&mut self, visit_id: &str, metadata: &[(String, Value)]) -> Result<(), InvalidMember> {
        for (key, value) in metadata {
            let Some(known) = self.schema.key(key).filter(|key| key.scope == Scope::VisitHead) else {
                return invalid("visit", format!("{key} is not a metadata key of visits"));
            };
            let value_type = known.value_type;
            let is_it = |field: &Field| field.key == *key && field.visit_id.as_deref() == Some(visit_id);
            match (self.fields.iter().position(is_it), value.is_empty()) {
                (Some(index), true) => self.remove(index),
                (Some(index), false) => {
                    self.set(index, value.clone(), Some(value_type)).map_err(as_visit_member)?;
                }
                (None, true) => {}
                (None, false) => self
                    .add(key, value.clone(), Some(value_type), Some(visit_id.to_owned()))
                    .map_err(as_visit_member)?,
            }
        }
        Ok(())
    }

    fn delete_visit(&mut self, visit_id: &str) -> Result<(), InvalidMember> {
        self.require_visit(visit_id)?;
        while let Some(index) =
            self.fields.iter().position(|field| field.visit_id.as_deref() == Some(visit_id))
        {
            self.remove(index);
        }
        Ok(())
    }

    fn require_visit(&self, visit_id: &str) -> Result<(), InvalidMember> {
        if visits::visit_exists(&self.fields, visit_id) {
            return Ok(());
        }
        invalid("visit_id_not_found", "no such visit in this version; add the visit first")
    }

    fn index_of(&self, id: FieldId) -> Result<usize, InvalidMember> {
        let index = self.fields.iter().position(|field| field.field_id == id);
        index.map_or_else(|| invalid("field_id_not_found", "no such field in this version"), Ok)
    }

    fn record_change(
        &mut self,
        change_type: ChangeType,
        field: &Field,
        part: &str,
        old_value: Value,
        new_value: Value,
    ) {
        self.changes.push(FieldChange {
            change_type,
            field_id: field.field_id,
            field_key: field.key.clone(),
            field_path: format!("fields.{}.{part}", field.field_id),
            value_type: field.value_type,
            old_value,
            new_value,
            mapping_id: field.mapping_id.clone(),
        });
    }
}

/// The field with a person as its origin. Its candidate keeps its confidence; the adjustment by reviews was for the
/// old value or visit and ends.
fn entered_by_person(field: Field) -> Field {
    Field {
        confidence: field.candidate_confidence,
        review_history_adjustment: 0.0,
        origin: Origin::Human,
        ..field
    }
}

fn as_visit_member(InvalidMember(_, message): InvalidMember) -> InvalidMember {
    InvalidMember("visit", message)
}

fn checked_value(
    value: Value,
    value_type: ValueType,
    key: Option<&SchemaKey>,
) -> Result<Value, InvalidMember> {
    if let Value::Text(text) = &value {
        if text.contains('\0') {
            return invalid("value", "must not contain a NUL character");
        }
        if text.chars().count() > MAX_TEXT_CHARS {
            return invalid("value", format!("must have at most {MAX_TEXT_CHARS} characters"));
        }
    }
    match (value, key.filter(|key| key.value_type == ValueType::Table)) {
        (Value::Table(rows), Some(key)) if value_type == ValueType::Table => {
            key.coerced_table(rows).or_else(|why| invalid("value", why))
        }
        (Value::Table(_), _) => invalid("value", "is a table, and the key is no table in the schema"),
        (value, _) => value_type.coerce(value).or_else(|must| invalid("value", must)),
    }
}

fn is_visit_id(id: &str) -> bool {
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=64).contains(&id.len()) && id != visits::UNASSIGNED && id.bytes().all(sound)
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
