//! Taking many values out at once.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{RECORD, edit, field, review, understood};
use crate::http::Answer;
use crate::program::Server;
use crate::scene::{Scene, on_both_stores};
use crate::uploading::form::Form;

on_both_stores! {
    active_values_are_exported_as_csv_and_as_json_lines,
    an_export_has_every_document_once_however_many_there_are,
}

fn export(server: &Server, query: &str) -> Answer {
    let got = server.get(&format!("/documents/export?{query}"));
    assert_eq!(got.status, 200, "{}", got.body);
    got.map(|body| unchunked(&body))
}

/// The body as it was before it was sent in chunks.
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

fn lines(answer: &Answer) -> Vec<Value> {
    answer.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn active_values_are_exported_as_csv_and_as_json_lines(scene: &Scene) {
    let server = scene.quire.serve();
    let nothing = export(&server, "format=csv");
    assert_eq!(nothing.body.lines().count(), 1, "the names of the columns: {}", nothing.body);
    let (first, run) = understood(scene, &server).await;
    let (second, _) = understood(scene, &server).await;
    let luna = review(&server, first)["active_interpretation"]["data"].clone();
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
    assert_eq!(rows.len(), 1 + 2 * 9, "a line for each value");
    assert!(rows[1].starts_with(&second.to_string()), "the newest first");
    assert!(csv.body.contains(",pet_name,\"'=HYPERLINK(\"\"x\"\"), \"\"Lola\"\"\",string,"), "{}", csv.body);

    let told = lines(&export(&server, "format=jsonl"));
    assert_eq!(told.len(), 2);
    assert_eq!((&told[1]["document_id"], &told[1]["version_number"]), (&json!(first), &json!(2)));
    assert_eq!(field(&told[1], "pet_name")["origin"], "human");
    assert_eq!(lines(&export(&server, "format=jsonl&status=FAILED")), Vec::<Value>::new());
    assert_eq!(lines(&export(&server, "format=jsonl&q=RECORD")).len(), 2);
    assert_eq!(lines(&export(&server, "format=jsonl&q=other")).len(), 0);
    for wrong in ["format=xlsx", "status=DONE"] {
        assert_eq!(server.get(&format!("/documents/export?{wrong}")).status, 400, "{wrong}");
    }
}

async fn an_export_has_every_document_once_however_many_there_are(scene: &Scene) {
    let server = scene.quire.serve();
    let mut taken = BTreeSet::new();
    for number in 0..205 {
        let text = format!("{}\nExpediente: {number}\n", RECORD.join("\n"));
        let answer = Form::file("record.txt", text.as_bytes()).send(&server, "/documents/upload");
        taken.insert(answer.document().to_string());
    }
    for id in &taken {
        scene.ended(id.parse().unwrap()).await;
    }
    let told = lines(&export(&server, "format=jsonl"));
    assert_eq!(told.len(), taken.len(), "each once");
    let seen: BTreeSet<_> = told.iter().map(|one| one["document_id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(seen, taken);
}
