//! Checks a schema: every name it uses exists, and no label has two meanings.

use std::collections::{HashMap, HashSet};

use super::file_reader::Problems;
use super::{Schema, SchemaKey, Scope, Section, VISIT_METADATA_KEYS, is_key_name};
use crate::rules::{LONGEST_LABEL, MAX_LEAD_IN_WORDS, label_form};
use crate::{Normaliser, ValueType};

/// The most columns of a table.
const MAX_COLUMNS: usize = 40;
/// The longest name of a schema, in characters.
const MAX_NAME_CHARS: usize = 64;

pub(super) fn check(schema: &Schema, problems: &Problems) {
    if !schema.name.is_empty() && !is_schema_name(&schema.name) {
        let reason = "must be lower-case letters, digits and single dashes, such as delivery-note";
        problems.add("name", reason);
    }
    if schema.keys.is_empty() {
        problems.add("keys", "are missing; add at least one [[keys]]");
    }
    check_sections(&schema.sections, problems);
    let mut names: HashSet<&str> = HashSet::new();
    for key in &schema.keys {
        if !key.key.is_empty() && !names.insert(&key.key) {
            problems.add(&format!("keys.{}", key.key), "occurs twice; rename one of them");
        }
        check_key(key, schema, problems);
    }
    for heading in &schema.headings {
        let path = format!("headings.{}", heading.section.as_deref().unwrap_or("without section"));
        if let Some(section) = &heading.section {
            check_section_exists(&schema.sections, section, &format!("{path}.section"), problems);
        }
        if heading.words.is_empty() {
            problems.add(&format!("{path}.words"), "are missing");
        }
        check_words(&heading.words, LONGEST_LABEL, &format!("{path}.words"), problems);
    }
    check_words(&schema.other_labels, LONGEST_LABEL, "other_labels", problems);
    check_words(&schema.names, LONGEST_LABEL, "names", problems);
    check_labels_are_unique(schema, problems);
}

fn check_key(key: &SchemaKey, schema: &Schema, problems: &Problems) {
    let path = |member: &str| format!("keys.{}.{member}", key.key);
    if !key.key.is_empty() && !is_key_name(&key.key) {
        problems.add(&path("key"), "must be snake_case of at most 64 characters, such as total_amount");
    }
    for alias in &key.aliases {
        if !is_key_name(alias) {
            problems.add(&path("aliases"), format!("has \"{alias}\", which is not snake_case; rename it"));
        } else if schema.key(alias).is_some() {
            problems.add(&path("aliases"), format!("has \"{alias}\", which is the name of a key; remove it"));
        }
    }
    if let Some(section) = &key.section {
        check_section_exists(&schema.sections, section, &path("section"), problems);
    }
    if key.section.is_none() && !key.shared_labels.is_empty() {
        problems.add(
            &path("shared_labels"),
            "need a section, because they count only below its headings; add section = \"…\"",
        );
    }
    if key.scope == Scope::VisitHead && !VISIT_METADATA_KEYS.contains(&key.key.as_str()) {
        let known = VISIT_METADATA_KEYS.join(", ");
        let reason = format!("cannot be \"metadata\", except for these keys: {known}; use scope = \"visit\"");
        problems.add(&path("scope"), reason);
    }
    let is_of_visits = key.scope != Scope::Document || key.at_visits;
    if is_of_visits && schema.visit_date().is_none() {
        let reason = "needs visits, and the schema has none; add key = \"visit_date\" with \
                      scope = \"metadata\" and value_type = \"date\"";
        problems.add(&path(if key.at_visits { "at_visits" } else { "scope" }), reason);
    }
    if !key.normaliser.produces(key.value_type) {
        let usual = Normaliser::default_for(key.value_type).as_str();
        let reason = format!("does not produce a {}; remove it, or use {usual}", key.value_type.as_str());
        problems.add(&path("normaliser"), reason);
    }
    for (member, words) in
        [("labels", &key.labels), ("shared_labels", &key.shared_labels), ("continued_by", &key.continued_by)]
    {
        check_words(words, LONGEST_LABEL, &path(member), problems);
    }
    check_words(&key.lead_ins, MAX_LEAD_IN_WORDS, &path("lead_ins"), problems);
    let is_list_of_visits = key.scope == Scope::Visit && key.repeatable;
    if !key.sentence_words.is_empty() && !is_list_of_visits {
        problems.add(&path("sentence_words"), "need scope = \"visit\" and repeatable = true");
    }
    check_validators(key, problems);
    check_columns(key, problems);
}

