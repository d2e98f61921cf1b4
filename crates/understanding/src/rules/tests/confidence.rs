//! Fits and measures the confidence on made documents, and on the same documents spoilt: labels lost, letters misread, other
//! values beside the right ones, columns glued, lines lost. The layouts that measure it are not those that it is fitted on.
//!
//! `cargo xtask fit` fits the weights anew and writes them to `src/confidence/weights.toml`.

mod spoil;
mod statistics;

use std::collections::BTreeMap;

use self::spoil::{KINDS, spoilt};
use self::statistics::{Measures, fit, measure};
use super::invoices;
use super::layouts::LAYOUTS;
use super::made_records::{KEPT_APART, KEPT_APART_LAST, KEPT_APART_LATER, LATER, MadeRecord, TUNED};
use super::records::RECORDS;
use super::*;
use crate::confidence::{Features, Model, built_in};
use crate::normal::fold;
use crate::{SchemaFile, Scope};

/// Every how manieth layout is kept apart from the fit.
const KEPT_EVERY: usize = 4;
/// Keys whose right values the made documents do not state.
const UNJUDGED: [&str; 9] = [
    "language",
    "reproductive_status",
    "notes",
    "line_item",
    "observations",
    "actions",
    "treatment_plan",
    "owner_id",
    "order_number",
];

/// A value that was found, what is known about it, and whether it is right.
pub(super) struct Sample {
    pub features: Features,
    pub is_right: bool,
    pub is_invoice: bool,
    pub is_spoilt: bool,
    /// The key and the value, and how the document was spoilt.
    pub what: String,
}

/// A document with its right values: of the document, and of the visits by their dates.
struct Document {
    pages: Vec<Page>,
    fields: Vec<(String, String)>,
    visits: Vec<(String, Vec<(String, String)>)>,
    is_invoice: bool,
    is_kept_apart: bool,
    language: Option<&'static str>,
}

fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn documents() -> Vec<Document> {
    let mut documents = Vec::new();
    let is_kept = |place: usize| place % KEPT_EVERY == 1;
    let files = TUNED.iter().chain(&LATER).enumerate().map(|(place, (_, file))| (*file, is_kept(place)));
    for (file, is_kept_apart) in files.chain(
        KEPT_APART.iter().chain(&KEPT_APART_LATER).chain(&KEPT_APART_LAST).map(|(_, file)| (*file, true)),
    ) {
        let record = MadeRecord::of(file);
        documents.push(Document {
            fields: owned(&record.fields),
            visits: record.visits.iter().map(|(day, values)| ((*day).to_owned(), owned(values))).collect(),
            pages: record.pages,
            is_invoice: false,
            is_kept_apart,
            language: None,
        });
    }
    for (place, (_, layout)) in LAYOUTS.iter().enumerate() {
        for record in &RECORDS {
            let visit = |visit: &super::records::Visit| (visit.iso.to_owned(), owned(&visit.fields()));
            documents.push(Document {
                pages: layout(record),
                fields: owned(&record.fields()),
                visits: record.visits.iter().map(visit).collect(),
                is_invoice: false,
                is_kept_apart: is_kept(place),
                language: None,
            });
        }
    }
    for (place, language, pages, fields) in invoices::printed_with_answers() {
        let is_kept_apart = is_kept(place) || place >= invoices::TUNED_COUNT;
        documents.push(Document {
            pages,
            fields,
            visits: Vec::new(),
            is_invoice: true,
            is_kept_apart,
            language: Some(language),
        });
    }
    for (place, invoice) in invoices::text_invoices() {
        documents.push(Document {
            pages: invoice.pages,
            fields: owned(&invoice.fields),
            visits: Vec::new(),
            is_invoice: true,
            is_kept_apart: place.is_none_or(is_kept),
            language: Some(invoice.language),
        });
    }
    documents
}

fn shown(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        other => format!("{other:?}"),
    }
}

/// The values that were found in a document, judged.
fn samples_of(
    document: &Document,
    pages: &[Page],
    schema: &Schema,
    kind: Option<usize>,
    samples: &mut Vec<Sample>,
) {
    let hints = DocumentHints { language: document.language, today: Some(TODAY) };
    let found = fields_with_features(pages, schema, hints);
    let days: BTreeMap<String, String> = found
        .iter()
        .filter(|(field, _)| field.key == "visit_date")
        .filter_map(|(field, _)| Some((field.visit_id.clone()?, shown(&field.value))))
        .collect();
    for (field, features) in &found {
        let Some(features) = features else { continue };
        let scope = schema.key(&field.key).map_or(Scope::Document, |key| key.scope);
        let is_lost = scope != Scope::Document && field.visit_id.is_none();
        if field.value.is_empty() || is_lost || UNJUDGED.contains(&field.key.as_str()) {
            continue;
        }
        let got = fold(&shown(&field.value));
        let states = |values: &[(String, String)]| {
            values.iter().any(|(key, want)| *key == field.key && fold(want) == got)
        };
        let day = field.visit_id.as_ref().and_then(|id| days.get(id));
        let is_right = match day {
            Some(_) if field.key == "visit_date" => document.visits.iter().any(|(other, _)| *other == got),
            Some(day) => document.visits.iter().any(|(other, values)| other == day && states(values)),
            None => states(&document.fields),
        };
        samples.push(Sample {
            features: features.clone(),
            is_right,
            is_invoice: document.is_invoice,
            is_spoilt: kind.is_some(),
            what: format!("{} {got:?} spoilt {kind:?} {:?}", field.key, field.mapping_id.as_deref()),
        });
    }
}

