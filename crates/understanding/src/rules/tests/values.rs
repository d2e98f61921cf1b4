//! Values that must not be confused: owners and clinics, microchips and phone numbers, doses and weights.

use super::*;
use crate::{Normaliser, Origin, SchemaKey, Scope, SectionHeading, ValueType};

/// Proves R087, R090, R093: a found value has its page and words; a key that was not found has no field.
#[test]
fn a_labelled_value_becomes_a_field_with_evidence() {
    let fields = found_in(&[
        PageBuilder::lines(&["Paciente: Luna Bella", "Teléfono: 912"]),
        PageBuilder::lines(&["Especie : canino", "RAZA:Beagle", "Peso:", "Color: negro"]),
    ]);
    let values_by_key: Vec<_> = fields.iter().map(|field| (field.key.as_str(), text(field))).collect();
    assert_eq!(values_by_key, [("pet_name", "Luna Bella"), ("species", "canino"), ("breed", "Beagle")]);
    let evidence = fields[0].evidence.as_ref().unwrap();
    assert_eq!((evidence.page, evidence.snippet.as_str()), (1, "Paciente: Luna Bella"));
    assert_eq!(evidence.boxes.len(), 2, "the words of the value");
    assert_eq!(fields[2].evidence.as_ref().unwrap().page, 2);
    assert_eq!(fields[0].mapping_id.as_deref(), Some("label_regex::paciente"));
    assert!(fields.iter().all(|field| field.is_critical && field.origin == Origin::Machine));
    let is_probability = |field: &Field| (0.0..=1.0).contains(&field.confidence);
    assert!(fields.iter().all(is_probability));
    let chip = found_in_lines(&["Microchip: 941000024680135", "Otro chip: 941000024680136"]);
    let reasons = &chip[0].evidence.as_ref().unwrap().reasons;
    assert!(!reasons.is_empty(), "a person reads why");
}

/// Proves R111.
#[test]
fn labels_match_whole_words_whatever_their_accents() {
    let fields = found_in_lines(&[
        "Visita: 01/02/2024",
        "Síntomas: tos",
        "SINTOMAS: fiebre",
        "Analítica: hemograma normal",
        "Informe: todo bien",
        "Contacto: Ana",
        "Alergias: ninguna",
        "Treatment: amoxicillin 250 mg",
        "Sex: female",
    ]);
    assert_eq!(values(&fields, "symptoms"), ["tos", "fiebre"]);
    assert_eq!(values(&fields, "lab_result"), ["hemograma normal"]);
    assert_eq!(values(&fields, "imaging"), Vec::<&str>::new());
    assert_eq!(values(&fields, "allergies"), ["ninguna"]);
    assert_eq!(values(&fields, "medication"), ["amoxicillin 250 mg"]);
    let sex = fields.iter().find(|field| field.key == "sex").unwrap();
    assert_eq!((text(sex), sex.candidate_suggestions.len()), ("hembra", 0), "female never yields macho");
}

/// Proves R110.
#[test]
fn a_labelled_line_yields_one_value_without_its_label() {
    let fields =
        found_in_lines(&["Visita: 01/02/2024", "Procedimiento: Ecografía", "Tratamiento: Se pauta reposo"]);
    assert_eq!(values(&fields, "procedure"), ["Ecografía"]);
    assert_eq!(values(&fields, "medication"), ["Se pauta reposo"]);
    assert_eq!(values(&fields, "imaging"), Vec::<&str>::new());
}

