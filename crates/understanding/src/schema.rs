//! Schemas: the keys of a kind of document. A schema is data and has versions; a run is bound to one version.

mod built_in;
mod check;
mod file;
mod file_reader;
mod old_panels;
mod to_toml;
mod validators;
mod word_list;

use std::collections::BTreeMap;

use quire_domain::reading::Extractor;
use quire_domain::{Run, RunState};
use serde::{Deserialize, Serialize};

use super::{Normaliser, ValueType};

pub use file::{InvalidSchema, SchemaFile, SchemaFormat, SchemaProblem};
pub use validators::{Bound, Validators};
pub use word_list::{ANY_LANGUAGE, WordList};

/// The languages whose labels, dates and numbers the program knows.
pub const KNOWN_LANGUAGES: [&str; 7] = ["es", "en", "de", "fr", "it", "nl", "pt"];

/// Titles by language, as ISO 639-1.
pub type Titles = BTreeMap<String, String>;

/// The key of the date of a visit. A schema without it has no visits.
pub const VISIT_DATE: &str = "visit_date";

/// The keys of visit metadata. The API has members of these names.
pub const VISIT_METADATA_KEYS: [&str; 4] =
    [VISIT_DATE, "admission_date", "discharge_date", "reason_for_visit"];

/// The keys of a kind of document, in the order of the form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "old_panels::StoredSchema")]
pub struct Schema {
    /// The name by which uploads choose the schema.
    pub name: String,
    /// The name that people see.
    #[serde(default, skip_serializing_if = "Titles::is_empty")]
    pub title: Titles,
    /// The sections of the form, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
    /// The keys, in the order of the form.
    pub keys: Vec<SchemaKey>,
    /// The headings that tell which section a part of a document is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<SectionHeading>,
    /// Labels that no key is for. They end the value before them, and the value behind them is ignored.
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub other_labels: WordList,
    /// Words that tell that the date in their line is not the date of a visit.
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub other_dates: WordList,
    /// What documents of this kind call themselves, in any language, lower case and without accents: "factura". The titles
    /// count as well. They tell which schema fits a document ([`crate::schema_fits`]).
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub names: WordList,
    /// The languages of its documents, the most usual first, as ISO 639-1. Words of other languages are not looked for, and
    /// dates are read as in these. Without any, all languages are tried.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Who reads documents of this kind. Without it, the settings decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extractor: Option<Extractor>,
}

/// A section of the form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The name by which keys and headings refer to the section.
    pub id: String,
    /// The name that people see.
    #[serde(default, skip_serializing_if = "Titles::is_empty")]
    pub title: Titles,
}

/// Headings in documents, and what the text below them is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionHeading {
    /// The section that the text is about. Without one, the text is about the past and belongs to no section and no
    /// visit.
    #[serde(default, alias = "panel", skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The words of the headings, in any language, lower case and without accents.
    pub words: WordList,
}

/// One key of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // Each flag is a member of the schema file.
pub struct SchemaKey {
    /// The name, in `snake_case`.
    pub key: String,
    /// Other names of the key. Values that arrive under them are shown under the key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The name that people see.
    #[serde(default, skip_serializing_if = "Titles::is_empty")]
    pub title: Titles,
    /// What the title means, where it is an abbreviation.
    #[serde(default, skip_serializing_if = "Titles::is_empty")]
    pub hint: Titles,
    /// Words before the value in a document, in any language, lower case and without accents.
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub labels: WordList,
    /// Labels that several keys share: "Nombre" is the owner's below "Propietario". Such a label means the key whose section has
    /// the heading above it, else the one of the nearest or latest label of such a section. Below any heading it means a key of
    /// visits if the value fits that key and not the first one.
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub shared_labels: WordList,
    /// Labels that continue the value, as "Población" continues an address.
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub continued_by: WordList,
    /// Words at the beginning of a line that introduce the value but are no label: "Se pauta".
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub lead_ins: WordList,
    /// Words by which a value without a label is recognised: the name of an institution in a letterhead, or a
    /// sentence about what was done at a visit.
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub cues: WordList,
    /// Words that make a sentence in the text about a visit a value of this key, unless the sentence denies them.
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub sentence_words: WordList,
    /// The terms of embedded data that are values of the key, best first: `BT-1` of an e-invoice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
    /// The normal form of the values.
    #[serde(default)]
    pub normaliser: Normaliser,
    /// Whether each visit may have a value of its own. The latest is then the value of the document.
    #[serde(default)]
    pub at_visits: bool,
    /// The section of the form that shows the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// The type of the value.
    pub value_type: ValueType,
    /// What the key is about.
    #[serde(default)]
    pub scope: Scope,
    /// Whether a document can have several values.
    #[serde(default)]
    pub repeatable: bool,
    /// Whether reviewers must check the value with particular care.
    #[serde(default)]
    pub critical: bool,
    /// Whether documents often do not have a value.
    #[serde(default)]
    pub optional: bool,
    /// Whether the form does not show the key.
    #[serde(default)]
    pub hidden: bool,
    /// Conditions on the values.
    #[serde(default, skip_serializing_if = "Validators::is_empty")]
    pub validators: Validators,
    /// The columns, if the values are tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<TableColumn>,
}

/// A column of the tables of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableColumn {
    /// The name, in `snake_case`.
    pub key: String,
    /// The name that people see.
    #[serde(default, skip_serializing_if = "Titles::is_empty")]
    pub title: Titles,
    /// The words of the head of the column, in any language, lower case and without accents.
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub labels: WordList,
    /// The terms of embedded data that are values of the column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terms: Vec<String>,
    /// The normal form of the values.
    #[serde(default)]
    pub normaliser: Normaliser,
    /// The type of the values.
    pub value_type: ValueType,
}

