//! The definition of a schema as JSON.

use std::collections::BTreeMap;

use quire_domain::reading::Extractor;
use quire_understanding::{
    Schema, SchemaKey, Scope, Section, SectionHeading, TableColumn, Validators, WordList,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::rest::openapi::names;

/// The keys of one kind of document in display order.
#[derive(Serialize, ToSchema)]
#[schema(as = SchemaDefinition)]
pub(crate) struct SchemaDefinition {
    name: String,
    /// The title by language.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    title: BTreeMap<String, String>,
    /// The sections of the form in display order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sections: Vec<SchemaSection>,
    keys: Vec<SchemaKeyResponse>,
    /// Headings that begin a section of a document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    headings: Vec<SchemaHeading>,
    /// Labels that belong to no key.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_labels: Option<SchemaWords>,
    /// Words that say that the date in their line is not the date of a visit.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_dates: Option<SchemaWords>,
    /// What documents of this kind call themselves. The titles count as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<SchemaWords>,
    /// The languages of its documents, the most usual first. Without any, all languages are tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    languages: Vec<String>,
    /// Who reads documents of this kind, if the schema says so.
    #[schema(value_type = Option<names::Extractor>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    extractor: Option<&'static str>,
}

/// Words, or words by language.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum SchemaWords {
    Plain(Vec<String>),
    ByLanguage(BTreeMap<String, Vec<String>>),
}

/// A section of the form.
#[derive(Serialize, ToSchema)]
pub(crate) struct SchemaSection {
    id: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    title: BTreeMap<String, String>,
}

/// Headings of one section of a document.
#[derive(Serialize, ToSchema)]
pub(crate) struct SchemaHeading {
    /// The section whose keys follow below the heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<String>,
    words: SchemaWords,
}

/// One key of a schema.
#[derive(Serialize, ToSchema)]
#[schema(as = SchemaKey)]
#[allow(clippy::struct_excessive_bools)] // The members of the contract.
pub(crate) struct SchemaKeyResponse {
    #[schema(example = "pet_name")]
    key: String,
    /// Other names of the key. Its values are shown under its own name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    /// The title by language.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    title: BTreeMap<String, String>,
    /// What the title means, by language.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    hint: BTreeMap<String, String>,
    /// The words before its value in a document, in lower case without accents.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<SchemaWords>,
    /// Labels that mean this key only below a heading of its section.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_labels: Option<SchemaWords>,
    /// Labels after which its value continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    continued_by: Option<SchemaWords>,
    /// Words at the beginning of a line that introduce a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    lead_ins: Option<SchemaWords>,
    /// Words that identify a value in a letterhead.
    #[serde(skip_serializing_if = "Option::is_none")]
    cues: Option<SchemaWords>,
    /// Words that make a sentence in the text about a visit one of its values.
    #[serde(skip_serializing_if = "Option::is_none")]
    sentence_words: Option<SchemaWords>,
    /// The terms of data inside the file that are its values, such as `BT-1` of an e-invoice.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    terms: Vec<String>,
    /// How its values are normalised.
    #[schema(value_type = String, example = "weight")]
    normaliser: &'static str,
    /// Whether each visit can have a value of its own.
    at_visits: bool,
    /// The section of the form that shows the key. The form shows a key without one after the sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<String>,
    #[schema(value_type = names::ValueType)]
    value_type: &'static str,
    #[schema(value_type = names::Scope)]
    scope: &'static str,
    /// Whether a document can have several values.
    repeatable: bool,
    /// Whether the key is critical: its confidence decides the order of reviews.
    critical: bool,
    /// Whether the key may be absent without a warning.
    optional: bool,
    /// Whether the form leaves the key out.
    hidden: bool,
    /// Rules for its values beyond their type.
    #[serde(skip_serializing_if = "Option::is_none")]
    validators: Option<SchemaValidators>,
    /// The columns of a key whose values are tables.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    columns: Vec<SchemaColumn>,
}

/// A column of a table.
#[derive(Serialize, ToSchema)]
pub(crate) struct SchemaColumn {
    #[schema(example = "unit_price")]
    key: String,
    /// The title by language.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    title: BTreeMap<String, String>,
    /// The words of its head, in lower case without accents.
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<SchemaWords>,
    /// The terms of data inside the file that are its values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    terms: Vec<String>,
    /// How its values are normalised.
    #[schema(value_type = String, example = "sum")]
    normaliser: &'static str,
    #[schema(value_type = names::ValueType)]
    value_type: &'static str,
}

