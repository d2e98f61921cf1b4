//! Verification of claims.

use super::*;
use quire_domain::reading::{Line, Page, Rect, Word};

const RECORD: [&str; 12] = [
    "Clínica Veterinaria El Álamo",
    "Paciente: Luna",
    "Especie: Canina  Raza: Labrador Retriever",
    "Peso: 24,2 kg",
    "Sexo: H",
    "F. nacimiento: 3 de mayo de 2019",
    "12/03/2024 Revisión anual",
    "Diagnóstico: otitis externa bilateral",
    "Medicación: gotas óticas",
    "15/04/2024 Control",
    "Diagnóstico: conducto sano, sin otitis",
    "Peso: 25 kg",
];

/// Pages of these lines. Each word has its own position.
fn reading(lines: &[&str]) -> Reading {
    let line = |(row, text): (u16, &&str)| {
        let y0 = f32::from(row) * 20.0;
        let word = |(place, text): (u16, &str)| {
            let x0 = f32::from(place) * 50.0;
            Word::new(text, Rect { x0, y0, x1: x0 + 40.0, y1: y0 + 10.0 })
        };
        Line { words: (0..).zip(text.split_whitespace()).map(word).collect(), opens_paragraph: false }
    };
    let lines = (0..).zip(lines).map(line).collect();
    let empty = Page { width: 600.0, height: 800.0, ..Page::default() };
    Reading { pages: vec![empty.clone(), Page { lines, ..empty }] }
}

fn claim(key: &str, value: &str) -> ModelClaim {
    ModelClaim { key: key.to_owned(), value: Value::Text(value.to_owned()) }
}

fn fields(document: &[(&str, &str)], visits: &[&[(&str, &str)]]) -> Vec<Field> {
    let all = |claims: &[(&str, &str)]| claims.iter().map(|(key, value)| claim(key, value)).collect();
    let claims =
        ModelClaims { document: all(document), visits: visits.iter().map(|claims| all(claims)).collect() };
    verify_claims(claims, &reading(&RECORD), &Schema::built_in_default(), DocumentHints::default())
}

fn field<'f>(fields: &'f [Field], key: &str) -> &'f Field {
    fields.iter().find(|field| field.key == key).unwrap_or_else(|| panic!("no {key} in {fields:?}"))
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

#[test]
fn a_claim_in_the_text_becomes_a_value_with_evidence() {
    let fields = fields(&[("clinic_name", "CLINICA VETERINARIA EL ALAMO"), ("pet_name", "luna")], &[]);
    let luna = field(&fields, "pet_name");
    assert_eq!((luna.confidence, luna.mapping_id.as_deref()), (LABELLED_CONFIDENCE, Some("model::pet_name")));
    assert!(luna.is_critical);
    let evidence = luna.evidence.as_ref().unwrap();
    assert_eq!((evidence.page, evidence.snippet.as_str()), (2, "Paciente: Luna"));
    assert_eq!(evidence.boxes, [Rect { x0: 50.0, y0: 20.0, x1: 90.0, y1: 30.0 }]);
    let clinic = field(&fields, "clinic_name");
    assert!((clinic.confidence - IN_TEXT_CONFIDENCE).abs() < 1e-9, "no label stands before it");
    assert_eq!(clinic.evidence.as_ref().unwrap().boxes.len(), 4);
}

#[test]
fn words_with_the_same_normal_form_verify_a_claim() {
    let fields =
        fields(&[("species", "perro"), ("dob", "2019-05-03"), ("sex", "hembra"), ("weight", "24.2 kg")], &[]);
    assert_eq!(field(&fields, "species").value, text("canino"));
    let born = field(&fields, "dob");
    assert_eq!(born.value, text("2019-05-03"));
    assert_eq!(born.evidence.as_ref().unwrap().boxes.len(), 5, "the words of the date");
    assert_eq!(field(&fields, "sex").value, text("hembra"));
    assert_eq!(field(&fields, "weight").evidence.as_ref().unwrap().snippet, "Peso: 24,2 kg");
}

