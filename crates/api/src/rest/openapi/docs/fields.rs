//! The members of a schema as the rows of a table.

use serde_json::Value;

use super::DOCUMENT;

/// The depth of a table; deeper schemas are named only.
const DEEPEST: usize = 8;

/// A member: its path, type and meaning, and whether it is required.
pub(super) struct Row {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) required: bool,
    pub(super) meaning: String,
}

/// The members of a schema, nested ones included.
pub(super) fn rows(schema: &Value) -> Vec<Row> {
    let mut rows = Vec::new();
    gather("", schema, &mut Vec::new(), &mut rows);
    rows
}

/// The type of a schema in a few words.
pub(super) fn kind(schema: &Value) -> String {
    if let Some(choices) = schema["oneOf"].as_array() {
        let names: Vec<_> = choices.iter().map(kind).collect();
        return names.join(" or ");
    }
    if schema["$ref"].is_string() {
        let target = resolved(schema);
        let is_named = target["type"] == "object" || target["oneOf"].is_array() || target["$ref"].is_string();
        return if is_named { name(schema) } else { kind(target) };
    }
    if let Some(names) = schema["enum"].as_array() {
        let names: Vec<_> = names.iter().filter_map(Value::as_str).collect();
        return names.join(", ");
    }
    let types: Vec<_> = match &schema["type"] {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        one => one.as_str().into_iter().collect(),
    };
    let mut text = types.join(" or ");
    if !schema["items"].is_null() {
        text = text.replacen("array", &format!("list of {}", kind(&schema["items"])), 1);
    }
    if let Some(format) = schema["format"].as_str().filter(|format| !format.starts_with("int")) {
        text = text.replacen("string", format, 1);
    }
    text + &bounds(schema)
}

/// The limits of a schema, each after a comma.
fn bounds(schema: &Value) -> String {
    let between = |least: &str, most: &str, what: &str| match (&schema[least], &schema[most]) {
        (Value::Null, Value::Null) => String::new(),
        (Value::Null, most) => format!(", up to {most}{what}"),
        // A count is never negative, which needs no words.
        (least, Value::Null) if *least == 0 => String::new(),
        (least, Value::Null) => format!(", from {least}{what}"),
        (least, most) => format!(", {least} to {most}{what}"),
    };
    let pattern = schema["pattern"].as_str().map(|pattern| format!(", like `{pattern}`"));
    between("minimum", "maximum", "")
        + &between("minLength", "maxLength", " characters")
        + &between("minItems", "maxItems", " items")
        + &pattern.unwrap_or_default()
}

/// The target of a reference; anything else is itself.
pub(super) fn resolved(value: &Value) -> &Value {
    let target =
        value["$ref"].as_str().and_then(|reference| DOCUMENT.pointer(reference.trim_start_matches('#')));
    target.unwrap_or(value)
}

/// The last segment of a reference.
fn name(schema: &Value) -> String {
    schema["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()).unwrap_or_default().to_owned()
}

fn gather<'d>(path: &str, schema: &'d Value, above: &mut Vec<&'d Value>, rows: &mut Vec<Row>) {
    let schema = resolved(schema);
    if above.len() > DEEPEST || above.iter().any(|one| std::ptr::eq(*one, schema)) {
        return;
    }
    above.push(schema);
    for part in schema["allOf"].as_array().into_iter().flatten() {
        gather(path, part, above, rows);
    }
    let choices: Vec<_> = schema["oneOf"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|choice| choice["$ref"].is_string())
        .collect();
    for choice in &choices {
        // Each of several choices gets a row before its members.
        if choices.len() > 1 {
            let path = if path.is_empty() { "either" } else { path };
            rows.push(row(path, choice, resolved(choice), false));
        }
        gather(path, choice, above, rows);
    }
    if !schema["items"].is_null() {
        gather(&format!("{path}[]"), &schema["items"], above, rows);
    }
    let required: Vec<_> = schema["required"].as_array().into_iter().flatten().collect();
    for (member, inner) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { member.clone() } else { format!("{path}.{member}") };
        let is_required = required.iter().any(|name| *name == member);
        rows.push(row(&path, inner, inner, is_required));
        gather(&path, inner, above, rows);
    }
    above.pop();
}

fn row(path: &str, schema: &Value, about: &Value, required: bool) -> Row {
    let own = about["description"].as_str();
    let meaning = own.or_else(|| resolved(about)["description"].as_str()).unwrap_or_default().to_owned();
    Row { name: path.to_owned(), kind: kind(schema), required, meaning }
}
