//! Judgements and figures by hand.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::{Evidence, Field, Origin, Value, ValueType};

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

fn field(key: &str, value: Value, confidence: f64) -> Field {
    let mut field = Field::new(key, value, ValueType::String, Origin::Machine, confidence);
    field.evidence = Some(Evidence::new(1, "…", Vec::new()));
    field
}

fn keys(truths: &[&Truth]) -> BTreeSet<String> {
    truths.iter().flat_map(|truth| truth.keys.keys().cloned()).collect()
}

fn near(value: Option<f64>, expected: f64) -> bool {
    value.is_some_and(|value| (value - expected).abs() < 1e-9)
}

#[test]
fn a_truth_file_may_be_flat_or_have_members() {
    let flat = Truth::parse(r#"{"total": 12.5, "items": ["a", "b"], "note": null}"#).unwrap();
    assert_eq!(flat.keys["total"].values, [Value::Number(12.5)]);
    assert_eq!(flat.keys["items"].values, [text("a"), text("b")]);
    assert_eq!(flat.keys["note"].values, []);
    let whole = Truth::parse(
        r#"{"fields": {"name": "Luna"}, "accept": {"name": ["Luna II"]}, "evidence_pages": {"name": [1, 3]},
            "visits": [{"visit_date": "2024-01-02", "fields": {"diagnosis": ["otitis"]}}]}"#,
    )
    .unwrap();
    assert_eq!(whole.keys["name"].accepted, [text("Luna II")]);
    assert_eq!(whole.keys["name"].pages, [1, 3]);
    assert_eq!(whole.visits.unwrap()[0].items["diagnosis"], [text("otitis")]);
    for bad in ["", "[]", r#"{"a": {}}"#, r#"{"fields": {}, "visits": [{}]}"#] {
        assert!(Truth::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn values_are_right_wrong_or_missed() {
    let truth = Truth::parse(r#"{"total": 12.5, "name": "Núñez, S.L.", "items": ["a", "b"], "empty": null}"#)
        .unwrap();
    let fields = [
        field("total", Value::Number(12.501), 0.9),
        field("name", text("nunez sl"), 0.8),
        field("items", text("b"), 0.7),
        field("items", text("c"), 0.2),
        field("empty", text("x"), 0.1),
        field("unknown", text("x"), 0.1),
    ];
    let judged = judge(&truth, &fields, &keys(&[&truth]));
    let of =
        |key: &str| judged.iter().filter(|one| one.key == key).map(|one| one.outcome).collect::<Vec<_>>();
    assert_eq!(of("total"), [Outcome::Right]);
    assert_eq!(of("name"), [Outcome::Right]);
    assert_eq!(of("items"), [Outcome::Right, Outcome::Wrong, Outcome::Missed]);
    assert_eq!(of("empty"), [Outcome::Wrong]);
    assert_eq!(of("unknown"), []);
    let evaluation = Evaluation::of(1, &judged);
    assert_eq!((evaluation.overall.right, evaluation.overall.wrong, evaluation.overall.missed), (3, 2, 1));
    assert!(near(evaluation.overall.precision, 0.6) && near(evaluation.overall.recall, 0.75));
    assert!(near(evaluation.confidence.area_under_curve, 1.0));
}

#[test]
fn accepted_spellings_are_right_and_beside_null_tolerated() {
    let truth =
        Truth::parse(r#"{"fields": {"a": "x", "b": null}, "accept": {"a": ["y"], "b": ["z"]}}"#).unwrap();
    let judged = judge(&truth, &[field("a", text("y"), 0.5), field("b", text("z"), 0.5)], &keys(&[&truth]));
    let outcomes: Vec<_> = judged.iter().map(|one| one.outcome).collect();
    assert_eq!(outcomes, [Outcome::Right, Outcome::Tolerated]);
}

#[test]
fn items_count_at_the_right_visit_only() {
    let truth = Truth::parse(
        r#"{"fields": {}, "visits": [
            {"visit_date": "2024-01-02", "fields": {"diagnosis": ["otitis"]}},
            {"visit_date": "2024-02-03", "fields": {"diagnosis": ["gastritis"]}}]}"#,
    )
    .unwrap();
    let at = |visit: &str, key: &str, value: &str| Field {
        visit_id: Some(visit.to_owned()),
        ..field(key, text(value), 0.5)
    };
    let fields = [
        at("visit-001", "visit_date", "2024-01-02"),
        at("visit-001", "diagnosis", "otitis"),
        at("visit-001", "diagnosis", "gastritis"),
    ];
    let evaluation = Evaluation::of(1, &judge(&truth, &fields, &BTreeSet::new()));
    let score = |key: &str| evaluation.keys.iter().find(|score| score.key == key).unwrap().clone();
    let diagnosis = score("visit/diagnosis");
    assert_eq!((diagnosis.right, diagnosis.wrong, diagnosis.missed), (1, 1, 1));
    assert_eq!((score("visit/visit_date").right, score("visit/visit_date").missed), (1, 1));
}

#[test]
fn optional_items_are_neither_right_nor_wrong() {
    let judged = |optional: &str, key: &str, value: &str| {
        let truth = Truth::parse(&format!(
            r#"{{"fields": {{}}, "optional_items": {optional}, "visits": [
                {{"visit_date": "2024-01-02", "fields": {{"diagnosis": ["otitis"], "vaccinations": ["rabies"]}}}}]}}"#
        ))
        .unwrap();
        let at = |key: &str, value: &str| Field {
            visit_id: Some("visit-001".to_owned()),
            ..field(key, text(value), 0.5)
        };
        let fields = [
            at("visit_date", "2024-01-02"),
            at("diagnosis", "otitis"),
            at("vaccinations", "rabies"),
            at(key, value),
        ];
        let judged = judge(&truth, &fields, &BTreeSet::new());
        judged
            .into_iter()
            .map(|one| one.outcome)
            .filter(|outcome| *outcome != Outcome::Right)
            .collect::<Vec<_>>()
    };
    let of_key = r#"{"vaccinations": ["Next booster, 2025"]}"#;
    assert_eq!(judged(of_key, "vaccinations", "next booster 2025"), [Outcome::Tolerated]);
    assert_eq!(judged(of_key, "diagnosis", "Next booster, 2025"), [Outcome::Wrong], "of another key");
    assert_eq!(judged(of_key, "vaccinations", "distemper"), [Outcome::Wrong]);
    assert_eq!(judged(r#"["gums pink"]"#, "diagnosis", "Gums pink"), [Outcome::Tolerated], "of any key");
    assert!(Truth::parse(r#"{"fields": {}, "optional_items": {"a": {"b": 1}}}"#).is_err());
}

#[test]
fn pages_are_judged_where_the_truth_names_them() {
    let truth =
        Truth::parse(r#"{"fields": {"a": "x", "b": "y"}, "evidence_page": {"a": 2, "b": 1}}"#).unwrap();
    let judged = judge(&truth, &[field("a", text("x"), 0.5), field("b", text("y"), 0.5)], &keys(&[&truth]));
    assert!(near(Evaluation::of(1, &judged).evidence_page_right, 0.5));
}

#[test]
fn the_figures_of_the_confidence_are_those_of_the_definitions() {
    let coin = ConfidenceQuality::of(vec![(0.5, true), (0.5, false)]);
    assert!(near(coin.area_under_curve, 0.5) && near(coin.expected_calibration_error, 0.0));
    let wrong_way: Vec<(f64, bool)> = (0..10).map(|n| (f64::from(n) / 10.0, n < 5)).collect();
    let quality = ConfidenceQuality::of(wrong_way);
    assert!(near(quality.area_under_curve, 0.0) && near(quality.wrong_in_least_certain_fifth, 0.0));
    let ranked: Vec<(f64, bool)> = (0..10).map(|n| (f64::from(n) / 10.0 + 0.05, n >= 2)).collect();
    assert!(near(ConfidenceQuality::of(ranked).wrong_in_least_certain_fifth, 1.0));
    let sure = ConfidenceQuality::of(vec![(1.0, false), (1.0, false), (1.0, true), (1.0, true)]);
    assert!(near(sure.expected_calibration_error, 0.5) && near(sure.wrong_in_least_certain_fifth, 0.2));
    assert_eq!(ConfidenceQuality::of(Vec::new()).expected_calibration_error, None);
}

proptest! {
    #[test]
    fn figures_are_shares(values in prop::collection::vec((0.0f64..=1.0, any::<bool>()), 0..60)) {
        let quality = ConfidenceQuality::of(values);
        let figures = [
            quality.expected_calibration_error,
            quality.area_under_curve,
            quality.wrong_in_least_certain_fifth,
        ];
        for figure in figures.into_iter().flatten() {
            prop_assert!((-1e-9..=1.0 + 1e-9).contains(&figure), "{figure}");
        }
    }

    /// Fields that are the truth are all right.
    #[test]
    fn the_truth_itself_has_no_misses(values in prop::collection::vec("[a-z]{1,8}", 1..10)) {
        let truth = Truth {
            keys: [("k".to_owned(), TrueKey { values: values.iter().map(|v| text(v)).collect(), ..TrueKey::default() })].into(),
            ..Truth::default()
        };
        let fields: Vec<Field> = values.iter().rev().map(|value| field("k", text(value), 0.9)).collect();
        let evaluation = Evaluation::of(1, &judge(&truth, &fields, &keys(&[&truth])));
        prop_assert_eq!(evaluation.overall.f1, Some(1.0));
    }
}

#[test]
fn tables_are_judged_cell_by_cell() {
    let truth =
        Truth::parse(r#"{"lines": [{"name": "Bread", "amount": 2.5}, {"name": "Milk", "amount": 1.2}]}"#)
            .unwrap();
    let found = r#"[{"name": "bread", "amount": 2.5}, {"name": "Mlk", "amount": 1.2}, {"name": "Total"}]"#;
    let table =
        Field::new("lines", serde_json::from_str(found).unwrap(), ValueType::Table, Origin::Machine, 0.9);
    let judgements = judge(&truth, &[table], &BTreeSet::from(["lines".to_owned()]));
    let of = |key: &str| {
        let outcomes = judgements.iter().filter(|judgement| judgement.key == key);
        outcomes.map(|judgement| judgement.outcome).collect::<Vec<_>>()
    };
    assert_eq!(of("lines/amount"), [Outcome::Right, Outcome::Right]);
    assert_eq!(of("lines/name"), [Outcome::Right, Outcome::Wrong, Outcome::Missed, Outcome::Wrong]);
    let nothing = judge(&truth, &[], &BTreeSet::from(["lines".to_owned()]));
    assert_eq!(nothing.iter().filter(|judgement| judgement.outcome == Outcome::Missed).count(), 4);
}
