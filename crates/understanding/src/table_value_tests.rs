//! Edits of tables.

use super::*;
use crate::edit::entered_text::{
    RequestedEdit, TextEdit, TextProblem, TextTarget, UnclearText, parse_entered_texts,
};
use crate::edit::{EditOperation, RestorableFields, apply_edits};
use crate::{NEUTRAL_CONFIDENCE, Schema, SchemaFile, ValueType};

fn schema() -> Schema {
    let files = SchemaFile::built_in();
    files.into_iter().find(|file| file.schema.name == "invoice").unwrap().schema.clone()
}

fn table(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

fn added(value: Value) -> Result<Value, String> {
    let add = EditOperation::Add { key: "line_items".to_owned(), value, value_type: None, visit_id: None };
    let outcome = apply_edits(&[], RestorableFields::default(), &schema(), NEUTRAL_CONFIDENCE, &[add]);
    outcome.map(|outcome| outcome.fields[0].value.clone()).map_err(|error| error.to_string())
}

#[test]
fn an_edited_table_has_the_columns_of_its_key_and_values_of_their_types() {
    let rows = r#"[{"description":" Bread ","quantity":"2","amount":4.5},{"description":""}]"#;
    assert_eq!(added(table(rows)), Ok(table(r#"[{"description":"Bread","quantity":2,"amount":4.5}]"#)));
    assert_eq!(added(table("[]")), Ok(Value::Null));
    for (rows, message) in [
        (
            r#"[{"colour":"red"}]"#,
            "changes[0].value: row 1 has no column colour; use description, quantity, unit_price, amount",
        ),
        (
            r#"[{"description":"Bread"},{"quantity":"two"}]"#,
            "changes[0].value: row 2, quantity: must be a number, such as 4.5, or null",
        ),
    ] {
        assert_eq!(added(table(rows)), Err(message.to_owned()));
    }
    let text = added(Value::Text("x".to_owned())).unwrap_err();
    assert_eq!(text, format!("changes[0].value: {EXPECTED_TABLE}"));
    let many = Value::Table(vec![TableRow::from([("amount".to_owned(), Value::Number(1.0))]); MAX_ROWS + 1]);
    assert!(added(many).unwrap_err().contains("has 1001 rows; the limit is 1000"));
}

#[test]
fn a_table_is_no_value_of_another_key() {
    let add = EditOperation::Add {
        key: "invoice_number".to_owned(),
        value: table(r#"[{"amount":1}]"#),
        value_type: Some(ValueType::Table),
        visit_id: None,
    };
    let refused = apply_edits(&[], RestorableFields::default(), &schema(), NEUTRAL_CONFIDENCE, &[add]);
    assert!(refused.unwrap_err().message.contains("is no table in the schema"));
}

fn typed(text: &str) -> Result<Value, String> {
    let target = TextTarget::New { key: "line_items".to_owned(), visit_id: None };
    let edit = RequestedEdit::Text(TextEdit { target, text: text.to_owned(), keep: true });
    match parse_entered_texts(&[edit], &[], &schema()) {
        Ok(operations) => match operations.into_iter().next() {
            Some(EditOperation::Add { value, value_type: Some(ValueType::Table), .. }) => Ok(value),
            other => panic!("{other:?}"),
        },
        Err(UnclearText { problem: TextProblem::InvalidTable(why), .. }) => Err(why),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn typed_cells_are_read_as_their_column_says() {
    let read = typed(r#"[{"description":"Bread","quantity":"1,5","unit_price":"1.234,50 €","amount":7}]"#);
    let expected = r#"[{"description":"Bread","quantity":1.5,"unit_price":1234.5,"amount":7}]"#;
    assert_eq!(read, Ok(table(expected)));
    assert_eq!(typed(" "), Ok(Value::Null));
    assert_eq!(typed("bread"), Err(EXPECTED_TABLE.to_owned()));
    assert!(
        typed(r#"[{"quantity":"1.234"}]"#)
            .unwrap_err()
            .starts_with("row 1, quantity: \"1.234\" can be read in two ways")
    );
    assert_eq!(
        typed(r#"[{"quantity":"two"}]"#),
        Err("row 1, quantity: must be a number, such as 4.5".to_owned())
    );
}

#[test]
fn tables_that_read_the_same_are_the_same() {
    let (one, two) = (table(r#"[{"a":"x "},{"b":""}]"#), table(r#"[{"a":"x"}]"#));
    assert!(one.is_same(&two, ValueType::Table) && one.is_same(&two, ValueType::Unknown));
    assert!(!one.is_same(&table(r#"[{"a":"y"}]"#), ValueType::Table));
    assert!(table(r#"[{"a":null},{}]"#).is_empty() && !one.is_empty());
}
