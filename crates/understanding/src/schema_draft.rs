//! Proposes a schema from examples: labels that recur, what their values look like, and the headings above them. A person edits
//! the proposal.

use std::collections::{BTreeMap, HashMap, HashSet};

use quire_domain::reading::{Page, Table, Word};

use crate::normal::{folded_words, iban, tax_id, tax_id_form};
use crate::{
    Normaliser, Schema, SchemaKey, Section, SectionHeading, TableColumn, Titles, Value, ValueType, WordList,
};

/// The share of the documents that a label must be in.
const MIN_SHARE: f64 = 0.3;
/// A label in so many of the documents is one that documents usually have.
const USUAL_SHARE: f64 = 0.6;
/// The longest label and the longest heading, in words.
const MAX_LABEL_WORDS: usize = 5;
/// A gap so wide, in heights, separates cells of a line.
const CELL_GAP: f32 = 1.5;
/// The most keys of a proposal.
const MAX_KEYS: usize = 100;
/// The section of labels that stand below no heading.
const GENERAL: &str = "general";

/// A label with its values, by the heading that it stands below.
#[derive(Default)]
struct SeenLabel {
    /// How documents write it.
    written: String,
    documents: HashSet<usize>,
    values: Vec<String>,
    /// Its first place, so that the proposal keeps the order of the documents.
    first: usize,
}

/// A label below a heading, both folded. Without a heading, the label of the document as a whole.
type LabelPlace = (Option<String>, String);

/// A schema of that name for documents like these, which are in this language. None if no label recurs.
pub fn draft_schema(name: &str, language: &str, documents: &[Vec<Page>]) -> Option<Schema> {
    let mut labels: BTreeMap<LabelPlace, SeenLabel> = BTreeMap::new();
    let mut headings: BTreeMap<String, SeenLabel> = BTreeMap::new();
    let mut names: BTreeMap<String, SeenLabel> = BTreeMap::new();
    for (number, pages) in documents.iter().enumerate() {
        collect(number, pages, &mut labels, &mut headings, &mut names);
    }
    #[allow(clippy::cast_precision_loss)] // A folder of examples.
    let share = |seen: &SeenLabel| seen.documents.len() as f64 / documents.len().max(1) as f64;
    let recurs =
        |seen: &SeenLabel| share(seen) >= MIN_SHARE && (seen.documents.len() > 1 || documents.len() == 1);
    headings.retain(|_, seen| recurs(seen));
    names.retain(|_, seen| recurs(seen));
    // A label below a heading that does not recur belongs to the document as a whole.
    let mut kept: BTreeMap<LabelPlace, SeenLabel> = BTreeMap::new();
    for ((heading, label), seen) in labels {
        let heading = heading.filter(|heading| headings.contains_key(heading));
        kept.entry((heading, label)).or_default().add(seen);
    }
    kept.retain(|_, seen| recurs(seen));
    let mut found: Vec<(LabelPlace, SeenLabel)> = kept.into_iter().collect();
    found.sort_by_key(|(_, seen)| seen.first);
    found.truncate(MAX_KEYS);
    let mut schema = Schema { name: name.to_owned(), title: titles(language, name), ..Schema::default() };
    let used: HashSet<&String> = found.iter().filter_map(|((heading, _), _)| heading.as_ref()).collect();
    let words = |words: &str| WordList::by_language([(language.to_owned(), vec![words.to_owned()])]);
    let names_found: Vec<String> = names.into_keys().collect();
    if !names_found.is_empty() {
        schema.names = WordList::by_language([(language.to_owned(), names_found)]);
    }
    schema.sections.push(Section { id: GENERAL.to_owned(), title: titles(language, "General") });
    let mut ordered: Vec<(&String, &SeenLabel)> =
        headings.iter().filter(|(heading, _)| used.contains(heading)).collect();
    ordered.sort_by_key(|(_, seen)| seen.first);
    for (heading, seen) in ordered {
        schema.sections.push(Section { id: key_name(heading), title: titles(language, &seen.written) });
        schema.headings.push(SectionHeading { section: Some(key_name(heading)), words: words(heading) });
    }
    let mut keys: HashSet<String> = HashSet::new();
    let counts = label_counts(&found);
    for ((heading, label), seen) in &found {
        let is_shared = counts[label.as_str()] > 1;
        let prefix =
            heading.as_deref().filter(|_| is_shared).map(|heading| format!("{}_", key_name(heading)));
        let key = format!("{}{}", prefix.unwrap_or_default(), key_name(label));
        if key.is_empty() || key.len() > 64 || !keys.insert(key.clone()) {
            continue;
        }
        let (value_type, normaliser) = kind(&seen.values);
        let section = heading.as_deref().map_or_else(|| GENERAL.to_owned(), key_name);
        let mut proposed = SchemaKey {
            key,
            title: titles(language, &seen.written),
            section: Some(section),
            value_type,
            normaliser,
            optional: share(seen) < USUAL_SHARE,
            ..SchemaKey::default()
        };
        // Two keys with one label are told apart by their headings.
        if is_shared && heading.is_some() {
            proposed.shared_labels = words(label);
        } else {
            proposed.labels = words(label);
        }
        schema.keys.push(proposed);
    }
    schema.keys.extend(tables(language, documents, &mut keys));
    (!schema.keys.is_empty()).then_some(schema)
}

