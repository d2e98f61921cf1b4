//! Which keys a kind of document has. A schema is data and has versions; a run is bound to one of them.

use serde::{Deserialize, Serialize};

use super::veterinary;
use super::{Normaliser, ValueType};

/// Which version of which schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaRef {
    /// The schema.
    pub name: String,
    /// Its version, from 1.
    pub version: u32,
}

/// The keys of a kind of document, in the order in which people see them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schema {
    /// Its name.
    pub name: String,
    /// Its keys.
    pub keys: Vec<SchemaKey>,
    /// The headings that say of whom a part of a document speaks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<Heading>,
    /// Labels of what no key is for: they end the value before them, and theirs is nobody's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_labels: Vec<String>,
}

/// Headings of one part of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heading {
    /// The panel of the keys that it speaks of. Without one it opens what belongs to nobody and to no visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel: Option<String>,
    /// Its words, in any language, in small letters without accents.
    pub words: Vec<String>,
}

/// One key of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // Each is a mark of its own, as the files of schemas show them.
pub struct SchemaKey {
    /// Its name, in `snake_case`.
    pub key: String,
    /// The words before its value in a document, in any language, in small letters without accents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Labels that are its own only where the document speaks of its panel: "Nombre" is the owner's under "Propietario".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_labels: Vec<String>,
    /// Labels behind which its value goes on, as an address does behind "Población".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub continued_by: Vec<String>,
    /// Words at the beginning of a line that lead in a value without being a label: "Se pauta".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lead_ins: Vec<String>,
    /// Words by which a value is known in a letterhead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cues: Vec<String>,
    /// How its values become normal.
    #[serde(default)]
    pub normaliser: Normaliser,
    /// Whether each visit can have a value of its own, of which the latest is the document's.
    #[serde(default)]
    pub at_visits: bool,
    /// The part of the form that it stands in.
    pub section: String,
    /// The part of the page by visits that it stands in, if it has a place there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel: Option<String>,
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

impl Schema {
    /// The name of the built-in schema of veterinary records.
    pub const VETERINARY: &'static str = "veterinary-record";

    /// The built-in schema of veterinary records.
    pub fn veterinary() -> Self {
        veterinary::schema()
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
}

/// Whether this can be the name of a key: `snake_case`, as every key of every schema is written.
pub(super) fn is_key(name: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.len() <= 64 && name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('_').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves R090 for the closed set of the built-in schema.
    #[test]
    fn the_built_in_schema_has_ten_critical_keys() {
        let schema = Schema::veterinary();
        let critical: Vec<_> =
            schema.keys.iter().filter(|key| key.critical).map(|key| key.key.as_str()).collect();
        assert_eq!(
            critical,
            [
                "pet_name",
                "species",
                "breed",
                "sex",
                "age",
                "weight",
                "visit_date",
                "diagnosis",
                "procedure",
                "medication"
            ]
        );
        assert!(!schema.is_critical("never_heard_of"));
    }

    #[test]
    fn every_key_is_there_once_and_well_named_and_no_label_has_two_meanings() {
        let schema = Schema::veterinary();
        let mut names: Vec<_> = schema.keys.iter().map(|key| &key.key).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), schema.keys.len());
        assert!(names.iter().all(|name| is_key(name)), "{names:?}");
        let mut labels: Vec<_> = schema.keys.iter().flat_map(|key| &key.labels).collect();
        let count = labels.len();
        labels.sort();
        labels.dedup();
        assert_eq!(labels.len(), count);
    }

    #[test]
    fn names_of_keys_are_snake_case() {
        for good in ["a", "pet_name", "t4_level", "x1"] {
            assert!(is_key(good), "{good}");
        }
        for bad in ["", "_", "a__b", "a_", "_a", "Pet", "4t", "pet name", "año", &"x".repeat(65)] {
            assert!(!is_key(bad), "{bad}");
        }
    }
}
