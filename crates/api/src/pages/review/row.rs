//! A row of the review form: a value, or an empty place for one.

use quire_domain::reading::Rect;
use quire_understanding::calibration::{Band, ConfidencePolicy};
use quire_understanding::{
    Evidence, Field, MAX_SUGGESTIONS, Origin, Schema, SchemaKey, Scope, Suggestion, TableColumn, TableRow,
    Value, ValueType,
};

use super::super::words::{Language, Words};
use super::titles;

/// A row of the form.
#[allow(clippy::struct_excessive_bools)] // Each is a mark of its own, as the row shows them.
pub(super) struct Row {
    /// The id of the row's element.
    pub(super) id: String,
    /// Empty without a field.
    pub(super) field_id: String,
    pub(super) key: String,
    pub(super) title: String,
    pub(super) hint: Option<String>,
    /// Empty for a field without a visit.
    pub(super) visit_id: String,
    /// The value for people, or a placeholder.
    pub(super) text: String,
    /// The value as JSON.
    pub(super) value: String,
    pub(super) value_type: &'static str,
    pub(super) is_empty: bool,
    pub(super) is_repeatable: bool,
    pub(super) is_critical: bool,
    /// Whether it is about a visit itself.
    pub(super) is_about: bool,
    pub(super) is_edited: bool,
    /// Whether the row before has the same key.
    pub(super) is_again: bool,
    /// The class of its dot, which filters use too.
    pub(super) band: &'static str,
    pub(super) band_word: &'static str,
    pub(super) confidence: Option<Confidence>,
    pub(super) evidence: Option<EvidencePlace>,
    pub(super) candidates: Vec<Candidate>,
    /// The value that Quire found, if a person has changed it.
    pub(super) detected: Option<Detected>,
    /// The columns of a table as JSON: key and title of each. Empty for other values.
    pub(super) columns: String,
    /// The table, if the value is one.
    pub(super) table: Option<TableView>,
}

/// A table with its head.
pub(super) struct TableView {
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
}

/// The confidence in a value, in words.
pub(super) struct Confidence {
    pub(super) text: String,
    pub(super) reliability: String,
    pub(super) adjustment: String,
    /// The class of the adjustment: good, bad or none.
    pub(super) tone: &'static str,
    /// What speaks for the value and what against it, the heaviest first.
    pub(super) reasons_for: Vec<String>,
    pub(super) reasons_against: Vec<String>,
}

/// Where a value stands in the document.
pub(super) struct EvidencePlace {
    pub(super) page: u32,
    pub(super) snippet: String,
    /// The rectangles, as `x0,y0,x1,y1;…` in points.
    pub(super) boxes: String,
}

/// Another possible value.
pub(super) struct Candidate {
    pub(super) number: usize,
    pub(super) text: String,
    pub(super) value: String,
    pub(super) percent: String,
    pub(super) evidence: Option<EvidencePlace>,
}

/// The value that Quire found.
pub(super) struct Detected {
    pub(super) text: String,
    pub(super) value: String,
}

/// The data for building rows.
#[derive(Clone, Copy)]
pub(super) struct RowContext<'a> {
    pub(super) schema: &'a Schema,
    pub(super) policy: &'a ConfidencePolicy,
    pub(super) words: &'static Words,
    pub(super) language: Language,
}

