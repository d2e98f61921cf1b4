//! Parses the response of a model into claims.

use quire_understanding::claims::{ModelClaim, ModelClaims};
use quire_understanding::redaction::Redaction;
use quire_understanding::{Schema, Value};
use serde_json::{Map, Value as Json};

/// The claims of the JSON of a response, or `None` if it does not match the response schema. Unknown members are ignored.
pub(super) fn parse(text: &str, schema: &Schema, redaction: Option<&Redaction>) -> Option<ModelClaims> {
    let Json::Object(response) = serde_json::from_str(text).ok()? else { return None };
    let document = claims_of_object(response.get("document")?, schema, redaction)?;
    let visits = match response.get("visits") {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Array(visits)) => {
            visits.iter().map(|visit| claims_of_object(visit, schema, redaction)).collect::<Option<_>>()?
        }
        Some(_) => return None,
    };
    Some(ModelClaims { document, visits })
}

fn claims_of_object(part: &Json, schema: &Schema, redaction: Option<&Redaction>) -> Option<Vec<ModelClaim>> {
    let members: &Map<String, Json> = part.as_object()?;
    let mut claims = Vec::new();
    for (key, value) in members.iter().filter(|(key, _)| schema.key(key).is_some()) {
        let values = match value {
            Json::Array(values) => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        for value in values {
            claims.push(ModelClaim { key: key.clone(), value: scalar(value, redaction)? });
        }
    }
    Some(claims)
}

fn scalar(value: &Json, redaction: Option<&Redaction>) -> Option<Value> {
    let value: Value = serde_json::from_value(value.clone()).ok()?;
    Some(match (value, redaction) {
        (Value::Text(text), Some(redaction)) => Value::Text(redaction.restore(&text)),
        (value, _) => value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<ModelClaims> {
        parse(text, &Schema::built_in_default(), None)
    }

    #[test]
    fn a_response_that_does_not_match_the_schema_is_refused() {
        for wrong in [
            "",
            "Luna",
            "[]",
            "{}",
            "{\"document\":7}",
            "{\"document\":{\"pet_name\":{\"value\":\"Luna\"}}}",
            "{\"document\":{},\"visits\":7}",
            "{\"document\":{},\"visits\":[7]}",
            "{\"document\":{\"pet_name\":\"Lu",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(read("{\"document\":{}}"), Some(ModelClaims::default()));
    }

    #[test]
    fn lists_become_separate_claims_and_unknown_members_are_ignored() {
        let text = r#"{"document":{"pet_name":"Luna","is_critical":false,"confidence":1},"mood":"good",
                       "visits":[{"diagnosis":["a","b"],"visit_date":null}]}"#;
        let claims = read(text).unwrap();
        let keys: Vec<_> = claims.document.iter().map(|claim| claim.key.as_str()).collect();
        assert_eq!(keys, ["pet_name"]);
        assert_eq!(claims.visits[0].len(), 3);
    }

    #[test]
    fn redacted_text_is_restored() {
        let mut redaction = Redaction::default();
        redaction.redact("600 123 456");
        let text = r#"{"document":{"notes":"llamar al [PHONE-1]"}}"#;
        let claims = parse(text, &Schema::built_in_default(), Some(&redaction)).unwrap();
        assert_eq!(claims.document[0].value, Value::Text("llamar al 600 123 456".to_owned()));
    }
}
