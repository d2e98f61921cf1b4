//! Which keys a kind of document has. A schema is data and has versions; a run is bound to one of them.

mod built_in;
mod check;
mod file;
mod file_reader;
mod old_panels;
mod to_toml;
mod validators;
mod word_list;

use std::collections::BTreeMap;

use quire_domain::Run;
use serde::{Deserialize, Serialize};

use super::{Normaliser, ValueType};

pub use file::{InvalidSchema, SchemaFile, SchemaFormat, SchemaProblem};
pub use validators::{Bound, Validators};
pub use word_list::{ANY_LANGUAGE, WordList};

/// What something is called, by language as ISO 639-1.
pub type Titles = BTreeMap<String, String>;

/// The key that says when a visit was. A schema without it has no visits.
pub const VISIT_DATE: &str = "visit_date";

/// What tells of a visit itself, by the names that answers have for it.
pub const VISIT_METADATA_KEYS: [&str; 4] =
    [VISIT_DATE, "admission_date", "discharge_date", "reason_for_visit"];

/// The keys of a kind of document, in the order in which people see them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "old_panels::StoredSchema")]
pub struct Schema {
    /// Its name.
    pub name: String,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Titles::is_empty")]
    pub title: Titles,
    /// The sections of the form, in the order in which the form shows them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
    /// Its keys.
    pub keys: Vec<SchemaKey>,
    /// The headings that say of whom a part of a document speaks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<SectionHeading>,
    /// Labels of what no key is for: they end the value before them, and theirs is nobody's.
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub other_labels: WordList,
    /// Words that tell that the date in their line is not the date of a visit.
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub other_dates: WordList,
}

/// A section of the form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The name by which keys and headings refer to the section.
    pub id: String,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Titles::is_empty")]
    pub title: Titles,
}

/// Headings of one part of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionHeading {
    /// The section whose keys follow below the heading. Below a heading without a section stands what belongs to no
    /// section and to no visit.
    #[serde(default, alias = "panel", skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Its words, in any language, in small letters without accents.
    pub words: WordList,
}

/// One key of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // Each is a mark of its own, as the files of schemas show them.
pub struct SchemaKey {
    /// Its name, in `snake_case`.
    pub key: String,
    /// Other names of the key, which people and older programs use. Its values are shown under its own name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Titles::is_empty")]
    pub title: Titles,
    /// What the title means, where it is an abbreviation.
    #[serde(default, skip_serializing_if = "Titles::is_empty")]
    pub hint: Titles,
    /// The words before its value in a document, in any language, in small letters without accents.
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub labels: WordList,
    /// Labels that mean this key only below a heading of its section: "Nombre" is the owner's under "Propietario".
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub shared_labels: WordList,
    /// Labels behind which its value goes on, as an address does behind "Población".
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub continued_by: WordList,
    /// Words at the beginning of a line that lead in a value without being a label: "Se pauta".
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub lead_ins: WordList,
    /// Words by which a value without a label is recognised: the name of an institution in a letterhead, or a sentence
    /// about what was done at a visit.
    #[serde(default, skip_serializing_if = "is_empty_list")]
    pub cues: WordList,
    /// How its values become normal.
    #[serde(default)]
    pub normaliser: Normaliser,
    /// Whether each visit can have a value of its own, of which the latest is the document's.
    #[serde(default)]
    pub at_visits: bool,
    /// The section of the form that shows the key. A key without one is shown after the sections of the schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// What its value is meant as.
    pub value_type: ValueType,
    /// What it tells about.
    #[serde(default)]
    pub scope: Scope,
    /// Whether a document can have several.
    #[serde(default)]
    pub repeatable: bool,
    /// Whether a mistake in it is worse than others.
    #[serde(default)]
    pub critical: bool,
    /// Whether its absence says nothing.
    #[serde(default)]
    pub optional: bool,
    /// Whether the form leaves the key out.
    #[serde(default)]
    pub hidden: bool,
    /// What its values must be like beyond their type.
    #[serde(default, skip_serializing_if = "Validators::is_empty")]
    pub validators: Validators,
}

/// What a key tells about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The document as a whole.
    #[default]
    Document,
    /// What happened at a visit.
    Visit,
    /// A visit itself: when it was, and why.
    Metadata,
}

impl Scope {
    /// All of them, by their names.
    pub(super) const ALL: [(&'static str, Self); 3] =
        [("document", Self::Document), ("visit", Self::Visit), ("metadata", Self::Metadata)];
}

impl Schema {
    /// The name of the built-in schema that is used where nothing else is configured. Runs stored before runs kept
    /// their schema were interpreted by it.
    pub const DEFAULT: &'static str = "veterinary-record";

    /// The built-in schema of that name.
    pub fn built_in_default() -> Self {
        built_in::default().schema.clone()
    }

    /// The name of the schema that a run interprets its document by.
    pub fn name_for(run: &Run) -> &str {
        run.schema.as_ref().map_or(Self::DEFAULT, |schema| schema.name.as_str())
    }

    /// The key of that name.
    pub fn key(&self, name: &str) -> Option<&SchemaKey> {
        self.keys.iter().find(|key| key.key == name)
    }

    /// Whether that key is critical. One that the schema does not have is not.
    pub fn is_critical(&self, name: &str) -> bool {
        self.key(name).is_some_and(|key| key.critical)
    }

    /// What that key tells about. One that the schema does not have tells about the document.
    pub fn scope(&self, name: &str) -> Scope {
        self.key(name).map_or(Scope::Document, |key| key.scope)
    }

    /// The key that says when a visit was. A schema without it knows no visits.
    pub fn visit_date(&self) -> Option<usize> {
        let is_it = |key: &SchemaKey| key.scope == Scope::Metadata && key.normaliser == Normaliser::Date;
        self.keys.iter().position(|key| key.key == VISIT_DATE && is_it(key))
    }

    /// The key that says when a document was written: the first date that tells about it as a whole.
    pub fn document_date(&self) -> Option<usize> {
        self.keys.iter().position(|key| key.scope == Scope::Document && key.normaliser == Normaliser::Date)
    }

    /// What the schema is called in that language.
    pub fn title(&self, language: &str) -> &str {
        in_language(&self.title, language).unwrap_or(&self.name)
    }

    /// What a key is called in that language. One that the schema does not have is called by its name.
    pub fn key_title<'s>(&'s self, key: &'s str, language: &str) -> &'s str {
        self.key(key).map_or(key, |key| key.title(language))
    }

    /// What a section is called in that language.
    pub fn section_title<'s>(&'s self, id: &'s str, language: &str) -> &'s str {
        let section = self.sections.iter().find(|section| section.id == id);
        section.and_then(|section| in_language(&section.title, language)).unwrap_or(id)
    }
}

impl SchemaKey {
    /// What it is called in that language, else in any that there is, else by its name.
    pub fn title(&self, language: &str) -> &str {
        in_language(&self.title, language).unwrap_or(&self.key)
    }

    /// What its title means, in that language, else in any that there is.
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

/// Whether this can be the name of a key: `snake_case`, as every key of every schema is written.
pub(super) fn is_key_name(name: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.len() <= 64 && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('_').all(part)
}

#[cfg(test)]
mod tests;
