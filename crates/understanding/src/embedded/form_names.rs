//! Finds the key that the name of a form field means. Whoever makes a form names its fields after their labels:
//! `invoiceNumber`, `Rechnungsnummer`, `form1[0].#subform[0].owner.name[0]`.

use std::collections::HashMap;

use crate::normal::fold;
use crate::{Schema, Scope, ValueType};

/// Words before a name that say only that it is a field.
const FIELD_WORDS: [&str; 8] = ["txt", "text", "fld", "field", "input", "edit", "campo", "feld"];

/// Words that join others in a label.
const JOINTS: [&str; 14] =
    ["de", "del", "of", "the", "la", "el", "di", "du", "da", "do", "der", "des", "van", "d"];

/// The names of the fields that mean a key of a schema.
pub(super) struct FormNames {
    /// The key of each label, name and title. `None` if several keys share it.
    keys: HashMap<String, Option<usize>>,
    /// The keys of each label that means one only below a heading, with the headings.
    shared: HashMap<String, Vec<(usize, Vec<String>)>>,
}

impl FormNames {
    pub fn of(schema: &Schema) -> Self {
        let mut names = Self { keys: HashMap::new(), shared: HashMap::new() };
        for (place, key) in schema.keys.iter().enumerate() {
            if key.scope != Scope::Document || key.value_type == ValueType::Table {
                continue;
            }
            for words in key.labels.iter().chain(key.title.values()).chain([&key.key]).chain(&key.aliases) {
                for name in [letters(words), letters(&without_joints(words))] {
                    let known = names.keys.entry(name).or_insert(Some(place));
                    if *known != Some(place) {
                        *known = None;
                    }
                }
            }
            let section = key.section.as_deref();
            let headings = schema.headings.iter().filter(|heading| heading.section.as_deref() == section);
            let mut parents: Vec<String> =
                headings.flat_map(|heading| heading.words.iter()).map(|words| letters(words)).collect();
            parents.extend(section.map(letters));
            for words in &key.shared_labels {
                names.shared.entry(letters(words)).or_default().push((place, parents.clone()));
            }
        }
        names
    }

    /// The key that the full name of a field means.
    pub fn key_of(&self, field: &str) -> Option<usize> {
        let parts: Vec<String> = field
            .split('.')
            .map(|part| letters(&without_index(part)))
            .filter(|part| !part.is_empty())
            .collect();
        let (last, parents) = parts.split_last()?;
        let with_parent = parents.last().map(|parent| format!("{parent}{last}"));
        let bare = FIELD_WORDS.iter().find_map(|word| last.strip_prefix(word)).filter(|bare| bare.len() > 2);
        let shared = || {
            let mut keys = self.shared.get(last)?.iter();
            keys.find(|(_, headings)| parents.iter().any(|parent| headings.contains(parent)))
                .map(|(key, _)| *key)
        };
        // "Text12" and "Feld_3" are names that a program gave.
        let is_given = FIELD_WORDS.contains(&last.as_str());
        let named = |name: &str| self.keys.get(name).copied().flatten();
        with_parent
            .and_then(|name| named(&name))
            .or_else(shared)
            .or_else(|| named(last).filter(|_| !is_given))
            .or_else(|| bare.and_then(named))
    }
}

/// A part of a name without the number of its copy: `name[0]`, `name_2`.
fn without_index(part: &str) -> String {
    let part = part.split('[').next().unwrap_or_default();
    part.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_').to_owned()
}

/// Words without those that names of fields leave out: "número de factura" is `numeroFactura`.
fn without_joints(words: &str) -> String {
    let kept = words.split_whitespace().filter(|word| !JOINTS.contains(word));
    kept.collect::<Vec<_>>().join(" ")
}

/// The letters and digits of some words: how a name is written does not matter.
fn letters(words: &str) -> String {
    fold(words).chars().filter(|letter| letter.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SchemaFile;

    #[test]
    fn the_name_of_a_field_means_the_key_with_its_label() {
        let [_, invoice, ..] = SchemaFile::built_in();
        let names = FormNames::of(&invoice.schema);
        let key = |field: &str| names.key_of(field).map(|key| invoice.schema.keys[key].key.as_str());
        for (field, wanted) in [
            ("invoiceNumber", Some("invoice_number")),
            ("Invoice No", Some("invoice_number")),
            ("form1[0].#subform[0].Rechnungsnummer[0]", Some("invoice_number")),
            ("txtFechaVencimiento", Some("due_date")),
            ("NumeroFactura", Some("invoice_number")),
            ("data.issue_date", Some("issue_date")),
            ("customer.name", Some("customer_name")),
            ("supplier.company", Some("supplier_name")),
            ("Cliente.NIF", Some("customer_tax_id")),
            ("total_2", Some("total_amount")),
            ("NIF", None),
            ("Text12", None),
            ("", None),
            ("...", None),
        ] {
            assert_eq!(key(field), wanted, "{field}");
        }
    }
}
