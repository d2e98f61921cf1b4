//! Reads schemas from before sections and panels became one.
//!
//! A schema used to have sections for the form and panels for the page. Its sections are now what its panels were.
//! Files and stored versions that still have panels are read as if the panels were the sections, so that a form looks
//! as it did.

use quire_domain::reading::Extractor;
use serde::Deserialize;

use super::{Schema, SchemaKey, Section, SectionHeading, Titles, WordList, built_in};

/// A schema as files and databases have it: with sections, with panels, or with both.
#[derive(Deserialize)]
pub(super) struct StoredSchema {
    pub name: String,
    #[serde(default)]
    pub title: Titles,
    #[serde(default)]
    pub sections: Vec<Section>,
    #[serde(default)]
    pub panels: Vec<Section>,
    pub keys: Vec<StoredKey>,
    #[serde(default)]
    pub headings: Vec<SectionHeading>,
    #[serde(default)]
    pub other_labels: WordList,
    #[serde(default)]
    pub other_dates: WordList,
    #[serde(default)]
    pub names: WordList,
    #[serde(default)]
    pub languages: Vec<String>,
    #[serde(default)]
    pub extractor: Option<Extractor>,
}

/// A key as files and databases have it.
#[derive(Deserialize)]
pub(super) struct StoredKey {
    #[serde(flatten)]
    pub key: SchemaKey,
    #[serde(default)]
    pub panel: Option<String>,
}

impl From<StoredSchema> for Schema {
    fn from(stored: StoredSchema) -> Self {
        let StoredSchema {
            name,
            title,
            sections,
            panels,
            keys,
            headings,
            other_labels,
            mut other_dates,
            names,
            languages,
            extractor,
        } = stored;
        // The first stored schemas had no lists. Their keys named the panels of the built-in schema.
        let has_no_lists =
            sections.is_empty() && panels.is_empty() && keys.iter().any(|key| key.panel.is_some());
        let has_panels = has_no_lists || !panels.is_empty();
        let built_in = || built_in::all().into_iter().find(|file| file.schema.name == name);
        let current = if has_panels { built_in() } else { None };
        let sections = match current {
            Some(file) if has_no_lists => file.schema.sections.clone(),
            _ if panels.is_empty() => sections,
            _ => panels,
        };
        let section_of = |StoredKey { mut key, panel }: StoredKey| {
            key.section = panel.or(key.section.filter(|_| !has_panels));
            // Older versions of a built-in schema lack members that the program had in its code. The current version
            // has them.
            if let Some(current) = current.and_then(|file| file.schema.key(&key.key)) {
                key.hidden = current.hidden;
                key.aliases.clone_from(&current.aliases);
                key.hint.clone_from(&current.hint);
                if key.cues.is_empty() {
                    key.cues.clone_from(&current.cues);
                }
            }
            key
        };
        if let Some(current) = current {
            other_dates.clone_from(&current.schema.other_dates);
        }
        let keys = keys.into_iter().map(section_of).collect();
        Self { name, title, sections, keys, headings, other_labels, other_dates, names, languages, extractor }
    }
}