impl SeenLabel {
    fn see(&mut self, document: usize, written: &str, first: usize) {
        if self.documents.is_empty() {
            written.clone_into(&mut self.written);
            self.first = first;
        }
        self.documents.insert(document);
    }

    fn add(&mut self, other: Self) {
        if self.documents.is_empty() {
            *self = other;
            return;
        }
        self.documents.extend(other.documents);
        self.values.extend(other.values);
        self.first = self.first.min(other.first);
    }
}

fn label_counts(found: &[(LabelPlace, SeenLabel)]) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for ((_, label), _) in found {
        *counts.entry(label.as_str()).or_default() += 1;
    }
    counts
}

/// Adds the labels, headings and the name of one document.
fn collect(
    document: usize,
    pages: &[Page],
    labels: &mut BTreeMap<LabelPlace, SeenLabel>,
    headings: &mut BTreeMap<String, SeenLabel>,
    names: &mut BTreeMap<String, SeenLabel>,
) {
    let mut heading: Option<String> = None;
    let (mut place, mut is_first) = (0, true);
    for line in pages.iter().flat_map(|page| &page.lines) {
        let cells: Vec<Vec<&str>> =
            cells(&line.words).map(|cell| cell.iter().map(|word| word.text.as_str()).collect()).collect();
        let has_label = cells.iter().any(|cell| label_end(cell).is_some());
        if let ([only], false) = (&cells[..], has_label) {
            let text = only.join(" ");
            let words = folded_words(&text);
            let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
            if (1..=MAX_LABEL_WORDS - 2).contains(&words.len()) && !has_digit {
                let folded = words.join(" ");
                if is_first {
                    // The first line is what the document calls itself.
                    names.entry(folded).or_default().see(document, &text, place);
                    is_first = false;
                    continue;
                }
                headings.entry(folded.clone()).or_default().see(document, &text, place);
                heading = Some(folded);
            }
        }
        is_first = false;
        for (index, cell) in cells.iter().enumerate() {
            place += 1;
            let Some(end) = label_end(cell) else { continue };
            let written = cell[..=end].join(" ");
            let written = written.trim_end_matches(':').trim();
            let label = folded_words(written).join(" ");
            let behind = cell[end + 1..].join(" ");
            let next = cells.get(index + 1).filter(|next| label_end(next).is_none());
            let value = if behind.is_empty() { next.map(|next| next.join(" ")) } else { Some(behind) };
            let seen = labels.entry((heading.clone(), label)).or_default();
            seen.see(document, written, place);
            seen.values.extend(value);
        }
    }
}

/// The place of the word with the colon that ends a label at the beginning of a cell.
fn label_end(cell: &[&str]) -> Option<usize> {
    let end = cell.iter().take(MAX_LABEL_WORDS).position(|word| word.ends_with(':'))?;
    let has_letters = cell[..=end].iter().any(|word| word.chars().any(char::is_alphabetic));
    let is_time = cell[..=end].iter().any(|word| word.bytes().any(|byte| byte.is_ascii_digit()));
    (has_letters && !is_time).then_some(end)
}

fn cells(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    words.chunk_by(|one, next| next.rect.x0 - one.rect.x1 <= (one.rect.y1 - one.rect.y0) * CELL_GAP)
}

/// The label in front of a value on these pages, folded: the words before a colon in its cell, or the cell on its left.
pub fn label_of_value(pages: &[Page], value: &Value) -> Option<String> {
    let is_it = |text: &str| match value {
        Value::Text(wanted) => {
            folded_words(text) == folded_words(wanted)
                || Normaliser::Date.apply(text).as_ref() == Some(wanted)
        }
        Value::Number(wanted) => {
            let number = Normaliser::Sum.apply(text).and_then(|sum| sum.parse::<f64>().ok());
            number.is_some_and(|number| (number - wanted).abs() < 0.005)
        }
        Value::Null | Value::Bool(_) | Value::Table(_) => false,
    };
    let mut found: Vec<String> = Vec::new();
    for line in pages.iter().flat_map(|page| &page.lines) {
        let cells: Vec<Vec<&str>> =
            cells(&line.words).map(|cell| cell.iter().map(|word| word.text.as_str()).collect()).collect();
        for (index, cell) in cells.iter().enumerate() {
            let behind = label_end(cell).filter(|end| is_it(&cell[end + 1..].join(" ")));
            let label = match behind {
                Some(end) => Some(cell[..=end].join(" ")),
                None if is_it(&cell.join(" ")) => {
                    let left = index.checked_sub(1).map(|left| cells[left].join(" "));
                    left.filter(|left| !left.bytes().any(|byte| byte.is_ascii_digit()))
                }
                None => None,
            };
            let words = label.map(|label| folded_words(&label)).unwrap_or_default();
            if (1..=MAX_LABEL_WORDS).contains(&words.len()) {
                found.push(words.join(" "));
            }
        }
    }
    // A value that stands in several places says nothing about its label, unless the places agree.
    let first = found.first()?.clone();
    found.iter().all(|label| *label == first).then_some(first)
}

