//! Conditions on documents as SQL. `d` is the row of the document and `s` its row in the search index.

use std::ops::Bound;

use jiff::Timestamp;
use jiff::civil::Date;
use quire_ports::{DocumentCondition, DocumentProperty};
use quire_understanding::folded_value;
use quire_understanding::search::{Bounds, Condition};

/// The database for which SQL is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Parameters are `?1`, and a date is a text.
    Sqlite,
    /// Parameters are `$1`, and a date is a date.
    Postgres,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // The names are the types.
pub enum SqlValue {
    Text(String),
    Number(f64),
    Time(Timestamp),
}

/// Collects the parameters of a statement while it is written.
#[derive(Clone, Debug)]
pub struct SqlBuilder {
    dialect: Dialect,
    /// Parameters before these, which the caller gives.
    given: usize,
    /// The parameters, in order.
    pub values: Vec<SqlValue>,
}

/// The state of a document's latest run; NULL without a run.
const STATE: &str = "(SELECT state FROM runs WHERE subject_id = d.id AND pipeline = 'document' \
                     ORDER BY created_at DESC, id DESC LIMIT 1)";

impl SqlBuilder {
    /// A statement without parameters so far.
    pub fn new(dialect: Dialect) -> Self {
        Self::after(0, dialect)
    }

    /// A statement whose first parameters the caller gives.
    pub fn after(given: usize, dialect: Dialect) -> Self {
        Self { dialect, given, values: Vec::new() }
    }

    /// Adds a parameter and returns its name.
    pub fn value(&mut self, value: SqlValue) -> String {
        self.values.push(value);
        let place = self.given + self.values.len();
        match self.dialect {
            Dialect::Sqlite => format!("?{place}"),
            Dialect::Postgres => format!("${place}"),
        }
    }

    /// Adds a text and returns its name.
    pub fn text(&mut self, text: impl Into<String>) -> String {
        self.value(SqlValue::Text(text.into()))
    }

    /// The state of a document's latest run, as an expression.
    pub fn state() -> &'static str {
        STATE
    }

    /// Each condition as SQL. Hidden documents are left out unless one of the conditions is about them.
    pub fn conditions(&mut self, conditions: &[DocumentCondition]) -> Vec<String> {
        let is_about_hidden = conditions.iter().any(|one| one.property == DocumentProperty::Hidden);
        let visible = (!is_about_hidden).then(|| format!("NOT {}", self.hidden()));
        let one = |condition: &DocumentCondition| {
            let property = self.property(&condition.property);
            // Unknown is not fulfilled, so that its negation holds.
            let not = if condition.is_negated { "NOT " } else { "" };
            format!("{not}coalesce({property}, {})", self.no())
        };
        let conditions: Vec<String> = conditions.iter().map(one).collect();
        visible.into_iter().chain(conditions).collect()
    }

    /// Whether the document is hidden. On SQLite its row may have a long vector before this column, so that an index of the hidden
    /// documents is asked instead.
    fn hidden(&self) -> &'static str {
        match self.dialect {
            Dialect::Sqlite => {
                "EXISTS (SELECT 1 FROM documents h INDEXED BY documents_hidden \
                 WHERE h.id = d.id AND h.hidden_at IS NOT NULL)"
            }
            Dialect::Postgres => "(d.hidden_at IS NOT NULL)",
        }
    }

    fn no(&self) -> &'static str {
        match self.dialect {
            Dialect::Sqlite => "0",
            Dialect::Postgres => "false",
        }
    }

    fn property(&mut self, property: &DocumentProperty) -> String {
        match property {
            DocumentProperty::Status(status) => match status.states() {
                [] => format!("{STATE} IS NULL"),
                of_status => {
                    let names: Vec<String> =
                        of_status.iter().map(|state| format!("'{}'", state.as_str())).collect();
                    format!("{STATE} IN ({})", names.join(", "))
                }
            },
            DocumentProperty::Review(review) => format!("d.review_status = '{}'", review.as_str()),
            DocumentProperty::Hidden => self.hidden().to_owned(),
            DocumentProperty::Schema(name) => format!("d.schema_name = {}", self.text(name)),
            DocumentProperty::Language(language) => {
                format!("coalesce(d.language_override, s.language) = {}", self.text(language))
            }
            DocumentProperty::Uploaded(bounds) => {
                self.within("d.created_at", *bounds, |sql, time| sql.value(SqlValue::Time(time)))
            }
            DocumentProperty::Field { key, condition } => self.field(key, condition),
        }
    }

    fn field(&mut self, key: &str, condition: &Condition) -> String {
        let key = self.text(key);
        let mut ways = Vec::new();
        match condition {
            Condition::Is { text, number, days, .. } => {
                ways.push(format!("f.folded_value = {}", self.text(folded_value(text))));
                if let Some(number) = number {
                    ways.push(format!("f.number_value = {}", self.value(SqlValue::Number(*number))));
                }
                if let Some((first, last)) = days {
                    let days = Bounds { least: Bound::Included(*first), most: Bound::Included(*last) };
                    ways.push(self.days(days));
                }
            }
            Condition::Within { numbers, days } => {
                if let Some(numbers) = numbers {
                    ways.push(self.within("f.number_value", *numbers, |sql, number| {
                        sql.value(SqlValue::Number(number))
                    }));
                }
                if let Some(days) = days {
                    ways.push(self.days(*days));
                }
            }
        }
        format!(
            "EXISTS (SELECT 1 FROM document_fields f WHERE f.document_id = d.id AND f.key = {key} AND ({}))",
            ways.join(" OR ")
        )
    }

    fn days(&mut self, days: Bounds<Date>) -> String {
        self.within("f.date_value", days, |sql, day| {
            let name = sql.text(day.to_string());
            match sql.dialect {
                Dialect::Sqlite => name,
                Dialect::Postgres => format!("{name}::text::date"),
            }
        })
    }

    fn within<T: Copy>(
        &mut self,
        column: &str,
        bounds: Bounds<T>,
        mut value: impl FnMut(&mut Self, T) -> String,
    ) -> String {
        let mut sides = Vec::new();
        for (bound, sign) in [(bounds.least, '>'), (bounds.most, '<')] {
            let (bound, equal) = match bound {
                Bound::Included(bound) => (bound, "="),
                Bound::Excluded(bound) => (bound, ""),
                Bound::Unbounded => continue,
            };
            let name = value(self, bound);
            sides.push(format!("{column} {sign}{equal} {name}"));
        }
        format!("({})", sides.join(" AND "))
    }
}
