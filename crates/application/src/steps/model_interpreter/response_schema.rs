//! The JSON Schema of a model's response, made from a document schema. It has only what a model may decide.

use quire_understanding::{Schema, SchemaKey, Scope, ValueType};
use serde_json::{Map, Value, json};

/// How many labels the description of a key names.
const MAX_LABELS: usize = 8;

/// The schema of the response, in the strict subset that models follow: every member is required, and no other is allowed.
pub(super) fn response_schema(schema: &Schema) -> Value {
    let mut parts = Map::new();
    parts.insert("document".to_owned(), object(schema.keys.iter().filter(|key| is_of_document(key, schema))));
    if has_visits(schema) {
        let visit = object(schema.keys.iter().filter(|key| is_of_visit(key)));
        parts.insert("visits".to_owned(), json!({ "type": "array", "items": visit }));
    }
    closed(&parts)
}

/// The name of the response schema.
pub(super) fn name(schema: &Schema) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    schema.name.chars().map(safe).take(64).collect()
}

/// Whether documents of this schema have visits.
pub(super) fn has_visits(schema: &Schema) -> bool {
    schema.visit_date().is_some()
}

/// Tables are found on the pages and not asked for: a model would have to copy every cell.
fn is_of_document(key: &SchemaKey, schema: &Schema) -> bool {
    key.value_type != ValueType::Table && (key.scope == Scope::Document || !has_visits(schema))
}

fn is_of_visit(key: &SchemaKey) -> bool {
    key.scope != Scope::Document || key.at_visits
}

fn object<'s>(keys: impl Iterator<Item = &'s SchemaKey>) -> Value {
    closed(&keys.map(|key| (key.key.clone(), member(key))).collect())
}

fn closed(properties: &Map<String, Value>) -> Value {
    let required: Vec<&String> = properties.keys().collect();
    json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
}

fn member(key: &SchemaKey) -> Value {
    let kind = match key.value_type {
        ValueType::Number => "number",
        ValueType::Boolean => "boolean",
        ValueType::String | ValueType::Date | ValueType::Table | ValueType::Unknown => "string",
    };
    let mut member = if key.repeatable {
        json!({ "type": "array", "items": { "type": kind } })
    } else {
        json!({ "type": [kind, "null"] })
    };
    let mut description: Vec<String> = key.section.iter().cloned().collect();
    if key.value_type == ValueType::Date {
        description.push("a date".to_owned());
    }
    let labels: Vec<&str> = key.labels.iter().map(String::as_str).take(MAX_LABELS).collect();
    if !labels.is_empty() {
        description.push(format!("in documents as: {}", labels.join(", ")));
    }
    member["description"] = Value::String(description.join("; "));
    member
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_is_where_its_scope_says_and_nothing_else_is_allowed() {
        let schema = Schema::built_in_default();
        let response = response_schema(&schema);
        let document = response["properties"]["document"]["properties"].as_object().unwrap();
        let visit = response["properties"]["visits"]["items"]["properties"].as_object().unwrap();
        assert_eq!(document["pet_name"]["type"], json!(["string", "null"]));
        assert_eq!(document["line_item"]["type"], "array");
        assert!(!document.contains_key("diagnosis") && !visit.contains_key("pet_name"));
        assert_eq!(
            visit["diagnosis"],
            json!({
                "type": "array", "items": { "type": "string" }, "description": visit["diagnosis"]["description"],
            })
        );
        assert!(
            visit.contains_key("visit_date")
                && document.contains_key("weight")
                && visit.contains_key("weight")
        );
        for part in
            [&response, &response["properties"]["document"], &response["properties"]["visits"]["items"]]
        {
            assert_eq!(part["additionalProperties"], false);
            let names: Vec<_> = part["properties"].as_object().unwrap().keys().collect();
            assert_eq!(part["required"], json!(names));
        }
        assert!(!response.to_string().contains("critical"), "a model does not decide what is critical");
    }

    #[test]
    fn without_visits_all_keys_are_in_the_document() {
        let mut schema = Schema::built_in_default();
        schema.name = "invoice / añadida".to_owned();
        schema.keys.retain(|key| key.key != "visit_date");
        let response = response_schema(&schema);
        assert!(response["properties"].get("visits").is_none());
        assert!(response["properties"]["document"]["properties"].get("diagnosis").is_some());
        assert_eq!(name(&schema), "invoice___a_adida");
    }
}
