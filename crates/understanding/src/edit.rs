//! What people change in an interpretation. A batch of changes makes one new version, or none at all.

use super::schema::is_key_name;
use super::structure::{self, StructuralEdit};
use super::{Field, Origin, Schema, Scope, Value, ValueType, visits};
use quire_domain::ids::FieldId;

/// Characters of the longest text that a field takes.
const MAX_TEXT_CHARS: usize = 10_000;
/// Fields of the largest interpretation.
const MAX_FIELDS: usize = 5_000;

/// One wish for a change.
#[derive(Clone, Debug, PartialEq)]
pub enum EditOperation {
    /// A new field.
    Add {
        /// Its key; it need not be one of the schema.
        key: String,
        /// Its value.
        value: Value,
        /// What the value is meant as; else as the schema says.
        value_type: Option<ValueType>,
        /// The visit that it belongs to, which must be there.
        visit_id: Option<String>,
    },
    /// Another value for a field, another visit, or both.
    Update {
        /// Which field.
        field: FieldId,
        /// The new value, unless it stays.
        value: Option<Value>,
        /// What the new value is meant as; else as before.
        value_type: Option<ValueType>,
        /// The visit that it is to belong to, unless it stays.
        visit_id: Option<VisitAssignment>,
    },
    /// A field goes.
    Delete {
        /// Which field.
        field: FieldId,
    },
    /// A new visit, known by when it was and why.
    AddVisit {
        /// Its id, if the caller wants a certain one.
        visit_id: Option<String>,
        /// Keys that tell about a visit, with their values.
        metadata: Vec<(String, Value)>,
    },
    /// What is known about a visit itself changes. Null takes a value away.
    UpdateVisit {
        /// Which visit.
        visit_id: String,
        /// Keys that tell about a visit, with their values.
        metadata: Vec<(String, Value)>,
    },
    /// A visit goes, with all its fields.
    DeleteVisit {
        /// Which visit.
        visit_id: String,
    },
}

/// Where a field is moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VisitAssignment {
    /// To that visit.
    To(String),
    /// To none.
    None,
}

/// Why a batch is refused, all of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("changes[{index}].{member}: {message}")]
pub struct InvalidEdit {
    /// Which change, from 0.
    pub index: usize,
    /// Which part of it.
    pub member: &'static str,
    /// What it must be.
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
    /// The stored and shown form.
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

/// One change that made a difference.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldChange {
    /// How.
    pub change_type: ChangeType,
    /// Which field.
    pub field_id: FieldId,
    /// Its key.
    pub field_key: String,
    /// What of it: `fields.{field_id}.value`, or `.visit_id`.
    pub field_path: String,
    /// What the value is meant as.
    pub value_type: ValueType,
    /// What there was.
    pub old_value: Value,
    /// What there is now.
    pub new_value: Value,
    /// What found the old value.
    pub mapping_id: Option<String>,
}

/// What became of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct EditOutcome {
    /// The fields of the new version.
    pub fields: Vec<Field>,
    /// What made a difference, in order. If nothing did, there is no new version.
    pub changes: Vec<FieldChange>,
    /// Edits that say something about the schema.
    pub structure: Vec<StructuralEdit>,
}

/// Applies a batch of changes to the fields of a version. What a person adds is as sure as `neutral` says.
pub fn apply_edits(
    before: &[Field],
    schema: &Schema,
    neutral: f64,
    batch: &[EditOperation],
) -> Result<EditOutcome, InvalidEdit> {
    let mut edit = EditInProgress { schema, neutral, fields: before.to_vec(), changes: Vec::new() };
    for (index, change) in batch.iter().enumerate() {
        edit.apply(change).map_err(|InvalidMember(member, message)| InvalidEdit {
            index,
            member,
            message,
        })?;
    }
    // Whatever a field claims: the schema alone says what is critical.
    for field in &mut edit.fields {
        field.is_critical = schema.is_critical(&field.key);
    }
    let structure = structure::structural_edits(before, &edit.fields, &edit.changes, schema);
    Ok(EditOutcome { fields: edit.fields, changes: edit.changes, structure })
}

/// A part of a change, and what it must be.
struct InvalidMember(&'static str, String);

fn invalid<T>(member: &'static str, message: impl Into<String>) -> Result<T, InvalidMember> {
    Err(InvalidMember(member, message.into()))
}

struct EditInProgress<'s> {
    schema: &'s Schema,
    neutral: f64,
    fields: Vec<Field>,
    changes: Vec<FieldChange>,
}

