//! The filters of a query as conditions on documents: properties such as `status`, and keys of fields.

use std::ops::Bound;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use quire_domain::{DocumentStatus, ReviewStatus};
use quire_ports::{DocumentCondition, DocumentProperty};
use quire_understanding::search::{Bounds, Condition, Filter, Query, QueryError, parse_query};

/// Names before a colon that are properties of a document. A field with such a key is not filtered by it.
const PROPERTIES: [&str; 5] = ["status", "reviewed", "schema", "language", "uploaded"];

/// Reads a query. The keys of fields are known to the caller.
pub(super) fn parse(text: &str, keys: &[String]) -> Result<Query, QueryError> {
    parse_query(text, |key| PROPERTIES.contains(&key) || keys.iter().any(|known| known == key))
}

/// The conditions of a query's filters.
pub(super) fn conditions(filters: &[Filter]) -> Result<Vec<DocumentCondition>, QueryError> {
    filters.iter().map(condition).collect()
}

fn condition(filter: &Filter) -> Result<DocumentCondition, QueryError> {
    let refused = |problem| QueryError::Filter { key: filter.key.clone(), problem };
    let text = || match &filter.condition {
        Condition::Is { text, .. } => Ok(text.as_str()),
        Condition::Within { .. } => Err(refused("has no ranges; name a value")),
    };
    let property = match filter.key.as_str() {
        "status" => {
            let wanted = text()?.to_ascii_uppercase();
            let status = DocumentStatus::ALL.into_iter().find(|status| status.as_str() == wanted);
            let problem = "must be uploaded, processing, completed, failed or timed_out";
            DocumentProperty::Status(status.ok_or_else(|| refused(problem))?)
        }
        "reviewed" => DocumentProperty::Review(match text()?.to_ascii_lowercase().as_str() {
            "yes" | "true" | "sí" | "si" => ReviewStatus::Reviewed,
            "no" | "false" => ReviewStatus::InReview,
            _ => return Err(refused("must be yes or no")),
        }),
        "schema" => DocumentProperty::Schema(text()?.to_owned()),
        "language" => DocumentProperty::Language(text()?.to_ascii_lowercase()),
        "uploaded" => DocumentProperty::Uploaded(uploaded(&filter.condition).ok_or_else(|| {
            refused("must be a date, a month, a year or a range of them, such as 2024-01..2024-06")
        })?),
        _ => DocumentProperty::Field { key: filter.key.clone(), condition: filter.condition.clone() },
    };
    Ok(DocumentCondition { property, is_negated: filter.is_negated })
}

/// The times of days in UTC: from the beginning of the first day to before the end of the last one.
fn uploaded(condition: &Condition) -> Option<Bounds<Timestamp>> {
    let days = match condition {
        Condition::Is { days, .. } => {
            let (first, last) = (*days)?;
            Bounds { least: Bound::Included(first), most: Bound::Included(last) }
        }
        Condition::Within { days, .. } => (*days)?,
    };
    let begin = |day: Date| day.to_zoned(TimeZone::UTC).ok().map(|day| day.timestamp());
    let end = |day: Date| begin(day.tomorrow().ok()?);
    let least = match days.least {
        Bound::Unbounded => Bound::Unbounded,
        Bound::Included(day) => Bound::Included(begin(day)?),
        Bound::Excluded(day) => Bound::Included(end(day)?),
    };
    let most = match days.most {
        Bound::Unbounded => Bound::Unbounded,
        Bound::Included(day) => Bound::Excluded(end(day)?),
        Bound::Excluded(day) => Bound::Excluded(begin(day)?),
    };
    Some(Bounds { least, most })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<DocumentCondition>, QueryError> {
        conditions(&parse(text, &["species".to_owned()])?.filters)
    }

    #[test]
    fn properties_are_told_from_keys_of_fields() {
        let found = of("status:failed -reviewed:no schema:invoice language:ES species:canino").unwrap();
        assert_eq!(found[0].property, DocumentProperty::Status(DocumentStatus::Failed));
        assert_eq!(found[1].property, DocumentProperty::Review(ReviewStatus::InReview));
        assert!(found[1].is_negated);
        assert_eq!(found[3].property, DocumentProperty::Language("es".to_owned()));
        assert!(matches!(&found[4].property, DocumentProperty::Field { key, .. } if key == "species"));
    }

    #[test]
    fn an_upload_lies_within_days() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        let within = |text: &str| match of(text).unwrap().remove(0).property {
            DocumentProperty::Uploaded(bounds) => bounds,
            other => panic!("{other:?}"),
        };
        let february = within("uploaded:2024-02");
        assert_eq!(february.least, Bound::Included(time("2024-02-01T00:00:00Z")));
        assert_eq!(february.most, Bound::Excluded(time("2024-03-01T00:00:00Z")));
        assert_eq!(within("uploaded:>2024").least, Bound::Included(time("2025-01-01T00:00:00Z")));
        assert_eq!(within("uploaded:<2024-01-02").most, Bound::Excluded(time("2024-01-02T00:00:00Z")));
    }

    #[test]
    fn a_value_that_no_property_has_is_refused() {
        for wrong in ["status:done", "status:>1", "reviewed:maybe", "uploaded:yesterday"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
