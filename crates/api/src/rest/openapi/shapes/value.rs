//! A value of a field.

use std::borrow::Cow;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

/// One of the few kinds that JSON has.
pub(crate) enum FieldValue {}

impl PartialSchema for FieldValue {
    fn schema() -> RefOr<Schema> {
        let kinds = SchemaType::from_iter([Type::String, Type::Number, Type::Boolean, Type::Null]);
        let about = "A value: text (dates as YYYY-MM-DD), a number, true, false, or null for nothing.";
        ObjectBuilder::new().schema_type(kinds).description(Some(about)).into()
    }
}

impl ToSchema for FieldValue {
    fn name() -> Cow<'static, str> {
        "FieldValue".into()
    }
}
