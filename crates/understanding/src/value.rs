//! The value of a field, and when two values are the same.

use std::borrow::Cow;

use serde::de::{self, Deserializer, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::table_value::{EXPECTED_TABLE, TableRow, tidy};

/// The largest whole number that a float represents exactly.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// A value, as JSON can have it.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Value {
    #[default]
    /// No value.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Text. Dates are `YYYY-MM-DD`.
    Text(String),
    /// The rows of a table. A cell is no table.
    Table(Vec<TableRow>),
}

/// The type of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // The names say it.
pub enum ValueType {
    String,
    Date,
    Number,
    Boolean,
    Table,
    #[default]
    Unknown,
}

/// A value in canonical form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum CanonicalValue<'v> {
    Null,
    Bool(bool),
    Number(u64),
    Text(Cow<'v, str>),
}

impl ValueType {
    /// All types.
    pub const ALL: [Self; 6] =
        [Self::String, Self::Date, Self::Number, Self::Boolean, Self::Table, Self::Unknown];

    /// The name that is stored and that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Date => "date",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Table => "table",
            Self::Unknown => "unknown",
        }
    }

    /// The type of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The value of a normal form. A normal form that this type cannot have stays text, so that a person sees it.
    pub fn parse_normal_form(self, normal: String) -> Value {
        self.coerce(Value::Text(normal.clone())).unwrap_or(Value::Text(normal))
    }

    /// The value converted to this type, or what it must be.
    pub fn coerce(self, value: Value) -> Result<Value, &'static str> {
        match (self, value) {
            (_, Value::Null) => Ok(Value::Null),
            (Self::Unknown, value) | (Self::String, value @ Value::Text(_)) => Ok(value),
            (Self::String, _) => Err("must be text or null"),
            (Self::Date, Value::Text(text)) if is_date(&text) => Ok(Value::Text(text)),
            (Self::Date, _) => Err("must be a date as YYYY-MM-DD or null"),
            (Self::Number, value) => {
                value.as_number().map(Value::Number).ok_or("must be a number, such as 4.5, or null")
            }
            (Self::Boolean, value) => {
                value.as_bool().map(Value::Bool).ok_or("must be true or false, or null")
            }
            (Self::Table, Value::Table(rows)) => Ok(match tidy(rows) {
                rows if rows.is_empty() => Value::Null,
                rows => Value::Table(rows),
            }),
            (Self::Table, _) => Err(EXPECTED_TABLE),
        }
    }
}

fn is_date(text: &str) -> bool {
    text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok_and(|date| date.to_string() == text)
}

