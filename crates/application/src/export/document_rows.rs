//! Interpretations as a table with one row per document and one column per key.

use quire_understanding::{Field, Value};

use super::table::OF_DOCUMENT;
use super::{CellSink, ExportCell, RowPrefix};

/// What stands between several values of a key.
const BETWEEN: &str = "; ";

/// The columns of the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyColumns(Vec<String>);

impl KeyColumns {
    /// Adds the keys of a document. A new key has its column behind the key that it follows in the document, so that the
    /// columns stay in the order of the schemas.
    pub fn add(&mut self, fields: &[Field]) {
        let mut next = 0;
        for field in fields {
            if let Some(position) = self.0.iter().position(|key| *key == field.key) {
                next = position + 1;
            } else {
                self.0.insert(next, field.key.clone());
                next += 1;
            }
        }
    }

    /// The names of the columns.
    pub fn push_heading(&self, row: &mut impl CellSink) {
        for column in OF_DOCUMENT {
            row.push(ExportCell::Text(column));
        }
        for key in &self.0 {
            row.push(ExportCell::Text(key));
        }
        row.push(ExportCell::Text("other_fields"));
    }

    /// The cells of a document. Several values of a key share its cell. Keys that came up after the columns were chosen
    /// stand in the last one.
    pub fn push_document(&self, head: &RowPrefix<'_>, fields: &[Field], row: &mut impl CellSink) {
        head.begin(row);
        for key in &self.0 {
            let values: Vec<&Value> =
                fields.iter().filter(|field| field.key == *key).map(|field| &field.value).collect();
            match values[..] {
                [] => row.push(ExportCell::Empty),
                [value] => row.push_value(value),
                _ => row.push(ExportCell::Text(&joined(values.into_iter().map(text)))),
            };
        }
        let others = fields.iter().filter(|field| !self.0.contains(&field.key));
        let others = joined(others.map(|field| format!("{}: {}", field.key, text(&field.value))));
        row.push(if others.is_empty() { ExportCell::Empty } else { ExportCell::Text(&others) });
    }
}

fn joined(values: impl Iterator<Item = String>) -> String {
    values.filter(|value| !value.is_empty()).collect::<Vec<_>>().join(BETWEEN)
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(yes) => yes.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Table(_) => serde_json::to_string(value).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use quire_understanding::{Origin, ValueType};

    use super::super::CsvRow;
    use super::*;

    fn field(key: &str, value: Value) -> Field {
        Field::new(key, value, ValueType::Unknown, Origin::Machine, 0.5)
    }

    fn name(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn each_document_has_one_row_with_a_cell_for_each_key() {
        let first = [field("name", name("Luna")), field("weight", Value::Number(4.5))];
        let second = [
            field("name", name("Nube")),
            field("breed", name("galgo")),
            field("note", name("una")),
            field("note", name("=dos")),
        ];
        let mut columns = KeyColumns::default();
        columns.add(&first);
        columns.add(&second);
        let head = RowPrefix {
            document_id: None,
            original_filename: "a.pdf",
            created_at: None,
            status: "COMPLETED",
            review_status: "IN_REVIEW",
            run_id: None,
            version_number: Some(1),
        };
        let mut row = CsvRow::default();
        columns.push_heading(&mut row);
        let heading = row.end();
        assert!(heading.ends_with(",version_number,name,breed,note,weight,other_fields\r\n"), "{heading}");
        let mut line = |fields: &[Field]| {
            columns.push_document(&head, fields, &mut row);
            row.end()
        };
        assert!(line(&first).ends_with(",1,Luna,,,4.5,\r\n"));
        assert!(line(&second).ends_with(",1,Nube,galgo,una; '=dos,,\r\n"));
        assert!(line(&[field("late", name("x"))]).ends_with(",1,,,,,late: x\r\n"), "nothing is lost");
    }
}