/// A key whose values are tables has columns, and no other key has.
fn check_columns(key: &SchemaKey, problems: &Problems) {
    let path = format!("keys.{}.columns", key.key);
    if key.value_type != ValueType::Table {
        if !key.columns.is_empty() {
            problems.add(&path, "need value_type = \"table\"");
        }
        return;
    }
    if !(1..=MAX_COLUMNS).contains(&key.columns.len()) {
        problems.add(&path, format!("must be 1 to {MAX_COLUMNS}; add [[keys.columns]]"));
    }
    let has_words =
        [&key.labels, &key.shared_labels, &key.continued_by, &key.lead_ins, &key.cues, &key.sentence_words];
    if has_words.iter().any(|words| !words.is_empty()) {
        problems
            .add(&format!("keys.{}.labels", key.key), "belong to the columns of a table; move them there");
    }
    if key.scope != Scope::Document || key.at_visits || key.repeatable || !key.validators.is_empty() {
        let reason = "of a table is about the document, has one value and no validators; remove scope, at_visits, \
                      repeatable and validators";
        problems.add(&format!("keys.{}", key.key), reason);
    }
    let (mut names, mut labels) = (HashSet::new(), HashSet::new());
    for column in &key.columns {
        let path = |member: &str| format!("{path}.{}.{member}", column.key);
        if !is_key_name(&column.key) || !names.insert(column.key.as_str()) {
            problems
                .add(&path("key"), "must be snake_case, such as unit_price, and another one for each column");
        }
        if column.value_type == ValueType::Table {
            problems.add(&path("value_type"), "cannot be \"table\"");
        } else if !column.normaliser.produces(column.value_type) {
            let usual = Normaliser::default_for(column.value_type).as_str();
            let kind = column.value_type.as_str();
            let reason = format!("does not produce a {kind}; remove it, or use {usual}");
            problems.add(&path("normaliser"), reason);
        }
        check_words(&column.labels, LONGEST_LABEL, &path("labels"), problems);
        // Two languages may share a word.
        for (_, words) in column.labels.languages() {
            let mut own = HashSet::new();
            for label in words.iter().filter(|label| !own.insert(label_form(label))) {
                problems.add(&path("labels"), format!("has \"{label}\" twice; remove one"));
            }
            labels.extend(own.into_iter().map(|form| (form, &column.key)));
        }
        let is_taken = |label: &&String| {
            let form = label_form(label);
            labels.iter().any(|(known, owner)| *known == form && **owner != column.key)
        };
        if let Some(label) = column.labels.iter().find(is_taken) {
            problems
                .add(&path("labels"), format!("has \"{label}\", which is also a label of another column"));
        }
    }
}

fn check_validators(key: &SchemaKey, problems: &Problems) {
    let path = |member: &str| format!("keys.{}.validators.{member}", key.key);
    let validators = &key.validators;
    let bounds = [("min", validators.min), ("max", validators.max)];
    let is_number = key.value_type == ValueType::Number || key.normaliser == Normaliser::Amount;
    for (member, _) in bounds.iter().filter(|(_, bound)| bound.is_some() && !is_number) {
        problems.add(&path(member), "applies to numbers only; set value_type = \"number\"");
    }
    if let (Some(least), Some(most)) = (validators.min, validators.max)
        && least.0 > most.0
    {
        problems.add(&path("min"), "is greater than max; lower it");
    }
}

fn check_sections(sections: &[Section], problems: &Problems) {
    let mut seen: HashSet<&str> = HashSet::new();
    for section in sections.iter().filter(|section| !section.id.is_empty()) {
        let path = format!("sections.{}", section.id);
        if !is_key_name(&section.id) {
            problems.add(&path, "must be snake_case, such as line_items");
        }
        if !seen.insert(&section.id) {
            problems.add(&path, "occurs twice; remove one of them");
        }
    }
}

fn check_section_exists(sections: &[Section], id: &str, path: &str, problems: &Problems) {
    if !sections.iter().any(|section| section.id == id) {
        let known: Vec<&str> = sections.iter().map(|section| section.id.as_str()).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        problems.add(path, format!("names \"{id}\", which is not among the sections: {known}"));
    }
}

/// Refuses words that could never be found: too long, or without letters and digits.
fn check_words(words: &[String], most: usize, path: &str, problems: &Problems) {
    for word in words.iter().filter(|word| word.split(' ').count() > most) {
        problems.add(path, format!("has \"{word}\", which has more than {most} words; shorten it"));
    }
    for word in words.iter().filter(|word| label_form(word).is_empty()) {
        problems.add(path, format!("has \"{word}\", which has no letter and no digit; remove it"));
    }
}

/// Two keys cannot have the same label. They may share it, because their sections tell them apart.
fn check_labels_are_unique(schema: &Schema, problems: &Problems) {
    let mut owners: HashMap<String, &str> = HashMap::new();
    for key in &schema.keys {
        for label in &key.labels {
            match owners.insert(label_form(label), &key.key) {
                Some(other) if other != key.key => {
                    let reason = format!("has \"{label}\", which is also a label of {other}; remove one");
                    problems.add(&format!("keys.{}.labels", key.key), reason);
                }
                _ => {}
            }
        }
    }
    for label in &schema.other_labels {
        if let Some(owner) = owners.get(&label_form(label)) {
            problems.add(
                "other_labels",
                format!("has \"{label}\", which is also a label of {owner}; remove one"),
            );
        }
    }
    let mut leads: HashMap<String, &str> = HashMap::new();
    for key in &schema.keys {
        for words in &key.lead_ins {
            if let Some(other) = leads.insert(label_form(words), &key.key).filter(|other| *other != key.key) {
                let reason = format!("has \"{words}\", which is also a lead-in of {other}; remove one");
                problems.add(&format!("keys.{}.lead_ins", key.key), reason);
            }
        }
    }
}

/// Whether this can be the name of a schema.
fn is_schema_name(name: &str) -> bool {
    let part =
        |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    name.len() <= MAX_NAME_CHARS && name.split('-').all(part)
}
