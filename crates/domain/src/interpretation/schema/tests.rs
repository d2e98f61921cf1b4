//! Schemas: what comes with the program, and what files may say.

use super::*;

/// Proves R090 for the closed set of the built-in schema.
#[test]
fn the_built_in_schema_has_ten_critical_keys() {
    let schema = Schema::veterinary();
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
    let schema = Schema::veterinary();
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

/// The file says what the table said.
#[test]
fn the_file_of_veterinary_records_says_what_the_table_said() {
    let (file, table) = (Schema::veterinary(), super::super::veterinary::schema());
    let sorted = |words: &Words| {
        let mut words = words.to_vec();
        words.sort();
        words
    };
    assert_eq!(sorted(&file.other_labels), sorted(&table.other_labels));
    assert_eq!(file.headings.len(), table.headings.len());
    for (one, two) in file.headings.iter().zip(&table.headings) {
        assert_eq!((&one.panel, sorted(&one.words)), (&two.panel, sorted(&two.words)));
    }
    assert_eq!(file.keys.len(), table.keys.len());
    for (one, two) in file.keys.iter().zip(&table.keys) {
        for (one, two) in [
            (&one.labels, &two.labels),
            (&one.shared_labels, &two.shared_labels),
            (&one.continued_by, &two.continued_by),
            (&one.lead_ins, &two.lead_ins),
            (&one.cues, &two.cues),
        ] {
            assert_eq!(sorted(one), sorted(two));
        }
        assert_eq!(file.section_title(&one.section, "es"), two.section);
        let bare = |key: &SchemaKey| SchemaKey {
            title: Titles::new(),
            labels: Words::default(),
            shared_labels: Words::default(),
            continued_by: Words::default(),
            lead_ins: Words::default(),
            cues: Words::default(),
            section: String::new(),
            ..key.clone()
        };
        assert_eq!(bare(one), bare(two));
    }
}
