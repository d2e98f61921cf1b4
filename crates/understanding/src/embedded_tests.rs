//! Data against what a page shows.

use quire_domain::reading::{EmbeddedData, Line, Word};

use super::*;

fn schema() -> Schema {
    let file = crate::SchemaFile::built_in().into_iter().find(|file| file.schema.name == "invoice").unwrap();
    file.schema.clone()
}

fn page(values: &[(&str, &str)], findings: Vec<DataFinding>, words: &[&str]) -> Page {
    let rect = Rect { x0: 1.0, y0: 2.0, x1: 3.0, y1: 4.0 };
    let words = words.iter().map(|text| Word::new(*text, rect)).collect();
    let value = |(term, text): &(&str, &str)| DataValue {
        term: (*term).to_owned(),
        text: (*text).to_owned(),
        path: "/Invoice/X".to_owned(),
        group: 0,
    };
    let data = EmbeddedData {
        file: "factur-x.xml".to_owned(),
        values: values.iter().map(value).collect(),
        findings,
        ..EmbeddedData::default()
    };
    Page { lines: vec![Line { words, opens_paragraph: true }], data: vec![data], ..Page::default() }
}

fn printed(key: &str, value: Value, kind: ValueType) -> Field {
    let mut field = Field::new(key, value, kind, Origin::Machine, 0.66);
    field.evidence = Some(Evidence::new(2, "printed", vec![Rect { x0: 9.0, y0: 9.0, x1: 9.5, y1: 9.5 }]));
    field
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

#[test]
fn data_is_the_value_and_says_where_it_stands() {
    let mut fields = Vec::new();
    let values = [("BT-112", "1190.00"), ("BT-1", "R-1"), ("BT-2", "2024-03-04"), ("BT-31", "DE 123456789")];
    apply_embedded_data(&mut fields, &[page(&values, vec![], &["Nr", "R-1"])], &schema());
    let found: Vec<(&str, Value)> =
        fields.iter().map(|field| (field.key.as_str(), field.value.clone())).collect();
    let expected = [
        ("invoice_number", text("R-1")),
        ("issue_date", text("2024-03-04")),
        ("supplier_tax_id", text("DE123456789")),
        ("total_amount", Value::Number(1190.0)),
    ];
    assert_eq!(found, expected, "in the order of the schema");
    let field = &fields[0];
    assert_eq!((field.origin, field.mapping_id.as_deref()), (Origin::Embedded, Some("data::BT-1")));
    let evidence = field.evidence.as_ref().unwrap();
    assert_eq!((evidence.snippet.as_str(), evidence.boxes.len()), ("R-1 · factur-x.xml /Invoice/X", 1));
    assert!(fields[3].evidence.as_ref().unwrap().boxes.is_empty(), "not on the page");
    let reasons = |field: &Field| -> Vec<(String, bool)> {
        let reasons = &field.evidence.as_ref().unwrap().reasons;
        reasons.iter().map(|reason| (reason.feature.clone(), reason.is_for)).collect()
    };
    let stated = |feature: &str, is_for: bool| (feature.to_owned(), is_for);
    assert_eq!(reasons(field), [stated("in_data", true), stated("same_on_page", true)]);
    assert_eq!(reasons(&fields[3]), [stated("in_data", true), stated("not_on_page", false)]);
}

#[test]
fn the_same_value_on_the_page_confirms_it() {
    let mut fields = vec![
        printed("supplier_name", text("MÜLLER und Söhne"), ValueType::String),
        printed("customer_name", text("Kunde"), ValueType::String),
    ];
    apply_embedded_data(&mut fields, &[page(&[("BT-27", "Müller und Söhne")], vec![], &[])], &schema());
    assert_eq!(fields.len(), 2);
    assert!(fields[0].confidence > 0.98 && fields[0].candidate_suggestions.is_empty());
    assert_eq!(fields[0].evidence.as_ref().unwrap().page, 2, "where the page shows it");
    assert_eq!(
        (fields[1].origin, fields[1].value.clone()),
        (Origin::Machine, text("Kunde")),
        "no term, no change"
    );
}

#[test]
fn another_value_on_the_page_is_a_conflict_that_is_shown() {
    let mut fields = vec![printed("total_amount", Value::Number(119.0), ValueType::Number)];
    apply_embedded_data(&mut fields, &[page(&[("BT-112", "191.00")], vec![], &[])], &schema());
    let [field] = fields.as_slice() else { panic!("{fields:?}") };
    assert_eq!(field.value, Value::Number(191.0));
    assert!(field.confidence >= 0.75 && field.confidence < 0.97);
    assert_eq!(field.candidate_suggestions[0].value, Value::Number(119.0));
    assert_eq!(field.candidate_suggestions[0].evidence.as_ref().unwrap().snippet, "printed");
}

#[test]
fn a_value_that_contradicts_its_parts_is_less_certain_and_says_why() {
    let message = "BT-112 is 121.00, but its parts (BT-109 + BT-110) make 119.00".to_owned();
    let finding =
        DataFinding { term: "BT-112".to_owned(), expected: "119.00".to_owned(), message: message.clone() };
    let mut fields = vec![printed("total_amount", Value::Number(121.0), ValueType::Number)];
    apply_embedded_data(&mut fields, &[page(&[("BT-112", "121.00")], vec![finding], &[])], &schema());
    assert!(fields[0].confidence < 0.75);
    assert_eq!(fields[0].candidate_suggestions[0].value, Value::Number(119.0));
    assert_eq!(fields[0].candidate_suggestions[0].evidence.as_ref().unwrap().snippet, message);
}

#[test]
fn a_repeatable_key_gets_every_value() {
    let mut fields = vec![printed("line_item", text("wrong"), ValueType::String)];
    let values = [("BT-153", "Brot"), ("BT-153", "Kaffee")];
    apply_embedded_data(&mut fields, &[page(&values, vec![], &[])], &schema());
    let found: Vec<&Value> = fields.iter().map(|field| &field.value).collect();
    assert_eq!(found, [&text("Brot"), &text("Kaffee")]);
}

#[test]
fn a_schema_without_terms_is_not_touched() {
    let mut fields = vec![printed("pet_name", text("Luna"), ValueType::String)];
    apply_embedded_data(&mut fields, &[page(&[("BT-1", "R-1")], vec![], &[])], &Schema::built_in_default());
    assert_eq!(fields.len(), 1);
    assert_eq!(fields[0].value, text("Luna"));
}

/// The fields of a form: what people typed, in their way of writing.
#[test]
fn a_form_field_that_a_key_names_is_its_value_in_normal_form() {
    let mut schema = schema();
    let mut name = |key: &str, term: &str| {
        let key = schema.keys.iter_mut().find(|of_schema| of_schema.key == key).unwrap();
        key.terms.push(term.to_owned());
    };
    name("issue_date", "invoice.date");
    name("invoice_number", "invoice.number");
    name("currency", "paid_in_euros");
    let mut form = page(
        &[("invoice.date", "4/3/2024"), ("paid_in_euros", "Off"), ("other", "x")],
        vec![],
        &["4/3/2024"],
    );
    form.data[0].syntax = EmbeddedData::FORM.to_owned();
    form.data[0].file = String::new();
    let invoice = page(&[("BT-1", "R-1")], vec![], &[]).data;
    form.data.splice(0..0, invoice);
    let mut fields = Vec::new();
    apply_embedded_data(&mut fields, &[form], &schema);
    let found: Vec<(&str, Value)> =
        fields.iter().map(|field| (field.key.as_str(), field.value.clone())).collect();
    assert_eq!(found, [("invoice_number", text("R-1")), ("issue_date", text("2024-03-04"))]);
    let field = &fields[1];
    assert_eq!((field.origin, field.mapping_id.as_deref()), (Origin::Embedded, Some("data::invoice.date")));
    assert_eq!(field.evidence.as_ref().unwrap().boxes.len(), 1, "where the page shows it");
}

/// A form whose fields are named after the labels of a schema needs no terms.
#[test]
fn a_form_field_whose_name_is_like_a_label_is_a_value() {
    let mut form = page(
        &[
            ("form1[0].Invoice_Number[0]", "R-7"),
            ("fechaVencimiento", "4/3/2024"),
            ("total", "about forty"),
            ("Cliente.Nombre", "Bar Sol S.L."),
            ("Text12", "x"),
        ],
        vec![],
        &["R-7"],
    );
    form.data[0].syntax = EmbeddedData::FORM.to_owned();
    let mut fields = vec![printed("invoice_number", text("R-8"), ValueType::String)];
    apply_embedded_data(&mut fields, std::slice::from_ref(&form), &schema());
    let found: Vec<(&str, Value)> =
        fields.iter().map(|field| (field.key.as_str(), field.value.clone())).collect();
    let expected = [
        ("invoice_number", text("R-7")),
        ("due_date", text("2024-03-04")),
        ("customer_name", text("Bar Sol S.L.")),
    ];
    assert_eq!(found, expected, "a total that is no sum is no value");
    let number = &fields[0];
    assert_eq!(
        (number.origin, number.mapping_id.as_deref()),
        (Origin::Embedded, Some("form::invoice_number"))
    );
    assert_eq!(number.candidate_suggestions[0].value, text("R-8"), "what the page shows is a suggestion");
    assert!(fields.iter().all(|field| field.confidence <= 0.95));
    // The names of data that is no form are terms of a standard.
    form.data[0].syntax = "CII".to_owned();
    let mut fields = Vec::new();
    apply_embedded_data(&mut fields, &[form], &schema());
    assert!(fields.is_empty());
}
