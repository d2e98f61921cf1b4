//! Other kinds of documents: the rules know only what the schema says.

use super::*;
use crate::{SchemaFile, SchemaFormat, ValueType};

fn keys_and_values(fields: &[Field]) -> Vec<(&str, String)> {
    fields.iter().map(|field| (field.key.as_str(), serde_json::to_string(&field.value).unwrap())).collect()
}

fn invoice(pages: &[Page]) -> Vec<Field> {
    let [_, invoice, ..] = SchemaFile::built_in();
    find_fields(pages, &invoice.schema, DocumentHints { language: Some("es"), today: Some(TODAY) })
}

#[test]
fn fields_are_found_in_a_spanish_invoice() {
    let mut paper = PageBuilder::new();
    paper.text_at(50.0, 50.0, "FACTURA");
    paper.text_at(50.0, 70.0, "Nº de factura: F-2024/117");
    paper.text_at(330.0, 70.0, "Fecha: 03/04/2024");
    paper.text_at(330.0, 84.0, "Vencimiento: 03/05/2024");
    paper.text_at(50.0, 110.0, "Emisor");
    paper.text_at(330.0, 110.0, "Cliente");
    paper.text_at(50.0, 124.0, "Nombre: Talleres Sol");
    paper.text_at(330.0, 124.0, "Nombre: Bicicletas Norte");
    paper.text_at(50.0, 138.0, "NIF: B12345678");
    paper.text_at(330.0, 138.0, "NIF: B87654321");
    paper.row(180.0, &[(50.0, "Concepto"), (300.0, "Cantidad"), (400.0, "Importe")]);
    paper.row(196.0, &[(50.0, "Cambio de aceite"), (300.0, "1"), (400.0, "60,00 €")]);
    paper.row(212.0, &[(50.0, "Dos bujías"), (300.0, "2"), (400.0, "1.174,50 €")]);
    paper.text_at(330.0, 260.0, "Base imponible: 1.234,50 €");
    paper.text_at(330.0, 274.0, "IVA (21%): 259,25 €");
    paper.text_at(330.0, 288.0, "Total a pagar: 1.493,75 €");
    paper.text_at(50.0, 320.0, "IBAN: ES91 2100 0418 4502 0005 1332");
    let fields = invoice(&[paper.page()]);
    let wanted = [
        ("invoice_number", "\"F-2024/117\""),
        ("issue_date", "\"2024-04-03\""),
        ("due_date", "\"2024-05-03\""),
        ("supplier_name", "\"Talleres Sol\""),
        ("supplier_tax_id", "\"B12345678\""),
        ("customer_name", "\"Bicicletas Norte\""),
        ("customer_tax_id", "\"B87654321\""),
        ("line_item", "\"Cambio de aceite\""),
        ("line_item", "\"Dos bujías\""),
        ("currency", "\"EUR\""),
        ("net_amount", "1234.5"),
        ("tax_amount", "259.25"),
        ("total_amount", "1493.75"),
        ("iban", "\"ES9121000418450200051332\""),
    ];
    assert_eq!(keys_and_values(&fields), wanted.map(|(key, value)| (key, value.to_owned())));
    assert!(fields.iter().all(|field| field.evidence.is_some() && field.visit_id.is_none()));
    let total = fields.iter().find(|field| field.key == "total_amount").unwrap();
    assert_eq!((total.value_type, total.is_critical), (ValueType::Number, true));
}