#[test]
fn an_invented_claim_becomes_a_suggestion() {
    let fields =
        fields(&[("pet_name", "Luna"), ("breed", "Siamés"), ("weight", "4,2 kg"), ("age", "7")], &[]);
    for key in ["breed", "weight", "age"] {
        let field = field(&fields, key);
        assert_eq!((&field.value, field.confidence), (&Value::Null, UNVERIFIED_CONFIDENCE), "{key}");
        assert_eq!((field.evidence.as_ref(), field.candidate_suggestions.len()), (None, 1), "{key}");
        assert!(field.is_critical, "{key}");
    }
    assert_eq!(field(&fields, "breed").candidate_suggestions[0].value, text("Siamés"));
    let keys: Vec<_> = fields.iter().map(|field| field.key.as_str()).collect();
    assert_eq!(keys, ["pet_name", "breed", "age", "weight"], "in the order of the schema");
}

#[test]
fn a_short_value_is_found_behind_its_label_only() {
    let fields = fields(&[("notes", "H"), ("nhc", "24"), ("sex", "H")], &[]);
    assert_eq!(field(&fields, "notes").value, Value::Null, "an H stands somewhere in every text");
    assert_eq!(field(&fields, "nhc").value, Value::Null, "24,2 is not 24");
    assert_eq!(field(&fields, "sex").value, text("hembra"));
}

#[test]
fn unknown_keys_and_empty_values_are_dropped_and_values_without_normal_form_become_suggestions() {
    let fields = fields(&[("blood_group", "Luna"), ("notes", " "), ("species", "Labrador Retriever")], &[]);
    assert_eq!(fields.len(), 1, "{fields:?}");
    let species = &fields[0];
    assert_eq!((&species.value, species.confidence), (&Value::Null, UNVERIFIED_CONFIDENCE));
    assert_eq!(species.evidence.as_ref().unwrap().page, 2, "its words do stand there");
}

#[test]
fn claims_about_a_visit_are_searched_after_its_date() {
    let fields = fields(
        &[],
        &[
            &[("visit_date", "2024-04-15"), ("diagnosis", "otitis"), ("weight", "25 kg")],
            &[
                ("visit_date", "12/03/2024"),
                ("diagnosis", "otitis externa bilateral"),
                ("medication", "pastillas"),
            ],
            &[("visit_date", "2020-01-01"), ("procedure", "Revisión anual")],
        ],
    );
    let of = |key: &str, visit: Option<&str>| {
        let is_it = |field: &&Field| field.key == key && field.visit_id.as_deref() == visit;
        fields.iter().find(is_it).unwrap_or_else(|| panic!("no {key} of {visit:?} in {fields:?}"))
    };
    let (april, march) = (Some("visit-001"), Some("visit-002"));
    assert_eq!(of("visit_date", april).value, text("2024-04-15"));
    assert_eq!(of("visit_date", march).value, text("2024-03-12"));
    assert_eq!(
        of("diagnosis", april).evidence.as_ref().unwrap().snippet,
        "Diagnóstico: conducto sano, sin otitis"
    );
    assert_eq!(of("weight", april).value, text("25 kg"));
    assert_eq!(of("weight", None).value, text("25 kg"), "the document's weight is the latest");
    let invented = of("medication", march);
    assert_eq!((&invented.value, invented.candidate_suggestions.len()), (&Value::Null, 1));
    assert_eq!(of("procedure", None).value, text("Revisión anual"), "a visit that has no date is none");
    assert_eq!(of("visit_date", None).value, Value::Null);
    let order: Vec<_> = fields.iter().filter_map(|field| field.visit_id.as_deref()).collect();
    let last = order.iter().rposition(|visit| *visit == "visit-002").unwrap();
    assert!(order[..=last].iter().all(|visit| *visit == "visit-002"), "by date: {order:?}");
}

