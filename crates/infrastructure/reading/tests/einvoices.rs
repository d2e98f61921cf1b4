//! Made e-invoices of every syntax, from the file to the fields of the built-in schema.
#![allow(clippy::unwrap_used)] // Helpers of tests.

use quire_domain::reading::{FileKind, Page};
use quire_reading::CoveredText;
use quire_reading::document::OpenDocument;
use quire_testkit::documents::{EInvoice, Syntax};
use quire_understanding::rules::{DocumentHints, find_fields};
use quire_understanding::{Field, Origin, Schema, SchemaFile, Value, apply_embedded_data};

fn schema() -> Schema {
    let files = SchemaFile::built_in();
    files.into_iter().find(|file| file.schema.name == "invoice").unwrap().schema.clone()
}

fn fields(file: Vec<u8>, schema: &Schema) -> Vec<Field> {
    let kind = FileKind::sniff(&file).unwrap();
    let document = OpenDocument::open(kind, file).unwrap();
    let pages: Vec<Page> = document.pages(0, CoveredText::Apart).map(|parsed| parsed.page).collect();
    let mut fields = find_fields(&pages, schema, DocumentHints::default());
    apply_embedded_data(&mut fields, &pages, schema);
    fields
}

fn written(value: &Value) -> String {
    match value {
        Value::Number(number) => format!("{number:.2}"),
        Value::Text(text) => text.clone(),
        other => format!("{other:?}"),
    }
}

/// The page shows other values in places: the data counts.
#[test]
fn values_of_e_invoices_are_right_in_every_syntax() {
    let schema = schema();
    let (mut right, mut found, mut wanted) = (0usize, 0usize, 0usize);
    for number in 0..12 {
        let invoice = EInvoice::sample(number);
        for syntax in Syntax::ALL {
            let page =
                ["Rechnung Nr. 999", "Datum: 01.01.2020", "Gesamtbetrag: 1,00 EUR", "Max Muster GmbH, Bonn"];
            let files = [
                invoice.pdf(syntax, false, &page),
                invoice.pdf(syntax, true, &page),
                invoice.xml(syntax).into_bytes(),
            ];
            for file in files {
                let fields = fields(file, &schema);
                for (key, truth) in invoice.truth() {
                    let values: Vec<String> = fields
                        .iter()
                        .filter(|field| field.key == key)
                        .map(|field| written(&field.value))
                        .collect();
                    wanted += 1;
                    found += values.len();
                    right += usize::from(values.contains(&truth));
                    if !values.contains(&truth) {
                        println!("{syntax:?} {key}: {values:?} instead of {truth:?}");
                    }
                }
            }
        }
    }
    let f1 = f64::from(u32::try_from(2 * right).unwrap()) / f64::from(u32::try_from(found + wanted).unwrap());
    assert!(f1 >= 0.99, "F1 {f1:.4}");
}

#[test]
fn a_value_of_a_file_without_pages_has_its_place_in_the_rendering() {
    let fields = fields(EInvoice::sample(1).xml(Syntax::UblInvoice).into_bytes(), &schema());
    let number = fields.iter().find(|field| field.key == "invoice_number").unwrap();
    assert_eq!(number.origin, Origin::Embedded);
    let evidence = number.evidence.as_ref().unwrap();
    assert!(!evidence.boxes.is_empty() && evidence.snippet.contains("/Invoice/ID"), "{evidence:?}");
}