impl TableColumn {
    /// The title in that language, otherwise in any language, otherwise the name.
    pub fn title(&self, language: &str) -> &str {
        in_language(&self.title, language).unwrap_or(&self.key)
    }
}

/// What a key is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The document as a whole.
    #[default]
    Document,
    /// What happened at a visit.
    Visit,
    /// The head of a visit: when it was, and why. Schema files call it `metadata`.
    #[serde(rename = "metadata")]
    VisitHead,
}

impl Scope {
    /// All scopes with their names in schema files.
    pub(super) const ALL: [(&'static str, Self); 3] =
        [("document", Self::Document), ("visit", Self::Visit), ("metadata", Self::VisitHead)];
}

impl Schema {
    /// The name of the built-in schema that is the default. Runs that do not name a schema were interpreted by it.
    pub const DEFAULT: &'static str = "veterinary-record";

    /// The name of the built-in schema that stands for the one that fits best. A run for which none fits keeps it.
    pub const AUTO: &'static str = "auto";

    /// The built-in default schema.
    pub fn built_in_default() -> Self {
        built_in::default().schema.clone()
    }

    /// The name of the schema of a run.
    pub fn name_for(run: &Run) -> &str {
        run.schema.as_ref().map_or(Self::DEFAULT, |schema| schema.name.as_str())
    }

    /// Whether the schema of this run was to be chosen, and none fits its document.
    pub fn none_fits(run: &Run) -> bool {
        matches!(run.state, RunState::Completed { .. }) && Self::name_for(run) == Self::AUTO
    }

    /// What people should know about the result of a run, as stable codes: that none fits.
    pub fn warnings(run: &Run) -> Vec<&'static str> {
        Self::none_fits(run).then_some("NO_SCHEMA_FITS").into_iter().collect()
    }

    /// The language by whose habits the dates of a document are read: its own, or the first of the schema if the schema does
    /// not have it. In English the month may come first, so a schema with English leaves it open.
    pub fn language_of<'s>(&'s self, document: Option<&'s str>) -> Option<&'s str> {
        let has = |language: &str| self.languages.iter().any(|known| known == language);
        match self.languages.first() {
            Some(first) if !document.is_some_and(has) && (!has("en") || self.languages.len() == 1) => {
                Some(first)
            }
            _ => document,
        }
    }

    /// Drops the words of languages that are not in this list. An empty list keeps all.
    pub(crate) fn keep_languages(&mut self, languages: &[String]) {
        if languages.is_empty() {
            return;
        }
        let lists = [&mut self.other_labels, &mut self.other_dates, &mut self.names].into_iter();
        let of_keys = self.keys.iter_mut().flat_map(|key| {
            let SchemaKey {
                labels,
                shared_labels,
                continued_by,
                lead_ins,
                cues,
                sentence_words,
                columns,
                ..
            } = key;
            let of_columns = columns.iter_mut().map(|column| &mut column.labels);
            [labels, shared_labels, continued_by, lead_ins, cues, sentence_words]
                .into_iter()
                .chain(of_columns)
        });
        let of_headings = self.headings.iter_mut().map(|heading| &mut heading.words);
        for words in lists.chain(of_keys).chain(of_headings) {
            words.keep_languages(languages);
        }
    }

    /// The key of that name.
    pub fn key(&self, name: &str) -> Option<&SchemaKey> {
        self.keys.iter().find(|key| key.key == name)
    }

    /// Whether a key is critical. An unknown key is not.
    pub fn is_critical(&self, name: &str) -> bool {
        self.key(name).is_some_and(|key| key.critical)
    }

    /// What a key is about. An unknown key is about the document.
    pub fn scope(&self, name: &str) -> Scope {
        self.key(name).map_or(Scope::Document, |key| key.scope)
    }

    /// The index of the key of the date of a visit. None if the schema has no visits.
    pub fn visit_date(&self) -> Option<usize> {
        let is_it = |key: &SchemaKey| key.scope == Scope::VisitHead && key.normaliser == Normaliser::Date;
        self.keys.iter().position(|key| key.key == VISIT_DATE && is_it(key))
    }

    /// The index of the key of the document's date: the first date that is about the document.
    pub fn document_date(&self) -> Option<usize> {
        self.keys.iter().position(|key| key.scope == Scope::Document && key.normaliser == Normaliser::Date)
    }

    /// The title of the schema in that language.
    pub fn title(&self, language: &str) -> &str {
        in_language(&self.title, language).unwrap_or(&self.name)
    }

    /// The title of a key in that language. The title of an unknown key is its name.
    pub fn key_title<'s>(&'s self, key: &'s str, language: &str) -> &'s str {
        self.key(key).map_or(key, |key| key.title(language))
    }

    /// The title of a section in that language.
    pub fn section_title<'s>(&'s self, id: &'s str, language: &str) -> &'s str {
        let section = self.sections.iter().find(|section| section.id == id);
        section.and_then(|section| in_language(&section.title, language)).unwrap_or(id)
    }
}

impl SchemaKey {
    /// The title in that language, otherwise in any language, otherwise the name.
    pub fn title(&self, language: &str) -> &str {
        in_language(&self.title, language).unwrap_or(&self.key)
    }

    /// The hint in that language, otherwise in any language.
    pub fn hint(&self, language: &str) -> Option<&str> {
        in_language(&self.hint, language)
    }
}

fn in_language<'t>(titles: &'t Titles, language: &str) -> Option<&'t str> {
    titles.get(language).or_else(|| titles.values().next()).map(String::as_str)
}

fn is_empty_list(words: &WordList) -> bool {
    words.is_empty()
}

/// Whether this can be the name of a key: `snake_case`.
pub(super) fn is_key_name(name: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.len() <= 64 && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('_').all(part)
}

#[cfg(test)]
mod tests;
