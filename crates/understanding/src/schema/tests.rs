//! Schemas: what comes with the program, and what files may say.

mod files;

use super::*;

/// Proves R090 for the closed set of the built-in schema.
#[test]
fn the_built_in_schema_has_ten_critical_keys() {
    let schema = Schema::built_in_default();
    let critical: Vec<_> =
        schema.keys.iter().filter(|key| key.critical).map(|key| key.key.as_str()).collect();
    assert_eq!(
        critical,
        [
            "pet_name",
            "species",
            "breed",
            "sex",
            "age",
            "weight",
            "visit_date",
            "diagnosis",
            "procedure",
            "medication"
        ]
    );
    assert!(!schema.is_critical("never_heard_of"));
}

#[test]
fn every_key_is_there_once_and_well_named_and_no_label_has_two_meanings() {
    let schema = Schema::built_in_default();
    let mut names: Vec<_> = schema.keys.iter().map(|key| &key.key).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), schema.keys.len());
    assert!(names.iter().all(|name| is_key(name)), "{names:?}");
    let mut labels: Vec<_> = schema.keys.iter().flat_map(|key| &key.labels).collect();
    let count = labels.len();
    labels.sort();
    labels.dedup();
    assert_eq!(labels.len(), count);
}

#[test]
fn names_of_keys_are_snake_case() {
    for good in ["a", "pet_name", "t4_level", "x1"] {
        assert!(is_key(good), "{good}");
    }
    for bad in ["", "_", "a__b", "a_", "_a", "Pet", "4t", "pet name", "año", &"x".repeat(65)] {
        assert!(!is_key(bad), "{bad}");
    }
}

/// A key of the first generation: section, name, type, repeatable, optional, critical.
type V0 = (&'static str, &'static str, ValueType, bool, bool, bool);

#[rustfmt::skip]
const V0_KEYS: [V0; 34] = {
    use ValueType::{Date as D, String as S};
    let (case, patient, owner, visit) =
        ("Identificación del caso", "Paciente", "Propietario", "Visita / episodio");
    let (clinical, costs, review) = ("Clínico", "Costes / facturación", "Metadatos / revisión");
    [
        (case, "claim_id", S, false, false, false),
        (case, "clinic_name", S, false, false, false),
        (case, "clinic_address", S, false, false, false),
        (case, "vet_name", S, false, false, false),
        (case, "document_date", D, false, false, false),
        (patient, "pet_name", S, false, false, true),
        (patient, "species", S, false, false, true),
        (patient, "breed", S, false, false, true),
        (patient, "sex", S, false, false, true),
        (patient, "age", S, false, false, true),
        (patient, "dob", D, false, true, false),
        (patient, "microchip_id", S, false, true, false),
        (patient, "weight", S, false, false, true),
        (owner, "owner_name", S, false, false, false),
        (owner, "owner_id", S, false, true, false),
        (visit, "visit_date", D, false, false, true),
        (visit, "admission_date", D, false, true, false),
        (visit, "discharge_date", D, false, true, false),
        (visit, "reason_for_visit", S, false, false, false),
        (clinical, "diagnosis", S, true, false, true),
        (clinical, "symptoms", S, true, false, false),
        (clinical, "procedure", S, true, false, true),
        (clinical, "medication", S, true, false, true),
        (clinical, "treatment_plan", S, false, false, false),
        (clinical, "allergies", S, false, false, false),
        (clinical, "vaccinations", S, true, false, false),
        (clinical, "lab_result", S, true, false, false),
        (clinical, "imaging", S, true, false, false),
        (costs, "invoice_total", S, false, false, false),
        (costs, "covered_amount", S, false, true, false),
        (costs, "non_covered_amount", S, false, true, false),
        (costs, "line_item", S, true, false, false),
        (review, "notes", S, false, false, false),
        (review, "language", S, false, true, false),
    ]
};

