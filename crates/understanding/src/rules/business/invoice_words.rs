//! Lends the words of the built-in schema of invoices to a schema that somebody wrote for invoices.
//!
//! Such a schema has a few keys, a few labels each, and says no more about a value than its type. The built-in schema knows
//! the labels of seven languages, the headings of the parties, and the other values of an invoice, which must not be taken
//! for those that are asked for. So the document is read by both: each key gets the words and the normal form of the
//! built-in key that has its labels, and the rest of the built-in schema competes for values, which are then dropped.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use super::phrases::{PhraseIndex, phrase_words};
use crate::{Field, Normaliser, Schema, SchemaFile, SchemaKey, Scope, SectionHeading, ValueType, WordList};

/// What a label says that is all of a label of the built-in schema, and what one says that contains it.
const WHOLE: usize = 4;
const PART: usize = 1;
/// What the title or the name of a key says.
const TITLE: usize = 1;
/// The fewest keys that a schema must share with the built-in one.
const FEWEST_KEYS: usize = 2;

/// The built-in schema that lends its words.
static LENDER: LazyLock<(Schema, PhraseIndex)> = LazyLock::new(|| {
    let [_, invoice, ..] = SchemaFile::built_in();
    let mut schema = invoice.schema.clone();
    schema.keys.retain(|key| key.value_type != ValueType::Table);
    let phrases = PhraseIndex::of(&schema);
    (schema, phrases)
});

/// A schema with the keys that it borrows from the built-in `invoice`, so that short schemas of invoices are read as well.
pub(in crate::rules) struct ExtendedSchema<'s> {
    own: &'s Schema,
    pub schema: Cow<'s, Schema>,
    /// For each key that is read, the key of the own schema. None if it only competes for values.
    own_keys: Option<Vec<Option<usize>>>,
}

impl<'s> ExtendedSchema<'s> {
    pub(in crate::rules) fn of(own: &'s Schema) -> Self {
        let is_built_in = SchemaFile::built_in().iter().any(|file| file.schema.name == own.name);
        let relatives =
            if is_built_in || own.visit_date().is_some() { BTreeMap::new() } else { relatives(own) };
        if !is_for_invoices(own, &relatives) {
            return Self { own, schema: Cow::Borrowed(own), own_keys: None };
        }
        let (schema, own_keys) = merged(own, &relatives);
        Self { own, schema: Cow::Owned(schema), own_keys: Some(own_keys) }
    }

    /// The fields of the own keys, in their order.
    pub(in crate::rules) fn own_fields(&self, mut fields: Vec<Field>) -> Vec<Field> {
        if self.own_keys.is_some() {
            let place = |field: &Field| self.own.keys.iter().position(|key| key.key == field.key);
            fields.retain(|field| place(field).is_some());
            fields.sort_by_key(place);
        }
        fields
    }
}

/// The key of the lender that each key of a schema is like, each at most once.
fn relatives(own: &Schema) -> BTreeMap<usize, usize> {
    let mut votes: Vec<(usize, usize, usize)> = Vec::new();
    for (place, key) in own.keys.iter().enumerate() {
        let mut by_key: BTreeMap<usize, usize> = BTreeMap::new();
        let labels = key.labels.iter().chain(&key.shared_labels).map(|label| (label.as_str(), 2));
        let name = key.key.replace('_', " ");
        let titles = key.title.values().map(|title| (title.as_str(), TITLE));
        for (words, factor) in labels.chain(titles).chain([(name.as_str(), TITLE)]) {
            let words = phrase_words(words);
            let Some(found) = LENDER.1.longest(&words) else { continue };
            let weight = if found.count == words.len() { WHOLE } else { PART };
            let meant = found.meaning.key.into_iter().chain(found.meaning.shared.iter().copied());
            for other in meant.filter(|other| can_be(key, &LENDER.0.keys[*other])) {
                *by_key.entry(other).or_default() += factor * weight;
            }
        }
        votes.extend(by_key.into_iter().map(|(other, weight)| (weight, place, other)));
    }
    votes.sort_by_key(|(weight, place, other)| (std::cmp::Reverse(*weight), *place, *other));
    let mut relatives = BTreeMap::new();
    let mut taken = HashSet::new();
    for (_, place, other) in votes {
        if !relatives.contains_key(&place) && taken.insert(other) {
            relatives.insert(place, other);
        }
    }
    relatives
}