#[test]
fn fields_are_found_in_an_english_invoice() {
    let fields = invoice(&[PageBuilder::lines(&[
        "INVOICE",
        "Invoice number: 2024-0042",
        "Invoice date: 12 March 2024",
        "Due date: 11 April 2024",
        "Supplier: Harbour Tools Ltd",
        "Supplier VAT number: GB123456789",
        "Bill to: Mary Stone",
        "Currency: GBP",
        "Net amount: £1,200.00",
        "VAT (20%): £240.00",
        "Total due: £1,440.00",
    ])]);
    let wanted = [
        ("invoice_number", "\"2024-0042\""),
        ("issue_date", "\"2024-03-12\""),
        ("due_date", "\"2024-04-11\""),
        ("supplier_name", "\"Harbour Tools Ltd\""),
        ("supplier_tax_id", "\"GB123456789\""),
        ("customer_name", "\"Mary Stone\""),
        ("currency", "\"GBP\""),
        ("net_amount", "1200"),
        ("tax_amount", "240"),
        ("total_amount", "1440"),
    ];
    assert_eq!(keys_and_values(&fields), wanted.map(|(key, value)| (key, value.to_owned())));
}

/// A schema that the program does not contain.
#[test]
fn a_schema_file_is_all_that_a_new_kind_of_document_needs() {
    let text = r#"
        name = "parking-ticket"
        version = 1

        [[sections]]
        id = "ticket"

        [[keys]]
        key = "plate"
        section = "ticket"
        normaliser = "identifier"
        labels = { es = ["matrícula"], en = ["plate"] }
        validators = { pattern = "0000AAA" }

        [[keys]]
        key = "fine"
        section = "ticket"
        value_type = "number"
        normaliser = "sum"
        labels.es = ["multa"]
        validators = { min = 1, max = 500 }

        [[keys]]
        key = "is_paid"
        section = "ticket"
        value_type = "boolean"
        labels.es = ["pagada"]

        [[keys]]
        key = "zone"
        section = "ticket"
        labels.es = ["zona"]
        validators = { one_of = ["azul", "verde"] }
    "#;
    let file = SchemaFile::parse("ticket.toml", text, SchemaFormat::Toml).unwrap();
    let read =
        |lines: &[&str]| find_fields(&[PageBuilder::lines(lines)], &file.schema, DocumentHints::default());
    let fields = read(&["Matrícula: 1234BCD", "Zona: Azul", "Multa: 60,50 €", "Pagada: sí"]);
    let wanted = [("plate", "\"1234BCD\""), ("fine", "60.5"), ("is_paid", "true"), ("zone", "\"Azul\"")];
    assert_eq!(keys_and_values(&fields), wanted.map(|(key, value)| (key, value.to_owned())));
    let fields = read(&["Matrícula: B-12", "Zona: roja", "Multa: 600,50 €", "Pagada: tal vez"]);
    let values: Vec<_> = fields.iter().filter(|field| !field.value.is_empty()).collect();
    assert!(values.is_empty(), "what the schema does not allow is no value: {values:?}");
}

/// Words that only the schema of veterinary records and its normalisers may contain.
const ANIMALS: [&str; 14] = [
    "animal",
    "pet_name",
    "petname",
    "species",
    "especie",
    "breed",
    "raza",
    "canin",
    "felin",
    "microchip",
    "mascota",
    "perro",
    "gato",
    "veterin",
];

/// The fields of an invoice in this language.
fn invoice_in(language: &str, lines: &[&str]) -> Vec<Field> {
    let [_, invoice, ..] = SchemaFile::built_in();
    let hints = DocumentHints { language: Some(language), today: Some(TODAY) };
    find_fields(&[PageBuilder::lines(lines)], &invoice.schema, hints)
}

/// Proves R107 for documents that write the month first.
#[test]
fn the_dates_of_a_document_tell_which_part_is_the_day() {
    let american = ["Invoice number: A-17", "Invoice date: 04/03/2024", "Due date: 04/30/2024"];
    let fields = invoice_in("en", &american);
    assert_eq!(value(&fields, "issue_date"), Some("2024-04-03"), "as the other date is written");
    assert_eq!(value(&fields, "due_date"), Some("2024-04-30"));
    let british = ["Invoice number: A-17", "Invoice date: 04/03/2024", "Due date: 30/04/2024"];
    assert_eq!(value(&invoice_in("en", &british), "issue_date"), Some("2024-03-04"));
}

