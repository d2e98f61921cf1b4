//! A curl example for an operation.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::fields::resolved;

/// The default address of a server.
const SERVER: &str = "http://127.0.0.1:8080";

/// A command to paste, once its shell variables are set.
pub(super) fn example(method: &str, path: &str, operation: &Value) -> String {
    let mut command = "curl".to_owned();
    if operation["tags"][0] != "service" {
        command += " -H \"Authorization: Bearer $QUIRE_KEY\"";
    }
    let body = &operation["requestBody"]["content"];
    // Writing to a String cannot fail.
    if body["multipart/form-data"].is_object() {
        command += " -F file=@document.pdf";
    } else {
        if method != "get" {
            let _ = write!(command, " -X {}", method.to_uppercase());
        }
        if body["application/json"].is_object() {
            let content = sample(&body["application/json"]["schema"]);
            let _ = write!(command, " -H 'Content-Type: application/json' -d '{content}'");
        }
    }
    if path == "/events" {
        command += " -N";
    }
    format!("{command} \"{SERVER}{}\"", address(path))
}

/// The path with a shell variable for each parameter.
fn address(path: &str) -> String {
    let parts =
        path.split('/').map(|part| match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
            Some(name) => format!("${}", name.to_uppercase()),
            None => part.to_owned(),
        });
    parts.collect::<Vec<_>>().join("/")
}

/// An example value: the given example, or the first choice.
fn sample(schema: &Value) -> Value {
    let schema = resolved(schema);
    if !schema["example"].is_null() {
        return schema["example"].clone();
    }
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    if let Some(first) = schema["oneOf"].get(0) {
        return sample(first);
    }
    if !schema["items"].is_null() {
        return Value::Array(vec![sample(&schema["items"])]);
    }
    match schema["properties"].as_object() {
        Some(members) => {
            let required = schema["required"].as_array();
            let needed = members
                .iter()
                .filter(|(name, _)| required.is_some_and(|all| all.iter().any(|one| one == *name)));
            Value::Object(needed.map(|(name, member)| (name.clone(), sample(member))).collect::<Map<_, _>>())
        }
        None => Value::String("…".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rest::openapi::DOCUMENT;

    fn of(method: &str, path: &str) -> String {
        example(method, path, &DOCUMENT["paths"][path][method])
    }

    #[test]
    fn a_command_has_the_method_the_body_and_the_address() {
        let asked = of("patch", "/documents/{id}/language");
        assert_eq!(
            asked,
            "curl -H \"Authorization: Bearer $QUIRE_KEY\" -X PATCH -H 'Content-Type: application/json' \
             -d '{\"language_override\":\"es\"}' \"http://127.0.0.1:8080/documents/$ID/language\""
        );
        assert_eq!(of("get", "/health"), "curl \"http://127.0.0.1:8080/health\"");
        let edit = of("post", "/runs/{id}/interpretations");
        assert!(edit.contains("\"op\":\"ADD\"") && edit.contains("\"key\":\"pet_name\""), "{edit}");
    }
}
