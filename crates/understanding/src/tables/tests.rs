use quire_domain::reading::{AnalysedCell, DataValue, PlacedText};

use super::*;
use crate::made_documents::{self, built_in, page};

fn value(fields: &[Field], key: &str) -> serde_json::Value {
    let field = fields.iter().find(|field| field.key == key).unwrap();
    assert_eq!(field.value_type, ValueType::Table);
    serde_json::to_value(&field.value).unwrap()
}

fn found(pages: &[Page], schema: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    add_tables(&mut fields, pages, &built_in(schema));
    fields
}

const INVOICE: &str = "FACTURA F-1
Descripción              Cantidad   Precio    Importe
Harina de trigo                12    20,00     240,00
Levadura fresca                 4     1,50       6,00
Transporte                              ?       35,00
Base imponible                                 281,00
IVA 21%                                         59,01
Total factura                                  340,01";

#[test]
fn line_items_are_rows_with_typed_cells_and_totals_are_none() {
    let fields = found(&[page(INVOICE)], "invoice");
    let expected = serde_json::json!([
        { "description": "Harina de trigo", "quantity": 12, "unit_price": 20, "amount": 240 },
        { "description": "Levadura fresca", "quantity": 4, "unit_price": 1.5, "amount": 6 },
        { "description": "Transporte", "amount": 35 },
    ]);
    assert_eq!(value(&fields, "line_items"), expected);
    let field = &fields[0];
    assert!(field.confidence > 0.8 && field.confidence < 0.95, "one cell is no number: {}", field.confidence);
    let evidence = field.evidence.as_ref().unwrap();
    assert_eq!((evidence.page, evidence.boxes.len()), (1, 3), "a box for each row");
    assert_eq!(evidence.snippet, "Descripción | Cantidad | Precio | Importe");
    let reasons: Vec<&str> = evidence.reasons.iter().map(|reason| reason.feature.as_str()).collect();
    assert_eq!(reasons, ["table_head", "cells_unread"], "all columns are there, but one cell is no number");
    assert_eq!(field.mapping_id.as_deref(), Some("table::line_items"));
}

/// A table of a service fills the key that has none, and never replaces one of the pages.
#[test]
fn a_table_of_a_service_fills_a_key_without_a_value() {
    let rows =
        [["Descripción", "Cantidad", "Importe"], ["Harina", "12", "240,00"], ["Levadura", "4", "6,00"]];
    let cell = |row: usize, column: usize| AnalysedCell {
        row: u32::try_from(row).unwrap(),
        column: u32::try_from(column).unwrap(),
        row_span: 1,
        column_span: 1,
        is_heading: row == 0,
        content: PlacedText {
            text: rows[row][column].to_owned(),
            page: 2,
            boxes: vec![Rect { x0: 10.0, y0: 10.0, x1: 20.0, y1: 20.0 }],
        },
    };
    let cells = (0..9).map(|place| cell(place / 3, place % 3)).collect();
    let table = AnalysedTable { rows: 3, columns: 3, cells };
    let schema = built_in("invoice");
    let mut fields = Vec::new();
    add_analysed_tables(&mut fields, std::slice::from_ref(&table), &[], &schema);
    let expected = serde_json::json!([
        { "description": "Harina", "quantity": 12, "amount": 240 },
        { "description": "Levadura", "quantity": 4, "amount": 6 },
    ]);
    assert_eq!(value(&fields, "line_items"), expected);
    assert_eq!(fields[0].evidence.as_ref().unwrap().page, 2);

    let mut fields = found(&[page(INVOICE)], "invoice");
    let before = fields.clone();
    add_analysed_tables(&mut fields, &[table], &[], &schema);
    assert_eq!(fields, before);
}

/// Cell F1 over the laboratory reports and receipts that the tests make.
#[test]
fn tables_of_made_documents_are_found() {
    let (mut right, mut wanted, mut all) = (0, 0, 0);
    for document in made_documents::all() {
        let fields = found(&document.pages, document.schema);
        let Some(truth) = made_documents::table_of(&document) else { continue };
        let key = built_in(document.schema)
            .keys
            .into_iter()
            .find(|key| key.value_type == ValueType::Table)
            .unwrap();
        let rows: Vec<TableRow> = fields
            .iter()
            .find(|field| field.key == key.key)
            .map(|field| match &field.value {
                Value::Table(rows) => rows.clone(),
                _ => Vec::new(),
            })
            .unwrap_or_default();
        wanted += truth.iter().map(TableRow::len).sum::<usize>();
        all += rows.iter().map(TableRow::len).sum::<usize>();
        for (row, truth) in rows.iter().zip(&truth) {
            right += truth.iter().filter(|(column, cell)| row.get(*column) == Some(cell)).count();
        }
        if rows != truth {
            println!("{}: {rows:?} instead of {truth:?}", document.name);
        }
    }
    #[allow(clippy::cast_precision_loss)] // A few hundred cells.
    let f1 = (2 * right) as f64 / (wanted + all) as f64;
    println!("tables of schemas: cell F1 {f1:.3}");
    assert!(wanted > 70 && f1 >= 0.95, "cell F1 {f1:.3} of {wanted} cells");
}

