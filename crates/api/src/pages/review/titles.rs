//! What keys and sections are called on the page.

use quire_domain::interpretation::Schema;

use super::super::words::Words;

const KEY: &str = "review.key_";
const HINT: &str = "review.hint_";
const SECTION: &str = "review.section_";

/// What people call that key.
pub(super) fn of_key(_schema: &Schema, words: &'static Words, key: &str) -> String {
    words.find(&format!("{KEY}{key}")).map_or_else(|| readable(key), str::to_owned)
}

/// What it means, where its title is an abbreviation.
pub(super) fn hint(words: &'static Words, key: &str) -> Option<&'static str> {
    words.find(&format!("{HINT}{key}"))
}

/// What a section is called.
pub(super) fn of_section(words: &'static Words, section: &str) -> &'static str {
    words.find(&format!("{SECTION}{section}")).unwrap_or_default()
}

/// A key that nobody has given a title: `t4_level` reads "T4 level".
fn readable(key: &str) -> String {
    let mut text = key.replace('_', " ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::super::words::Language;
    use super::*;

    #[test]
    fn every_key_of_the_built_in_schema_has_a_title_in_each_language() {
        let schema = Schema::veterinary();
        for language in Language::ALL {
            for key in &schema.keys {
                assert!(language.words().find(&format!("{KEY}{}", key.key)).is_some(), "{}", key.key);
            }
        }
        assert_eq!(of_key(&schema, Language::Spanish.words(), "vet_name"), "Veterinario/a");
        assert_eq!(hint(Language::Spanish.words(), "nhc"), Some("Número de historial clínico"));
    }

    #[test]
    fn a_key_without_a_title_is_still_readable() {
        let (schema, words) = (Schema::veterinary(), Language::English.words());
        assert_eq!(of_key(&schema, words, "t4_level"), "T4 level");
        assert_eq!(of_key(&schema, words, ""), "");
    }
}
