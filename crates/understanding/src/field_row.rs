//! The rows of the table `document_fields`: each field of an interpretation in columns, for filters, facets and BI tools.

use quire_domain::ids::{DocumentId, FieldId, RunId};
use serde::Serialize;

use super::normal::fold;
use super::{Field, Interpretation, Value, ValueType};

/// How many characters of a folded value are kept. Longer values differ seldom after that, and an index has a limit.
const FOLDED_CHARACTERS: usize = 200;

/// One row of the table `document_fields`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldRow {
    /// The document.
    pub document_id: DocumentId,
    /// The place of the field in the interpretation, from 0.
    pub position: u32,
    /// The run that made the interpretation.
    pub run_id: RunId,
    /// The number of the version.
    pub version_number: u32,
    /// The id of the field.
    pub field_id: FieldId,
    /// Its key.
    pub key: String,
    /// Its value as text; none if it is null.
    pub value: Option<String>,
    /// The type of the value.
    pub value_type: &'static str,
    /// The one way to write the value, for dates, numbers and booleans.
    pub normalised_value: Option<String>,
    /// The value as a number, for ranges.
    pub number_value: Option<f64>,
    /// The value as a date, `YYYY-MM-DD`, for ranges.
    pub date_value: Option<String>,
    /// The value as [`folded_value`] writes it, for comparing; none if it is empty.
    pub folded_value: Option<String>,
    /// The page on which the value stands, from 1.
    pub page: Option<u32>,
    /// The confidence, from 0 to 1.
    pub confidence: f64,
    /// The visit that the value belongs to.
    pub visit_id: Option<String>,
    /// Where the value comes from: `machine`, `human` or `derived`.
    pub origin: &'static str,
}

/// The rows of a version, in the order of its fields.
pub fn field_rows(version_number: u32, interpretation: &Interpretation) -> Vec<FieldRow> {
    let row = |(field, position): (&Field, u32)| {
        let number_value = number(field);
        let date_value = date(field);
        let boolean = (field.value_type == ValueType::Boolean).then(|| field.value.as_bool()).flatten();
        let normalised_value = number_value
            .map(|number| text_of(&Value::Number(number)))
            .or_else(|| date_value.clone().map(Some))
            .or_else(|| boolean.map(|boolean| Some(boolean.to_string())))
            .flatten();
        let value = text_of(&field.value);
        let folded_value = normalised_value.as_ref().or(value.as_ref()).map(|text| folded_value(text));
        FieldRow {
            document_id: interpretation.document_id,
            position,
            run_id: interpretation.processing_run_id,
            version_number,
            field_id: field.field_id,
            key: without_nul(&field.key),
            value,
            value_type: field.value_type.as_str(),
            normalised_value,
            number_value,
            date_value,
            folded_value: folded_value.filter(|text| !text.is_empty()),
            page: field.evidence.as_ref().map(|evidence| evidence.page),
            confidence: if field.confidence.is_finite() { field.confidence } else { 0.0 },
            visit_id: field.visit_id.as_deref().map(without_nul),
            origin: field.origin.as_str(),
        }
    };
    interpretation.fields.iter().zip(0..).map(row).collect()
}

/// A value as the column `folded_value` has it: lower case, without accents, single spaces, the first 200 characters.
pub fn folded_value(text: &str) -> String {
    let text = without_nul(text);
    let words: Vec<_> = text.split_whitespace().collect();
    let folded: String = fold(&words.join(" ")).chars().take(FOLDED_CHARACTERS).collect();
    folded.trim_end().to_owned()
}

fn number(field: &Field) -> Option<f64> {
    match (field.value_type, &field.value) {
        (ValueType::Number, value) => value.as_number(),
        (ValueType::String | ValueType::Unknown, Value::Number(number)) if number.is_finite() => {
            Some(*number + 0.0)
        }
        _ => None,
    }
}

