//! The built-in schemas, and schemas from databases.

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
fn keys_and_labels_of_the_built_in_schema_are_unique() {
    let schema = Schema::built_in_default();
    let mut names: Vec<_> = schema.keys.iter().map(|key| &key.key).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), schema.keys.len());
    assert!(names.iter().all(|name| is_key_name(name)), "{names:?}");
    let mut labels: Vec<_> = schema.keys.iter().flat_map(|key| &key.labels).collect();
    let count = labels.len();
    labels.sort();
    labels.dedup();
    assert_eq!(labels.len(), count);
}

#[test]
fn names_of_keys_are_snake_case() {
    for good in ["a", "pet_name", "t4_level", "x1"] {
        assert!(is_key_name(good), "{good}");
    }
    for bad in ["", "_", "a__b", "a_", "_a", "Pet", "4t", "pet name", "año", &"x".repeat(65)] {
        assert!(!is_key_name(bad), "{bad}");
    }
}

/// A key of the first generation: section of the form, name, type, repeatable, optional, critical.
type V0 = (Option<&'static str>, &'static str, ValueType, bool, bool, bool);

#[rustfmt::skip]
const V0_KEYS: [V0; 34] = {
    use ValueType::{Date as D, String as S};
    let (clinic, patient, owner) = (Some("clinic"), Some("patient"), Some("owner"));
    let (visits, notes, report) = (Some("visits"), Some("notes"), Some("report_info"));
    [
        (None, "claim_id", S, false, false, false),
        (clinic, "clinic_name", S, false, false, false),
        (clinic, "clinic_address", S, false, false, false),
        (clinic, "vet_name", S, false, false, false),
        (None, "document_date", D, false, false, false),
        (patient, "pet_name", S, false, false, true),
        (patient, "species", S, false, false, true),
        (patient, "breed", S, false, false, true),
        (patient, "sex", S, false, false, true),
        (patient, "age", S, false, false, true),
        (patient, "dob", D, false, true, false),
        (patient, "microchip_id", S, false, true, false),
        (patient, "weight", S, false, false, true),
        (owner, "owner_name", S, false, false, false),
        (None, "owner_id", S, false, true, false),
        (visits, "visit_date", D, false, false, true),
        (visits, "admission_date", D, false, true, false),
        (visits, "discharge_date", D, false, true, false),
        (visits, "reason_for_visit", S, false, false, false),
        (visits, "diagnosis", S, true, false, true),
        (visits, "symptoms", S, true, false, false),
        (visits, "procedure", S, true, false, true),
        (visits, "medication", S, true, false, true),
        (visits, "treatment_plan", S, false, false, false),
        (visits, "allergies", S, false, false, false),
        (visits, "vaccinations", S, true, false, false),
        (visits, "lab_result", S, true, false, false),
        (visits, "imaging", S, true, false, false),
        (None, "invoice_total", S, false, false, false),
        (None, "covered_amount", S, false, true, false),
        (None, "non_covered_amount", S, false, true, false),
        (None, "line_item", S, true, false, false),
        (notes, "notes", S, false, false, false),
        (report, "language", S, false, true, false),
    ]
};

/// Proves R092: the keys of the first generation, in their order, with their section of the form, type and flags.
#[test]
fn the_34_keys_of_v0_have_their_section_type_order_repeatability_and_flags() {
    let schema = Schema::built_in_default();
    let is_later = |key: &&SchemaKey| {
        ["nhc", "owner_address", "reproductive_status", "observations", "actions", "laboratory_values"]
            .contains(&key.key.as_str())
    };
    assert_eq!(schema.keys.iter().filter(is_later).count(), 6);
    let keys = schema.keys.iter().filter(|key| !is_later(key)).map(|key| {
        (key.section.as_deref(), key.key.as_str(), key.value_type, key.repeatable, key.optional, key.critical)
    });
    assert_eq!(keys.collect::<Vec<_>>(), V0_KEYS);
    assert_eq!(schema.keys.len(), 34 + 6);
}

