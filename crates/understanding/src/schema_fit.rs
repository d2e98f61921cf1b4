//! Which schema fits a document: by what the document calls itself, and by the values that each schema finds in it.

use std::collections::HashMap;

use quire_domain::reading::{Page, Word};
use serde::{Deserialize, Serialize};

use crate::normal::folded_words;
use crate::rules::{DocumentHints, find_fields};
use crate::{Field, Schema, SchemaFile, SchemaKey, apply_embedded_data};

/// A schema fits from here on.
const MIN_FIT: f64 = 0.35;
/// What the name of a document alone says about its schema.
const NAME_WEIGHT: f64 = 0.7;
/// What its values alone say.
const VALUES_WEIGHT: f64 = 0.6;
/// How much a name counts that is the whole text of its cell, apart from a number.
const WHOLE_CELL: f64 = 1.0;
/// How much a name counts at the beginning of a short cell.
const BEGINNING: f64 = 0.8;
/// How much a name counts within a short cell.
const WITHIN: f64 = 0.3;
/// The part that is left of a name in letters that are no larger than the others.
const PLAIN_LETTERS: f64 = 0.9;
/// The part that is left of a name behind the name of another kind: a delivery note that mentions its invoice.
const LATER: f64 = 0.5;
/// How much a name counts that is a label in front of something else: "Factura: F-12" in a delivery note.
const LABEL: f64 = 0.2;
/// The part that is left of a value without a label. Every letter has a date and a letterhead.
const UNLABELLED: f64 = 0.3;
/// Fewer labelled values are few.
const FEW_KEYS: f64 = 4.0;
/// The words of a short cell.
const MAX_CELL_WORDS: usize = 8;
/// The longest name, in words.
const MAX_NAME_WORDS: usize = 6;
/// Letters that are so much higher than the usual ones are a title.
const TITLE_HEIGHT: f32 = 1.2;
/// A gap so wide, in heights, separates cells of a line.
const CELL_GAP: f32 = 1.5;
/// Words for "number", which may follow a name.
const NUMBER_WORDS: [&str; 9] = ["no", "n", "nr", "num", "numero", "number", "nummer", "nro", "o"];

/// How well a schema fits a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SchemaFit {
    /// The name of the schema.
    pub schema: String,
    /// From 0 to 1.
    pub fit: f64,
}

impl SchemaFit {
    /// Whether documents are interpreted by a schema that fits like this.
    pub fn is_enough(&self) -> bool {
        self.fit >= MIN_FIT
    }
}

/// How well each of these schemas fits a document, the best first. Of two that fit alike, one of a file comes before one that
/// is built in.
pub fn schema_fits(pages: &[Page], schemas: &[Schema], hints: DocumentHints<'_>) -> Vec<SchemaFit> {
    let schemas: Vec<&Schema> = schemas.iter().filter(|schema| schema.name != Schema::AUTO).collect();
    let names = name_scores(pages, &schemas);
    let fields = |schema: &&Schema| {
        let mut fields = find_fields(pages, schema, hints);
        apply_embedded_data(&mut fields, pages, schema);
        fields
    };
    let found: Vec<Vec<Field>> = schemas.iter().map(fields).collect();
    let most = found.iter().map(|fields| labelled_keys(fields)).fold(FEW_KEYS, f64::max);
    let fit = |((schema, name), fields): ((&&Schema, f64), &Vec<Field>)| {
        // A schema that explains fewer of the labels in the document fits less.
        let explained = f64::midpoint(1.0, labelled_keys(fields) / most);
        let values = found_share(fields, schema) * explained;
        let fit = 1.0 - (1.0 - NAME_WEIGHT * name) * (1.0 - VALUES_WEIGHT * values);
        SchemaFit { schema: schema.name.clone(), fit: (fit * 1000.0).round() / 1000.0 }
    };
    let mut fits: Vec<SchemaFit> = schemas.iter().zip(names).zip(&found).map(fit).collect();
    let is_built_in =
        |fit: &SchemaFit| SchemaFile::built_in().iter().any(|file| file.schema.name == fit.schema);
    fits.sort_by(|one, other| {
        let by_fit = other.fit.total_cmp(&one.fit);
        by_fit.then(is_built_in(one).cmp(&is_built_in(other))).then(one.schema.cmp(&other.schema))
    });
    fits
}

/// The number of keys with a labelled value, each counted by its confidence.
fn labelled_keys(fields: &[Field]) -> f64 {
    let mut keys: HashMap<&str, f64> = HashMap::new();
    for field in fields.iter().filter(|field| is_labelled(field) && !field.value.is_empty()) {
        let best = keys.entry(&field.key).or_default();
        *best = best.max(field.confidence);
    }
    keys.values().sum()
}

