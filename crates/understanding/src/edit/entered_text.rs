//! What a person types, read as a value of its key.
//!
//! One parser decides for every client: a page sends the text. A text that can be read in two ways is a question, not a
//! guess, and a text that the key cannot have is refused until the person insists.

use super::{EditOperation, VisitAssignment};
use crate::table_value::{EXPECTED_TABLE, TableRow};
use crate::{Field, Normaliser, Schema, SchemaKey, TableColumn, Validators, Value, ValueType};
use quire_domain::ids::FieldId;

/// A requested edit: one with its value, or one with a text that has to be read first.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestedEdit {
    /// An edit with its value, or one that needs none.
    Value(EditOperation),
    /// A text for a field.
    Text(TextEdit),
}

/// A text that a person typed.
#[derive(Clone, Debug, PartialEq)]
pub struct TextEdit {
    /// The field that it is for.
    pub target: TextTarget,
    /// The text.
    pub text: String,
    /// Whether to keep the text as it is if the key cannot have such a value.
    pub keep: bool,
}

/// The field that an entered text is for.
#[derive(Clone, Debug, PartialEq)]
pub enum TextTarget {
    /// A new field.
    New {
        /// Its key.
        key: String,
        /// Its visit.
        visit_id: Option<String>,
    },
    /// A field that is there.
    Field {
        /// The field.
        field: FieldId,
        /// The visit that it moves to, if it moves.
        visit_id: Option<VisitAssignment>,
    },
}

/// Why an entered text did not become a value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("changes[{index}].text: {problem}")]
pub struct UnclearText {
    /// The index of the edit in the batch, from 0.
    pub index: usize,
    /// The problem.
    pub problem: TextProblem,
}

/// What is wrong with an entered text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TextProblem {
    /// It can be read in several ways.
    #[error("can be read in {} ways; send one of `readings` as `value`, with this `value_type`", .readings.len())]
    Ambiguous {
        /// The values that it can mean.
        readings: Vec<Value>,
        /// The type of these values.
        value_type: ValueType,
    },
    /// The key cannot have such a value.
    #[error("{0}; correct it, or send `keep` to store the text as it is")]
    NotAllowed(&'static str),
    /// It is no table, or a cell is no value of its column.
    #[error("{0}")]
    InvalidTable(String),
}

/// Reads the entered texts of a batch. `fields` are those of the edited version.
pub fn parse_entered_texts(
    batch: &[RequestedEdit],
    fields: &[Field],
    schema: &Schema,
) -> Result<Vec<EditOperation>, UnclearText> {
    let read = |(index, edit): (usize, &RequestedEdit)| match edit {
        RequestedEdit::Value(operation) => Ok(operation.clone()),
        RequestedEdit::Text(entered) => {
            parse_entered_text(entered, fields, schema).map_err(|problem| UnclearText { index, problem })
        }
    };
    batch.iter().enumerate().map(read).collect()
}

fn parse_entered_text(
    entered: &TextEdit,
    fields: &[Field],
    schema: &Schema,
) -> Result<EditOperation, TextProblem> {
    match &entered.target {
        TextTarget::New { key, visit_id } => {
            let (value, value_type) = read_text(entered, schema.key(key), ValueType::String)?;
            let (key, visit_id) = (key.clone(), visit_id.clone());
            Ok(EditOperation::Add { key, value, value_type: Some(value_type), visit_id })
        }
        TextTarget::Field { field: id, visit_id } => {
            let field = fields.iter().find(|field| field.field_id == *id);
            let known = field.and_then(|field| schema.key(&field.key));
            let value_type = field.map_or(ValueType::String, |field| field.value_type);
            let (value, value_type) = read_text(entered, known, value_type)?;
            let (value, value_type, visit_id) = (Some(value), Some(value_type), visit_id.clone());
            Ok(EditOperation::Update { field: *id, value, value_type, visit_id })
        }
    }
}