/// Rules for values beyond their type.
#[derive(Serialize, ToSchema)]
pub(crate) struct SchemaValidators {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    one_of: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_length: Option<u32>,
    /// `A` is a letter, `0` a digit, `X` either, `*` anything; every other character is itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
}

impl From<Schema> for SchemaDefinition {
    fn from(schema: Schema) -> Self {
        Self {
            name: schema.name,
            title: schema.title,
            sections: schema.sections.into_iter().map(SchemaSection::from).collect(),
            keys: schema.keys.into_iter().map(SchemaKeyResponse::from).collect(),
            headings: schema.headings.into_iter().map(SchemaHeading::from).collect(),
            other_labels: words(&schema.other_labels),
            other_dates: words(&schema.other_dates),
            names: words(&schema.names),
            languages: schema.languages,
            extractor: schema.extractor.map(Extractor::as_str),
        }
    }
}

impl From<Section> for SchemaSection {
    fn from(section: Section) -> Self {
        Self { id: section.id, title: section.title }
    }
}

impl From<SectionHeading> for SchemaHeading {
    fn from(heading: SectionHeading) -> Self {
        Self { section: heading.section, words: SchemaWords::from(&heading.words) }
    }
}

impl From<SchemaKey> for SchemaKeyResponse {
    fn from(key: SchemaKey) -> Self {
        Self {
            key: key.key,
            aliases: key.aliases,
            title: key.title,
            hint: key.hint,
            labels: words(&key.labels),
            shared_labels: words(&key.shared_labels),
            continued_by: words(&key.continued_by),
            lead_ins: words(&key.lead_ins),
            cues: words(&key.cues),
            sentence_words: words(&key.sentence_words),
            terms: key.terms,
            normaliser: key.normaliser.as_str(),
            at_visits: key.at_visits,
            section: key.section,
            value_type: key.value_type.as_str(),
            scope: match key.scope {
                Scope::Document => "document",
                Scope::Visit => "visit",
                Scope::VisitHead => "metadata",
            },
            repeatable: key.repeatable,
            critical: key.critical,
            optional: key.optional,
            hidden: key.hidden,
            validators: (!key.validators.is_empty()).then(|| key.validators.into()),
            columns: key.columns.into_iter().map(SchemaColumn::from).collect(),
        }
    }
}

impl From<TableColumn> for SchemaColumn {
    fn from(column: TableColumn) -> Self {
        Self {
            key: column.key,
            title: column.title,
            labels: words(&column.labels),
            terms: column.terms,
            normaliser: column.normaliser.as_str(),
            value_type: column.value_type.as_str(),
        }
    }
}

impl From<Validators> for SchemaValidators {
    fn from(validators: Validators) -> Self {
        Self {
            one_of: validators.one_of,
            min: validators.min.map(|bound| bound.0),
            max: validators.max.map(|bound| bound.0),
            max_length: validators.max_length,
            pattern: validators.pattern,
        }
    }
}

impl From<&WordList> for SchemaWords {
    fn from(words: &WordList) -> Self {
        if words.languages().all(|(language, _)| language == quire_understanding::ANY_LANGUAGE) {
            return Self::Plain(words.to_vec());
        }
        let by_language = words.languages().map(|(language, words)| (language.to_owned(), words.to_vec()));
        Self::ByLanguage(by_language.collect())
    }
}

fn words(words: &WordList) -> Option<SchemaWords> {
    (!words.is_empty()).then(|| words.into())
}

#[cfg(test)]
mod tests {
    use quire_understanding::SchemaFile;

    use super::*;
    use crate::rest::openapi::conformance::require_fit;

    #[test]
    fn the_built_in_schemas_have_the_described_json() {
        for file in SchemaFile::built_in() {
            let written = serde_json::to_value(&file.schema).unwrap();
            let response = serde_json::to_value(SchemaDefinition::from(file.schema.clone())).unwrap();
            assert_eq!(response, written);
            require_fit(&response, "SchemaDefinition");
        }
    }
}
