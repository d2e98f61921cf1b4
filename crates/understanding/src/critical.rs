//! Which critical keys of a document have no value.

use super::{Field, Schema, SchemaKey};

/// The critical keys of the form that have no value, in the order of the schema. A key of visits has one if any visit has.
pub fn empty_critical_keys<'s>(fields: &[Field], schema: &'s Schema) -> Vec<&'s SchemaKey> {
    let has_value =
        |key: &SchemaKey| fields.iter().any(|field| field.key == key.key && !field.value.is_empty());
    schema.keys.iter().filter(|key| key.critical && !key.hidden && !has_value(key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, Value, ValueType};

    #[test]
    fn critical_keys_without_a_value_are_named_in_the_order_of_the_schema() {
        let schema = Schema::built_in_default();
        let critical: Vec<&str> = schema
            .keys
            .iter()
            .filter(|key| key.critical && !key.hidden)
            .map(|key| key.key.as_str())
            .collect();
        let field = |key: &str, value: &str| {
            Field::new(key, Value::Text(value.to_owned()), ValueType::String, Origin::Machine, 0.66)
        };
        let named = |fields: &[Field]| -> Vec<String> {
            empty_critical_keys(fields, &schema).into_iter().map(|key| key.key.clone()).collect()
        };
        assert_eq!(named(&[]), critical);
        let (first, rest) = critical.split_first().unwrap();
        assert_eq!(named(&[field(first, "x"), field("notes", "x")]), rest);
        assert_eq!(named(&[field(first, " "), field(first, "x")]), rest);
        assert_eq!(named(&[field(first, " ")]), critical, "an empty value is none");
    }
}