/// Proves R109.
#[test]
fn an_address_belongs_to_the_section_of_the_lines_around_it() {
    let fields = found_in_lines(&[
        "Clínica: El Olmo",
        "Dirección: Calle Uno 1, 28001 Madrid",
        "Propietario: Ana Gil",
        "Dirección: Calle Dos 2, 28002 Madrid",
    ]);
    assert_eq!(value(&fields, "clinic_address"), Some("Calle Uno 1, 28001 Madrid"));
    assert_eq!(value(&fields, "owner_address"), Some("Calle Dos 2, 28002 Madrid"));
    let fields = found_in_lines(&[
        "DATOS PERSONALES DEL CLIENTE",
        "Nombre: Ana Gil",
        "Dirección: Calle Dos 2",
        "Población: 28002 Madrid",
        "CLÍNICA",
        "Nombre: El Olmo",
        "Dirección: Calle Uno 1",
    ]);
    assert_eq!(value(&fields, "owner_name"), Some("Ana Gil"));
    assert_eq!(value(&fields, "owner_address"), Some("Calle Dos 2, 28002 Madrid"));
    assert_eq!(value(&fields, "clinic_name"), Some("El Olmo"));
    assert_eq!(value(&fields, "clinic_address"), Some("Calle Uno 1"));
    assert_eq!(value(&fields, "pet_name"), None);
}

/// Proves R106.
#[test]
fn phone_numbers_invoices_and_dates_are_no_microchips() {
    let fields = found_in_lines(&[
        "Paciente: Luna",
        "Teléfono: 655 123 456",
        "Nº factura: 202400012345678",
        "Fecha: 12/03/2019 600123123",
        "655123456",
    ]);
    assert_eq!(value(&fields, "microchip_id"), None);
    let fields = found_in_lines(&["Identificación electrónica: 941-000-012-345-678", "Tel: 655123456"]);
    assert_eq!(value(&fields, "microchip_id"), Some("941000012345678"));
    let fields = found_in_lines(&["MICR0CHIP: 941000012345678"]);
    assert_eq!(value(&fields, "microchip_id"), Some("941000012345678"), "as recognition has it");
}

/// Proves R105.
#[test]
fn doses_laboratory_results_and_prices_are_no_weights() {
    let fields = found_in_lines(&[
        "Visita: 01/02/2024",
        "Meloxicam 0,1 mg/kg cada 24 horas",
        "Glucosa 120 mg/dL",
        "Importe 45,00 EUR",
        "Dosis: 5 kg",
        "12,5 kg",
    ]);
    assert_eq!(values(&fields, "weight"), ["12.5 kg", "12.5 kg"], "the document's, and the visit's");
    assert!(fields.iter().any(|field| field.key == "weight" && field.origin == Origin::Derived));
    assert_eq!(values(&found_in_lines(&["Peso: 5 mg/kg"]), "weight"), [""], "a field without a value");
}

/// Proves R108.
#[test]
fn the_age_is_derived_from_the_date_of_birth_and_the_latest_past_visit() {
    let record =
        ["F. Nac.: 10/05/2020", "Visita: 09/05/2023", "Motivo: a", "Visita: 01/01/2099", "Motivo: b"];
    let fields = found_in_lines(&record);
    let age = fields.iter().find(|field| field.key == "age").unwrap();
    assert_eq!((text(age), age.origin), ("2", Origin::Derived));
    assert!(age.evidence.is_some() && age.mapping_id.is_none());
    let given = [&["Edad: 9 años"], &record[..]].concat();
    assert_eq!(values(&found_in_lines(&given), "age"), ["9"], "never overwritten");
    assert_eq!(values(&found_in_lines(&["F. Nac.: 10/05/2020"]), "age"), ["5"], "else by today");
    assert_eq!(
        values(&found_in_lines(&["F. Nac.: 10/05/2020", "Fecha del informe: 11/05/2022"]), "age"),
        ["2"]
    );
}

/// Proves R101 for the record number, and R103 and R104 for text without normal form.
#[test]
fn a_labelled_text_without_normal_form_becomes_a_field_without_value() {
    let fields =
        found_in_lines(&["Nº historia clínica: 22/5226", "Especie: Conejo", "Sexo: ?", "NHC: 01/02/2024"]);
    assert_eq!(value(&fields, "nhc"), Some("22/5226"));
    let species = fields.iter().find(|field| field.key == "species").unwrap();
    assert_eq!(species.value, Value::Null);
    assert_eq!(species.candidate_suggestions[0].value, Value::Text("Conejo".to_owned()));
    assert!(species.evidence.is_some());
}

