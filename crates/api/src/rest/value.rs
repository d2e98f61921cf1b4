//! The value of a field as JSON.

use std::borrow::Cow;

use quire_understanding::Value;
use serde::Serialize;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// Text, a number, a boolean, a table or null.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct FieldValue(Value);

impl From<Value> for FieldValue {
    fn from(value: Value) -> Self {
        Self(value)
    }
}

impl PartialSchema for FieldValue {
    fn schema() -> RefOr<Schema> {
        let kinds =
            SchemaType::from_iter([Type::String, Type::Number, Type::Boolean, Type::Array, Type::Null]);
        let about = "A value: text (dates as YYYY-MM-DD), a number, true, false, a list of rows for a table, or null for no value.";
        ObjectBuilder::new().schema_type(kinds).description(Some(about)).into()
    }
}

impl ToSchema for FieldValue {
    fn name() -> Cow<'static, str> {
        "FieldValue".into()
    }
}
