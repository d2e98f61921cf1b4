//! The contract of a request: the published JSON Schemas of chat completions and embeddings, reduced to what Quire sends. Any other
//! member breaks the contract.

use serde_json::Value;

use crate::json_schema::check_value;

const SCHEMA: &str = include_str!("request.schema.json");
const EMBEDDINGS: &str = include_str!("embeddings.schema.json");

/// Checks the body of a request for vectors against the contract.
pub(super) fn check_embeddings(body: &Value) -> Result<(), String> {
    let schema: Value = serde_json::from_str(EMBEDDINGS).expect("the contract is JSON");
    check_value(body, &schema, &schema).map_err(|why| format!("the request for vectors: {why}"))
}

/// Checks the body of a request against the contract, and its response format against the rules of structured outputs.
pub(super) fn check(body: &Value) -> Result<(), String> {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the contract is JSON");
    check_value(body, &schema, &schema).map_err(|why| format!("the request: {why}"))?;
    if body.get("stream_options").is_some() && body["stream"] != true {
        return Err("stream_options without stream".to_owned());
    }
    if body.get("max_tokens").is_some() == body.get("max_completion_tokens").is_some() {
        return Err("exactly one limit of tokens is needed".to_owned());
    }
    match body["response_format"]["type"].as_str() {
        Some("json_schema") => check_schema_format(&body["response_format"]),
        // The published rule for JSON objects; without any format, only the messages can say what to answer.
        _ if body["messages"].to_string().contains("JSON") => Ok(()),
        format => Err(format!("the messages of format {format:?} do not ask for JSON")),
    }
}

fn check_schema_format(format: &Value) -> Result<(), String> {
    if format["json_schema"]["strict"] != true {
        return Err("the response format must be a strict schema".to_owned());
    }
    let name = format["json_schema"]["name"].as_str().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_name) {
        return Err(format!("{name} is not a valid schema name"));
    }
    check_strict(&format["json_schema"]["schema"]).map_err(|why| format!("the response schema: {why}"))
}

/// Checks that every object requires all its members and allows no others.
fn check_strict(schema: &Value) -> Result<(), String> {
    if let Some(items) = schema.get("items") {
        check_strict(items)?;
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if schema["additionalProperties"] != false
        || !properties.keys().all(|name| required.contains(&name.as_str()))
    {
        return Err(format!("an object is not strict: {:?}", properties.keys().collect::<Vec<_>>()));
    }
    properties.values().try_for_each(check_strict)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request() -> Value {
        json!({
            "model": "any",
            "messages": [{ "role": "system", "content": "a" }, { "role": "user", "content": "b" }],
            "max_tokens": 16,
            "temperature": 0.2,
            "stream": true,
            "stream_options": { "include_usage": true },
            "response_format": { "type": "json_schema", "json_schema": { "name": "x", "strict": true, "schema": {
                "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"],
                "additionalProperties": false,
            } } },
        })
    }

    #[test]
    fn every_part_of_a_request_for_vectors_is_checked() {
        let request =
            || json!({ "model": "any", "input": ["a", "b"], "encoding_format": "float", "dimensions": 4 });
        assert_eq!(check_embeddings(&request()), Ok(()));
        for (name, wrong) in [
            ("model", json!(7)),
            ("input", json!([])),
            ("input", json!([""])),
            ("input", json!([7])),
            ("input", json!(vec!["a"; 2049])),
            ("encoding_format", json!("text")),
            ("dimensions", json!(0)),
            ("messages", json!([])),
        ] {
            let mut request = request();
            request[name] = wrong;
            assert!(check_embeddings(&request).is_err(), "{name}");
        }
        assert!(check_embeddings(&json!({ "model": "any" })).is_err(), "the texts are missing");
    }

    #[test]
    fn every_part_of_a_request_is_checked() {
        assert_eq!(check(&request()), Ok(()));
        for (pointer, wrong) in [
            ("/model", json!(7)),
            ("/messages", json!([])),
            ("/messages/0/role", json!("nobody")),
            ("/messages/1/content", json!({})),
            ("/max_tokens", json!("16")),
            ("/temperature", json!(3)),
            ("/response_format/type", json!("xml")),
            ("/response_format/json_schema/name", json!("a b")),
            ("/stream", json!("yes")),
            ("/stream_options/include_usage", json!(1)),
            ("/response_format/json_schema/strict", json!(false)),
            ("/response_format/json_schema/schema/required", json!([])),
            ("/response_format/json_schema/schema/additionalProperties", json!(true)),
        ] {
            let mut request = request();
            *request.pointer_mut(pointer).unwrap() = wrong;
            assert!(check(&request).is_err(), "{pointer}");
        }
        let refused = |change: &dyn Fn(&mut Value)| {
            let mut changed = request();
            change(&mut changed);
            check(&changed).is_err()
        };
        assert!(refused(&|body| body["max_completion_tokens"] = json!(9)), "two limits of tokens");
        assert!(refused(&|body| body["stream"] = json!(false)), "stream_options without stream");
        let object = json!({ "type": "json_object" });
        assert!(refused(&|body| body["response_format"] = object.clone()), "no message asks for JSON");
        let mut asking = request();
        asking["response_format"] = object;
        asking["messages"][0]["content"] = json!("Answer with JSON.");
        assert_eq!(check(&asking), Ok(()));
        let mut changed = request();
        changed["document"] = json!("x");
        assert!(check(&changed).is_err(), "an unknown member breaks the contract");
        changed.as_object_mut().unwrap().retain(|name, _| name == "model");
        assert!(check(&changed).is_err(), "messages are missing");
    }
}
