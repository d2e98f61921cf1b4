//! Which keys a kind of document has.

use std::collections::BTreeMap;

use utoipa::ToSchema;

use crate::openapi::names;

/// The keys of a kind of document, in the order in which people see them.
#[derive(ToSchema)]
#[schema(as = SchemaDefinition)]
pub(crate) struct Schema {
    name: String,
    /// What people call it, by language.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    title: BTreeMap<String, String>,
    /// The sections of the form, in the order in which the form shows them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sections: Vec<Section>,
    keys: Vec<SchemaKey>,
    /// The headings that say of whom a part of a document speaks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headings: Vec<Heading>,
    /// Labels of what no key is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_labels: Option<Words>,
    /// Words that tell that the date in their line is not the date of a visit.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_dates: Option<Words>,
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

/// A section of the form.
#[derive(ToSchema)]
#[schema(as = SchemaSection)]
pub(crate) struct Section {
    id: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    title: BTreeMap<String, String>,
}

/// Headings of one part of a document.
#[derive(ToSchema)]
#[schema(as = SchemaHeading)]
pub(crate) struct Heading {
    /// The section whose keys follow below the heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<String>,
    words: Words,
}

/// One key of a schema.
#[derive(ToSchema)]
#[allow(clippy::struct_excessive_bools)] // As the schema itself has them.
pub(crate) struct SchemaKey {
    #[schema(example = "pet_name")]
    key: String,
    /// Other names of the key, under which values may arrive.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    /// What people call it, by language.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    title: BTreeMap<String, String>,
    /// What the title means, by language.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    hint: BTreeMap<String, String>,
    /// The words before its value in a document, in small letters without accents.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<Words>,
    /// Labels that mean this key only below a heading of its section.
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
    /// The section of the form that shows the key. A key without one is shown after the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<String>,
    value_type: names::ValueType,
    scope: names::Scope,
    /// Whether a document can have several.
    repeatable: bool,
    /// Whether a mistake in it is worse than others.
    critical: bool,
    /// Whether its absence says nothing.
    optional: bool,
    /// Whether the form leaves the key out.
    hidden: bool,
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
