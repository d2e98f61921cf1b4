//! Reads JSON that a model wrote: members by either spelling, numbers that are texts, lists that are single values.

use serde_json::{Map, Value};

/// The same value with names in `snake_case`. A member that exists in both spellings is kept as it is in `snake_case`.
pub(super) fn snake_case(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut renamed = Map::new();
            for (name, member) in members {
                let snake = snake_name(name);
                if snake == *name || (!members.contains_key(&snake) && !renamed.contains_key(&snake)) {
                    renamed.insert(snake, snake_case(member));
                }
            }
            Value::Object(renamed)
        }
        Value::Array(items) => Value::Array(items.iter().map(snake_case).collect()),
        other => other.clone(),
    }
}

fn snake_name(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    let mut before: Option<char> = None;
    for char in name.trim().chars() {
        let starts_word = match before {
            Some(before) if char.is_uppercase() => before.is_lowercase() || before.is_ascii_digit(),
            Some(before) if char.is_ascii_digit() => before.is_alphabetic(),
            _ => false,
        };
        if starts_word {
            snake.push('_');
        }
        snake.extend(char.to_lowercase());
        before = Some(char);
    }
    snake.replace(['-', ' '], "_")
}

/// A member by the first of these names that it has.
pub(super) fn member<'v>(value: &'v Value, names: &[&str]) -> &'v Value {
    let mut members = names.iter().filter_map(|name| value.get(name));
    members.find(|member| !member.is_null()).unwrap_or(&Value::Null)
}

/// A text without white space at its ends. Empty if there is none.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.replace('\0', "").trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// A text that is not empty.
pub(super) fn some_text(value: &Value) -> Option<String> {
    Some(text(value)).filter(|text| !text.is_empty())
}

/// A number, also one that is written as a text with separators of thousands.
pub(super) fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => {
            text.trim().trim_end_matches('%').replace([',', '\u{a0}', ' '], "").parse().ok()?
        }
        _ => return None,
    };
    Some(number).filter(|number| number.is_finite())
}

/// The items of a list. A single value is a list of one.
pub(super) fn items(value: &Value) -> &[Value] {
    match value {
        Value::Null => &[],
        Value::Array(items) => items,
        one => std::slice::from_ref(one),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_read_in_both_spellings() {
        for (name, snake) in [
            ("summary250", "summary_250"),
            ("summary_250", "summary_250"),
            ("keyIdeas", "key_ideas"),
            ("TLDR", "tldr"),
            ("tldr", "tldr"),
            ("seoKeywords", "seo_keywords"),
            ("estimatedReadingTimeMin", "estimated_reading_time_min"),
            ("key-ideas", "key_ideas"),
        ] {
            assert_eq!(snake_name(name), snake);
        }
        let both = json!({ "keyIdeas": ["a"], "key_ideas": ["b"], "insights": { "newFacts": [{ "sourceHint": 1 }] } });
        let expected = json!({ "key_ideas": ["b"], "insights": { "new_facts": [{ "source_hint": 1 }] } });
        assert_eq!(snake_case(&both), expected);
    }

    #[test]
    fn numbers_may_be_texts() {
        assert_eq!(number(&json!("1,200.5")), Some(1200.5));
        assert_eq!(number(&json!("12 %")), Some(12.0));
        assert_eq!(number(&json!(3)), Some(3.0));
        for wrong in [json!("many"), json!(null), json!([1]), json!("NaN"), json!("inf")] {
            assert_eq!(number(&wrong), None, "{wrong}");
        }
    }
}
