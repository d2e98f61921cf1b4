//! Which keys a kind of document has.

use std::collections::BTreeMap;

use utoipa::ToSchema;

use crate::rest::openapi::names;

/// The keys of a kind of document, in the order in which people see them.
#[derive(ToSchema)]
#[schema(as = SchemaDefinition)]
pub(crate) struct Schema {
    name: String,
    /// What people call it, by language.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    title: BTreeMap<String, String>,
    /// The parts of the form, in the order in which people see them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sections: Vec<Part>,
    /// The parts of the page by visits, in the order in which people see them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    panels: Vec<Part>,
    keys: Vec<SchemaKey>,
    /// The headings that say of whom a part of a document speaks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headings: Vec<Heading>,
    /// Labels of what no key is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_labels: Option<Words>,
}

/// Words, or words by language.
#[derive(ToSchema)]
#[serde(untagged)]
#[schema(as = SchemaWords)]
#[allow(dead_code)] // Only the description reads it.
pub(crate) enum Words {
    Plain(Vec<String>),
    ByLanguage(BTreeMap<String, Vec<String>>),
}

/// A part of a form or a page.
#[derive(ToSchema)]
#[schema(as = SchemaPart)]
pub(crate) struct Part {
    id: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    title: BTreeMap<String, String>,
}

/// Headings of one part of a document.
#[derive(ToSchema)]
#[schema(as = SchemaHeading)]
pub(crate) struct Heading {
    /// The panel of the keys that it speaks of.
    #[serde(skip_serializing_if = "Option::is_none")]
    panel: Option<String>,
    words: Words,
}

/// One key of a schema.
#[derive(ToSchema)]
#[allow(clippy::struct_excessive_bools)] // As the schema itself has them.
pub(crate) struct SchemaKey {
    #[schema(example = "pet_name")]
    key: String,
    /// What people call it, by language.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    title: BTreeMap<String, String>,
    /// The words before its value in a document, in small letters without accents.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<Words>,
    /// Labels that are its own only where the document speaks of its panel.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_labels: Option<Words>,
    /// Labels behind which its value goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    continued_by: Option<Words>,
    /// Words at the beginning of a line that lead in a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    lead_ins: Option<Words>,
    /// Words by which a value is known in a letterhead.
    #[serde(skip_serializing_if = "Option::is_none")]
    cues: Option<Words>,
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
    /// What its values must be like beyond their type.
    #[serde(skip_serializing_if = "Option::is_none")]
    validators: Option<Validators>,
}

/// What values must be like beyond their type.
#[derive(ToSchema)]
#[schema(as = SchemaValidators)]
pub(crate) struct Validators {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    one_of: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_length: Option<u32>,
    /// `A` is a letter, `0` a digit, `X` either, `*` anything, and everything else is itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
}
