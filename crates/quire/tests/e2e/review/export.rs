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
    for wrong in ["format=xlsx", "status=DONE"] {
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
