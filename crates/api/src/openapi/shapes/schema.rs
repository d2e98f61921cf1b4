//! Which keys a kind of document has.

use utoipa::ToSchema;

use crate::openapi::names;

/// The keys of a kind of document, in the order in which people see them.
#[derive(ToSchema)]
#[schema(as = SchemaDefinition)]
pub(crate) struct Schema {
    name: String,
    keys: Vec<SchemaKey>,
    /// The headings that say of whom a part of a document speaks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headings: Vec<Heading>,
    /// Labels of what no key is for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_labels: Vec<String>,
}

/// Headings of one part of a document.
#[derive(ToSchema)]
#[schema(as = SchemaHeading)]
pub(crate) struct Heading {
    /// The panel of the keys that it speaks of.
    #[serde(skip_serializing_if = "Option::is_none")]
    panel: Option<String>,
    words: Vec<String>,
}

/// One key of a schema.
#[derive(ToSchema)]
#[allow(clippy::struct_excessive_bools)] // As the schema itself has them.
pub(crate) struct SchemaKey {
    #[schema(example = "pet_name")]
    key: String,
    /// The words before its value in a document, in small letters without accents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    /// Labels that are its own only where the document speaks of its panel.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shared_labels: Vec<String>,
    /// Labels behind which its value goes on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    continued_by: Vec<String>,
    /// Words at the beginning of a line that lead in a value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lead_ins: Vec<String>,
    /// Words by which a value is known in a letterhead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cues: Vec<String>,
    /// How its values become normal.
    #[schema(example = "weight")]
    normaliser: String,
    /// Whether each visit can have a value of its own.
    at_visits: bool,
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
