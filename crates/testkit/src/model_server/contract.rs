//! What a request must look like: the published description of chat completions, without what Quire never sends, so that
//! sending it would be noticed.
//!
//! The description uses a small part of JSON Schema 2020-12, and that part is checked here, word by word. A word that is not
//! known here fails the check, so that nothing passes because nobody looked.

use serde_json::{Map, Value};

const SCHEMA: &str = include_str!("request.schema.json");

/// Holds the body of a request against the description, and the form in it against what strict answers demand.
pub(super) fn check(body: &Value) -> Result<(), String> {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the description is JSON");
    fits(body, &schema, &schema).map_err(|why| format!("the request: {why}"))?;
    let format = &body["response_format"];
    if format["type"] != "json_schema" || format["json_schema"]["strict"] != true {
        return Err("the answer must be asked for by a strict schema".to_owned());
    }
    let name = format["json_schema"]["name"].as_str().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_name) {
        return Err(format!("{name} is no name of a schema"));
    }
    strict(&format["json_schema"]["schema"]).map_err(|why| format!("the form: {why}"))
}

/// Every object names all its members as required and takes no others.
fn strict(schema: &Value) -> Result<(), String> {
    if let Some(items) = schema.get("items") {
        strict(items)?;
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Ok(()) };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if schema["additionalProperties"] != false
        || !properties.keys().all(|name| required.contains(&name.as_str()))
    {
        return Err(format!("an object is open: {:?}", properties.keys().collect::<Vec<_>>()));
    }
    properties.values().try_for_each(strict)
}

fn fits(value: &Value, schema: &Value, root: &Value) -> Result<(), String> {
    let Some(words) = schema.as_object() else { return Err(format!("{schema} is no schema")) };
    words.iter().try_for_each(|(word, says)| holds(value, word, says, words, root))
}

fn holds(
    value: &Value,
    word: &str,
    says: &Value,
    words: &Map<String, Value>,
    root: &Value,
) -> Result<(), String> {
    let all = |says: &Value| says.as_array().cloned().unwrap_or_default();
    let fitting = |says: &Value| all(says).iter().filter(|one| fits(value, one, root).is_ok()).count();
    let ok = match word {
        "$schema" | "$defs" => true,
        "$ref" => {
            let name = says.as_str().unwrap_or_default();
            let schema = root.pointer(name.trim_start_matches('#')).ok_or(format!("{name} is not there"))?;
            return fits(value, schema, root);
        }
        "type" => says
            .as_str()
            .map_or_else(|| all(says).iter().any(|kind| is_of(value, kind)), |_| is_of(value, says)),
        "enum" => all(says).contains(value),
        "required" => {
            let has = |name: &Value| value.get(name.as_str().unwrap_or_default()).is_some();
            !value.is_object() || all(says).iter().all(has)
        }
        "properties" => {
            let members = says.as_object().into_iter().flatten();
            let known = members.filter_map(|(name, schema)| Some((name, value.get(name)?, schema)));
            for (name, member, schema) in known {
                fits(member, schema, root).map_err(|why| format!("{name}: {why}"))?;
            }
            true
        }
        "additionalProperties" => {
            let is_known =
                |name: &String| words.get("properties").is_some_and(|known| known.get(name).is_some());
            let others = value.as_object().into_iter().flatten().filter(|(name, _)| !is_known(name));
            let mut others = others.map(|(_, member)| member);
            match says {
                Value::Bool(is_open) => *is_open || others.next().is_none(),
                schema => others.all(|member| fits(member, schema, root).is_ok()),
            }
        }
        "items" => value.as_array().into_iter().flatten().all(|item| fits(item, says, root).is_ok()),
        "oneOf" => fitting(says) == 1,
        "anyOf" => fitting(says) > 0,
        "allOf" => fitting(says) == all(says).len(),
        "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= says.as_u64().unwrap_or(0)),
        "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= says.as_u64().unwrap_or(0)),
        "maxLength" => {
            value.as_str().is_none_or(|text| text.chars().count() as u64 <= says.as_u64().unwrap_or(0))
        }
        "minimum" => value.as_f64().is_none_or(|number| number >= says.as_f64().unwrap_or(0.0)),
        "maximum" => value.as_f64().is_none_or(|number| number <= says.as_f64().unwrap_or(0.0)),
        unknown => return Err(format!("{unknown} is not checked here; add it")),
    };
    if ok { Ok(()) } else { Err(format!("{word} does not hold")) }
}

fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str().unwrap_or_default() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
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
            "temperature": 0,
            "response_format": { "type": "json_schema", "json_schema": { "name": "x", "strict": true, "schema": {
                "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"],
                "additionalProperties": false,
            } } },
        })
    }

    #[test]
    fn a_request_is_held_against_the_description_part_by_part() {
        assert_eq!(check(&request()), Ok(()));
        for (place, wrong) in [
            ("/model", json!(7)),
            ("/messages", json!([])),
            ("/messages/0/role", json!("nobody")),
            ("/messages/1/content", json!({})),
            ("/max_tokens", json!("16")),
            ("/temperature", json!(3)),
            ("/response_format/type", json!("xml")),
            ("/response_format/json_schema/name", json!("a b")),
            ("/response_format/json_schema/strict", json!(false)),
            ("/response_format/json_schema/schema/required", json!([])),
            ("/response_format/json_schema/schema/additionalProperties", json!(true)),
        ] {
            let mut request = request();
            *request.pointer_mut(place).unwrap() = wrong;
            assert!(check(&request).is_err(), "{place}");
        }
        let mut more = request();
        more["document"] = json!("x");
        assert!(check(&more).is_err(), "what is not described is not sent");
        more.as_object_mut().unwrap().retain(|name, _| name == "model");
        assert!(check(&more).is_err(), "messages are missing");
    }
}