impl Value {
    /// Whether the value is null or blank.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.trim().is_empty(),
            Self::Table(rows) => rows.iter().flat_map(TableRow::values).all(Self::is_empty),
            Self::Bool(_) | Self::Number(_) => false,
        }
    }

    /// Whether two values are the same to a reader: spaces do not count, nor how a number or a boolean is written.
    pub fn is_same(&self, other: &Self, kind: ValueType) -> bool {
        if self == other {
            return true;
        }
        match kind {
            ValueType::Number => {
                let numbers = self.as_number().zip(other.as_number());
                numbers.is_some_and(|(one, two)| one.total_cmp(&two).is_eq())
            }
            ValueType::Boolean => self.as_bool().zip(other.as_bool()).is_some_and(|(one, two)| one == two),
            ValueType::String | ValueType::Date => match (self, other) {
                (Self::Text(one), Self::Text(two)) => one.split_whitespace().eq(two.split_whitespace()),
                _ => false,
            },
            ValueType::Unknown | ValueType::Table => match (self, other) {
                (Self::Text(one), Self::Text(two)) => one.trim() == two.trim(),
                (Self::Table(one), Self::Table(two)) => tidy(one.clone()) == tidy(two.clone()),
                _ => false,
            },
        }
    }

    /// The canonical form: equal if two values of that type are the same to a reader.
    pub(super) fn canonical(&self, kind: ValueType) -> CanonicalValue<'_> {
        let number = || self.as_number().map(|number| CanonicalValue::Number(number.to_bits()));
        let canonical = match kind {
            ValueType::Number => number(),
            ValueType::Boolean => self.as_bool().map(CanonicalValue::Bool),
            ValueType::String | ValueType::Date => match self {
                Self::Text(text) => {
                    Some(CanonicalValue::Text(text.split_whitespace().collect::<Vec<_>>().join(" ").into()))
                }
                _ => None,
            },
            ValueType::Unknown | ValueType::Table => None,
        };
        canonical.unwrap_or_else(|| match self {
            Self::Null => CanonicalValue::Null,
            Self::Bool(yes) => CanonicalValue::Bool(*yes),
            Self::Number(number) => CanonicalValue::Number((number + 0.0).to_bits()),
            Self::Text(text) => CanonicalValue::Text(text.trim().into()),
            Self::Table(rows) => CanonicalValue::Text(format!("{:?}", tidy(rows.clone())).into()),
        })
    }

    pub(super) fn as_number(&self) -> Option<f64> {
        let number = match self {
            Self::Number(number) => *number,
            Self::Text(text) => text.trim().parse().ok()?,
            Self::Null | Self::Bool(_) | Self::Table(_) => return None,
        };
        // Adding zero removes the sign of zero.
        number.is_finite().then_some(number + 0.0)
    }

    pub(super) fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(yes) => Some(*yes),
            Self::Number(1.0) => Some(true),
            Self::Number(0.0) => Some(false),
            Self::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            Self::Null | Self::Number(_) | Self::Table(_) => None,
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_none(),
            Self::Bool(yes) => serializer.serialize_bool(*yes),
            // 5 stays 5 and does not become 5.0.
            #[allow(clippy::cast_possible_truncation)] // The number is whole and exact.
            Self::Number(number) if number.fract() == 0.0 && number.abs() < LARGEST_EXACT => {
                serializer.serialize_i64(*number as i64)
            }
            Self::Number(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Table(rows) => rows.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Scalar;

        impl<'de> Visitor<'de> for Scalar {
            type Value = Value;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("text, a number, true, false, null or a list of rows")
            }

            fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_none<E: de::Error>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }

            fn visit_bool<E: de::Error>(self, yes: bool) -> Result<Value, E> {
                Ok(Value::Bool(yes))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Value, E> {
                exact(number.unsigned_abs(), number.is_negative())
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Value, E> {
                exact(number, false)
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Value, E> {
                Ok(Value::Number(number))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
                Ok(Value::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
                let mut rows: Vec<TableRow> = Vec::new();
                while let Some(row) = list.next_element::<TableRow>()? {
                    if row.values().any(|cell| matches!(cell, Value::Table(_))) {
                        return Err(de::Error::custom("a cell must be text, a number, true, false or null"));
                    }
                    rows.push(row);
                }
                Ok(Value::Table(rows))
            }
        }

        fn exact<E: de::Error>(size: u64, is_negative: bool) -> Result<Value, E> {
            #[allow(clippy::cast_precision_loss)] // A number that would lose precision is refused.
            let number = size as f64;
            if number >= LARGEST_EXACT {
                return Err(E::custom("the number is too large to be exact; send it as text"));
            }
            Ok(Value::Number(if is_negative { -number } else { number }))
        }

        deserializer.deserialize_any(Scalar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    /// Proves R125 for values: what counts as no change.
    #[test]
    fn values_that_read_the_same_are_the_same() {
        let same = [
            (text("Luna  Bella "), text("Luna Bella"), ValueType::String),
            (text(" 2024-02-01"), text("2024-02-01"), ValueType::Date),
            (text("4.50"), Value::Number(4.5), ValueType::Number),
            (Value::Number(0.0), Value::Number(-0.0), ValueType::Number),
            (Value::Bool(true), text("1"), ValueType::Boolean),
            (Value::Bool(false), Value::Number(0.0), ValueType::Boolean),
            (text(" x"), text("x "), ValueType::Unknown),
            (Value::Null, Value::Null, ValueType::String),
        ];
        for (one, two, kind) in same {
            assert!(one.is_same(&two, kind) && two.is_same(&one, kind), "{one:?} {two:?}");
        }
        let other = [
            (text("Luna"), text("luna"), ValueType::String),
            (text(""), Value::Null, ValueType::String),
            (text("4.5"), text("4,5"), ValueType::Number),
            (Value::Number(1.0), Value::Number(2.0), ValueType::Number),
            (text("yes"), Value::Bool(true), ValueType::Boolean),
            (text("a  b"), text("a b"), ValueType::Unknown),
        ];
        for (one, two, kind) in other {
            assert!(!one.is_same(&two, kind) && !two.is_same(&one, kind), "{one:?} {two:?}");
        }
    }

    #[test]
    fn a_type_accepts_values_that_convert_to_it() {
        assert_eq!(ValueType::Number.coerce(text("4.5")), Ok(Value::Number(4.5)));
        assert_eq!(ValueType::Boolean.coerce(text("true")), Ok(Value::Bool(true)));
        assert_eq!(ValueType::Date.coerce(text("2024-02-29")), Ok(text("2024-02-29")));
        for (kind, wrong) in [
            (ValueType::Date, text("2023-02-29")),
            (ValueType::Date, text("29/02/2024")),
            (ValueType::Date, Value::Number(2024.0)),
            (ValueType::Number, text("four")),
            (ValueType::Number, text("NaN")),
            (ValueType::Boolean, text("maybe")),
            (ValueType::String, Value::Number(4.0)),
        ] {
            assert!(kind.coerce(wrong.clone()).is_err(), "{kind:?} {wrong:?}");
        }
        for kind in ValueType::ALL {
            assert_eq!(kind.coerce(Value::Null), Ok(Value::Null));
            assert_eq!(ValueType::parse(kind.as_str()), Some(kind));
        }
    }

    #[test]
    fn whole_numbers_stay_whole_and_inexact_numbers_are_refused() {
        for json in ["null", "true", "5", "-7", "4.5", "\"5\""] {
            let value: Value = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&value).unwrap(), json);
        }
        let table = r#"[{"name":"Glucose","result":92},{"name":"Urea"}]"#;
        assert_eq!(serde_json::to_string(&serde_json::from_str::<Value>(table).unwrap()).unwrap(), table);
        for wrong in ["9007199254740993", "[1]", "{}", r#"[{"a":[{"b":1}]}]"#] {
            assert!(serde_json::from_str::<Value>(wrong).is_err(), "{wrong}");
        }
    }
}