#[test]
fn a_value_from_several_places_is_verified_if_the_text_has_every_part() {
    let both = fields(&[("notes", "otitis externa bilateral; gotas óticas")], &[]);
    assert_eq!(both[0].value, text("otitis externa bilateral; gotas óticas"));
    assert_eq!(both[0].evidence.as_ref().unwrap().boxes.len(), 5);
    let one = fields(&[("notes", "otitis externa bilateral; pastillas")], &[]);
    assert_eq!(one[0].value, Value::Null);
}

#[test]
fn an_unverified_claim_becomes_a_suggestion_and_booleans_are_never_verified() {
    let schema = Schema::built_in_default();
    let claims = ModelClaims {
        document: vec![
            claim("pet_name", "Luna"),
            claim("pet_name", "Toby"),
            ModelClaim { key: "notes".to_owned(), value: Value::Bool(true) },
            ModelClaim { key: "weight".to_owned(), value: Value::Number(24.2) },
        ],
        visits: Vec::new(),
    };
    let fields = verify_claims(claims, &reading(&RECORD), &schema, DocumentHints::default());
    let luna = field(&fields, "pet_name");
    assert_eq!((&luna.value, &luna.candidate_suggestions[0].value), (&text("Luna"), &text("Toby")));
    assert_eq!(field(&fields, "notes").candidate_suggestions[0].value, Value::Bool(true));
    assert_eq!(fields.len(), 3);
}

#[test]
fn the_rules_fill_wanted_keys_without_a_value() {
    let schema = Schema::built_in_default();
    let by_rules = |key: &str| Field::new(key, text("x"), ValueType::String, Origin::Machine, 0.66);
    let mut fields = fields(&[("pet_name", "Luna"), ("breed", "Siamés")], &[]);
    let from_rules = ["claim_id", "pet_name", "breed", "notes"].map(by_rules).to_vec();
    fill_from_rules(&mut fields, from_rules, &schema, |field| field.key != "notes");
    let keys_and_values: Vec<_> =
        fields.iter().map(|field| (field.key.as_str(), field.value.clone())).collect();
    assert_eq!(keys_and_values, [("claim_id", text("x")), ("pet_name", text("Luna")), ("breed", text("x"))]);
}

use crate::{Origin, ValueType};

proptest::proptest! {
    #[test]
    fn any_claim_on_any_text_becomes_a_value_or_a_suggestion(words in "[a-z0-9áñ,./: \n;-]{0,200}", value in "[a-z0-9áñ,./: ;-]{0,40}") {
        let lines: Vec<&str> = words.lines().collect();
        let claims = ModelClaims {
            document: vec![claim("notes", &value), claim("weight", &value), claim("dob", &value)],
            visits: vec![vec![claim(VISIT_DATE, &value), claim("diagnosis", &value)]],
        };
        for field in verify_claims(claims, &reading(&lines), &Schema::built_in_default(), DocumentHints::default()) {
            let found = field.evidence.is_some() && !field.value.is_empty();
            proptest::prop_assert!(found || field.value == Value::Null, "{:?}", field);
        }
    }
}

#[test]
fn a_value_that_validators_refuse_becomes_a_suggestion() {
    let mut schema = Schema::built_in_default();
    let breed = schema.keys.iter_mut().find(|key| key.key == "breed").unwrap();
    breed.validators.one_of = vec!["Pastor alemán".to_owned()];
    let claims = ModelClaims {
        document: vec![claim("breed", "Labrador Retriever")],
        visits: vec![vec![claim("visit_date", "2024-03-12"), claim("diagnosis", "15/04/2024")]],
    };
    let fields = verify_claims(claims, &reading(&RECORD), &schema, DocumentHints::default());
    for (key, said) in [("breed", "Labrador Retriever"), ("diagnosis", "15/04/2024")] {
        let field = field(&fields, key);
        assert_eq!((&field.value, field.confidence), (&Value::Null, UNVERIFIED_CONFIDENCE), "{key}");
        assert_eq!(field.candidate_suggestions[0].value, text(said));
        assert!(field.evidence.is_some(), "the words of {key} do stand there");
    }
    assert_eq!(field(&fields, "visit_date").value, text("2024-03-12"));
}
