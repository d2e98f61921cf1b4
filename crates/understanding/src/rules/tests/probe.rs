//! Reads documents of a file that the variable `QUIRE_PROBE` names, in the form of the made records: what a person who
//! changes the rules tries them on.

use super::made_records::MadeRecord;
use super::*;
use crate::SchemaFile;

/// Prints what the rules find in the documents of `QUIRE_PROBE`. Without it, nothing is read.
#[test]
fn documents_of_a_file_are_shown() {
    let Some(path) = std::env::var_os("QUIRE_PROBE") else { return };
    let file: &'static str = Box::leak(std::fs::read_to_string(path).unwrap().into_boxed_str());
    let [record, invoice, ..] = SchemaFile::built_in();
    let (mut right, mut wrong) = (0, 0);
    for document in file.split("\n#### ").skip(1) {
        let name = document.lines().next().unwrap();
        let made = MadeRecord::of(document);
        let is_invoice = document.contains("_amount = ") || document.contains("invoice_number = ");
        let schema = if is_invoice { &invoice.schema } else { &record.schema };
        let hints = DocumentHints { language: None, today: Some(TODAY) };
        let fields = find_fields(&made.pages, schema, hints);
        let schemas: Vec<Schema> = SchemaFile::built_in().iter().map(|file| file.schema.clone()).collect();
        let fits = crate::schema_fits(&made.pages, &schemas, hints);
        if !fits[0].is_enough() || fits[0].schema != schema.name {
            println!("{name} extra schema {:?}", &fits[..2]);
        }
        let shown = |field: &Field| match &field.value {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            other => format!("{other:?}"),
        };
        let same = |want: &str, got: &str| {
            crate::normal::fold(want) == crate::normal::fold(got)
                || want.parse::<f64>().is_ok_and(|want| got.parse() == Ok(want))
        };
        let mut judge = |what: &str, want: &str, got: Vec<(String, f64)>| {
            let is_right = (want == "null" && got.is_empty()) || got.iter().any(|(got, _)| same(want, got));
            if is_right {
                right += 1;
            } else {
                wrong += 1;
                println!("{name} {what}: want {want:?}, got {got:?}");
            }
        };
        for (key, want) in &made.fields {
            let got = fields.iter().filter(|field| field.key == *key && field.visit_id.is_none());
            let got = got.filter(|field| !field.value.is_empty());
            judge(key, want, got.map(|field| (shown(field), field.confidence)).collect());
        }
        let is_day = |field: &&Field, day: &str| field.key == "visit_date" && text(field) == day;
        let days: Vec<&str> = values(&fields, "visit_date");
        for (day, wanted) in &made.visits {
            let id =
                fields.iter().find(|field| is_day(field, day)).and_then(|field| field.visit_id.as_deref());
            judge("visit", day, id.map(|_| ((*day).to_owned(), 1.0)).into_iter().collect());
            for (key, want) in wanted {
                let own = fields.iter().filter(|field| field.key == *key);
                let own = own.filter(|field| id.is_some() && field.visit_id.as_deref() == id);
                judge(
                    &format!("{day} {key}"),
                    want,
                    own.map(|field| (shown(field), field.confidence)).collect(),
                );
            }
        }
        for day in days
            .iter()
            .filter(|day| !made.visits.is_empty() && made.visits.iter().all(|(other, _)| other != *day))
        {
            println!("{name} extra visit {day}");
            wrong += 1;
        }
    }
    println!("{right} right, {wrong} wrong");
}