impl RowContext<'_> {
    /// The row of a field. `detected` is the value that Quire found, if it differs.
    pub(super) fn row(&self, field: &Field, detected: Option<&Value>) -> Row {
        let known = self.schema.key(&field.key);
        let (band, band_word) = self.band(field);
        let is_repeatable = known.is_some_and(|key| key.repeatable);
        let is_empty = field.value.is_empty();
        let numbered = (1..).zip(&field.candidate_suggestions).take(MAX_SUGGESTIONS);
        Row {
            id: format!("f-{}", field.field_id),
            field_id: field.field_id.to_string(),
            text: match &field.value {
                _ if is_empty => self.placeholder(is_repeatable),
                // The table itself stands in the details.
                Value::Table(rows) => self.words.count("review.rows", rows.len() as u64),
                value => self.shown(value, field.value_type),
            },
            value: json(&field.value),
            value_type: field.value_type.as_str(),
            is_empty,
            is_repeatable,
            is_edited: field.origin == Origin::Human,
            band: if is_empty { "unknown" } else { band },
            band_word: if is_empty { self.words.get("review.band_unknown") } else { band_word },
            confidence: (!is_empty).then(|| self.confidence(field, band_word)),
            evidence: field.evidence.as_ref().map(place),
            candidates: numbered.map(|(number, one)| self.candidate(number, one, field.value_type)).collect(),
            table: self.table(&field.value, known),
            detected: detected
                .map(|value| Detected { text: self.shown(value, field.value_type), value: json(value) }),
            ..self.bare(&field.key, known, field.visit_id.as_deref())
        }
    }

    /// An empty row for a key.
    pub(super) fn slot(&self, key: &SchemaKey, visit_id: Option<&str>) -> Row {
        self.bare(&key.key, Some(key), visit_id)
    }

    fn bare(&self, key: &str, known: Option<&SchemaKey>, visit_id: Option<&str>) -> Row {
        let is_repeatable = known.is_some_and(|key| key.repeatable);
        Row {
            id: format!("s-{}-{key}", visit_id.unwrap_or_default()),
            field_id: String::new(),
            key: key.to_owned(),
            title: titles::of_key(self.schema, self.language, key),
            hint: titles::hint(self.schema, self.language, key),
            visit_id: visit_id.unwrap_or_default().to_owned(),
            text: self.placeholder(is_repeatable),
            value: "null".to_owned(),
            value_type: known.map_or(ValueType::String, |key| key.value_type).as_str(),
            is_empty: true,
            is_repeatable,
            is_critical: known.is_some_and(|key| key.critical),
            is_about: known.is_some_and(|key| key.scope == Scope::VisitHead),
            is_edited: false,
            is_again: false,
            band: "unknown",
            band_word: self.words.get("review.band_unknown"),
            confidence: None,
            evidence: None,
            candidates: Vec::new(),
            detected: None,
            columns: known.map(|key| columns(key, self.language)).unwrap_or_default(),
            table: None,
        }
    }

    /// A table for people: the columns of the schema in their order.
    fn table(&self, value: &Value, key: Option<&SchemaKey>) -> Option<TableView> {
        let (Value::Table(rows), Some(key)) = (value, key) else { return None };
        let head = key.columns.iter().map(|column| column.title(self.language.as_str()).to_owned()).collect();
        let cell = |row: &TableRow, column: &TableColumn| {
            row.get(&column.key).map(|value| self.shown(value, column.value_type)).unwrap_or_default()
        };
        let row = |row: &TableRow| key.columns.iter().map(|column| cell(row, column)).collect();
        Some(TableView { head, rows: rows.iter().map(row).collect() })
    }

    fn placeholder(&self, is_list: bool) -> String {
        let name = if is_list { "review.no_items" } else { "review.no_value" };
        self.words.get(name).to_owned()
    }

    fn band(&self, field: &Field) -> (&'static str, &'static str) {
        let band = self.policy.band(field.confidence);
        let word = match band {
            Band::Low => "review.band_low",
            Band::Mid => "review.band_mid",
            Band::High => "review.band_high",
        };
        (band.as_str(), self.words.get(word))
    }

    fn confidence(&self, field: &Field, band: &str) -> Confidence {
        let points = field.review_history_adjustment;
        let sign = if points > 0.0 { "+" } else { "" };
        let tone = match points {
            points if points > 0.0 => "good",
            points if points < 0.0 => "bad",
            _ => "",
        };
        let sure = self.words.with("review.confidence", &percent(field.confidence));
        let evidence = field.evidence.as_ref();
        let reliability = evidence
            .and_then(|evidence| evidence.text_reliability)
            .map(|share| self.words.with("review.percent", &percent(share)));
        let reasons = |is_for: bool| -> Vec<String> {
            let reasons = evidence.map_or(&[][..], |evidence| &evidence.reasons).iter();
            let chosen = reasons.filter(|reason| reason.is_for == is_for);
            chosen
                .filter_map(|reason| self.words.find(&format!("reasons.{}", reason.feature)))
                .map(str::to_owned)
                .collect()
        };
        Confidence {
            text: sure.replacen("{}", band, 1),
            reliability: self.words.with(
                "review.reliability",
                reliability.as_deref().unwrap_or_else(|| self.words.get("review.not_available")),
            ),
            reasons_for: reasons(true),
            reasons_against: reasons(false),
            adjustment: self.words.with("review.adjustment", &format!("{sign}{points:.1}").replace(".0", "")),
            tone,
        }
    }

    fn candidate(&self, number: usize, suggestion: &Suggestion, kind: ValueType) -> Candidate {
        Candidate {
            number,
            text: self.shown(&suggestion.value, kind),
            value: json(&suggestion.value),
            percent: self.words.with("review.percent", &percent(suggestion.confidence)),
            evidence: suggestion.evidence.as_ref().map(place),
        }
    }

    /// A value for people.
    pub(super) fn shown(&self, value: &Value, kind: ValueType) -> String {
        match value {
            _ if value.is_empty() => self.words.get("review.no_value").to_owned(),
            Value::Text(text) if kind == ValueType::Date => date(text, self.language),
            Value::Text(text) => text.clone(),
            Value::Bool(true) => self.words.get("review.yes").to_owned(),
            Value::Bool(false) => self.words.get("review.no").to_owned(),
            Value::Table(rows) => {
                let cell = |value: &Value| self.shown(value, ValueType::Unknown);
                let row = |row: &TableRow| row.values().map(cell).collect::<Vec<_>>().join(", ");
                rows.iter().map(row).collect::<Vec<_>>().join("; ")
            }
            Value::Null | Value::Number(_) => json(value),
        }
    }
}

