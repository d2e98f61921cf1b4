//! Documents in short: each states its right values, and the page as it looks. Those of the folder `unlike` are in shapes
//! that were misread once; those of a file that the variable `QUIRE_PROBE` names are what a person who changes the rules
//! tries them on.

use super::made_records::MadeRecord;
use super::*;
use crate::SchemaFile;

/// How many values of a document are right, and what is wrong with the others. `null` means that there is no value.
fn judged(document: &'static str) -> (usize, Vec<String>) {
    let [record, invoice, ..] = SchemaFile::built_in();
    let name = document.lines().next().unwrap();
    let made = MadeRecord::of(document);
    let is_invoice = document.contains("_amount = ") || document.contains("invoice_number = ");
    let schema = if is_invoice { &invoice.schema } else { &record.schema };
    let fields = find_fields(&made.pages, schema, DocumentHints { language: None, today: Some(TODAY) });
    let shown = |field: &Field| match &field.value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    let same = |want: &str, got: &str| {
        crate::normal::fold(want) == crate::normal::fold(got)
            || want.parse::<f64>().is_ok_and(|want| got.parse() == Ok(want))
    };
    let (mut right, mut wrong) = (0, Vec::new());
    let mut judge = |what: &str, want: &str, got: Vec<(String, f64)>| {
        let is_right = (want == "null" && got.is_empty()) || got.iter().any(|(got, _)| same(want, got));
        if is_right {
            right += 1;
        } else {
            wrong.push(format!("{name} {what}: want {want:?}, got {got:?}"));
        }
    };
    for (key, want) in &made.fields {
        let got = fields.iter().filter(|field| field.key == *key && field.visit_id.is_none());
        let got = got.filter(|field| !field.value.is_empty());
        judge(key, want, got.map(|field| (shown(field), field.confidence)).collect());
    }
    let is_day = |field: &&Field, day: &str| field.key == "visit_date" && text(field) == day;
    for (day, wanted) in &made.visits {
        let id = fields.iter().find(|field| is_day(field, day)).and_then(|field| field.visit_id.as_deref());
        judge("visit", day, id.map(|_| ((*day).to_owned(), 1.0)).into_iter().collect());
        for (key, want) in wanted {
            let own = fields.iter().filter(|field| field.key == *key);
            let own = own.filter(|field| id.is_some() && field.visit_id.as_deref() == id);
            let got = own.map(|field| (shown(field), field.confidence)).collect();
            judge(&format!("{day} {key}"), want, got);
        }
    }
    let days: Vec<&str> = values(&fields, "visit_date");
    let is_extra =
        |day: &&&str| !made.visits.is_empty() && made.visits.iter().all(|(other, _)| other != *day);
    wrong.extend(days.iter().filter(is_extra).map(|day| format!("{name} extra visit {day}")));
    (right, wrong)
}

/// How many values of the documents of a file are right, and what is wrong.
fn judged_all(file: &'static str) -> (usize, Vec<String>) {
    let mut all = (0, Vec::new());
    for document in file.split("\n#### ").skip(1) {
        let (right, wrong) = judged(document);
        all.0 += right;
        all.1.extend(wrong);
    }
    all
}

/// Prints what the rules find in the documents of `QUIRE_PROBE`. Without it, nothing is read.
#[test]
fn documents_of_a_file_are_shown() {
    let Some(path) = std::env::var_os("QUIRE_PROBE") else { return };
    let (right, wrong) = judged_all(Box::leak(std::fs::read_to_string(path).unwrap().into_boxed_str()));
    println!("{}\n{right} right, {} wrong", wrong.join("\n"), wrong.len());
}

/// Shapes of entries, titles, tables and letters in seven languages.
#[test]
fn records_in_shapes_that_were_misread_are_read() {
    let (right, wrong) = judged_all(include_str!("unlike/records.txt"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right > 100, "{right}");
}

#[test]
fn invoices_in_shapes_that_were_misread_are_read() {
    let (right, wrong) = judged_all(include_str!("unlike/invoices.txt"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(right > 50, "{right}");
}