/// Whether a key can have the values of a key of the lender.
fn can_be(own: &SchemaKey, lent: &SchemaKey) -> bool {
    use Normaliser::{Company, Date, Identifier, Institution, Number, Person, Sum, Text};
    let fits = match lent.normaliser {
        form if form.is_sum() => matches!(own.normaliser, Number | Sum | Text),
        Date => own.normaliser == Text,
        Company => matches!(own.normaliser, Person | Institution | Text),
        Text => false,
        _ => matches!(own.normaliser, Identifier | Text),
    };
    (fits || own.normaliser == lent.normaliser)
        && own.scope == Scope::Document
        && own.repeatable == lent.repeatable
        && own.value_type != ValueType::Table
}

/// Whether a schema is for invoices: several keys are like keys of the lender, one of them the total, the net amount or a
/// number whose label names an invoice.
fn is_for_invoices(own: &Schema, relatives: &BTreeMap<usize, usize>) -> bool {
    let names_invoice = |key: &SchemaKey| {
        let words: Vec<String> = key.labels.iter().flat_map(|label| phrase_words(label)).collect();
        let names = LENDER.0.names.iter().filter(|name| !name.contains(' '));
        let names: Vec<String> = names.flat_map(|name| phrase_words(name)).collect();
        words.iter().any(|word| names.iter().any(|name| word.starts_with(name.as_str())))
    };
    let tells = |(own_key, lent): (&usize, &usize)| match LENDER.0.keys[*lent].normaliser {
        Normaliser::NetSum | Normaliser::TotalSum => true,
        Normaliser::Identifier => names_invoice(&own.keys[*own_key]),
        _ => false,
    };
    relatives.len() >= FEWEST_KEYS && relatives.iter().any(tells)
}

/// The lender with the own keys in the places of their relatives and behind, and the own key of each key.
fn merged(own: &Schema, relatives: &BTreeMap<usize, usize>) -> (Schema, Vec<Option<usize>>) {
    let mut schema = LENDER.0.clone();
    // Words of related languages stand once in the lender, so all of them are borrowed.
    schema.languages.clone_from(&own.languages);
    let mut own_keys = vec![None; schema.keys.len()];
    let own_words: HashSet<String> =
        own.keys.iter().flat_map(|key| &key.labels).map(|one| form(one)).collect();
    let without_own = |words: &WordList| -> WordList {
        words.iter().filter(|word| !own_words.contains(&form(word))).cloned().collect()
    };
    for key in &mut schema.keys {
        // The name of no key, so that values which only compete are told apart.
        key.key.insert(0, ' ');
        key.labels = without_own(&key.labels);
        key.shared_labels = without_own(&key.shared_labels);
    }
    schema.other_labels = without_own(&schema.other_labels);
    schema.other_labels.merge(&own.other_labels);
    let lent_section = |section: Option<&str>| {
        let is_party = |(_, lent): &(&usize, &usize)| LENDER.0.keys[**lent].normaliser == Normaliser::Company;
        let mut parties = relatives.iter().filter(is_party);
        let party =
            parties.find(|(key, _)| section.is_some() && own.keys[**key].section.as_deref() == section);
        party.and_then(|(_, lent)| LENDER.0.keys[*lent].section.clone())
    };
    let own_section = |section: Option<&str>| section.map(|section| format!(" {section}"));
    for (place, key) in own.keys.iter().enumerate() {
        if let Some(lent) = relatives.get(&place) {
            let borrower = &mut schema.keys[*lent];
            own_keys[*lent] = Some(place);
            borrower.key.clone_from(&key.key);
            borrower.aliases.clone_from(&key.aliases);
            let mut labels = key.labels.clone();
            labels.merge(&borrower.labels);
            borrower.labels = labels;
            borrower.shared_labels.merge(&key.shared_labels);
            borrower.lead_ins.merge(&key.lead_ins);
            borrower.cues.merge(&key.cues);
            borrower.value_type = key.value_type;
            borrower.validators = key.validators.clone();
            borrower.critical = key.critical;
        } else {
            own_keys.push(Some(place));
            schema.keys.push(SchemaKey { section: own_section(key.section.as_deref()), ..key.clone() });
        }
    }
    schema.headings.extend(own.headings.iter().map(|heading| SectionHeading {
        section: lent_section(heading.section.as_deref()).or_else(|| own_section(heading.section.as_deref())),
        words: heading.words.clone(),
    }));
    (schema, own_keys)
}

/// A label in the form in which labels are compared.
fn form(label: &str) -> String {
    phrase_words(label).join(" ")
}
