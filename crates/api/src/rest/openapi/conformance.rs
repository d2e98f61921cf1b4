//! Checks that a response fits its schema in the OpenAPI description.

use serde_json::{Value, json};

use super::DOCUMENT;

/// Panics unless the response fits the schema of that name.
pub(crate) fn require_fit(response: &Value, name: &str) {
    fits(response, &named(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
}

/// Why a value does not fit a schema, if it does not. A member that the schema does not describe does not fit.
fn fits(value: &Value, schema: &Value) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let schema = DOCUMENT.pointer(&reference[1..]).ok_or(reference)?;
        return fits(value, schema).map_err(|why| format!("{reference}: {why}"));
    }
    if let Some(any) = schema["oneOf"].as_array() {
        let fitting = any.iter().filter(|one| fits(value, one).is_ok()).count();
        return if fitting == 1 { Ok(()) } else { Err(format!("{value} fits {fitting} of {any:?}")) };
    }
    if schema["enum"].as_array().is_some_and(|names| !names.contains(value)) {
        return Err(format!("{value} is not listed"));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_it = |told: &Value| told == kind || (told == "integer" && value.is_u64());
    let kinds = &schema["type"];
    if !is_it(kinds) && !kinds.as_array().is_some_and(|all| all.iter().any(is_it)) {
        return Err(format!("{value} is not of {kinds}"));
    }
    for item in value.as_array().into_iter().flatten() {
        fits(item, &schema["items"])?;
    }
    for (name, member) in value.as_object().into_iter().flatten() {
        let any = schema.get("additionalProperties");
        let described = schema["properties"].get(name).or(any).ok_or(format!("{name} is not described"))?;
        fits(member, described).map_err(|why| format!("{name}: {why}"))?;
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        value.get(name).ok_or(format!("{name} is missing"))?;
    }
    Ok(())
}

fn named(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

#[test]
fn a_member_without_a_description_does_not_fit() {
    let page = json!({ "width": 1.0, "height": 1.0, "lines": [], "recognised": true, "colour": "red" });
    assert!(fits(&page, &named("PageContent")).unwrap_err().contains("colour"));
    assert!(fits(&json!({ "width": 1.0 }), &named("PageContent")).unwrap_err().contains("missing"));
    assert!(fits(&json!("red"), &named("Origin")).is_err());
}
