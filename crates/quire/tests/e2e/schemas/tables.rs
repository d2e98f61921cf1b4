//! Values that are tables: found, shown, edited and exported.

use quire_testkit::documents::{Font, PageContent, Pdf};
use serde_json::json;

use super::processed_data;
use crate::program::Cli;
use crate::record::{edit, field};
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::form::Form;

on_both_stores! {
    line_items_are_found_edited_and_exported_as_a_table,
    laboratory_values_of_a_record_are_found_and_edited_as_a_table,
    fields_of_a_form_are_values_of_the_keys_that_their_names_mean,
}

/// An invoice with a table of items.
fn invoice() -> Vec<u8> {
    let mut page = PageContent::default();
    let mut y = 780.0;
    for line in [
        "Factura de suministros para la cocina del restaurante",
        "Número de factura: F-7",
        "Fecha: 03/04/2024",
    ] {
        page.text(Font::Regular, 11.0, (50.0, y), line);
        y -= 16.0;
    }
    y -= 30.0;
    for row in [
        ["Descripción", "Cantidad", "Precio", "Importe"],
        ["Harina de trigo", "12", "20,00", "240,00"],
        ["Levadura fresca", "4", "1,50", "6,00"],
        ["Aceite de oliva", "2", "8,25", "16,50"],
    ] {
        for (x, cell) in [50.0, 250.0, 340.0, 440.0].into_iter().zip(row) {
            page.text(Font::Regular, 11.0, (x, y), cell);
        }
        y -= 16.0;
    }
    Pdf::of_pages(&[page.into_string()]).file()
}

