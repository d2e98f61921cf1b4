//! Which keys a kind of document has.

use utoipa::ToSchema;

use crate::openapi::names;

/// The keys of a kind of document, in the order in which people see them.
#[derive(ToSchema)]
#[schema(as = SchemaDefinition)]
pub(crate) struct Schema {
    name: String,
    keys: Vec<SchemaKey>,
}

/// One key of a schema.
#[derive(ToSchema)]
pub(crate) struct SchemaKey {
    #[schema(example = "pet_name")]
    key: String,
    /// The words before its value in a document, in small letters without accents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    /// The part of the form that it stands in.
    section: String,
    /// The part of the page by visits that it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    panel: Option<String>,
    value_type: names::ValueType,
    scope: names::Scope,
    /// Whether a document can have several.
    repeatable: bool,
    /// Whether a mistake in it is worse than others.
    critical: bool,
    /// Whether its absence says nothing.
    optional: bool,
}
