//! The values of columns, and their one form in every database.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::{PortError, PortResult};

/// The value of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // Each variant is the type of its name.
pub enum DatabaseCell {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Uuid(Uuid),
    Time(Timestamp),
    /// JSON in its canonical form.
    Json(String),
}

/// The type of a column. A database with fewer types, such as SQLite, does not know it for each column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CellType {
    /// Not known: the values are as they are stored.
    Unknown,
    Boolean,
    Integer,
    Float,
    Text,
    Bytes,
    Uuid,
    Time,
    Json,
}

impl DatabaseCell {
    /// The same value as a value of this type: a number as a time, bytes as an id. `Corrupt` if it is none.
    pub fn into_type(self, cell_type: CellType) -> PortResult<Self> {
        Ok(match (cell_type, self) {
            (CellType::Boolean, Self::Integer(number @ (0 | 1))) => Self::Boolean(number == 1),
            #[allow(clippy::cast_precision_loss)] // A column of floats holds no larger numbers.
            (CellType::Float, Self::Integer(number)) => Self::Float(number as f64),
            // PostgreSQL cannot store this character in a text.
            (CellType::Text, Self::Text(text)) if text.contains('\0') => {
                Self::Text(text.replace('\0', "\u{fffd}"))
            }
            (CellType::Uuid, Self::Bytes(bytes)) => Self::Uuid(Uuid::from_slice(&bytes).map_err(wrong)?),
            (CellType::Time, Self::Integer(micros)) => {
                Self::Time(Timestamp::from_microsecond(micros).map_err(wrong)?)
            }
            (CellType::Json, Self::Text(text) | Self::Json(text)) => {
                Self::Json(canonical_json(text.as_bytes())?)
            }
            (_, Self::Null) => Self::Null,
            (CellType::Unknown, cell)
            | (CellType::Boolean, cell @ Self::Boolean(_))
            | (CellType::Integer, cell @ Self::Integer(_))
            | (CellType::Float, cell @ Self::Float(_))
            | (CellType::Text, cell @ Self::Text(_))
            | (CellType::Bytes, cell @ Self::Bytes(_))
            | (CellType::Uuid, cell @ Self::Uuid(_))
            | (CellType::Time, cell @ Self::Time(_)) => cell,
            (cell_type, _) => return Err(wrong(format!("a value is no {cell_type:?}"))),
        })
    }
}

/// JSON in its canonical form: without spaces, the members of objects in the order of their names.
pub fn canonical_json(json: &[u8]) -> PortResult<String> {
    // The parser's own message would quote the JSON.
    let value: Value =
        serde_json::from_slice(json).map_err(|error| wrong(format!("{:?}", error.classify())))?;
    serde_json::to_string(&sorted(value)).map_err(wrong)
}

fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(String, Value)> = members.into_iter().collect();
            members.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(
                members.into_iter().map(|(name, value)| (name, sorted(value))).collect::<Map<_, _>>(),
            )
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        // PostgreSQL cannot store this character in JSON.
        Value::String(text) => Value::String(text.replace('\0', "\u{fffd}")),
        other => other,
    }
}

#[allow(clippy::needless_pass_by_value)] // `map_err(wrong)` reads best.
fn wrong(why: impl ToString) -> PortError {
    PortError::Corrupt(why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_json_has_one_canonical_form() {
        let one = canonical_json(br#"{"b": [1.50, {"y": null, "x": "a\u0000"}], "a": true}"#).unwrap();
        assert_eq!(one, "{\"a\":true,\"b\":[1.5,{\"x\":\"a\u{fffd}\",\"y\":null}]}");
        assert_eq!(canonical_json(one.as_bytes()).unwrap(), one);
        assert!(canonical_json(b"{").is_err());
    }

    #[test]
    fn what_one_database_stores_as_a_number_is_a_time_or_a_boolean_in_another() {
        let id = Uuid::now_v7();
        for (stored, cell_type, typed) in [
            (DatabaseCell::Integer(1), CellType::Boolean, DatabaseCell::Boolean(true)),
            (DatabaseCell::Integer(0), CellType::Time, DatabaseCell::Time(Timestamp::UNIX_EPOCH)),
            (DatabaseCell::Integer(7), CellType::Float, DatabaseCell::Float(7.0)),
            (DatabaseCell::Bytes(id.as_bytes().to_vec()), CellType::Uuid, DatabaseCell::Uuid(id)),
            (
                DatabaseCell::Text("a\0".to_owned()),
                CellType::Text,
                DatabaseCell::Text("a\u{fffd}".to_owned()),
            ),
            (DatabaseCell::Text("{ }".to_owned()), CellType::Json, DatabaseCell::Json("{}".to_owned())),
            (DatabaseCell::Null, CellType::Uuid, DatabaseCell::Null),
            (DatabaseCell::Text("a\0".to_owned()), CellType::Unknown, DatabaseCell::Text("a\0".to_owned())),
        ] {
            assert_eq!(stored.into_type(cell_type), Ok(typed.clone()));
            assert_eq!(typed.clone().into_type(cell_type), Ok(typed));
        }
        for (stored, cell_type) in [
            (DatabaseCell::Integer(2), CellType::Boolean),
            (DatabaseCell::Text("x".to_owned()), CellType::Integer),
            (DatabaseCell::Bytes(vec![1]), CellType::Uuid),
            (DatabaseCell::Text("{".to_owned()), CellType::Json),
        ] {
            assert!(stored.clone().into_type(cell_type).is_err(), "{stored:?}");
        }
    }
}
