//! Exporting values as CSV and JSON lines.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::http::Response;
use crate::program::TestServer;
use crate::record::{RECORD, active_data, edit, field, process_record};
use crate::test_env::{TestEnv, on_both_stores};
use crate::uploads::form::Form;

on_both_stores! {
    active_values_are_exported_as_csv_and_as_json_lines,
    an_export_has_every_document_once_however_many_there_are,
    no_cell_of_an_export_is_a_formula_whatever_separates_cells,
    a_table_has_one_row_per_document_if_asked_and_may_be_a_workbook,
}

fn export(server: &TestServer, query: &str) -> Response {
    let got = server.get(&format!("/documents/export?{query}"));
    assert_eq!(got.status, 200, "{}", got.body);
    got.map(|body| unchunked(&body))
}

/// Decodes a chunked body.
fn unchunked(sent: &str) -> String {
    let (mut body, mut rest) = (String::new(), sent);
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        body.push_str(&after[..size]);
        rest = after[size..].strip_prefix("\r\n").unwrap();
        if size == 0 {
            break;
        }
    }
    body
}

fn lines(response: &Response) -> Vec<Value> {
    response.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn active_values_are_exported_as_csv_and_as_json_lines(env: &TestEnv) {
    let server = env.cli.serve();
    let nothing = export(&server, "format=csv");
    assert_eq!(nothing.body.lines().count(), 1, "only the heading: {}", nothing.body);
    let (first, run) = process_record(env, &server).await;
    let (second, _) = process_record(env, &server).await;
    let luna = active_data(&server, first);
    let luna = field(&luna, "pet_name")["field_id"].clone();
    let change = json!([{ "op": "UPDATE", "field_id": luna, "value": "=HYPERLINK(\"x\"), \"Lola\"" }]);
    assert_eq!(edit(&server, &run, 1, &change).status, 201);

    let csv = export(&server, "format=csv");
    assert!(
        csv.head.contains("content-type: text/csv") && csv.head.contains("quire-export.csv"),
        "{}",
        csv.head
    );
    let rows: Vec<&str> = csv.body.lines().collect();
    assert!(rows[0].starts_with("document_id,original_filename,"), "{}", rows[0]);
    assert_eq!(rows.len(), 1 + 2 * 9, "one line per value");
    assert!(rows[1].starts_with(&second.to_string()), "the newest first");
    assert!(csv.body.contains(",pet_name,\"'=HYPERLINK(\"\"x\"\"), \"\"Lola\"\"\",string,"), "{}", csv.body);

    let documents = lines(&export(&server, "format=jsonl"));
    assert_eq!(documents.len(), 2);
    assert_eq!((&documents[1]["document_id"], &documents[1]["version_number"]), (&json!(first), &json!(2)));
    assert_eq!(field(&documents[1], "pet_name")["origin"], "human");
    assert_eq!(lines(&export(&server, "format=jsonl&status=FAILED")), Vec::<Value>::new());
    assert_eq!(lines(&export(&server, "format=jsonl&q=RECORD")).len(), 2);
    assert_eq!(lines(&export(&server, "format=jsonl&q=other")).len(), 0);
    for wrong in ["format=ods", "status=DONE", "rows=pages", "bom=yes"] {
        assert_eq!(server.get(&format!("/documents/export?{wrong}")).status, 400, "{wrong}");
    }
}

async fn an_export_has_every_document_once_however_many_there_are(env: &TestEnv) {
    let server = env.cli.serve();
    let mut uploaded = BTreeSet::new();
    for number in 0..205 {
        let text = format!("{}\nExpediente: {number}\n", RECORD.join("\n"));
        let response = Form::file("record.txt", text.as_bytes()).send(&server, "/documents/upload");
        uploaded.insert(response.document_id().to_string());
    }
    for id in &uploaded {
        env.wait_for_latest_run(id.parse().unwrap()).await;
    }
    let documents = lines(&export(&server, "format=jsonl"));
    assert_eq!(documents.len(), uploaded.len(), "each document once");
    let exported: BTreeSet<_> =
        documents.iter().map(|document| document["document_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(exported, uploaded);
}

/// What was seen before: this reason became the formula `=1+1` where semicolons separate cells.
async fn no_cell_of_an_export_is_a_formula_whatever_separates_cells(env: &TestEnv) {
    let server = env.cli.serve();
    let (id, run) = process_record(env, &server).await;
    let reason = field(&active_data(&server, id), "reason_for_visit")["field_id"].clone();
    let change = json!([{ "op": "UPDATE", "field_id": reason, "value": "revisión anual;=1+1;fin" }]);
    assert_eq!(edit(&server, &run, 1, &change).status, 201);
    for rows in ["values", "documents"] {
        let csv = export(&server, &format!("format=csv&rows={rows}")).body;
        assert!(csv.contains("revisión anual;'=1+1;fin"), "{csv}");
        for separator in [',', ';', '\t', '|'] {
            let mut cells = csv.split([separator, '\n']).map(|cell| cell.trim_matches(['"', ' ']));
            assert!(!cells.any(|cell| cell.starts_with('=')), "{separator:?}: {csv}");
        }
    }
}

async fn a_table_has_one_row_per_document_if_asked_and_may_be_a_workbook(env: &TestEnv) {
    let server = env.cli.serve();
    let (first, run) = process_record(env, &server).await;
    let (second, _) = process_record(env, &server).await;
    let change = json!([
        { "op": "ADD", "key": "blood_group", "value": "=A" },
        { "op": "ADD", "key": "notes", "value": "otra nota" },
    ]);
    assert_eq!(edit(&server, &run, 1, &change).status, 201);

    let plain = export(&server, "format=csv&rows=documents").body;
    let marked = export(&server, "format=csv&rows=documents&bom=true").body;
    assert_eq!(marked.strip_prefix('\u{feff}'), Some(plain.as_str()));
    let lines: Vec<&str> = plain.lines().collect();
    assert_eq!(lines.len(), 3, "{plain}");
    let columns: Vec<&str> = lines[0].split(',').collect();
    for key in ["pet_name", "blood_group", "notes"] {
        assert_eq!(columns.iter().filter(|column| **column == key).count(), 1, "{key}: {columns:?}");
    }
    assert!(lines[1].starts_with(&second.to_string()) && lines[2].starts_with(&first.to_string()));
    assert!(lines[2].contains("vuelve dentro de dos semanas; otra nota"), "{plain}");
    assert!(lines[2].contains("'=A"), "{plain}");

    for (rows, count) in [("values", 1 + 9 + 11), ("documents", 3)] {
        let got = server.get_bytes(&format!("/documents/export?format=xlsx&rows={rows}"));
        assert_eq!(got.status, 200);
        assert!(got.head.contains("quire-export.xlsx"), "{}", got.head);
        let mut file = zip::ZipArchive::new(std::io::Cursor::new(got.body)).unwrap();
        let mut part = |name: &str| std::io::read_to_string(file.by_name(name).unwrap()).unwrap();
        let sheet = part("xl/worksheets/sheet1.xml");
        assert_eq!(sheet.matches("<row ").count(), count, "{rows}");
        assert!(!sheet.contains("<f>") && !sheet.contains("<f "), "no cell is a formula");
        assert!(part("xl/sharedStrings.xml").contains(">=A<"), "text stays as it is");
    }
}
