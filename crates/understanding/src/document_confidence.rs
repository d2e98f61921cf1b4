//! The confidence of a whole document. The review queue sorts by it.

use super::{Field, Origin};

/// The lowest confidence of the critical fields, from 0 to 1.
///
/// A field that a person entered or emptied has confidence 1. Empty fields do not count, because most documents lack
/// some critical keys. A document without any critical value has confidence 0.
pub fn document_confidence(fields: &[Field]) -> f64 {
    let counted = fields.iter().filter(|field| field.is_critical).filter_map(|field| match field.origin {
        Origin::Human => Some(1.0),
        Origin::Machine | Origin::Embedded | Origin::Derived => {
            (!field.value.is_empty()).then_some(field.confidence)
        }
    });
    let least = counted.reduce(f64::min).unwrap_or(0.0);
    if least.is_nan() { 0.0 } else { least.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Value, ValueType};

    fn field(value: &str, confidence: f64, origin: Origin, is_critical: bool) -> Field {
        let value = Value::Text(value.to_owned());
        Field { is_critical, ..Field::new("key", value, ValueType::String, origin, confidence) }
    }

    #[test]
    #[allow(clippy::float_cmp)] // The values are passed through unchanged.
    fn the_lowest_confidence_of_the_critical_fields_counts() {
        let (machine, human, derived) = (Origin::Machine, Origin::Human, Origin::Derived);
        for (fields, expected) in [
            (vec![], 0.0),
            (vec![field("x", 0.9, machine, false)], 0.0),
            (vec![field("x", 0.7, machine, true), field("x", 0.6, machine, true)], 0.6),
            (vec![field("x", 0.7, machine, true), field("x", 0.1, machine, false)], 0.7),
            (vec![field("x", 0.7, machine, true), field(" ", 0.1, machine, true)], 0.7),
            (vec![field(" ", 0.1, machine, true)], 0.0),
            (vec![field("x", 0.5, human, true)], 1.0),
            (vec![field("", 0.5, human, true)], 1.0),
            (vec![field("x", 0.5, human, true), field("x", 0.8, derived, true)], 0.8),
            (vec![field("x", f64::NAN, machine, true)], 0.0),
        ] {
            assert_eq!(document_confidence(&fields), expected, "{fields:?}");
        }
    }

    fn fields() -> impl Strategy<Value = Vec<Field>> {
        let origin = prop::sample::select(vec![Origin::Machine, Origin::Human, Origin::Derived]);
        let one = ("[ x]?", 0.0..=1.0f64, origin, any::<bool>());
        let field = one.prop_map(|(value, sure, origin, critical)| field(&value, sure, origin, critical));
        prop::collection::vec(field, 0..8)
    }

    proptest! {
        #[test]
        fn no_critical_value_is_below_it_and_order_does_not_matter(mut fields in fields()) {
            let number = document_confidence(&fields);
            prop_assert!((0.0..=1.0).contains(&number));
            for field in fields.iter().filter(|field| field.is_critical && !field.value.is_empty()) {
                prop_assert!(field.origin == Origin::Human || number <= field.confidence);
            }
            fields.reverse();
            prop_assert_eq!(document_confidence(&fields).to_bits(), number.to_bits());
        }

        /// Correcting a field never lowers the confidence of its document.
        #[test]
        fn a_correction_never_lowers_the_confidence(mut fields in fields(), which in 0..8usize) {
            let before = document_confidence(&fields);
            if let Some(field) = fields.get_mut(which) {
                field.origin = Origin::Human;
            }
            prop_assert!(document_confidence(&fields) >= before);
        }
    }
}
