//! Lines with labels.

use proptest::prelude::*;

use super::*;
use crate::reading::Word;

fn page(lines: &[&str]) -> Page {
    let line = |text: &&str| Line {
        words: text
            .split_whitespace()
            .zip(0u8..)
            .map(|(word, place)| {
                let x0 = f32::from(place) * 30.0;
                Word { text: word.to_owned(), rect: Rect { x0, y0: 0.0, x1: x0 + 20.0, y1: 10.0 } }
            })
            .collect(),
        opens_paragraph: false,
    };
    Page { width: 600.0, height: 800.0, lines: lines.iter().map(line).collect(), recognised: false }
}

fn found(pages: &[Page]) -> Vec<Field> {
    find(pages, &Schema::veterinary())
}

fn text(value: &Value) -> &str {
    match value {
        Value::Text(text) => text,
        other => panic!("{other:?}"),
    }
}

/// Proves R087, R090, R093 for the labels: what was found has its page and words; what was not is not there.
#[test]
fn a_line_with_a_known_label_becomes_a_field_with_its_evidence() {
    let fields = found(&[
        page(&["CLINICA VETERINARIA", "Paciente: Luna Bella", "Teléfono: 912"]),
        page(&["Especie : canino", "RAZA:Beagle", "Peso:", "F. Nac.: 1"]),
    ]);
    let seen: Vec<_> = fields.iter().map(|field| (field.key.as_str(), text(&field.value))).collect();
    assert_eq!(seen, [("pet_name", "Luna Bella"), ("species", "canino"), ("breed", "Beagle")]);
    let evidence = fields[0].evidence.as_ref().unwrap();
    assert_eq!((evidence.page, evidence.snippet.as_str()), (1, "Paciente: Luna Bella"));
    assert_eq!(evidence.boxes.len(), 2, "the words of the value");
    assert_eq!(fields[2].evidence.as_ref().unwrap().page, 2);
    assert_eq!(fields[2].evidence.as_ref().unwrap().boxes.len(), 1);
    assert!(fields.iter().all(|field| field.is_critical && field.origin == Origin::Machine));
}

#[test]
fn dates_become_iso_and_what_is_none_stays_as_it_stands() {
    let dates = [
        ("Fecha: 01/02/2024", "2024-02-01", ValueType::Date),
        ("Fecha: 1.2.2024 10:30", "2024-02-01", ValueType::Date),
        ("Fecha: 2024-02-01", "2024-02-01", ValueType::Date),
        ("Fecha: 31/02/2024", "31/02/2024", ValueType::Unknown),
        ("Fecha: ayer", "ayer", ValueType::Unknown),
    ];
    for (line, value, kind) in dates {
        let fields = found(&[page(&[line])]);
        assert_eq!((text(&fields[0].value), fields[0].value_type), (value, kind), "{line}");
    }
}

#[test]
fn a_visit_begins_with_its_date_and_holds_what_follows() {
    let fields = found(&[page(&[
        "Diagnóstico: de antes",
        "Visita: 01/02/2024",
        "Motivo: control",
        "Diagnóstico: otitis",
        "Diagnóstico: gingivitis",
        "Visita: 02/02/2024",
        "Diagnóstico: sano",
        "Notas: fin",
    ])]);
    let seen: Vec<_> = fields.iter().map(|field| (field.key.as_str(), field.visit_id.as_deref())).collect();
    assert_eq!(
        seen,
        [
            ("diagnosis", None),
            ("visit_date", Some("visit-1")),
            ("reason_for_visit", Some("visit-1")),
            ("diagnosis", Some("visit-1")),
            ("diagnosis", Some("visit-1")),
            ("visit_date", Some("visit-2")),
            ("diagnosis", Some("visit-2")),
            ("notes", None),
        ]
    );
}

#[test]
fn a_second_value_of_a_single_key_is_a_suggestion() {
    let fields = found(&[page(&["Raza: Beagle", "Raza: beagle", "Raza: Galgo"])]);
    assert_eq!(fields.len(), 1);
    assert_eq!(text(&fields[0].value), "Beagle");
    let suggested: Vec<_> = fields[0].candidate_suggestions.iter().map(|other| text(&other.value)).collect();
    assert_eq!(suggested, ["Galgo"]);
}

proptest! {
    #[test]
    fn whatever_a_line_says_every_field_has_its_evidence(
        lines in prop::collection::vec("(Paciente|Visita|Peso|[a-zñ:]{0,8})(:| :|)( ?[ -~ñá]{0,12})", 0..20),
    ) {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        for field in found(&[page(&lines)]) {
            let evidence = field.evidence.unwrap();
            prop_assert!(!evidence.boxes.is_empty() && evidence.page == 1);
            prop_assert!(!field.value.is_empty());
        }
    }
}