/// A date in the format of that language.
pub(super) fn date(text: &str, language: Language) -> String {
    match (language, text.parse::<jiff::civil::Date>()) {
        (Language::Spanish, Ok(date)) => date.strftime("%d/%m/%Y").to_string(),
        (Language::English, Ok(date)) => date.strftime("%-d %b %Y").to_string(),
        (_, Err(_)) => text.to_owned(),
    }
}

/// The columns of a table, for the editor. Empty for a key of another type.
pub(super) fn columns(key: &SchemaKey, language: Language) -> String {
    if key.columns.is_empty() {
        return String::new();
    }
    let column = |column: &TableColumn| serde_json::json!({ "key": column.key, "title": column.title(language.as_str()) });
    serde_json::Value::Array(key.columns.iter().map(column).collect()).to_string()
}

fn percent(share: f64) -> String {
    format!("{:.0}", share * 100.0)
}

pub(super) fn json(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

fn place(evidence: &Evidence) -> EvidencePlace {
    let written = |r: &Rect| format!("{:.1},{:.1},{:.1},{:.1}", r.x0, r.y0, r.x1, r.y1);
    let boxes: Vec<_> = evidence.boxes.iter().map(written).collect();
    EvidencePlace { page: evidence.page, snippet: evidence.snippet.clone(), boxes: boxes.join(";") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quire_understanding::{Feature, FixedReason, Reason};

    #[test]
    fn values_are_formatted_by_language() {
        let (schema, policy) = (Schema::built_in_default(), ConfidencePolicy::default());
        let written = |language: Language, value: Value, kind| {
            RowContext { schema: &schema, policy: &policy, words: language.words(), language }
                .shown(&value, kind)
        };
        let text = |text: &str| Value::Text(text.to_owned());
        for (language, value, kind, expected) in [
            (Language::Spanish, text("2024-03-02"), ValueType::Date, "02/03/2024"),
            (Language::English, text("2024-03-02"), ValueType::Date, "2 Mar 2024"),
            (Language::English, text("some day"), ValueType::Date, "some day"),
            (Language::Spanish, Value::Bool(true), ValueType::Boolean, "Sí"),
            (Language::English, Value::Number(4.5), ValueType::Number, "4.5"),
            (Language::English, text("  "), ValueType::String, "—"),
            (Language::English, Value::Null, ValueType::Unknown, "—"),
        ] {
            assert_eq!(written(language, value, kind), expected);
        }
    }

    #[test]
    fn confidence_is_shown_with_its_band_and_signed_adjustment() {
        let (schema, policy) = (Schema::built_in_default(), ConfidencePolicy::default());
        let language = Language::Spanish;
        let context = RowContext { schema: &schema, policy: &policy, words: language.words(), language };
        for (points, adjustment, tone) in [
            (0.0, "Ajuste por revisiones anteriores: 0", ""),
            (9.0, "Ajuste por revisiones anteriores: +9", "good"),
            (-1.7, "Ajuste por revisiones anteriores: -1.7", "bad"),
        ] {
            let field = Field::new(
                "breed",
                Value::Text("Beagle".to_owned()),
                ValueType::String,
                Origin::Machine,
                0.66,
            );
            let row = context.row(&Field { review_history_adjustment: points, ..field }, None);
            let confidence = row.confidence.unwrap();
            assert_eq!(
                (confidence.text.as_str(), confidence.adjustment.as_str(), confidence.tone),
                ("Confianza 66 % (Media)", adjustment, tone)
            );
            assert_eq!((row.band, row.is_critical, row.title.as_str()), ("mid", true, "Raza"));
        }
    }

    /// Every feature has its words, and a row says what speaks for and against its value.
    #[test]
    fn reasons_and_the_reliability_of_the_text_are_shown_in_words() {
        let (schema, policy) = (Schema::built_in_default(), ConfidencePolicy::default());
        for (language, good, bad, read) in [
            (
                Language::English,
                "After its label",
                "Another value was found as well",
                "Reliability of the text: 97 %",
            ),
            (
                Language::Spanish,
                "Está detrás de su etiqueta",
                "También se encontró otro valor",
                "Fiabilidad del texto: 97 %",
            ),
        ] {
            let context = RowContext { schema: &schema, policy: &policy, words: language.words(), language };
            let fixed = FixedReason::ALL.iter().map(|reason| reason.as_str());
            for name in Feature::ALL.iter().map(|feature| feature.as_str()).chain(fixed) {
                let name = format!("reasons.{name}");
                assert!(language.words().find(&name).is_some(), "{language:?} {name}");
            }
            let reason = |feature: Feature, is_for| Reason { feature: feature.as_str().to_owned(), is_for };
            let evidence = Evidence {
                reasons: vec![reason(Feature::BehindLabel, true), reason(Feature::OneRival, false)],
                text_reliability: Some(0.97),
                ..Evidence::new(1, "Raza: Beagle", Vec::new())
            };
            let value = Value::Text("Beagle".to_owned());
            let field = Field::new("breed", value, ValueType::String, Origin::Machine, 0.9);
            let confidence =
                context.row(&Field { evidence: Some(evidence), ..field }, None).confidence.unwrap();
            assert_eq!(confidence.reasons_for, [good]);
            assert_eq!(confidence.reasons_against, [bad]);
            assert_eq!(confidence.reliability, read);
        }
    }

    #[test]
    fn the_guide_to_confidence_lists_every_feature_with_its_text() {
        let guide = include_str!("../../../../../docs/guide/confidence.md").to_lowercase();
        let fixed = FixedReason::ALL.iter().map(|reason| reason.as_str());
        for name in Feature::ALL.iter().map(|feature| feature.as_str()).chain(fixed) {
            let text = Language::English.words().find(&format!("reasons.{name}")).unwrap();
            let line = format!("| `{name}` | {} |", text.to_lowercase());
            assert!(guide.contains(&line), "the guide lacks: {line}");
        }
    }
}