impl EditInProgress<'_> {
    fn apply(&mut self, change: &EditOperation) -> Result<(), InvalidMember> {
        match change {
            EditOperation::Add { key, value, value_type, visit_id } => {
                if let Some(visit_id) = visit_id {
                    self.require_visit(visit_id)?;
                }
                self.add(key, value.clone(), *value_type, visit_id.clone())
            }
            EditOperation::Update { field, value, value_type, visit_id } => {
                let place = self.place(*field)?;
                if let Some(value) = value {
                    self.set(place, value.clone(), *value_type)?;
                }
                match visit_id {
                    Some(VisitAssignment::To(visit_id)) => self.assign(place, Some(visit_id.clone())),
                    Some(VisitAssignment::None) => self.assign(place, None),
                    None => Ok(()),
                }
            }
            EditOperation::Delete { field } => {
                let place = self.place(*field)?;
                self.remove(place);
                Ok(())
            }
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
            return invalid("key", "must be small letters, digits and underscores, such as due_date");
        }
        if self.fields.len() >= MAX_FIELDS {
            return invalid("op", format!("there are {MAX_FIELDS} fields already, the most that is kept"));
        }
        let value_type = value_type.or_else(|| self.schema.key(key).map(|key| key.value_type));
        let value_type = value_type.unwrap_or(ValueType::String);
        let value = checked_value(value, value_type)?;
        let field = Field::new(key, value, value_type, Origin::Human, self.neutral);
        let field = Field { visit_id, ..field };
        self.record_change(ChangeType::Add, &field, "value", Value::Null, field.value.clone());
        self.fields.push(field);
        Ok(())
    }

    /// Gives a field another value, if it is another one.
    fn set(
        &mut self,
        place: usize,
        value: Value,
        value_type: Option<ValueType>,
    ) -> Result<(), InvalidMember> {
        let field = &self.fields[place];
        let value_type = value_type.unwrap_or(field.value_type);
        let value = checked_value(value, value_type)?;
        if value_type == field.value_type && value.is_same(&field.value, value_type) {
            return Ok(());
        }
        let field = Field { value, value_type, ..entered_by_person(field.clone()) };
        let old = self.fields[place].value.clone();
        self.record_change(ChangeType::Update, &field, "value", old, field.value.clone());
        self.fields[place] = field;
        Ok(())
    }

    /// Moves a field to another visit, or to none.
    fn assign(&mut self, place: usize, visit_id: Option<String>) -> Result<(), InvalidMember> {
        if let Some(visit_id) = &visit_id {
            self.require_visit(visit_id)?;
        }
        let field = self.fields[place].clone();
        if field.visit_id != visit_id {
            let value = |visit: &Option<String>| visit.clone().map_or(Value::Null, Value::Text);
            self.record_change(
                ChangeType::Update,
                &field,
                "visit_id",
                value(&field.visit_id),
                value(&visit_id),
            );
            self.fields[place] = Field { visit_id, ..entered_by_person(field) };
        }
        Ok(())
    }

    fn remove(&mut self, place: usize) {
        let field = self.fields.remove(place);
        self.record_change(ChangeType::Delete, &field, "value", field.value.clone(), Value::Null);
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
                return invalid("visit_id", "names a visit that is there already; update that one");
            }
            Some(wanted) => wanted.to_owned(),
            None => FieldId::new().to_string(),
        };
        if metadata.iter().all(|(_, value)| value.is_empty()) {
            return invalid("visit", "must tell something about the visit, such as its visit_date");
        }
        self.set_metadata(&visit_id, metadata)
    }

    fn update_visit(&mut self, visit_id: &str, metadata: &[(String, Value)]) -> Result<(), InvalidMember> {
        self.require_visit(visit_id)?;
        self.set_metadata(visit_id, metadata)
    }

    /// Sets what is known about a visit itself.
    fn set_metadata(&mut self, visit_id: &str, metadata: &[(String, Value)]) -> Result<(), InvalidMember> {
        for (key, value) in metadata {
            let Some(known) = self.schema.key(key).filter(|key| key.scope == Scope::Metadata) else {
                return invalid("visit", format!("{key} tells nothing about a visit"));
            };
            let value_type = known.value_type;
            let is_it = |field: &Field| field.key == *key && field.visit_id.as_deref() == Some(visit_id);
            match (self.fields.iter().position(is_it), value.is_empty()) {
                (Some(place), true) => self.remove(place),
                (Some(place), false) => {
                    self.set(place, value.clone(), Some(value_type)).map_err(as_visit_member)?;
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
        while let Some(place) =
            self.fields.iter().position(|field| field.visit_id.as_deref() == Some(visit_id))
        {
            self.remove(place);
        }
        Ok(())
    }

    fn require_visit(&self, visit_id: &str) -> Result<(), InvalidMember> {
        if visits::visit_exists(&self.fields, visit_id) {
            return Ok(());
        }
        invalid("visit_id_not_found", "names no visit of this interpretation; add it first")
    }

    fn place(&self, id: FieldId) -> Result<usize, InvalidMember> {
        let place = self.fields.iter().position(|field| field.field_id == id);
        place.map_or_else(|| invalid("field_id_not_found", "names no field of this version"), Ok)
    }

    fn record_change(
        &mut self,
        how: ChangeType,
        field: &Field,
        part: &str,
        old_value: Value,
        new_value: Value,
    ) {
        self.changes.push(FieldChange {
            change_type: how,
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

/// The same field as a person says it. What the document says has not become surer or less sure; what reviews taught was
/// about another value, or another place.
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

fn checked_value(value: Value, value_type: ValueType) -> Result<Value, InvalidMember> {
    if let Value::Text(text) = &value {
        if text.contains('\0') {
            return invalid("value", "must not contain a NUL character");
        }
        if text.chars().count() > MAX_TEXT_CHARS {
            return invalid("value", format!("must have at most {MAX_TEXT_CHARS} characters"));
        }
    }
    value_type.coerce(value).or_else(|must| invalid("value", must))
}

fn is_visit_id(id: &str) -> bool {
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=64).contains(&id.len()) && id != visits::UNASSIGNED && id.bytes().all(sound)
}

#[cfg(test)]
#[path = "edit_tests.rs"]
mod tests;