fn read_text(
    entered: &TextEdit,
    key: Option<&SchemaKey>,
    value_type: ValueType,
) -> Result<(Value, ValueType), TextProblem> {
    match key.filter(|key| key.value_type == ValueType::Table) {
        Some(key) => Ok((read_table(key, entered)?, ValueType::Table)),
        None => ValueRules::of(key, value_type).read(&entered.text, entered.keep),
    }
}

/// A table is typed as JSON: a list of rows. A text in a cell is read as its column says; other cells are values already.
fn read_table(key: &SchemaKey, entered: &TextEdit) -> Result<Value, TextProblem> {
    if entered.text.trim().is_empty() {
        return Ok(Value::Null);
    }
    let rows: Vec<TableRow> = serde_json::from_str(&entered.text)
        .map_err(|_| TextProblem::InvalidTable(EXPECTED_TABLE.to_owned()))?;
    let read = |column: &TableColumn, value: Value| match value {
        Value::Text(text) => {
            let rules =
                ValueRules { normaliser: column.normaliser, value_type: column.value_type, validators: None };
            match rules.read(&text, false) {
                Ok((value, _)) => Ok(value),
                Err(TextProblem::Ambiguous { .. }) => Err(format!(
                    "\"{text}\" can be read in two ways; write it without a thousands separator, or a date as YYYY-MM-DD"
                )),
                Err(problem) => Err(match problem {
                    TextProblem::NotAllowed(why) => why.to_owned(),
                    other => other.to_string(),
                }),
            }
        }
        value => column.value_type.coerce(value).map_err(str::to_owned),
    };
    key.checked_table(rows, read).map_err(TextProblem::InvalidTable)
}

/// The values that a key can have.
struct ValueRules<'k> {
    normaliser: Normaliser,
    value_type: ValueType,
    validators: Option<&'k Validators>,
}

impl<'k> ValueRules<'k> {
    /// The rules of a key. Of an unknown key only the type is known.
    fn of(key: Option<&'k SchemaKey>, value_type: ValueType) -> Self {
        let value_type = key.map_or(value_type, |key| key.value_type);
        let normaliser = key.map_or_else(|| Normaliser::default_for(value_type), |key| key.normaliser);
        Self { normaliser, value_type, validators: key.map(|key| &key.validators) }
    }

