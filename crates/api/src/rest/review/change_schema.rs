//! How a client writes a change, for the OpenAPI description. `parse_change` reads it member by member, so that an error names
//! the wrong one.

#![allow(dead_code)] // Only the description reads these types.

use std::collections::BTreeMap;

use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};
use uuid::Uuid;

use crate::rest::openapi::names;
use crate::rest::value::FieldValue;

/// One change: of a field, or of a visit.
#[derive(ToSchema)]
#[serde(untagged)]
pub(crate) enum Change {
    AddField(AddField),
    UpdateField(UpdateField),
    MoveField(MoveField),
    DeleteField(DeleteField),
    AddVisit(AddVisit),
    UpdateVisit(UpdateVisit),
    DeleteVisit(DeleteVisit),
}

/// A new field.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddField {
    #[schema(schema_with = add)]
    op: String,
    /// Its key; it need not be one of the schema.
    #[schema(pattern = "^[a-z][a-z0-9]*(_[a-z0-9]+)*$", max_length = 64, example = "pet_name")]
    key: String,
    value: FieldValue,
    /// As the schema says, unless given.
    value_type: Option<names::ValueType>,
    /// The visit that it belongs to, which must be there.
    visit_id: Option<String>,
}

/// Another value for a field, and perhaps another visit.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateField {
    #[schema(schema_with = update)]
    op: String,
    field_id: Uuid,
    value: FieldValue,
    /// As before, unless given.
    value_type: Option<names::ValueType>,
    /// The visit that it is to belong to; null is none.
    visit_id: Option<String>,
}

/// Another visit for a field.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveField {
    #[schema(schema_with = update)]
    op: String,
    field_id: Uuid,
    /// The visit that it is to belong to; null is none.
    #[schema(required = true)]
    visit_id: Option<String>,
}

/// A field goes.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteField {
    #[schema(schema_with = delete)]
    op: String,
    field_id: Uuid,
}

/// A new visit, known by when it was and why.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AddVisit {
    #[schema(schema_with = add)]
    op: String,
    /// Its id, if the caller wants a certain one.
    #[schema(pattern = "^[A-Za-z0-9_-]+$", max_length = 64)]
    visit_id: Option<String>,
    /// Keys that tell about a visit, with their values.
    #[schema(example = json!({ "visit_date": "2024-02-01" }))]
    visit: BTreeMap<String, FieldValue>,
}

/// What is known about a visit itself changes. Null takes a value away.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateVisit {
    #[schema(schema_with = update)]
    op: String,
    visit_id: String,
    /// Keys that tell about a visit, with their values.
    #[schema(example = json!({ "visit_date": "2024-02-01" }))]
    visit: BTreeMap<String, FieldValue>,
}

/// A visit goes, with all its fields.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteVisit {
    #[schema(schema_with = delete)]
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

fn only(op: &str) -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some([op])).build()
}
