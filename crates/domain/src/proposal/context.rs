//! What a client adds to an idea, and how long it may be.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::member::{InvalidMember, optional_text, storable_object};

/// The most characters of the extra context, of an object those of its JSON.
pub const MAX_CONTEXT_CHARS: usize = 50_000;
/// The member under which a plain text is stored.
const TEXT: &str = "text";

/// More about an idea: an object. A plain text becomes `{"text": …}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExtraContext(Map<String, Value>);

impl ExtraContext {
    /// Checks the member `extra_context` of a request. A blank text and an empty object count as none.
    pub fn parse(given: Option<Value>) -> Result<Option<Self>, InvalidMember> {
        const PATH: &str = "extra_context";
        match given {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => {
                let text = check_note(PATH, Some(text), MAX_CONTEXT_CHARS)?;
                Ok(text.map(|text| Self(Map::from_iter([(TEXT.to_owned(), text.into())]))))
            }
            Some(Value::Object(members)) => {
                let members = object_of_at_most(PATH, members, MAX_CONTEXT_CHARS)?;
                Ok((!members.is_empty()).then_some(Self(members)))
            }
            Some(_) => Err(InvalidMember::at(PATH, "must be a text or an object")),
        }
    }

    /// The object, as it is stored.
    pub fn as_object(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The text for a model: the plain text that was given, or the JSON of the object.
    pub fn to_prompt(&self) -> String {
        match self.0.get(TEXT) {
            Some(Value::String(text)) if self.0.len() == 1 => text.clone(),
            _ => json(&self.0),
        }
    }
}

/// An optional text of at most `limit` characters, trimmed; a blank one counts as none.
pub fn check_note(path: &str, text: Option<String>, limit: usize) -> Result<Option<String>, InvalidMember> {
    let text = optional_text(path, text)?;
    check_length(path, text.iter().map(|text| text.chars().count()).sum(), limit)?;
    Ok(text)
}

/// An object whose JSON has at most `limit` characters.
pub fn object_of_at_most(
    path: &str,
    members: Map<String, Value>,
    limit: usize,
) -> Result<Map<String, Value>, InvalidMember> {
    storable_object(path, &members)?;
    check_length(path, json(&members).chars().count(), limit)?;
    Ok(members)
}

fn json(members: &Map<String, Value>) -> String {
    // An object of JSON values can always be written.
    serde_json::to_string(members).unwrap_or_default()
}

fn check_length(path: &str, chars: usize, limit: usize) -> Result<(), InvalidMember> {
    if chars > limit {
        return Err(InvalidMember::at(path, format!("has {chars} characters; the limit is {limit}")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Proves R146.
    #[test]
    fn context_is_a_text_or_an_object_of_at_most_fifty_thousand_characters() {
        let parse = |value: Value| ExtraContext::parse(Some(value));
        let text = parse(json!(" more ")).unwrap().unwrap();
        assert_eq!(
            (text.as_object(), text.to_prompt().as_str()),
            (json!({"text": "more"}).as_object().unwrap(), "more")
        );
        let object = parse(json!({"text": "a", "team": 3})).unwrap().unwrap();
        assert_eq!(object.to_prompt(), r#"{"team":3,"text":"a"}"#);
        assert_eq!(parse(json!("  ")), Ok(None));
        assert_eq!(parse(json!({})), Ok(None));
        assert_eq!(ExtraContext::parse(None), Ok(None));
        assert!(parse(json!("é".repeat(50_000))).is_ok());
        let long = parse(json!("é".repeat(50_001))).unwrap_err();
        assert_eq!(long.to_string(), "extra_context has 50001 characters; the limit is 50000");
        // The JSON of the object counts: eight characters around the value.
        assert!(parse(json!({"a": "x".repeat(50_000 - 8)})).is_ok());
        assert!(parse(json!({"a": "x".repeat(50_000 - 7)})).is_err());
        assert_eq!(parse(json!([1])).unwrap_err().to_string(), "extra_context must be a text or an object");
        assert!(parse(json!({"a": {"b": ["\0"]}})).is_err());
    }
}