#[test]
fn titles_letterheads_and_names_give_values_without_labels() {
    let fields = found_in_lines(&[
        "Hospital Veterinario Bahía - Informe de consulta",
        "Calle Alta 9 - 39990 Torre",
        "HISTORIAL COMPLETO DE: SIMBA",
        "Propietaria: Sra. Ana Gil, Plaza Baja 2, 39990 Torre",
    ]);
    assert_eq!(value(&fields, "clinic_name"), Some("Hospital Veterinario Bahía"));
    assert_eq!(value(&fields, "clinic_address"), Some("Calle Alta 9, 39990 Torre"));
    assert_eq!(value(&fields, "pet_name"), Some("Simba"));
    assert_eq!(value(&fields, "owner_name"), Some("Ana Gil"));
    assert_eq!(value(&fields, "owner_address"), Some("Plaza Baja 2, 39990 Torre"));
    let fields = found_in_lines(&["Paciente: Rocky (canino, mestizo, macho, 7 años)"]);
    let values_by_key = ["pet_name", "species", "sex", "age"].map(|key| value(&fields, key).unwrap());
    assert_eq!(values_by_key, ["Rocky", "canino", "macho", "7"]);
}

#[test]
fn values_are_found_in_the_sentences_of_a_letter() {
    let fields = found_in_lines(&[
        "Clínica Veterinaria Duero",
        "Calle Toro 8, 37990 Salamanca",
        "Estimado compañero:",
        "Remito a Lúa, perra de raza Border Collie, hembra, con microchip 941000012121212, que",
        "acudió a consulta el 28/03/2024 por vómitos de dos días.",
        "Diagnóstico: Duodenitis. Tratamiento: omeprazol 20 mg cada 24 horas.",
        "Dr. Iván Cuesta Ramos",
    ]);
    let values_by_key =
        ["species", "breed", "sex", "microchip_id", "vet_name"].map(|key| value(&fields, key).unwrap());
    assert_eq!(values_by_key, ["canino", "Border Collie", "hembra", "941000012121212", "Iván Cuesta Ramos"]);
    let visit: Vec<_> = fields.iter().filter(|field| field.visit_id.is_some()).map(text).collect();
    assert_eq!(visit, ["2024-03-28", "vómitos de dos días", "Duodenitis", "omeprazol 20 mg cada 24 horas"]);
}

#[test]
fn labels_in_two_languages_give_one_value() {
    let fields = found_in_lines(&[
        "Nombre / Name: Nube",
        "Especie / Species: Felina / Feline",
        "Propietario / Owner: Iria Castro Pena",
        "Dirección / Address: Rúa Nova 5, 15990 Santiago",
    ]);
    let values_by_key: Vec<_> = fields.iter().map(|field| (field.key.as_str(), text(field))).collect();
    let wanted = [
        ("pet_name", "Nube"),
        ("species", "felino"),
        ("owner_name", "Iria Castro Pena"),
        ("owner_address", "Rúa Nova 5, 15990 Santiago"),
    ];
    assert_eq!(values_by_key, wanted);
}

