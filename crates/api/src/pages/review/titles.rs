//! The titles of keys and sections in the reader's language, from the schema.

use quire_understanding::Schema;

use super::super::words::Language;

const SECTION: &str = "review.section_";

/// The title of a key.
pub(super) fn of_key(schema: &Schema, language: Language, key: &str) -> String {
    let title = schema.key_title(key, language.as_str());
    if title == key { readable(key) } else { title.to_owned() }
}

/// The meaning of a key whose title is an abbreviation.
pub(super) fn hint(schema: &Schema, language: Language, key: &str) -> Option<String> {
    schema.key(key)?.hint(language.as_str()).map(str::to_owned)
}

/// The title of a section. Built-in sections need no schema.
pub(super) fn of_section(schema: &Schema, language: Language, section: &str) -> String {
    let title = schema.section_title(section, language.as_str());
    let own = || language.words().find(&format!("{SECTION}{section}")).map(str::to_owned);
    if title == section { own().unwrap_or_else(|| readable(section)) } else { title.to_owned() }
}

/// A title from the name of a key: `t4_level` becomes "T4 level".
fn readable(key: &str) -> String {
    let mut text = key.replace('_', " ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_are_those_of_the_schema() {
        let schema = Schema::built_in_default();
        assert_eq!(of_key(&schema, Language::Spanish, "vet_name"), "Veterinario/a");
        assert_eq!(of_section(&schema, Language::Spanish, "clinic"), "Centro Veterinario");
        let hint = hint(&schema, Language::Spanish, "nhc");
        assert_eq!(hint.as_deref(), Some("Número de historial clínico"));
        assert_eq!(of_section(&Schema::default(), Language::Spanish, "other"), "Otros campos detectados");
    }

    #[test]
    fn a_key_without_a_title_is_still_readable() {
        let schema = Schema::built_in_default();
        assert_eq!(of_key(&schema, Language::English, "t4_level"), "T4 level");
        assert_eq!(of_key(&schema, Language::English, ""), "");
    }
}