/// The samples of the layouts that are kept apart, or of the others.
fn samples(is_kept_apart: bool) -> Vec<Sample> {
    let [record, invoice, ..] = SchemaFile::built_in();
    let mut samples = Vec::new();
    for (place, document) in documents().iter().enumerate() {
        if document.is_kept_apart != is_kept_apart {
            continue;
        }
        let schema = if document.is_invoice { &invoice.schema } else { &record.schema };
        samples_of(document, &document.pages, schema, None, &mut samples);
        for kind in 0..KINDS {
            let pages = spoilt(&document.pages, kind, place);
            samples_of(document, &pages, schema, Some(kind), &mut samples);
        }
    }
    samples
}

/// Measures a model on the layouts that were kept apart: on all of them, on records and on invoices.
fn print_and_measure(model: &Model) -> [Measures; 3] {
    let samples = samples(true);
    let of = |is_it: &dyn Fn(&Sample) -> bool| -> Vec<(f64, bool)> {
        let chosen = samples.iter().filter(|sample| is_it(sample));
        chosen.map(|sample| (model.probability(&sample.features), sample.is_right)).collect()
    };
    let parts = [of(&|_| true), of(&|sample| !sample.is_invoice), of(&|sample| sample.is_invoice)];
    let measures = parts.map(|part| measure(&part));
    for (part, name) in measures.iter().zip(["all", "records", "invoices"]) {
        part.print(&format!("confidence on layouts that were kept apart, {name}"));
    }
    // As they were made, the documents have few wrong values: what is measured on them says less.
    for (is_invoice, name) in [(false, "records"), (true, "invoices")] {
        let part = of(&|sample| !sample.is_spoilt && sample.is_invoice == is_invoice);
        measure(&part)
            .print(&format!("confidence on layouts that were kept apart, {name} that are not spoilt"));
    }
    if std::env::var_os("QUIRE_SHOW_MISTAKES").is_some() {
        print_surest_mistakes(model, &samples);
    }
    measures
}

/// Prints the wrong values, the most confident first.
fn print_surest_mistakes(model: &Model, samples: &[Sample]) {
    let wrong = samples.iter().filter(|sample| !sample.is_right);
    let mut wrong: Vec<(f64, &Sample)> =
        wrong.map(|sample| (model.probability(&sample.features), sample)).collect();
    wrong.sort_by(|one, two| two.0.total_cmp(&one.0));
    for (confidence, sample) in wrong {
        let features: Vec<&str> = sample.features.iter().map(|(feature, _)| feature.as_str()).collect();
        println!("{confidence:.3} {}: {}", sample.what, features.join(" "));
    }
}

/// Writes the weights anew if `QUIRE_FIT` is set. Without it, nothing is fitted.
#[test]
fn the_weights_are_fitted_on_the_layouts_that_are_not_kept_apart() {
    if std::env::var_os("QUIRE_FIT").is_none() {
        return;
    }
    let model = fit(&samples(false));
    print_and_measure(&model);
    let table = |numbers: &BTreeMap<String, f64>| {
        numbers.iter().map(|(name, number)| format!("{name} = {number:?}")).collect::<Vec<_>>().join("\n")
    };
    let text = format!(
        "# The weights of the confidence, fitted by `cargo xtask fit` on documents that the tests make. Do not edit.\n\n\
         bias = {:?}\n\n[weights]\n{}\n\n[averages]\n{}\n",
        model.bias,
        table(&model.weights),
        table(&model.averages)
    );
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/confidence/weights.toml"), text).unwrap();
}

/// on layouts that were kept apart, spoilt documents among them, the confidence tells right values from wrong ones,
/// means what it says, and a reviewer who checks the least certain fifth of the values sees most of the wrong ones.
#[test]
fn confidence_is_a_probability_on_layouts_that_were_kept_apart() {
    let [all, records, invoices] = print_and_measure(built_in());
    for part in [all, records, invoices] {
        assert!(part.area >= 0.85 && part.wrong_in_least_certain_fifth >= 0.70, "{part:?}");
        assert!(part.calibration_error <= 0.05, "{part:?}");
    }
}