async fn line_items_are_found_edited_and_exported_as_a_table(env: &TestEnv) {
    let server = env.cli.serve();
    let id = Form::file("a.pdf", &invoice()).send(&server, "/documents/upload?schema=invoice").document_id();
    let data = processed_data(env, &server, id).await;
    let found = field(&data, "line_items");
    let rows = json!([
        { "description": "Harina de trigo", "quantity": 12, "unit_price": 20, "amount": 240 },
        { "description": "Levadura fresca", "quantity": 4, "unit_price": 1.5, "amount": 6 },
        { "description": "Aceite de oliva", "quantity": 2, "unit_price": 8.25, "amount": 16.5 },
    ]);
    assert_eq!((&found["value"], &found["value_type"]), (&rows, &json!("table")));
    assert_eq!(found["evidence"]["boxes"].as_array().unwrap().len(), 3);
    let table = &server.json(&format!("/documents/{id}/pages/1"))["tables"][0];
    assert_eq!(table["rows"][2], json!(["Levadura fresca", "4", "1,50", "6,00"]), "{table}");
    let is_price = |cell: &&serde_json::Value| (&cell["row"], &cell["column"]) == (&json!(2), &json!(2));
    let price = table["cells"].as_array().unwrap().iter().find(is_price).unwrap();
    assert_eq!(price["text"], "1,50");
    let page = server.get(&format!("/app/documents/{id}")).body;
    assert!(page.contains("<td>Levadura fresca</td>") && page.contains("data-columns="), "{page}");

    let run = env.wait_until_completed(id).await.id.to_string();
    let change = |content: serde_json::Value| {
        let mut change = json!({ "op": "UPDATE", "field_id": found["field_id"] });
        change.as_object_mut().unwrap().extend(content.as_object().unwrap().clone());
        json!([change])
    };
    let wrong = json!({ "value": [{ "quantity": "two" }], "value_type": "table" });
    let typed = json!({ "text": r#"[{"description":"Sal","quantity":"1,5","amount":"zero"}]"# });
    for (content, message) in [
        (wrong, "changes[0].value: row 1, quantity: must be a number, such as 4.5, or null"),
        (typed, "changes[0].text: row 1, amount: must be a number, such as 4.5"),
        (json!({ "value": [{ "colour": "red" }] }), "row 1 has no column colour"),
    ] {
        let refused = edit(&server, &run, 1, &change(content));
        assert_eq!(
            (refused.status, &refused.body["error_code"]),
            (400, &json!("INVALID_REQUEST")),
            "{}",
            refused.body
        );
        assert!(refused.body["message"].as_str().unwrap().contains(message), "{}", refused.body);
    }
    let typed = json!({ "text": r#"[{"description":"Sal","quantity":"1,5","amount":2}]"# });
    let edited = edit(&server, &run, 1, &change(typed));
    assert_eq!(edited.status, 201, "{}", edited.body);
    let sal = json!([{ "description": "Sal", "quantity": 1.5, "amount": 2 }]);
    assert_eq!(field(&edited.body["data"], "line_items")["value"], sal);

    let exported = server.get("/documents/export?format=jsonl").body;
    assert!(exported.contains(r#"{"amount":2,"description":"Sal","quantity":1.5}"#), "{exported}");
    let exported = server.get("/documents/export?format=csv").body;
    assert!(
        exported.contains(r#""[{""amount"":2,""description"":""Sal"",""quantity"":1.5}]""#),
        "{exported}"
    );
}

/// A veterinary record with the results of a laboratory.
fn record() -> Vec<u8> {
    let mut page = PageContent::default();
    let mut y = 780.0;
    for line in
        ["Clínica Veterinaria Los Olmos", "Paciente: Luna", "Especie: canina", "Visita del 12/03/2024"]
    {
        page.text(Font::Regular, 11.0, (50.0, y), line);
        y -= 16.0;
    }
    y -= 30.0;
    for row in [
        ["Prueba", "Resultado", "Unidades", "Valores de referencia"],
        ["Glucosa", "92", "mg/dl", "70 - 143"],
        ["Creatinina", "1,4", "mg/dl", "0,5 - 1,8"],
        ["Urea", "31", "mg/dl", "15 - 57"],
    ] {
        for (x, cell) in [50.0, 200.0, 300.0, 400.0].into_iter().zip(row) {
            page.text(Font::Regular, 11.0, (x, y), cell);
        }
        y -= 16.0;
    }
    Pdf::of_pages(&[page.into_string()]).file()
}

async fn laboratory_values_of_a_record_are_found_and_edited_as_a_table(env: &TestEnv) {
    let server = env.cli.serve();
    let id = Form::file("a.pdf", &record()).send(&server, "/documents/upload").document_id();
    let data = processed_data(env, &server, id).await;
    let found = field(&data, "laboratory_values");
    let creatinine =
        json!({ "test": "Creatinina", "result": "1,4", "unit": "mg/dl", "reference_range": "0,5 - 1,8" });
    assert_eq!((&found["value"][1], &found["value_type"]), (&creatinine, &json!("table")));
    let page = server.get(&format!("/app/documents/{id}")).body;
    assert!(page.contains("<td>Creatinina</td>") && page.contains("data-columns="), "{page}");
    let run = env.wait_until_completed(id).await.id.to_string();
    let changes = json!([{
        "op": "UPDATE", "field_id": found["field_id"], "text": r#"[{"test":"Urea","result":"33"}]"#,
    }]);
    let edited = edit(&server, &run, 1, &changes);
    assert_eq!(edited.status, 201, "{}", edited.body);
    let urea = json!([{ "test": "Urea", "result": "33" }]);
    assert_eq!(field(&edited.body["data"], "laboratory_values")["value"], urea);
}

/// The names of the fields of a PDF form are like labels of the schema, which names no terms for them.
async fn fields_of_a_form_are_values_of_the_keys_that_their_names_mean(env: &TestEnv) {
    let mut page = PageContent::default();
    page.text(Font::Regular, 11.0, (50.0, 780.0), "Factura de servicios prestados durante el mes de marzo");
    let mut pdf = Pdf::of_pages(&[page.into_string()]);
    pdf.replace(
        1,
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [<< /FT /Tx /T (form1[0].NumeroFactura[0]) /V (F-77) >> \
         << /FT /Tx /T (fechaVencimiento) /V (4/3/2024) >> << /FT /Tx /T (Text12) /V (nothing) >>] >> >>",
    );
    let server = env.cli.serve();
    let id = Form::file("a.pdf", &pdf.file()).send(&server, "/documents/upload?schema=invoice").document_id();
    let data = processed_data(env, &server, id).await;
    for (key, value) in [("invoice_number", "F-77"), ("due_date", "2024-03-04")] {
        let found = field(&data, key);
        assert_eq!((&found["value"], &found["origin"]), (&json!(value), &json!("embedded")), "{found}");
    }
}

/// Proves that `quire read --tables` prints the same tables without a server.
#[test]
fn tables_are_printed_by_the_command_line() {
    let cli = Cli::new();
    std::fs::write(cli.path("a.pdf"), invoice()).unwrap();
    let csv = cli.run_ok(&["read", "--tables", "csv", "a.pdf"]);
    assert!(csv.contains("Descripción,Cantidad,Precio,Importe\n"), "{csv}");
    assert!(csv.contains("Levadura fresca,4,\"1,50\",\"6,00\"\n"), "{csv}");
    let json = cli.run_ok(&["read", "--tables", "json", "a.pdf"]);
    let table: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((&table["file"], &table["table"]), (&json!("a.pdf"), &json!(1)), "{table}");
    assert_eq!(table["rows"][3], json!(["Aceite de oliva", "2", "8,25", "16,50"]));
}
