//! Checks JSON against the few keywords of JSON Schema that the contracts of fake services use. An unknown keyword fails the
//! check, so that nothing passes unchecked.

use serde_json::{Map, Value};

/// Checks a value against a schema. References are looked up in `root`.
pub(crate) fn check_value(value: &Value, schema: &Value, root: &Value) -> Result<(), String> {
    let Some(keywords) = schema.as_object() else { return Err(format!("{schema} is not a schema")) };
    keywords
        .iter()
        .try_for_each(|(keyword, argument)| check_keyword(value, keyword, argument, keywords, root))
}

fn check_keyword(
    value: &Value,
    keyword: &str,
    argument: &Value,
    keywords: &Map<String, Value>,
    root: &Value,
) -> Result<(), String> {
    let all = |argument: &Value| argument.as_array().cloned().unwrap_or_default();
    let matching =
        |argument: &Value| all(argument).iter().filter(|one| check_value(value, one, root).is_ok()).count();
    let ok = match keyword {
        "$schema" | "$defs" => true,
        "$ref" => {
            let name = argument.as_str().unwrap_or_default();
            let schema =
                root.pointer(name.trim_start_matches('#')).ok_or(format!("{name} does not exist"))?;
            return check_value(value, schema, root);
        }
        "type" => argument.as_str().map_or_else(
            || all(argument).iter().any(|kind| has_type(value, kind)),
            |_| has_type(value, argument),
        ),
        "enum" => all(argument).contains(value),
        "required" => {
            let has = |name: &Value| value.get(name.as_str().unwrap_or_default()).is_some();
            !value.is_object() || all(argument).iter().all(has)
        }
        "properties" => {
            let members = argument.as_object().into_iter().flatten();
            let known = members.filter_map(|(name, schema)| Some((name, value.get(name)?, schema)));
            for (name, member, schema) in known {
                check_value(member, schema, root).map_err(|why| format!("{name}: {why}"))?;
            }
            true
        }
        "additionalProperties" => {
            let is_known =
                |name: &String| keywords.get("properties").is_some_and(|known| known.get(name).is_some());
            let others = value.as_object().into_iter().flatten().filter(|(name, _)| !is_known(name));
            let mut others = others.map(|(_, member)| member);
            match argument {
                Value::Bool(is_open) => *is_open || others.next().is_none(),
                schema => others.all(|member| check_value(member, schema, root).is_ok()),
            }
        }
        "items" => {
            value.as_array().into_iter().flatten().all(|item| check_value(item, argument, root).is_ok())
        }
        "oneOf" => matching(argument) == 1,
        "anyOf" => matching(argument) > 0,
        "allOf" => matching(argument) == all(argument).len(),
        "minItems" => {
            value.as_array().is_none_or(|items| items.len() as u64 >= argument.as_u64().unwrap_or(0))
        }
        "maxItems" => {
            value.as_array().is_none_or(|items| items.len() as u64 <= argument.as_u64().unwrap_or(0))
        }
        "maxLength" => {
            value.as_str().is_none_or(|text| text.chars().count() as u64 <= argument.as_u64().unwrap_or(0))
        }
        "minLength" => {
            value.as_str().is_none_or(|text| text.chars().count() as u64 >= argument.as_u64().unwrap_or(0))
        }
        "minimum" => value.as_f64().is_none_or(|number| number >= argument.as_f64().unwrap_or(0.0)),
        "maximum" => value.as_f64().is_none_or(|number| number <= argument.as_f64().unwrap_or(0.0)),
        unknown => return Err(format!("keyword {unknown} is not checked here; add it")),
    };
    if ok { Ok(()) } else { Err(format!("{keyword} is violated")) }
}

fn has_type(value: &Value, kind: &Value) -> bool {
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
