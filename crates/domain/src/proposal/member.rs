//! Checks of the members of JSON values. Each error names the path of the wrong member and never quotes its value,
//! which may be private.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A member of a JSON value that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path} {problem}")]
pub struct InvalidMember {
    /// Where it is, such as `concerns[1].text`; `.` is the value itself.
    pub path: String,
    /// What is wrong with it, as the end of a sentence that begins with the path.
    pub problem: String,
}

impl InvalidMember {
    /// An error at that path.
    pub fn at(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }

    /// The same error of a value that is itself a member of another.
    #[must_use]
    pub fn inside(self, outer: &str) -> Self {
        let path = match self.path.as_str() {
            "." => outer.to_owned(),
            path => format!("{outer}.{path}"),
        };
        Self { path, ..self }
    }
}

/// Parses JSON. The types of all members are checked; their values are checked afterwards.
pub(super) fn parse<'de, T: Deserialize<'de>>(json: &'de str) -> Result<T, InvalidMember> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let parsed = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        // The parser does not know where JSON that breaks off would have gone on.
        let path = error.path().to_string().replace('?', ".");
        InvalidMember::at(path, problem(&error.into_inner()))
    })?;
    let end = deserializer.end();
    end.map_err(|_| InvalidMember::at(".", "must be one JSON value, and nothing after it"))?;
    Ok(parsed)
}

/// What is wrong, without the value that serde's own message quotes.
fn problem(error: &serde_json::Error) -> String {
    if !error.is_data() {
        return "is not complete JSON".to_owned();
    }
    let message = error.to_string();
    let expected = message.rsplit_once(", expected ").map(|(_, expected)| expected);
    let expected = expected.map(|text| text.split(" at line ").next().unwrap_or(text));
    match expected {
        Some("f64" | "f32") => "must be a number".to_owned(),
        Some("a sequence") => "must be a list".to_owned(),
        Some("a map") => "must be an object".to_owned(),
        Some(text) if text.starts_with("struct ") => "must be an object".to_owned(),
        Some(text) => format!("must be {text}"),
        None => "is not valid".to_owned(),
    }
}

/// A required text, trimmed and not empty.
pub(super) fn required_text(path: &str, text: Option<String>) -> Result<String, InvalidMember> {
    let text = text.ok_or_else(|| InvalidMember::at(path, "is missing"))?;
    storable(path, &text)?;
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(InvalidMember::at(path, "must not be empty"));
    }
    Ok(trimmed.to_owned())
}

/// An optional text, trimmed; a blank one counts as none.
pub(super) fn optional_text(path: &str, text: Option<String>) -> Result<Option<String>, InvalidMember> {
    match text {
        Some(text) if !text.trim().is_empty() => required_text(path, Some(text)).map(Some),
        _ => Ok(None),
    }
}

/// A required list, each item changed by `check`, which gets the path of its item.
pub(super) fn list<T, U>(
    path: &str,
    items: Option<Vec<T>>,
    check: impl Fn(&str, T) -> Result<U, InvalidMember>,
) -> Result<Vec<U>, InvalidMember> {
    let items = items.ok_or_else(|| InvalidMember::at(path, "is missing"))?;
    items.into_iter().enumerate().map(|(place, item)| check(&format!("{path}[{place}]"), item)).collect()
}

/// A required list of texts, each trimmed and not empty.
pub(super) fn texts(path: &str, items: Option<Vec<String>>) -> Result<Vec<String>, InvalidMember> {
    list(path, items, |path, item| required_text(path, Some(item)))
}

/// A required number from 0 to 1.
pub(super) fn fraction(path: &str, number: Option<f64>) -> Result<f64, InvalidMember> {
    let number = number.ok_or_else(|| InvalidMember::at(path, "is missing"))?;
    if (0.0..=1.0).contains(&number) {
        Ok(number)
    } else {
        Err(InvalidMember::at(path, "must be from 0 to 1"))
    }
}

/// A required text or object, the text trimmed and not empty.
pub(super) fn text_or_object(path: &str, value: Option<Value>) -> Result<Value, InvalidMember> {
    match value {
        None | Some(Value::Null) => Err(InvalidMember::at(path, "is missing")),
        Some(Value::String(text)) => required_text(path, Some(text)).map(Value::String),
        Some(Value::Object(members)) => {
            storable_object(path, &members)?;
            Ok(Value::Object(members))
        }
        Some(_) => Err(InvalidMember::at(path, "must be a text or an object")),
    }
}

/// Refuses the character NUL, which PostgreSQL cannot store.
pub(super) fn storable(path: &str, text: &str) -> Result<(), InvalidMember> {
    if text.contains('\0') {
        return Err(InvalidMember::at(path, "must not contain the character NUL"));
    }
    Ok(())
}

/// Refuses the character NUL anywhere in an object.
pub(super) fn storable_object(path: &str, members: &Map<String, Value>) -> Result<(), InvalidMember> {
    members.iter().try_for_each(|(name, value)| {
        storable(path, name)?;
        storable_value(&format!("{path}.{name}"), value)
    })
}

fn storable_value(path: &str, value: &Value) -> Result<(), InvalidMember> {
    match value {
        Value::String(text) => storable(path, text),
        Value::Array(items) => items.iter().try_for_each(|item| storable_value(path, item)),
        Value::Object(members) => storable_object(path, members),
        _ => Ok(()),
    }
}
