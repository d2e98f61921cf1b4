//! Scores of the made invoices, by language and by key.

use std::collections::BTreeMap;

use super::super::scoring::Tally;
use super::words::LOCALES;
use super::*;
use crate::rules::{DocumentHints, find_fields};
use crate::{Field, SchemaFile, Value};

/// The scores of a set of layouts.
#[derive(Default)]
struct Scores {
    all: Tally,
    by_language: BTreeMap<&'static str, Tally>,
    by_key: BTreeMap<&'static str, Tally>,
    by_layout: BTreeMap<&'static str, Tally>,
    mistakes: Vec<String>,
    /// The confidence of each value, and whether it is right.
    confidences: Vec<(f64, bool)>,
}

impl Scores {
    fn of(layouts: &[NamedLayout], first: usize) -> Self {
        let [_, invoice, ..] = SchemaFile::built_in();
        let mut scores = Self::default();
        for ((name, layout, several_rates, sign), place) in layouts.iter().zip(first..) {
            for locale in &LOCALES {
                let case = Case::of(locale, place, *several_rates, *sign);
                let printed = layout(&case);
                let hints = DocumentHints { language: Some(locale.code), today: Some(super::super::TODAY) };
                let fields = find_fields(&printed.pages, &invoice.schema, hints);
                scores.count(name, locale.code, &case, &printed, &fields);
            }
        }
        scores
    }

    fn count(
        &mut self,
        layout: &'static str,
        language: &'static str,
        case: &Case,
        printed: &Printed,
        fields: &[Field],
    ) {
        let wanted: Vec<(&'static str, String)> = case.answers();
        for (key, want) in &wanted {
            let want = Some(want.as_str()).filter(|_| !printed.without.contains(key));
            let field = fields.iter().find(|field| field.key == *key && !field.value.is_empty());
            let got = field.map(|field| match &field.value {
                Value::Text(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                other => format!("{other:?}"),
            });
            let is_right = self.all.count(want, got.as_deref());
            self.by_language.entry(language).or_default().count(want, got.as_deref());
            self.by_key.entry(key).or_default().count(want, got.as_deref());
            self.by_layout.entry(layout).or_default().count(want, got.as_deref());
            self.confidences.extend(field.map(|field| (field.confidence, is_right)));
            if !is_right {
                self.mistakes.push(format!("{layout} {language} {key}: want {want:?}, got {got:?}"));
            }
        }
        if !printed.without.contains(&"line_item") {
            let got: Vec<&Value> =
                fields.iter().filter(|field| field.key == "line_item").map(|field| &field.value).collect();
            for (place, item) in case.locale.words.items.iter().enumerate() {
                let got = match got.get(place) {
                    Some(Value::Text(text)) => Some(text.as_str()),
                    _ => None,
                };
                let is_right = self.by_key.entry("line_item").or_default().count(Some(item), got);
                self.all.count(Some(item), got);
                self.by_language.entry(language).or_default().count(Some(item), got);
                self.by_layout.entry(layout).or_default().count(Some(item), got);
                if !is_right {
                    self.mistakes.push(format!("{layout} {language} line_item: want {item:?}, got {got:?}"));
                }
            }
        }
    }

    /// The share of pairs of a right and a wrong value in which the right one has the higher confidence. None without a
    /// wrong value.
    fn area_under_curve(&self) -> Option<f64> {
        let of = |right: bool| self.confidences.iter().filter(move |(_, is_right)| *is_right == right);
        let (mut won, mut pairs) = (0.0, 0.0);
        for (good, _) in of(true) {
            for (bad, _) in of(false) {
                pairs += 1.0;
                won += if good > bad {
                    1.0
                } else if (good - bad).abs() < 1e-9 {
                    0.5
                } else {
                    0.0
                };
            }
        }
        (pairs > 0.0).then(|| won / pairs)
    }

    fn print(&self, name: &str) {
        let area = self.area_under_curve().map_or("no wrong value".to_owned(), |area| format!("{area:.3}"));
        println!("{name}: F1 {:.3}, area under the curve: {area}", self.all.f1());
        for part in [&self.by_language, &self.by_key, &self.by_layout] {
            let row: Vec<String> =
                part.iter().map(|(name, tally)| format!("{name} {:.2}", tally.f1())).collect();
            println!("  {}", row.join(", "));
        }
        if std::env::var_os("QUIRE_SHOW_MISTAKES").is_some() {
            println!("{}", self.mistakes.join("\n"));
        }
    }
}

/// The rules and the layouts were written by the same people, with the same words: on other invoices the scores are lower.
#[test]
fn invoices_in_seven_languages_are_read() {
    let tuned = Scores::of(&TUNED, 0);
    let kept_apart = Scores::of(&KEPT_APART, TUNED.len());
    tuned.print("layouts that the rules were tuned on");
    kept_apart.print("layouts that were kept apart");
    assert!(tuned.all.f1() >= 0.98, "{:.3}\n{}", tuned.all.f1(), tuned.mistakes.join("\n"));
    assert!(kept_apart.all.f1() >= 0.97, "{:.3}", kept_apart.all.f1());
    for (language, tally) in &kept_apart.by_language {
        assert!(tally.f1() >= 0.95, "{language} {:.3}", tally.f1());
    }
}
