use quire_domain::reading::{DataValue, EmbeddedData, Page};

use super::*;
use crate::made_documents::{self, page};

fn schemas() -> Vec<Schema> {
    SchemaFile::built_in().map(|file| file.schema.clone()).to_vec()
}

fn chosen(page: Page, language: &str) -> Option<String> {
    let fits = schema_fits(&[page], &schemas(), DocumentHints { language: Some(language), today: None });
    println!("{fits:?}");
    fits.into_iter().next().filter(SchemaFit::is_enough).map(|fit| fit.schema)
}

const INVOICE: &str = "ACME Suministros S.L.
C/ Mayor 12, 28013 Madrid    NIF: B12345674

FACTURA Nº F-2024/118
Fecha: 03/04/2024
Cliente: Panadería Luz S.A.
Albarán: A-331

Descripción              Cantidad   Importe
Harina de trigo                12    240,00

Base imponible                       240,00
IVA 21%                               50,40
Total factura                        290,40";

const RECORD: &str = "Clínica Veterinaria San Roque
HISTORIAL CLÍNICO
Paciente: Luna    Especie: Canina    Raza: Beagle
Sexo: Hembra    Edad: 4 años    Peso: 11,2 kg
Propietario: Ana Pérez

12/03/2024  Consulta
Diagnóstico: otitis externa
Tratamiento: limpieza y gotas";

const LETTER: &str = "Ayuntamiento de Villanueva
Plaza Mayor 1, 40001 Segovia

Segovia, 3 de abril de 2024

Estimados vecinos:
Les informamos de que el próximo sábado se celebrará la fiesta de la primavera
en el parque municipal. Habrá música, talleres y una comida popular para todos.
Quien quiera ayudar puede llamar a la oficina de cultura o pasar por allí.

Reciban un cordial saludo,
Marta Gómez, concejala de cultura";

/// Every kind of document gets its own schema, also if it mentions another kind.
#[test]
fn each_document_gets_the_schema_of_its_kind() {
    for document in made_documents::all() {
        let found = chosen(document.pages[0].clone(), document.language);
        assert_eq!(found.as_deref(), Some(document.schema), "{}", document.name);
    }
    assert_eq!(chosen(page(INVOICE), "es").as_deref(), Some("invoice"));
    assert_eq!(chosen(page(RECORD), "es").as_deref(), Some("veterinary-record"));
}

#[test]
fn without_its_name_the_values_tell_the_kind() {
    let invoice = INVOICE
        .replace("FACTURA Nº F-2024/118", "Número de documento: F-2024/118")
        .replace("Total factura", "Total a pagar");
    assert_eq!(chosen(page(&invoice), "es").as_deref(), Some("invoice"));
    let record = RECORD.replace("HISTORIAL CLÍNICO\n", "");
    assert_eq!(chosen(page(&record), "es").as_deref(), Some("veterinary-record"));
}

#[test]
fn no_schema_fits_a_letter_or_an_empty_page() {
    assert_eq!(chosen(page(LETTER), "es"), None);
    let mention = LETTER.replace("Les informamos", "Gracias por pagar su factura. Les informamos");
    assert_eq!(chosen(page(&mention), "es"), None);
    assert_eq!(chosen(Page::default(), "es"), None);
    assert_eq!(schema_fits(&[], &[], DocumentHints::default()), []);
}

/// An e-invoice without a page is an invoice.
#[test]
fn embedded_data_tells_the_kind() {
    let value = |term: &str, value: &str| DataValue {
        term: term.to_owned(),
        text: value.to_owned(),
        ..DataValue::default()
    };
    let values = vec![
        value("BT-1", "R-1"),
        value("BT-2", "2024-03-01"),
        value("BT-27", "ACME S.L."),
        value("BT-112", "121.00"),
    ];
    let data = EmbeddedData { values, ..EmbeddedData::default() };
    let page = Page { data: vec![data], ..Page::default() };
    assert_eq!(chosen(page, "es").as_deref(), Some("invoice"));
}

/// A schema of a file comes before a built-in one that fits alike.
#[test]
fn a_copy_of_a_built_in_schema_is_preferred() {
    let mut schemas = schemas();
    let mine = Schema { name: "my-invoice".to_owned(), ..made_documents::built_in("invoice") };
    schemas.push(mine);
    let fits = schema_fits(&[page(INVOICE)], &schemas, DocumentHints::default());
    assert_eq!((fits[0].schema.as_str(), fits[1].schema.as_str()), ("my-invoice", "invoice"));
    assert_eq!(fits[0].fit.total_cmp(&fits[1].fit), std::cmp::Ordering::Equal);
}
