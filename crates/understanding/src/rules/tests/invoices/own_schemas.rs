//! Schemas that people write for invoices borrow the words of the built-in one; other schemas do not.

use super::super::made_records::page_of_text;
use crate::rules::{DocumentHints, find_fields};
use crate::{Field, Schema, SchemaFile, SchemaFormat, Value};

const INVOICE: &str = "\
Muster Technik GmbH
Hauptstr. 1
10115 Berlin

Rechnungs-Nr.: R-2024-77            Kostenstelle: 4711
Belegdatum: 05.04.2024

Bezeichnung            Menge      Betrag
Wartung                1          100,00

Nettosumme             100,00 EUR
zzgl. 19 % USt          19,00 EUR
Endbetrag              119,00 EUR
";

fn schema(keys: &str) -> Schema {
    let text = format!("name = \"own\"\nversion = 1\ntitle = {{ de = \"Beleg\" }}\n{keys}");
    SchemaFile::parse("own.toml", &text, SchemaFormat::Toml).unwrap().schema
}

fn fields(schema: &Schema) -> Vec<(String, Value)> {
    let hints = DocumentHints { language: Some("de"), today: Some(super::super::TODAY) };
    let fields = find_fields(&[page_of_text(INVOICE)], schema, hints);
    fields.into_iter().map(|Field { key, value, .. }| (key, value)).collect()
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn keys_of_an_own_schema_get_their_values_in_its_order_and_types_and_no_other_key_appears() {
    let own = schema(
        r#"
        [[keys]]
        key = "cost_centre"
        labels = ["kostenstelle"]
        [[keys]]
        key = "gross"
        labels = ["rechnungsbetrag"]
        [[keys]]
        key = "net"
        value_type = "number"
        labels = ["nettobetrag"]
        [[keys]]
        key = "day"
        value_type = "date"
        labels = ["rechnungsdatum"]
        "#,
    );
    let expected = [
        ("cost_centre", text("4711")),
        ("gross", text("119.00")),
        ("net", Value::Number(100.into())),
        ("day", text("2024-04-05")),
    ];
    assert_eq!(fields(&own), expected.map(|(key, value)| (key.to_owned(), value)));
}

#[test]
fn a_schema_that_is_not_for_invoices_borrows_nothing() {
    let own = schema(
        r#"
        [[keys]]
        key = "day"
        value_type = "date"
        labels = ["datum"]
        [[keys]]
        key = "customer"
        labels = ["kunde"]
        "#,
    );
    assert_eq!(fields(&own), [], "it has no label of the document");
}