/// The type and the normal form that all these values can have.
fn kind(values: &[String]) -> (ValueType, Normaliser) {
    let all = |normaliser: Normaliser| {
        !values.is_empty() && values.iter().all(|value| normaliser.apply(value).is_some())
    };
    let has_sign =
        || values.iter().any(|value| value.chars().any(|c| "€$£".contains(c)) || value.contains("EUR"));
    let are_codes = || {
        let is_code =
            |value: &String| !value.contains(' ') && value.bytes().any(|byte| byte.is_ascii_digit());
        values.iter().all(is_code)
    };
    if all(Normaliser::Date) {
        (ValueType::Date, Normaliser::Date)
    } else if !values.is_empty() && values.iter().all(|value| iban(value).is_some()) {
        (ValueType::String, Normaliser::Iban)
    } else if !values.is_empty() && values.iter().all(|value| is_tax_id(value)) {
        (ValueType::String, Normaliser::TaxId)
    } else if all(Normaliser::Sum) && has_sign() {
        (ValueType::Number, Normaliser::Sum)
    } else if all(Normaliser::Number) {
        (ValueType::Number, Normaliser::Number)
    } else if all(Normaliser::YesNo) {
        (ValueType::Boolean, Normaliser::YesNo)
    } else if !values.is_empty() && are_codes() && all(Normaliser::Identifier) {
        (ValueType::String, Normaliser::Identifier)
    } else {
        (ValueType::String, Normaliser::Text)
    }
}

/// Whether a text is a tax number with the right check digits.
fn is_tax_id(text: &str) -> bool {
    tax_id(text).is_some_and(|number| tax_id_form(&number) == Some(crate::normal::TaxIdForm::Checked))
}

/// The tables whose heads recur, as keys with columns.
fn tables(language: &str, documents: &[Vec<Page>], names: &mut HashSet<String>) -> Vec<SchemaKey> {
    let mut heads: BTreeMap<Vec<String>, Vec<Vec<Vec<String>>>> = BTreeMap::new();
    for pages in documents {
        let mut of_document = HashSet::new();
        for table in Table::find(pages).into_iter().filter(|table| table.head_rows > 0) {
            let grid = table.grid();
            let head: Vec<String> = grid[table.head_rows - 1].iter().map(|cell| (*cell).to_owned()).collect();
            if head.iter().any(String::is_empty) || !of_document.insert(head.clone()) {
                continue;
            }
            let rows =
                grid[table.head_rows..].iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect());
            heads.entry(head).or_default().push(rows.collect());
        }
    }
    let recurs = |found: &Vec<Vec<Vec<String>>>| found.len() > 1 || documents.len() == 1;
    let mut keys = Vec::new();
    for (head, found) in heads.iter().filter(|(_, found)| recurs(found)) {
        let name =
            (1..).map(|number| if number == 1 { "lines".to_owned() } else { format!("lines_{number}") });
        let Some(key) = name.take(MAX_KEYS).find(|name| names.insert(name.clone())) else { break };
        let mut used = HashSet::new();
        let column = |(place, title): (usize, &String)| {
            let values: Vec<String> = found
                .iter()
                .flatten()
                .filter_map(|row| row.get(place).cloned())
                .filter(|cell| !cell.is_empty())
                .collect();
            let (value_type, normaliser) = match kind(&values) {
                (ValueType::String, _) => (ValueType::String, Normaliser::Text),
                other => other,
            };
            let labels = WordList::by_language([(language.to_owned(), vec![folded_words(title).join(" ")])]);
            TableColumn {
                key: key_name(title),
                title: titles(language, title),
                labels,
                normaliser,
                value_type,
                ..TableColumn::default()
            }
        };
        let columns: Vec<TableColumn> = head.iter().enumerate().map(column).collect();
        if columns.iter().any(|column| column.key.is_empty() || !used.insert(column.key.clone())) {
            continue;
        }
        keys.push(SchemaKey {
            key,
            title: titles(language, "Lines"),
            section: Some(GENERAL.to_owned()),
            value_type: ValueType::Table,
            optional: true,
            columns,
            ..SchemaKey::default()
        });
    }
    keys
}

/// A name in `snake_case`, from words of any language.
fn key_name(words: &str) -> String {
    let ascii = |word: &String| word.chars().filter(char::is_ascii_alphanumeric).collect::<String>();
    let parts: Vec<String> = folded_words(words).iter().map(ascii).filter(|part| !part.is_empty()).collect();
    parts.join("_").trim_start_matches(|c: char| c.is_ascii_digit() || c == '_').to_owned()
}

fn titles(language: &str, title: &str) -> Titles {
    Titles::from([(language.to_owned(), title.to_owned())])
}

#[cfg(test)]
mod tests;
