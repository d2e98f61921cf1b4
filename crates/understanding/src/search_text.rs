//! The text by which a document is searched: its values, lower case and without accents, one value to a line.

use super::normal::fold;
use super::{Field, Value, ValueType};

/// The longest search text, in bytes. Later values are left out.
const MAX_BYTES: usize = 60_000;

/// The search text of some fields.
pub fn search_text(fields: &[Field]) -> String {
    let mut words = String::new();
    for line in fields.iter().flat_map(lines) {
        if words.len() + line.len() >= MAX_BYTES {
            break;
        }
        words.push_str(&line);
        words.push('\n');
    }
    words
}

/// A query in the form of [`search_text`]. Empty if the query is only spaces.
pub fn search_query(text: &str) -> String {
    let pieces: Vec<_> = text.split_whitespace().collect();
    fold(&pieces.join(" "))
}

fn lines(field: &Field) -> Vec<String> {
    match &field.value {
        Value::Text(text) if field.value_type == ValueType::Date => {
            std::iter::once(text.clone()).chain(day_first(text)).collect()
        }
        Value::Text(text) => vec![search_query(text)],
        Value::Number(number) => vec![number.to_string()],
        Value::Bool(_) | Value::Null => Vec::new(),
    }
}

/// Stored dates are `2024-03-09`; most people search for `09/03/2024`.
fn day_first(date: &str) -> Option<String> {
    let (year, rest) = date.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    Some(format!("{day}/{month}/{year}"))
}

#[cfg(test)]
mod tests {
    use super::super::Origin;
    use super::*;

    fn field(value: Value, value_type: ValueType) -> Field {
        Field::new("key", value, value_type, Origin::Machine, 0.5)
    }

    #[test]
    fn values_are_found_without_accents_and_dates_in_both_orders() {
        let text = |text: &str| Value::Text(text.to_owned());
        let fields = [
            field(text("Otitis  CRÓNICA\nleve"), ValueType::String),
            field(text("2024-03-09"), ValueType::Date),
            field(Value::Number(12.5), ValueType::Number),
            field(Value::Null, ValueType::String),
        ];
        let words = search_text(&fields);
        for wanted in ["otitis crónica LEVE", " Cronica  leve ", "2024-03", "09/03/2024", "12.5"] {
            assert!(words.contains(&search_query(wanted)), "{wanted} in {words}");
        }
        assert!(!words.contains(&search_query("leve 2024")), "each value stands for itself");
        assert_eq!(search_query(" \t "), "");
    }

    #[test]
    fn a_very_long_document_is_searched_by_its_first_values() {
        let long = || field(Value::Text("x".repeat(40_000)), ValueType::String);
        assert_eq!(search_text(&[long(), long()]).len(), 40_001);
    }
}
