//! The form that a model fills in, made from a schema: what it may say, and nothing that is not its to say.

use quire_understanding::{Schema, SchemaKey, Scope, ValueType};
use serde_json::{Map, Value, json};

/// Labels of a key that its description names.
const MOST_LABELS: usize = 8;

/// The form as JSON Schema, in the part of it that models keep to strictly: every member is required, none may be added.
pub(super) fn form(schema: &Schema) -> Value {
    let mut parts = Map::new();
    parts.insert("document".to_owned(), object(schema.keys.iter().filter(|key| is_of_document(key, schema))));
    if has_visits(schema) {
        let visit = object(schema.keys.iter().filter(|key| is_of_visit(key)));
        parts.insert("visits".to_owned(), json!({ "type": "array", "items": visit }));
    }
    closed(&parts)
}

/// The name of the form.
pub(super) fn name(schema: &Schema) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    schema.name.chars().map(safe).take(64).collect()
}

/// Whether documents of this kind tell of visits.
pub(super) fn has_visits(schema: &Schema) -> bool {
    schema.visit_date().is_some()
}

fn is_of_document(key: &SchemaKey, schema: &Schema) -> bool {
    key.scope == Scope::Document || !has_visits(schema)
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
        ValueType::String | ValueType::Date | ValueType::Unknown => "string",
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
    let labels: Vec<&str> = key.labels.iter().map(String::as_str).take(MOST_LABELS).collect();
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
    fn each_key_stands_where_its_scope_says_and_nothing_else_may() {
        let schema = Schema::built_in_default();
        let form = form(&schema);
        let document = form["properties"]["document"]["properties"].as_object().unwrap();
        let visit = form["properties"]["visits"]["items"]["properties"].as_object().unwrap();
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
        for part in [&form, &form["properties"]["document"], &form["properties"]["visits"]["items"]] {
            assert_eq!(part["additionalProperties"], false);
            let names: Vec<_> = part["properties"].as_object().unwrap().keys().collect();
            assert_eq!(part["required"], json!(names));
        }
        assert!(!form.to_string().contains("critical"), "that is not a model's to say");
    }

    #[test]
    fn a_schema_without_visits_has_all_its_keys_in_the_document() {
        let mut schema = Schema::built_in_default();
        schema.name = "invoice / añadida".to_owned();
        schema.keys.retain(|key| key.key != "visit_date");
        let form = form(&schema);
        assert!(form["properties"].get("visits").is_none());
        assert!(form["properties"]["document"]["properties"].get("diagnosis").is_some());
        assert_eq!(name(&schema), "invoice___a_adida");
    }
}