#[test]
fn titles_are_in_the_chosen_language_or_in_any_other() {
    let schema = Schema::built_in_default();
    let seen = |key: &str| (schema.key_title(key, "es").to_owned(), schema.key_title(key, "en").to_owned());
    assert_eq!(seen("dob"), ("Nacimiento".to_owned(), "Date of birth".to_owned()));
    assert_eq!(seen("vet_name"), ("Veterinario/a".to_owned(), "Veterinarian".to_owned()));
    assert_eq!(schema.key_title("dob", "fr"), "Date of birth");
    assert_eq!(schema.key_title("never_heard_of", "es"), "never_heard_of");
    assert_eq!(schema.title("es"), "Historial veterinario");
    let sections: Vec<&str> =
        schema.sections.iter().map(|section| schema.section_title(&section.id, "es")).collect();
    let wanted = [
        "Centro Veterinario",
        "Paciente",
        "Propietario",
        "Visitas",
        "Notas internas",
        "Otros campos detectados",
        "Información del informe",
    ];
    assert_eq!(sections, wanted);
    assert_eq!(schema.section_title("elsewhere", "es"), "elsewhere");
    let untitled =
        schema.keys.iter().filter(|key| !key.title.contains_key("es") || !key.title.contains_key("en"));
    assert_eq!(untitled.count(), 0, "every key has a title in both languages");
}

/// Versions that databases have from before schema files: labels as lists, no titles, no lists of sections.
#[test]
fn a_version_stored_before_schema_files_is_still_read() {
    let old = r#"{"name":"veterinary-record","keys":[{"key":"pet_name","labels":["paciente","patient"],
        "normaliser":"pet_name","at_visits":false,"section":"Paciente","panel":"patient","value_type":"string",
        "scope":"document","repeatable":false,"critical":true,"optional":false},
        {"key":"claim_id","section":"Identificación del caso","value_type":"string"}],
        "headings":[{"panel":"patient","words":["datos del paciente"]}],"other_labels":["telefono"]}"#;
    let schema: Schema = serde_json::from_str(old).unwrap();
    assert_eq!(schema.keys[0].labels.to_vec(), ["paciente", "patient"]);
    assert_eq!((schema.keys[0].section.as_deref(), &schema.keys[1].section), (Some("patient"), &None));
    assert_eq!(schema.headings[0].section.as_deref(), Some("patient"));
    assert_eq!(schema.sections, Schema::built_in_default().sections);
    assert_eq!(schema.key_title("pet_name", "es"), "pet_name");
    let again: Schema = serde_json::from_str(&serde_json::to_string(&schema).unwrap()).unwrap();
    assert_eq!(again, schema);
    for file in SchemaFile::built_in() {
        let stored = serde_json::to_string(&file.schema).unwrap();
        assert_eq!(serde_json::from_str::<Schema>(&stored).unwrap(), file.schema);
    }
}

/// The files contain the first versions of the built-in schemas as an earlier program stored them, with panels.
#[test]
fn a_version_stored_with_panels_reads_the_same_as_one_with_sections() {
    let stored = [include_str!("tests/veterinary-record-1.json"), include_str!("tests/invoice-1.json")];
    for (file, stored) in SchemaFile::built_in().into_iter().zip(stored) {
        assert!(stored.contains("\"panels\""));
        let read = serde_json::from_str::<Schema>(stored).unwrap();
        assert_eq!(read.sections, file.schema.sections);
        let sections = |schema: &Schema| -> Vec<_> {
            // Tables and the number of the order came later.
            let is_first = |key: &&SchemaKey| key.columns.is_empty() && key.key != "order_number";
            let keys = schema.keys.iter().filter(is_first);
            keys.map(|key| (key.key.clone(), key.section.clone(), key.hidden)).collect()
        };
        assert_eq!(sections(&read), sections(&file.schema));
        if file.version <= 2 {
            assert_eq!(read, file.schema, "its labels have not changed since");
        }
    }
}