/// Proves R092: the keys of the first generation, in their order, with all that is said of them.
#[test]
fn the_34_keys_of_v0_have_their_section_type_order_repeatability_and_flags() {
    let schema = Schema::built_in_default();
    let is_later = |key: &&SchemaKey| {
        ["nhc", "owner_address", "reproductive_status", "observations", "actions"].contains(&key.key.as_str())
    };
    assert_eq!(schema.keys.iter().filter(is_later).count(), 5);
    let told: Vec<V0> = V0_KEYS
        .iter()
        .zip(schema.keys.iter().filter(|key| !is_later(key)))
        .map(|((_, name, ..), key)| {
            assert_eq!(key.key, *name, "in this order");
            let section = V0_KEYS.iter().map(|v0| v0.0);
            let section = section.clone().find(|title| *title == schema.section_title(&key.section, "es"));
            (section.unwrap_or("?"), *name, key.value_type, key.repeatable, key.optional, key.critical)
        })
        .collect();
    assert_eq!(told, V0_KEYS);
    assert_eq!(schema.keys.len(), 34 + 5);
    let sections: Vec<&str> =
        schema.sections.iter().map(|part| schema.section_title(&part.id, "es")).collect();
    let mut wanted: Vec<&str> = V0_KEYS.iter().map(|key| key.0).collect();
    wanted.dedup();
    assert_eq!(sections, wanted);
}

#[test]
fn people_see_the_words_of_their_language_else_any_that_there_are() {
    let schema = Schema::built_in_default();
    let seen = |key: &str| (schema.key_title(key, "es").to_owned(), schema.key_title(key, "en").to_owned());
    assert_eq!(seen("dob"), ("Nacimiento".to_owned(), "Date of birth".to_owned()));
    assert_eq!(seen("vet_name"), ("Veterinario/a".to_owned(), "Veterinarian".to_owned()));
    assert_eq!(schema.key_title("dob", "fr"), "Date of birth");
    assert_eq!(schema.key_title("never_heard_of", "es"), "never_heard_of");
    assert_eq!(schema.title("es"), "Historial veterinario");
    let panels: Vec<&str> = schema.panels.iter().map(|panel| schema.panel_title(&panel.id, "es")).collect();
    let wanted = [
        "Centro Veterinario",
        "Paciente",
        "Propietario",
        "Visitas",
        "Notas internas",
        "Otros campos detectados",
        "Información del informe",
    ];
    assert_eq!(panels, wanted);
    assert_eq!(schema.panel_title("elsewhere", "es"), "elsewhere");
    let untold =
        schema.keys.iter().filter(|key| !key.title.contains_key("es") || !key.title.contains_key("en"));
    assert_eq!(untold.count(), 0, "every key has a title in both languages");
}

/// What a database holds from before there were files: labels as lists, no titles, sections by their Spanish names.
#[test]
fn schemas_that_were_stored_before_are_read_as_ever() {
    let old = r#"{"name":"veterinary-record","keys":[{"key":"pet_name","labels":["paciente","patient"],
        "normaliser":"pet_name","at_visits":false,"section":"Paciente","panel":"patient","value_type":"string",
        "scope":"document","repeatable":false,"critical":true,"optional":false}],
        "headings":[{"panel":"patient","words":["datos del paciente"]}],"other_labels":["telefono"]}"#;
    let schema: Schema = serde_json::from_str(old).unwrap();
    assert_eq!(schema.keys[0].labels.to_vec(), ["paciente", "patient"]);
    assert_eq!(schema.section_title(&schema.keys[0].section, "es"), "Paciente");
    assert_eq!(schema.key_title("pet_name", "es"), "pet_name");
    let again: Schema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
    assert_eq!(again, schema);
    for file in SchemaFile::built_in() {
        let stored = serde_json::to_string(&file.schema).unwrap();
        assert_eq!(serde_json::from_str::<Schema>(&stored).unwrap(), file.schema);
    }
}