/// Whether a value has a label or comes from the data of the file. A derived value has neither.
fn is_labelled(field: &Field) -> bool {
    field.mapping_id.as_deref().is_some_and(|mapping| !mapping.starts_with("fallback"))
}

fn weight(field: &Field) -> f64 {
    if is_labelled(field) { field.confidence } else { field.confidence * UNLABELLED }
}

/// The share of the keys with a value, each counted by its confidence, and less without a label: of the critical keys if there are several, otherwise
/// of those that documents usually have.
fn found_share(fields: &[Field], schema: &Schema) -> f64 {
    let critical: Vec<&SchemaKey> = schema.keys.iter().filter(|key| key.critical).collect();
    let usual = || schema.keys.iter().filter(|key| !key.optional).collect();
    let expected: Vec<&SchemaKey> = if critical.len() > 1 { critical } else { usual() };
    let confidence = |key: &&SchemaKey| {
        let of_key = fields.iter().filter(|field| field.key == key.key && !field.value.is_empty());
        of_key.map(weight).fold(0.0, f64::max)
    };
    #[allow(clippy::cast_precision_loss)] // At most a few hundred keys.
    let count = expected.len().max(1) as f64;
    expected.iter().map(confidence).sum::<f64>() / count
}

/// How clearly the first page with text says that it is a document of each schema, from 0 to 1.
fn name_scores(pages: &[Page], schemas: &[&Schema]) -> Vec<f64> {
    let mut owners: HashMap<Vec<String>, Vec<usize>> = HashMap::new();
    for (place, schema) in schemas.iter().enumerate() {
        for name in schema.names.iter().chain(schema.title.values()) {
            let of_name = owners.entry(folded_words(name)).or_default();
            if !of_name.contains(&place) {
                of_name.push(place);
            }
        }
    }
    let mut scores = vec![0.0_f64; schemas.len()];
    let Some(page) = pages.iter().find(|page| !page.lines.is_empty()) else { return scores };
    let usual = usual_height(page);
    let mut first: Option<&[usize]> = None;
    for cell in page.lines.iter().flat_map(|line| cells(&line.words)) {
        let words: Vec<String> = cell.iter().flat_map(|word| folded_words(&word.text)).collect();
        if words.len() > MAX_CELL_WORDS {
            continue;
        }
        let Some((start, length, found)) = longest_name(&words, &owners) else { continue };
        let is_number =
            |word: &String| word.bytes().any(|b| b.is_ascii_digit()) || NUMBER_WORDS.contains(&word.as_str());
        let is_label = cell.iter().any(|word| word.text.ends_with(':'));
        let strength = match start {
            _ if is_label => LABEL,
            0 if words[length..].iter().all(is_number) => WHOLE_CELL,
            0 => BEGINNING,
            _ => WITHIN,
        };
        let is_title = cell.iter().any(|word| word.rect.y1 - word.rect.y0 > usual * TITLE_HEIGHT);
        let strength = if is_title { strength } else { strength * PLAIN_LETTERS };
        let is_later = first.is_some_and(|first| !found.iter().any(|place| first.contains(place)));
        let strength = if is_later && !is_title { strength * LATER } else { strength };
        if strength > WITHIN && first.is_none() {
            first = Some(found);
        }
        for place in found {
            scores[*place] = scores[*place].max(strength);
        }
    }
    scores
}

/// The longest name in these words, the first of them: where it begins, its length, and the schemas that have it.
fn longest_name<'o>(
    words: &[String],
    owners: &'o HashMap<Vec<String>, Vec<usize>>,
) -> Option<(usize, usize, &'o [usize])> {
    let lengths = (1..=MAX_NAME_WORDS.min(words.len())).rev();
    lengths.into_iter().find_map(|length| {
        let mut windows = words.windows(length).enumerate();
        windows.find_map(|(start, window)| owners.get(window).map(|found| (start, length, found.as_slice())))
    })
}

/// The parts of a line with wide gaps between them.
fn cells(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    words.chunk_by(|one, next| next.rect.x0 - one.rect.x1 <= (one.rect.y1 - one.rect.y0) * CELL_GAP)
}

/// The height that most words of a page have.
fn usual_height(page: &Page) -> f32 {
    let words = page.lines.iter().flat_map(|line| &line.words);
    let mut heights: Vec<f32> = words.map(|word| word.rect.y1 - word.rect.y0).collect();
    heights.sort_by(f32::total_cmp);
    heights.get(heights.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