/// Proves R112.
#[test]
fn at_most_five_suggestions_are_kept_most_confident_first() {
    let breeds = ["Beagle", "beagle", "Galgo", "Boxer", "Dogo", "Akita", "Husky", "Collie"];
    let lines: Vec<String> = breeds.iter().map(|breed| format!("Raza: {breed}")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let fields = found_in_lines(&lines);
    assert_eq!(text(&fields[0]), "Beagle");
    let suggested: Vec<_> = fields[0].candidate_suggestions.iter().map(|one| one.value.clone()).collect();
    let wanted = ["Akita", "Boxer", "Collie", "Dogo", "Galgo"].map(|breed| Value::Text(breed.to_owned()));
    assert_eq!(suggested, wanted);
    let alone = serde_json::to_value(&found_in_lines(&["Raza: Beagle"])[0]).unwrap();
    assert!(alone.get("candidate_suggestions").is_none(), "absent when there are none");
}

/// The same rules extract the fields of an invoice: no rule is made for one schema.
#[test]
fn another_schema_works_by_the_same_rules() {
    let key = |key: &str, labels: &[&str], normaliser: Normaliser| SchemaKey {
        key: key.to_owned(),
        labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        value_type: if normaliser == Normaliser::Date { ValueType::Date } else { ValueType::String },
        normaliser,
        ..SchemaKey::default()
    };
    let schema = Schema {
        name: "invoice".to_owned(),
        keys: vec![
            key("number", &["factura no", "invoice number"], Normaliser::Identifier),
            key("issued", &["fecha", "date"], Normaliser::Date),
            SchemaKey {
                section: Some("seller".to_owned()),
                shared_labels: vec!["nombre".to_owned()].into(),
                ..key("seller", &[], Normaliser::Institution)
            },
            SchemaKey {
                section: Some("buyer".to_owned()),
                shared_labels: vec!["nombre".to_owned()].into(),
                ..key("buyer", &[], Normaliser::Person)
            },
            SchemaKey { repeatable: true, ..key("item", &["concepto"], Normaliser::Text) },
            key("total", &["total", "total a pagar"], Normaliser::Amount),
        ],
        headings: vec![
            SectionHeading { section: Some("seller".to_owned()), words: vec!["emisor".to_owned()].into() },
            SectionHeading { section: Some("buyer".to_owned()), words: vec!["cliente".to_owned()].into() },
        ],
        other_labels: vec!["precio".to_owned()].into(),
        ..Schema::default()
    };
    let mut paper = PageBuilder::new();
    paper.text_at(50.0, 50.0, "Factura nº: F-2024/17");
    paper.text_at(300.0, 50.0, "Fecha: 3/4/2024");
    paper.text_at(50.0, 80.0, "Emisor");
    paper.text_at(300.0, 80.0, "Cliente");
    paper.text_at(50.0, 94.0, "Nombre: Talleres Sol");
    paper.text_at(300.0, 94.0, "Nombre: Ana Gil");
    paper.row(130.0, &[(50.0, "Concepto"), (400.0, "Precio")]);
    paper.row(146.0, &[(50.0, "Cambio de aceite"), (400.0, "60,00 €")]);
    paper.row(162.0, &[(50.0, "Dos bujías"), (400.0, "18,50 €")]);
    paper.text_at(50.0, 200.0, "Total a pagar: 78,50 €");
    let fields = find_fields(&[paper.page()], &schema, DocumentHints::default());
    let values_by_key: Vec<_> = fields.iter().map(|field| (field.key.as_str(), text(field))).collect();
    let wanted = [
        ("number", "F-2024/17"),
        ("issued", "2024-04-03"),
        ("seller", "Talleres Sol"),
        ("buyer", "Ana Gil"),
        ("item", "Cambio de aceite"),
        ("item", "Dos bujías"),
        ("total", "78,50 €"),
    ];
    assert_eq!(values_by_key, wanted);
    assert!(schema.keys.iter().all(|key| key.scope == Scope::Document));
}

/// A page number is no value, also in the middle of the text about a visit.
#[test]
fn a_page_number_is_no_value() {
    let first =
        PageBuilder::lines(&["Paciente: Luna", "Visita 03/02/2024", "Exploración: mucosas rosadas, alerta"]);
    for number in ["Página 2 de 2", "Pág. 2", "Page 2 of 2", "Page 2"] {
        let second = PageBuilder::lines(&[number, "Diagnóstico: otitis externa"]);
        let fields = found_in(&[first.clone(), second]);
        assert!(
            fields.iter().all(|field| !text(field).contains('2') || field.key.ends_with("date")),
            "{fields:#?}"
        );
        assert_eq!(values(&fields, "diagnosis"), ["otitis externa"]);
    }
}
