//! How a client writes a change, for the `OpenAPI` description. `parse_change` reads it member by member, so that an error names
//! the wrong one.

#![allow(dead_code)] // Only the description reads these types.

use std::collections::BTreeMap;

use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};
use uuid::Uuid;

use crate::rest::openapi::names;
use crate::rest::value::FieldValue;

/// One change of a field or of a visit.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum Change {
    AddField(AddField),
    AddText(AddText),
    UpdateField(UpdateField),
    UpdateText(UpdateText),
    MoveField(MoveField),
    DeleteField(DeleteField),
    RestoreField(RestoreField),
    AddVisit(AddVisit),
    UpdateVisit(UpdateVisit),
    DeleteVisit(DeleteVisit),
    RestoreVisit(RestoreVisit),
}

/// Adds a field.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddField {
    #[schema(schema_with = add)]
    op: String,
    /// The key; it need not be in the schema.
    #[schema(pattern = "^[a-z][a-z0-9]*(_[a-z0-9]+)*$", max_length = 64, example = "pet_name")]
    key: String,
    value: FieldValue,
    /// The type of the value (default: the type in the schema).
    value_type: Option<names::ValueType>,
    /// The visit that it belongs to, which must exist.
    visit_id: Option<String>,
}

/// Changes the value of a field, and optionally its visit.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateField {
    #[schema(schema_with = update)]
    op: String,
    field_id: Uuid,
    value: FieldValue,
    /// The type of the value (default: unchanged).
    value_type: Option<names::ValueType>,
    /// The new visit of the field; null for none.
    visit_id: Option<String>,
}

/// Adds a field with the text that a person typed.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddText {
    #[schema(schema_with = add)]
    op: String,
    /// The key; it need not be in the schema.
    #[schema(pattern = "^[a-z][a-z0-9]*(_[a-z0-9]+)*$", max_length = 64, example = "weight")]
    key: String,
    /// The text, which is read as the key says.
    #[schema(example = "4,5 kg")]
    text: String,
    /// Whether to store the text as it is if the key cannot have it (default: false).
    keep: Option<bool>,
    /// The visit that it belongs to, which must exist.
    visit_id: Option<String>,
}

/// Changes the value of a field to the text that a person typed.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateText {
    #[schema(schema_with = update)]
    op: String,
    field_id: Uuid,
    /// The text, which is read as the key of the field says.
    #[schema(example = "4,5 kg")]
    text: String,
    /// Whether to store the text as it is if the key cannot have it (default: false).
    keep: Option<bool>,
    /// The new visit of the field; null for none.
    visit_id: Option<String>,
}

/// Moves a field to another visit.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveField {
    #[schema(schema_with = update)]
    op: String,
    field_id: Uuid,
    /// The new visit of the field; null for none.
    #[schema(required = true)]
    visit_id: Option<String>,
}

/// Deletes a field.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteField {
    #[schema(schema_with = delete)]
    op: String,
    field_id: Uuid,
}

/// Brings back a deleted field as it was, with its evidence.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestoreField {
    #[schema(schema_with = restore)]
    op: String,
    field_id: Uuid,
}

/// Adds a visit with its date and reason.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddVisit {
    #[schema(schema_with = add)]
    op: String,
    /// The id of the visit (default: a new id).
    #[schema(pattern = "^[A-Za-z0-9_-]+$", max_length = 64)]
    visit_id: Option<String>,
    /// The values of the keys about the visit itself.
    #[schema(example = json!({ "visit_date": "2024-02-01" }))]
    visit: BTreeMap<String, FieldValue>,
}

/// Changes values about a visit itself. Null removes a value.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateVisit {
    #[schema(schema_with = update)]
    op: String,
    visit_id: String,
    /// The values of the keys about the visit itself.
    #[schema(example = json!({ "visit_date": "2024-02-01" }))]
    visit: BTreeMap<String, FieldValue>,
}

/// Deletes a visit with all its fields.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteVisit {
    #[schema(schema_with = delete)]
    op: String,
    visit_id: String,
}

/// Brings back a deleted visit with the fields that were deleted with it.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestoreVisit {
    #[schema(schema_with = restore)]
    op: String,
    visit_id: String,
}

fn add() -> Object {
    only("ADD")
}

fn update() -> Object {
    only("UPDATE")
}

fn delete() -> Object {
    only("DELETE")
}

fn restore() -> Object {
    only("RESTORE")
}

fn only(op: &str) -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some([op])).build()
}