#[test]
fn a_table_goes_on_over_pages_and_other_tables_are_left_alone() {
    let mut first = "LABORBEFUND\nUntersuchung          Ergebnis    Einheit    Referenzbereich\n".to_owned();
    let mut second = "\nUntersuchung          Ergebnis    Einheit    Referenzbereich\n".to_owned();
    for number in 10..64 {
        let row = format!("Wert Nummer {number}             {number}    mg/dl      70 - 100\n");
        first.push_str(&row);
        second.push_str(&row.replace("Wert", "Zahl"));
    }
    let fields = found(&[page(&first), page(&second)], "laboratory-report");
    let Value::Table(rows) = &fields[0].value else { panic!() };
    assert_eq!(rows.len(), 108);
    assert_eq!(rows[107]["test"], Value::Text("Zahl Nummer 63".to_owned()));
    let other = "LISTE\nName            Ort          Telefon\nAnna            Köln         0221\nBen             Bonn         0228\n";
    assert_eq!(found(&[page(other)], "laboratory-report"), []);
}

#[test]
fn lines_of_an_e_invoice_are_the_table() {
    let value_of = |term: &str, text: &str, group: u32| DataValue {
        term: term.to_owned(),
        text: text.to_owned(),
        group,
        ..DataValue::default()
    };
    let values = vec![
        value_of("BT-1", "R-1", 0),
        value_of("BT-153", "Mehl", 1),
        value_of("BT-129", "12.0", 1),
        value_of("BT-131", "240.00", 1),
        value_of("BT-153", "Hefe", 2),
        value_of("BT-131", "6.00", 2),
    ];
    let data = EmbeddedData { values, file: "factur-x.xml".to_owned(), ..EmbeddedData::default() };
    let fields = found(&[Page { data: vec![data], ..page(INVOICE) }], "invoice");
    assert_eq!(fields[0].origin, Origin::Embedded);
    let expected = serde_json::json!([
        { "description": "Mehl", "quantity": 12, "amount": 240 },
        { "description": "Hefe", "amount": 6 },
    ]);
    assert_eq!(value(&fields, "line_items"), expected);
}

/// A value of a person, or of an earlier step, stays.
#[test]
fn a_key_that_has_a_table_keeps_it() {
    let mut fields = vec![Field::new("line_items", Value::Null, ValueType::Table, Origin::Human, 0.5)];
    add_tables(&mut fields, &[page(INVOICE)], &built_in("invoice"));
    assert_eq!((fields.len(), &fields[0].value), (1, &Value::Null));
}

/// The dates of a table are read as the other dates of the document are written.
#[test]
fn dates_in_tables_follow_the_order_of_the_document() {
    let mut schema = built_in("invoice");
    let table = schema.keys.iter_mut().find(|key| key.value_type == ValueType::Table).unwrap();
    let day = table.columns.iter_mut().find(|column| column.key == "quantity").unwrap();
    (day.normaliser, day.value_type) = (crate::Normaliser::Date, ValueType::Date);
    let text = |other: &str| {
        format!(
            "INVOICE 7 of {other}\nDescription              Quantity     Price    Amount\n\
             Consulting               03/04/2024   20.00    240.00\n\
             Travel                   03/05/2024   15.00     35.00"
        )
    };
    for (other, wanted) in [("03/28/2024", "2024-03-04"), ("28/03/2024", "2024-04-03")] {
        let mut fields = Vec::new();
        add_tables(&mut fields, &[page(&text(other))], &schema);
        assert_eq!(value(&fields, "line_items")[0]["quantity"], wanted, "{other}");
    }
}

const RECORD: &str = "CLÍNICA VETERINARIA SOL
Paciente: Luna
Bioquímica 12/03/2024
Prueba              Resultado    Unidades    Valores de referencia
Glucosa             92           mg/dl       70 - 143
Creatinina          1,4          mg/dl       0,5 - 1,8
Cultivo             negativo
Producto            Unidades     Referencia
Pienso              2            A-113";

/// The laboratory values of a veterinary record are a table, also where a cell is no number, and other tables are none.
#[test]
fn the_laboratory_values_of_a_record_are_rows() {
    let fields = found(&[page(RECORD)], "veterinary-record");
    let rows = value(&fields, "laboratory_values");
    let first = serde_json::json!(
        { "test": "Glucosa", "result": "92", "unit": "mg/dl", "reference_range": "70 - 143" }
    );
    assert_eq!(rows[0], first);
    assert_eq!(rows[1]["result"], "1,4");
    let other = "Producto            Unidades     Referencia
Pienso              2            A-113
Collar              1            B-7";
    assert!(found(&[page(other)], "veterinary-record").is_empty());
}