    /// The value and its type. A text that is kept although the key cannot have it is text.
    fn read(&self, text: &str, keep: bool) -> Result<(Value, ValueType), TextProblem> {
        let (text, value_type) = (text.trim(), self.value_type);
        if text.is_empty() {
            return Ok((Value::Null, value_type));
        }
        let is_allowed = |normal: &String| self.validators.is_none_or(|conditions| conditions.allows(normal));
        let mut readings = self.normaliser.readings(text);
        let is_readable = !readings.is_empty();
        readings.retain(is_allowed);
        let mut readings: Vec<Value> =
            readings.into_iter().map(|normal| value_type.parse_normal_form(normal)).collect();
        match readings.len() {
            1 => Ok((readings.remove(0), value_type)),
            _ if keep => Ok((Value::Text(text.to_owned()), ValueType::String)),
            0 if is_readable => {
                Err(TextProblem::NotAllowed("the schema does not allow this value for the key"))
            }
            0 => Err(TextProblem::NotAllowed(self.normaliser.expected())),
            _ => Err(TextProblem::Ambiguous { readings, value_type }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bound, Origin};

    fn key(name: &str, value_type: ValueType, normaliser: Normaliser) -> SchemaKey {
        SchemaKey { key: name.to_owned(), value_type, normaliser, ..SchemaKey::default() }
    }

    fn schema() -> Schema {
        let conditions = Validators { max: Some(Bound(100.0)), ..Validators::default() };
        let keys = vec![
            key("count", ValueType::Number, Normaliser::Number),
            key("total", ValueType::Number, Normaliser::Sum),
            key("day", ValueType::Date, Normaliser::Date),
            key("species", ValueType::String, Normaliser::Species),
            key("name", ValueType::String, Normaliser::PetName),
            SchemaKey { validators: conditions, ..key("share", ValueType::Number, Normaliser::Number) },
        ];
        Schema { keys, ..Schema::default() }
    }

    fn typed(name: &str, text: &str, keep: bool) -> Result<(Value, ValueType), TextProblem> {
        let target = TextTarget::New { key: name.to_owned(), visit_id: None };
        let edit = RequestedEdit::Text(TextEdit { target, text: text.to_owned(), keep });
        match parse_entered_texts(&[edit], &[], &schema()) {
            Ok(operations) => match operations.into_iter().next() {
                Some(EditOperation::Add { value, value_type: Some(value_type), .. }) => {
                    Ok((value, value_type))
                }
                other => panic!("{other:?}"),
            },
            Err(UnclearText { index: 0, problem }) => Err(problem),
            Err(other) => panic!("{other:?}"),
        }
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn typed_text_is_read_as_the_key_says() {
        let number = ValueType::Number;
        for (name, typed_text, value, value_type) in [
            ("count", "1.234,56", Value::Number(1234.56), number),
            ("count", " 12,5 ", Value::Number(12.5), number),
            ("count", "(3)", Value::Number(-3.0), number),
            ("total", "1.234", Value::Number(1234.0), number),
            ("total", "12,50 €", Value::Number(12.5), number),
            ("day", "31/12/2024", text("2024-12-31"), ValueType::Date),
            ("day", "12/31/2024", text("2024-12-31"), ValueType::Date),
            ("day", "2024-02-03", text("2024-02-03"), ValueType::Date),
            ("day", "3 de febrero de 2024", text("2024-02-03"), ValueType::Date),
            ("species", "perro", text("canino"), ValueType::String),
            ("name", "LuNa", text("LuNa"), ValueType::String),
            ("unknown", "  0x10 ", text("0x10"), ValueType::String),
            ("count", " ", Value::Null, number),
            ("share", "1,234", Value::Number(1.234), number),
        ] {
            assert_eq!(typed(name, typed_text, false), Ok((value, value_type)), "{name} {typed_text}");
        }
    }

    /// What was seen before: a typed `1.234` and a typed `1,234` were both stored as 1.234, and `0x10` as 16.
    #[test]
    fn a_text_with_two_readings_is_a_question() {
        for (name, typed_text, readings, value_type) in [
            ("count", "1.234", [Value::Number(1.234), Value::Number(1234.0)], ValueType::Number),
            ("count", "1,234", [Value::Number(1234.0), Value::Number(1.234)], ValueType::Number),
            ("day", "03/02/2024", [text("2024-02-03"), text("2024-03-02")], ValueType::Date),
        ] {
            let problem = TextProblem::Ambiguous { readings: readings.to_vec(), value_type };
            assert_eq!(typed(name, typed_text, false), Err(problem), "{name} {typed_text}");
        }
    }

    #[test]
    fn a_text_that_the_key_cannot_have_is_kept_only_if_the_person_insists() {
        for (name, typed_text) in [
            ("count", "0x10"),
            ("count", "1e3"),
            ("count", "unos 20"),
            ("day", "31/02/2024"),
            ("species", "conejo"),
            ("name", "12345"),
            ("share", "101"),
        ] {
            let refused = typed(name, typed_text, false);
            assert!(matches!(refused, Err(TextProblem::NotAllowed(_))), "{name} {typed_text} {refused:?}");
            let kept = typed(name, typed_text, true);
            assert_eq!(kept, Ok((text(typed_text), ValueType::String)), "{name} {typed_text}");
        }
    }

    #[test]
    fn a_text_for_a_field_is_read_by_the_key_of_the_field() {
        let field = Field::new("count", text("unos 20"), ValueType::String, Origin::Human, 0.5);
        let target = TextTarget::Field { field: field.field_id, visit_id: None };
        let edit = RequestedEdit::Text(TextEdit { target, text: "20".to_owned(), keep: false });
        let read = parse_entered_texts(&[edit], std::slice::from_ref(&field), &schema());
        let operation = EditOperation::Update {
            field: field.field_id,
            value: Some(Value::Number(20.0)),
            value_type: Some(ValueType::Number),
            visit_id: None,
        };
        assert_eq!(read, Ok(vec![operation]));
    }
}
