use super::*;
use crate::made_documents::{self, page};
use crate::rules::{DocumentHints, find_fields};
use crate::{SchemaFile, SchemaFormat, add_tables};

const NOTES: [(&str, &str, &str, &str, &str); 4] = [
    ("A-331", "14/03/2024", "Panadería Luz", "C/ Mayor 12", "12,50 €"),
    ("A-332", "15/03/2024", "Bar Central", "Av. Norte 3", "1.240,00 €"),
    ("B-7", "2 de abril de 2024", "Hotel Sol", "Plaza Alta 1", "99,90 €"),
    ("B-8", "03/04/2024", "Taller Ruiz", "C/ Río 5", "7,05 €"),
];

fn note(index: usize) -> Vec<Page> {
    let (number, date, customer, address, total) = NOTES[index];
    let remark = if index == 0 { "\nGarantía: dos años" } else { "" };
    vec![page(&format!(
        "NOTA DE SERVICIO\nNúmero: {number}    Fecha: {date}\nTotal: {total}\n\nCliente\nNombre: {customer}\nDirección: {address}\n\n\
         Técnico\nNombre: Ana Pérez\n{remark}\n\nPieza             Cantidad    Precio\nTornillo largo           4      1,20\n\
         Arandela plana          12      0,35\nTuerca fina              {index}      2,10\n"
    ))]
}

fn draft() -> Schema {
    draft_schema("service-note", "es", &[note(0), note(1), note(2)]).unwrap()
}

/// What the guide promises: the proposal is a valid file, and finds the values of a document that it was not made from.
#[test]
fn a_proposal_is_a_valid_schema_that_finds_the_values_of_another_document() {
    let text = draft().to_toml(1);
    let file = SchemaFile::parse("draft.toml", &text, SchemaFormat::Toml)
        .unwrap_or_else(|bad| panic!("{bad}\n{text}"));
    let pages = note(3);
    let mut fields = find_fields(&pages, &file.schema, DocumentHints { language: Some("es"), today: None });
    add_tables(&mut fields, &pages, &file.schema);
    let value = |key: &str| {
        let field = fields.iter().find(|field| field.key == key);
        let field = field.unwrap_or_else(|| panic!("{key}: {text}"));
        serde_json::to_value(&field.value).unwrap()
    };
    for (key, expected) in [
        ("numero", "B-8"),
        ("fecha", "2024-04-03"),
        ("cliente_nombre", "Taller Ruiz"),
        ("tecnico_nombre", "Ana Pérez"),
        ("direccion", "C/ Río 5"),
    ] {
        assert_eq!(value(key), serde_json::json!(expected), "{text}");
    }
    assert_eq!(value("total"), serde_json::json!(7.05));
    assert_eq!(
        value("lines")[1],
        serde_json::json!({ "pieza": "Arandela plana", "cantidad": 12, "precio": 0.35 })
    );
}

#[test]
fn a_proposal_has_the_labels_that_recur_with_their_types_and_sections() {
    let schema = draft();
    let kinds: Vec<(&str, ValueType, Normaliser)> =
        schema.keys.iter().map(|key| (key.key.as_str(), key.value_type, key.normaliser)).collect();
    let expected = [
        ("numero", ValueType::String, Normaliser::Identifier),
        ("fecha", ValueType::Date, Normaliser::Date),
        ("total", ValueType::Number, Normaliser::Sum),
        ("cliente_nombre", ValueType::String, Normaliser::Text),
        ("direccion", ValueType::String, Normaliser::Text),
        ("tecnico_nombre", ValueType::String, Normaliser::Text),
        ("lines", ValueType::Table, Normaliser::Text),
    ];
    assert_eq!(kinds, expected, "a label of one document alone is left out");
    let sections: Vec<&str> = schema.sections.iter().map(|section| section.id.as_str()).collect();
    assert_eq!(sections, [GENERAL, "cliente", "tecnico"]);
    assert_eq!(schema.names.to_vec(), ["nota de servicio"]);
    assert_eq!(schema.key("cliente_nombre").unwrap().shared_labels.to_vec(), ["nombre"]);
    assert_eq!(schema.key_title("direccion", "es"), "Dirección");
}

/// The drafts of all made documents are valid files, whatever their labels are.
#[test]
fn any_folder_gives_a_valid_file_or_none() {
    let made = made_documents::all();
    for language in ["es", "en", "de", "fr"] {
        let documents: Vec<Vec<Page>> =
            made.iter().filter(|one| one.language == language).map(|one| one.pages.clone()).collect();
        let Some(schema) = draft_schema("draft", language, &documents) else { continue };
        let text = schema.to_toml(1);
        SchemaFile::parse("draft.toml", &text, SchemaFormat::Toml)
            .unwrap_or_else(|bad| panic!("{bad}\n{text}"));
    }
    assert_eq!(draft_schema("draft", "es", &[]), None);
    assert_eq!(draft_schema("draft", "es", &[vec![page("Solo una línea de texto")]]), None);
    let one = draft_schema("draft", "es", &[vec![page("Título\nNombre: Ana")]]).unwrap();
    assert_eq!(one.keys[0].key, "nombre", "one example is enough to begin with");
}

#[test]
fn the_label_of_a_value_stands_before_it() {
    let pages = [page(
        "Título\nGrupo sanguíneo: A neg    Fecha: 03/04/2024\nImporte     1.240,00 €\nNota: A neg o B\nOtro: 7\nMás: 7",
    )];
    let label = |value: Value| label_of_value(&pages, &value);
    assert_eq!(label(Value::Text("a NEG".to_owned())).as_deref(), Some("grupo sanguineo"));
    assert_eq!(label(Value::Text("2024-04-03".to_owned())).as_deref(), Some("fecha"));
    assert_eq!(label(Value::Number(1240.0)).as_deref(), Some("importe"));
    assert_eq!(label(Value::Text("7".to_owned())), None, "two labels");
    assert_eq!(label(Value::Text("nothing".to_owned())), None);
}
