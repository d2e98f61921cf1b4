//! Documents that the tests make, with the values that they contain: receipts, delivery notes and laboratory reports in four
//! languages and two layouts each.

mod delivery_notes;
mod laboratory_reports;
mod receipts;

use std::collections::BTreeSet;

use quire_domain::reading::{Line, Page, Rect, Word};

use crate::evaluation::{Evaluation, Outcome, Truth, judge};
use crate::rules::{DocumentHints, find_fields};
use crate::{Schema, SchemaFile, TableRow, Value};

/// The width of a letter and the height of a line, in points.
const LETTER: f32 = 5.0;
const HEIGHT: f32 = 10.0;
const LINE: f32 = 14.0;

/// A made document.
pub(crate) struct MadeDocument {
    /// Its kind, language and layout.
    pub(crate) name: String,
    pub(crate) text: &'static str,
    pub(crate) pages: Vec<Page>,
    pub(crate) language: &'static str,
    /// The name of its schema.
    pub(crate) schema: &'static str,
    /// The right values by key, as JSON.
    pub(crate) truth: serde_json::Value,
}

/// All made documents.
pub(crate) fn all() -> Vec<MadeDocument> {
    [receipts::all(), delivery_notes::all(), laboratory_reports::all()].into_iter().flatten().collect()
}

/// The right rows of the table of a laboratory report: the lines between its head and the next empty line, cut where the text
/// has two spaces.
pub(crate) fn table_of(document: &MadeDocument) -> Option<Vec<TableRow>> {
    (document.schema == "laboratory-report").then(|| {
        let is_head = |line: &&str| {
            line.ends_with("referencia")
                || line.ends_with("range")
                || line.ends_with("bereich")
                || line.ends_with("Rango")
                || line.ends_with("Range")
                || line.ends_with("référence")
        };
        let rows = document
            .text
            .lines()
            .skip_while(|line| !is_head(line))
            .skip(1)
            .take_while(|line| !line.is_empty());
        rows.map(laboratory_row).collect()
    })
}

fn laboratory_row(line: &str) -> TableRow {
    let mut cells: Vec<&str> = line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect();
    if cells.len() == 3 {
        // A pH has no unit.
        cells.insert(2, "");
    }
    let named = ["test", "result", "unit", "reference_range"].into_iter().zip(cells);
    named
        .filter(|(_, cell)| !cell.is_empty())
        .map(|(key, cell)| (key.to_owned(), Value::Text(cell.to_owned())))
        .collect()
}

/// A page of lines whose characters are all as wide. Two spaces separate cells. The first line is a title in larger letters.
pub(crate) fn page(text: &str) -> Page {
    let mut page = Page { width: 595.0, height: 842.0, ..Page::default() };
    for (row, line) in text.lines().enumerate() {
        #[allow(clippy::cast_precision_loss)] // A few lines.
        let y0 = 40.0 + row as f32 * LINE;
        let height = if row == 0 { HEIGHT * 1.4 } else { HEIGHT };
        let words = words(line, y0, height);
        if !words.is_empty() {
            page.lines.push(Line { words, opens_paragraph: false });
        }
    }
    page
}

fn words(line: &str, y0: f32, height: f32) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut is_open = false;
    let mut x0 = 40.0;
    for letter in line.chars() {
        if letter == ' ' {
            is_open = false;
        } else if let Some(word) = words.last_mut().filter(|_| is_open) {
            word.text.push(letter);
            word.rect.x1 = x0 + LETTER;
        } else {
            let rect = Rect { x0, y0, x1: x0 + LETTER, y1: y0 + height };
            words.push(Word::new(letter, rect));
            is_open = true;
        }
        x0 += LETTER;
    }
    words
}

/// The built-in schema of that name.
pub(crate) fn built_in(name: &str) -> Schema {
    let files = SchemaFile::built_in();
    files.into_iter().find(|file| file.schema.name == name).unwrap().schema.clone()
}

/// The fields of made documents against their right values, by schema.
fn evaluate(documents: &[MadeDocument]) -> Evaluation {
    let truth = |document: &MadeDocument| Truth::parse(&document.truth.to_string()).unwrap();
    // A value of a key that another document has is wrong in one that does not have it.
    let keys: BTreeSet<String> =
        documents.iter().flat_map(|document| truth(document).keys.into_keys()).collect();
    let mut judgements = Vec::new();
    for document in documents {
        let schema = built_in(document.schema);
        let hints =
            DocumentHints { language: Some(document.language), today: Some(jiff::civil::date(2026, 1, 31)) };
        let fields = find_fields(&document.pages, &schema, hints);
        for judgement in judge(&truth(document), &fields, &keys) {
            if judgement.outcome != Outcome::Right {
                println!("{}: {judgement:?}", document.name);
            }
            judgements.push(judgement);
        }
    }
    Evaluation::of(documents.len(), &judgements)
}

/// What the built-in schemas find in documents of their kind.
#[test]
fn built_in_schemas_find_the_values_of_made_documents() {
    for (documents, floor) in
        [(receipts::all(), 0.93), (delivery_notes::all(), 0.93), (laboratory_reports::all(), 0.93)]
    {
        let schema = documents[0].schema;
        let f1 = evaluate(&documents).overall.f1.unwrap();
        println!("{schema}: F1 {f1:.3} over {} documents", documents.len());
        assert!(f1 >= floor, "{schema}: F1 {f1:.3}");
    }
}