#[test]
fn a_date_that_fits_both_orders_is_less_certain_and_offers_the_other() {
    let date = |fields: &[Field]| fields.iter().find(|field| field.key == "issue_date").unwrap().clone();
    let lines = ["Invoice number: A-17", "Invoice date: 04/03/2024"];
    let open = date(&invoice_in("en", &lines));
    assert_eq!(open.value, Value::Text("2024-03-04".to_owned()), "the day comes first if nothing tells");
    let others: Vec<_> = open.candidate_suggestions.iter().map(|other| other.value.clone()).collect();
    assert_eq!(others, [Value::Text("2024-04-03".to_owned())]);
    let certain = date(&invoice_in("en", &["Invoice number: A-17", "Invoice date: 24/03/2024"]));
    assert!(open.confidence < certain.confidence, "{} {}", open.confidence, certain.confidence);
    assert!(certain.candidate_suggestions.is_empty());
    let spanish = date(&invoice_in("es", &["Factura nº: A-17", "Fecha: 04/03/2024"]));
    assert_eq!(
        (spanish.confidence.to_bits(), spanish.candidate_suggestions.len()),
        (certain.confidence.to_bits(), 0)
    );
}

#[test]
fn sums_in_brackets_are_negative_and_a_shared_sign_is_no_currency() {
    let lines = ["Invoice number: A-17", "Invoice date: 24/03/2024", "Total due: ($1,234.50)", "Currency: $"];
    let fields = invoice_in("en", &lines);
    let total = fields.iter().find(|field| field.key == "total_amount").unwrap();
    assert_eq!(total.value, Value::Number(-1234.5));
    let currency = fields.iter().find(|field| field.key == "currency" && !field.value.is_empty());
    assert_eq!(currency, None, "a person has to say which dollars these are");
}

/// Nothing else in this crate knows about animals. The name of the default schema and the reader of its old versions
/// are exceptions.
#[test]
fn only_the_normalisers_know_about_animals() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let mut folders = vec![std::path::PathBuf::from(source)];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && !["normal", "schema", "tests"].contains(&name.as_str()) {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs")
                && !name.contains("tests")
                && name != "schema.rs"
            {
                let code = std::fs::read_to_string(&path).unwrap();
                let code = code.split("#[cfg(test)]").next().unwrap();
                let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
                let code = code.collect::<Vec<_>>().join("\n").to_lowercase();
                for word in ANIMALS {
                    assert!(!code.contains(word), "{} knows {word}", path.display());
                }
                files += 1;
            }
        }
    }
    assert!(files > 30);
}

/// No rule knows a key or a section of a schema by its name, except `language`, which the reader detects, and `observations` and
/// `actions`, which the text about a visit becomes. A name of one word is a word of documents, too, so only a few of these are
/// looked for. The rules for business documents know those of `invoice`.
#[test]
fn no_rule_names_a_key_or_a_section() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rules");
    let mut names: Vec<String> = Vec::new();
    for file in SchemaFile::built_in() {
        names.extend(file.schema.keys.iter().map(|key| key.key.clone()).filter(|key| key.contains('_')));
        names.extend(["nhc", "iban", "medication", "diagnosis"].map(str::to_owned));
        // "invoice" is also a word of document titles.
        let sections = file.schema.sections.iter().map(|section| section.id.clone());
        names.extend(sections.filter(|section| section != "invoice"));
    }
    let mut rooms = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_file() {
            continue;
        }
        let code = std::fs::read_to_string(&path).unwrap();
        // Tests may name keys.
        let code = code.split("#[cfg(test)]").next().unwrap();
        for name in &names {
            assert!(!code.contains(&format!("\"{name}\"")), "{} names {name}", path.display());
        }
        rooms += 1;
    }
    assert!(rooms > 10);
}