/// The year 0 has no place in every database.
fn date(field: &Field) -> Option<String> {
    let Value::Text(text) = &field.value else { return None };
    let is_date = field.value_type == ValueType::Date && ValueType::Date.coerce(field.value.clone()).is_ok();
    (is_date && !text.starts_with("0000")).then(|| text.clone())
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Bool(boolean) => Some(boolean.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Text(text) => Some(without_nul(text)),
        // As JSON, which databases have functions for.
        Value::Table(_) => serde_json::to_string(value).ok(),
    }
}

/// Not every database stores the character NUL.
fn without_nul(text: &str) -> String {
    text.replace('\0', " ")
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use proptest::prelude::*;

    use super::*;
    use crate::{Evidence, Origin};

    fn rows(fields: Vec<Field>) -> Vec<FieldRow> {
        let interpretation = Interpretation {
            schema_version: Interpretation::V0.to_owned(),
            document_id: DocumentId::new(),
            processing_run_id: RunId::new(),
            created_at: Timestamp::UNIX_EPOCH,
            context_key: None,
            policy_version: None,
            fields,
        };
        field_rows(3, &interpretation)
    }

    fn row(value: Value, value_type: ValueType) -> FieldRow {
        rows(vec![Field::new("key", value, value_type, Origin::Machine, 0.5)]).remove(0)
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    /// Proves R205 for one row: every column, with a normalised value where there is one.
    #[test]
    fn a_value_is_stored_as_text_and_in_the_type_for_ranges() {
        let number = row(text("4.50"), ValueType::Number);
        assert_eq!((number.value.as_deref(), number.number_value), (Some("4.50"), Some(4.5)));
        assert_eq!(
            (number.normalised_value.as_deref(), number.folded_value.as_deref()),
            (Some("4.5"), Some("4.5"))
        );
        let date = row(text("2024-02-29"), ValueType::Date);
        assert_eq!(date.date_value.as_deref(), Some("2024-02-29"));
        assert_eq!(date.normalised_value, date.date_value);
        let boolean = row(text("1"), ValueType::Boolean);
        assert_eq!((boolean.normalised_value.as_deref(), boolean.number_value), (Some("true"), None));
        let words = row(text("  Otitis\n CR\u{d3}NICA\0"), ValueType::String);
        assert_eq!(words.folded_value.as_deref(), Some("otitis cronica"));
        assert_eq!((words.normalised_value, words.date_value), (None, None));
        let placed = Field {
            evidence: Some(Evidence::new(2, "x", Vec::new())),
            visit_id: Some("v1".to_owned()),
            ..Field::new("pet_name", text("Luna"), ValueType::String, Origin::Human, 1.0)
        };
        let placed = rows(vec![placed.clone(), placed]).remove(1);
        assert_eq!((placed.page, placed.visit_id.as_deref(), placed.origin), (Some(2), Some("v1"), "human"));
        assert_eq!((placed.position, placed.version_number), (1, 3));
    }

    #[test]
    fn a_value_that_its_type_cannot_have_stays_text() {
        for (value, value_type) in [
            (text("about 4"), ValueType::Number),
            (text("29/02/2024"), ValueType::Date),
            (text("0000-01-01"), ValueType::Date),
            (text("maybe"), ValueType::Boolean),
        ] {
            let row = row(value, value_type);
            assert!(row.value.is_some() && row.folded_value.is_some(), "{row:?}");
            assert_eq!((row.number_value, row.date_value, row.normalised_value), (None, None, None));
        }
        let empty = row(Value::Null, ValueType::String);
        assert_eq!((empty.value, empty.folded_value), (None, None));
        assert_eq!(row(text(" "), ValueType::String).folded_value, None);
    }

    proptest! {
        /// What a filter folds is found in the column, whatever is in the value.
        #[test]
        fn folding_twice_changes_nothing_and_no_column_has_a_nul(value in "\\PC*|.*") {
            let row = row(text(&value), ValueType::String);
            let folded = folded_value(&value);
            prop_assert_eq!(&folded_value(&folded), &folded);
            prop_assert_eq!(row.folded_value.unwrap_or_default(), folded.clone());
            prop_assert!(folded.chars().count() <= FOLDED_CHARACTERS && !folded.contains('\0'));
            prop_assert!(!row.value.unwrap_or_default().contains('\0'));
        }
    }
}
