//! Tests of the rules on pages that the tests build.

mod confidence;
mod invoices;
mod layouts;
mod made_records;
mod page_builder;
mod probe;
mod records;
mod run_time;
mod scans;
mod schemas;
mod scoring;
mod shapes;
mod step_count;
mod values;
mod visits;

use self::page_builder::PageBuilder;
use super::*;
use crate::Value;

/// The day of processing in all tests.
const TODAY: Date = jiff::civil::date(2026, 1, 15);

fn found_in(pages: &[Page]) -> Vec<Field> {
    find_fields(pages, &Schema::built_in_default(), DocumentHints { language: None, today: Some(TODAY) })
}

/// The fields of a page with these lines.
fn found_in_lines(lines: &[&str]) -> Vec<Field> {
    found_in(&[PageBuilder::lines(lines)])
}

fn text(field: &Field) -> &str {
    match &field.value {
        Value::Text(text) => text,
        _ => "",
    }
}

/// The values of a key, in order.
fn values<'f>(fields: &'f [Field], key: &str) -> Vec<&'f str> {
    fields.iter().filter(|field| field.key == key).map(text).collect()
}

/// The value of a key of the document.
fn value<'f>(fields: &'f [Field], key: &str) -> Option<&'f str> {
    let field = fields.iter().find(|field| field.key == key && field.visit_id.is_none())?;
    Some(text(field))
}
